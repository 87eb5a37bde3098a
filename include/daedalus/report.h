#pragma once
// A solution as one HTML file that opens offline: the model typeset, plots of every variable, step
// sizes, constraint residuals, events, counters, and what is needed to repeat the run.
#include <string>
#include <utility>
#include <vector>

#include "daedalus/output.h"
#include "daedalus/solution.h"

namespace daedalus {

/// One line of the model. `text` is infix, `der(x, 2) = -x*lambda/m`, unless it is markup already.
struct ReportEquation {
  std::string label = {};
  std::string text = {};
  bool is_markup = false;  ///< HTML or MathML, taken as it is: only from a source you trust
};

/// What a solution cannot know about itself. Everything but `equations` marked as markup is plain
/// text; what is empty is left out.
struct ReportContent {
  std::string title = "Solution";
  std::string description = {};
  std::vector<ReportEquation> equations = {};
  std::vector<ReportEquation> hidden_constraints = {};  ///< found by differentiation
  std::vector<std::string> warnings = {};
  Settings parameters = {};  ///< name and value
  Settings settings = {};    ///< rtol, method, ...
  Settings variables = {};   ///< name and what it means, with unit
  std::string command = {};  ///< the command line that repeats the run
  std::string model = {};    ///< the model's text as read
  std::string version = {};  ///< default: of this library
  std::string date = {};     ///< when the run was made; empty keeps reports reproducible
};

std::string html_report(const Solution& solution, const ReportContent& content);

}  // namespace daedalus
