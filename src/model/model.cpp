// From a model text to a Problem of the library.
#include "daedalus/model.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "bvp/boundary_graph.h"
#include "method/nearest.h"
#include "model/diagnostic.h"
#include "model/flat_model.h"
#include "model/parse.h"
#include "problem/switch_board.h"

namespace daedalus {

struct Model::Content {
  model::FlatModel flat;
  Problem problem;
  std::shared_ptr<const bvp::BoundaryGraph> boundary;
};

namespace {

/// Variables without a start that an equation `v = expression` defines begin at that value:
/// zero would often lie where other equations are not defined.
void guess_definitions(const model::FlatModel& flat, const ExpressionGraph& form,
                       std::vector<double>& start) {
  if (flat.definitions.empty()) return;
  constexpr int deepest_chain = 20;
  std::vector<int> rows;
  for (const auto& [row, variable] : flat.definitions) rows.push_back(row);
  const EquationSet definitions = flat.equations.restricted(rows);
  std::vector<double> zero(start.size(), 0.0), r(rows.size()), modes = *form.discrete;
  const double* x[] = {start.data(), zero.data()};
  SwitchBoard switches(form.switching.get(), &modes);
  for (int sweep = 0; sweep < deepest_chain; ++sweep) {
    switches.renew(flat.start_time, start.data(), {});
    definitions.residual({flat.start_time, x, modes.data()}, r.data());
    double change = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (!std::isfinite(r[k])) continue;
      start[static_cast<std::size_t>(flat.definitions[k].second)] -= r[k];
      change = std::max(change, std::abs(r[k]));
    }
    if (change == 0) break;
  }
}

Problem make_problem(const model::FlatModel& flat) {
  ExpressionGraph form;
  form.size = static_cast<int>(flat.variables.size());
  form.visible = flat.visible;
  form.equations = std::make_shared<EquationSet>(flat.equations);
  form.initial_equations = std::make_shared<EquationSet>(flat.initial_equations);
  form.initial_names = flat.initial_labels;
  form.equation_names = flat.labels;
  form.discrete = std::make_shared<std::vector<double>>(flat.switching.start);
  if (!flat.switching.empty()) form.switching = std::make_shared<Switching>(flat.switching);
  Problem problem;
  std::vector<double> start;
  for (int j = 0; j < form.size; ++j) {
    const model::FlatVariable& v = flat.variables[static_cast<std::size_t>(j)];
    form.variables.push_back(v.name);
    start.push_back(v.start);
    form.stated.push_back(v.has_start || v.fixed);
    if (v.fixed) problem.fixed.push_back(v.name);
    if (v.has_bounds()) problem.bounds.push_back({v.name, v.min, v.max});
  }
  guess_definitions(flat, form, start);
  problem.form = std::move(form);
  problem.t_span = {flat.start_time, flat.stop_time};
  problem.start = start;
  return problem;
}

}  // namespace

Model Model::from_text(const std::string& text, const std::string& file_name,
                       const ModelOptions& options) {
  const model::Ast ast = model::parse_model(text, file_name);
  auto content = std::make_shared<Content>();
  content->flat = model::flatten(
      ast, {options.parameters, options.start, options.start_time, options.stop_time});
  for (const auto& [name, value] : options.start) {
    Names names;
    for (const model::FlatVariable& v : content->flat.variables) names.push_back(v.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const auto near = nearest_names(name, names, 1);
    throw InvalidInput(fmt::format("the model has no variable '{}'{}", name,
                                   near.empty() ? "" : "; did you mean '" + near[0] + "'?"));
  }
  if (content->flat.has_boundary_conditions)
    content->boundary = std::make_shared<bvp::BoundaryGraph>(bvp::graph_of(content->flat));
  else
    content->problem = make_problem(content->flat);
  Model result;
  result.content_ = std::move(content);
  return result;
}

Model Model::from_file(const std::string& path, const ModelOptions& options) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InvalidInput(fmt::format("cannot read the model file '{}'", path));
  std::ostringstream text;
  text << stream.rdbuf();
  return from_text(text.str(), path, options);
}

const std::string& Model::name() const {
  return content_->flat.name;
}
const std::string& Model::description() const {
  return content_->flat.description;
}
const Problem& Model::problem() const {
  if (is_boundary_value_problem())
    throw InvalidInput(fmt::format(
        "{} has boundary conditions: it is solved as a whole, not from a start", name()));
  return content_->problem;
}
bool Model::is_boundary_value_problem() const {
  return content_->boundary != nullptr;
}
const std::shared_ptr<const bvp::BoundaryGraph>& Model::boundary() const {
  return content_->boundary;
}
Interval Model::t_span() const {
  return {content_->flat.start_time, content_->flat.stop_time};
}

Options Model::options() const {
  Options options;
  if (content_->flat.tolerance) options.rtol = *content_->flat.tolerance;
  return options;
}

Options Model::scaled(Options options) const {
  const std::vector<model::FlatVariable>& variables = content_->flat.variables;
  if (options.atol.size() > 1) return options;
  const double atol = options.atol.empty() ? options.rtol : options.atol[0];
  Vector all(content_->flat.visible);
  for (int j = 0; j < content_->flat.visible; ++j)
    all[j] = atol * variables[static_cast<std::size_t>(j)].nominal;
  options.atol = all;
  return options;
}

std::vector<std::pair<std::string, std::string>> Model::equations() const {
  const model::FlatModel& flat = content_->flat;
  Names names;
  for (const model::FlatVariable& v : flat.variables) names.push_back(v.name);
  std::vector<std::pair<std::string, std::string>> list;
  for (int row = 0; row < flat.equations.rows() && row < 200; ++row)
    list.emplace_back(flat.labels[static_cast<std::size_t>(row)],
                      "0 = " + flat.equations.text(row, names, flat.discrete_names));
  return list;
}

std::map<std::string, double> Model::parameters() const {
  return content_->flat.parameters;
}

}  // namespace daedalus
