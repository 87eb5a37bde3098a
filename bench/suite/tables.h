#pragma once
// A run told to people and programs: CSV, JSON, plain text, SVG, HTML, and the page of the docs.
#include <iosfwd>

#include "bench/suite/ratios.h"
#include "reproduce/svg_plot.h"

namespace daedalus::bench {

/// How the run was made, for those who read it later.
struct Circumstances {
  std::string machine = {}, compiler = {}, version = {}, command = {};
  int passes = 0;
  double load = 0;  ///< processes that wanted to run, of the last minute
};
Circumstances circumstances();

std::string csv_table(const std::vector<Row>& rows);
std::string json_table(const std::vector<Row>& rows, const Circumstances& how);
/// A run as json_table told it, added to the rows; of what they have already, the one with more
/// passes is kept. Throws InvalidInput.
void read_json_table(const std::string& text, std::vector<Row>& rows, Circumstances& how);
/// Ratios, means and failures as plain text.
std::string text_summary(const std::vector<Row>& rows);

/// One plot for each problem of a suite: log10 of the time against digits.
std::vector<reproduce::Plot> plots(const std::vector<Row>& rows, const std::string& suite);

std::string html_page(const std::vector<Row>& rows, const Circumstances& how);
/// docs/benchmarks.md and the figures it shows, below `folder`. Returns the paths written.
std::vector<std::string> write_docs(const std::vector<Row>& rows, const Circumstances& how,
                                    const std::string& folder);

/// "12.3" or "12345", or "-" for what is not known.
std::string number(double value);
std::string number(double value, const char* format);
/// The suites that have rows, in the order of the list.
std::vector<std::string> suites_in(const std::vector<Row>& rows);

}  // namespace daedalus::bench
