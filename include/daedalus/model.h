#pragma once
// Models as text: a flat Modelica subset; see docs/guide/model-language.md.
#include <map>
#include <optional>
#include <string>

#include "daedalus/problem.h"
#include "daedalus/solve.h"

namespace daedalus {

struct ModelOptions {
  std::map<std::string, double> parameters = {};  ///< values in place of those in the text
  std::map<std::string, double> start = {};       ///< start values likewise
  std::optional<double> start_time = {}, stop_time = {};
};

namespace bvp {
struct BoundaryGraph;
}

class Model {
 public:
  /// Throws InvalidInput with file, line, column, a caret and a hint.
  static Model from_text(const std::string& text, const std::string& file_name = "model.mo",
                         const ModelOptions& options = {});
  static Model from_file(const std::string& path, const ModelOptions& options = {});

  const std::string& name() const;
  const std::string& description() const;
  /// Throws InvalidInput for a boundary value problem.
  const Problem& problem() const;
  /// It has a `constraint` section: solve_boundary solves it.
  bool is_boundary_value_problem() const;
  const std::shared_ptr<const bvp::BoundaryGraph>& boundary() const;
  Interval t_span() const;
  /// With the tolerance that the text says.
  Options options() const;
  /// The same with atol * nominal as the absolute tolerance of each variable.
  Options scaled(Options options) const;
  /// Equations as text with their labels.
  std::vector<std::pair<std::string, std::string>> equations() const;
  std::map<std::string, double> parameters() const;

 private:
  struct Content;
  std::shared_ptr<const Content> content_;
};

}  // namespace daedalus
