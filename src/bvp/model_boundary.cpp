// A model with a constraint section as a boundary value problem.
#include <fmt/format.h>

#include "bvp/boundary_graph.h"
#include "bvp/solve_graph.h"
#include "daedalus/error.h"
#include "model/flat_model.h"

namespace daedalus {
namespace bvp {

BoundaryGraph graph_of(const model::FlatModel& flat) {
  if (!flat.switching.empty())
    throw InvalidInput(fmt::format(
        "{} switches: relations, when clauses and discrete variables have no place in a "
        "boundary value problem; smooth branches can be written inside noEvent()",
        flat.name));
  if (flat.initial_equations.rows() > 0)
    throw InvalidInput(fmt::format(
        "{} has initial equations and boundary conditions; write the former as x(startTime) = ...",
        flat.name));
  BoundaryGraph graph;
  for (const model::FlatVariable& v : flat.variables) graph.variables.push_back(v.name);
  for (int j = 0; j < flat.visible; ++j) {
    graph.shown.emplace_back(j, 0);
    graph.shown_names.push_back(graph.variables[static_cast<std::size_t>(j)]);
  }
  graph.equations = flat.equations;
  graph.equation_names = flat.labels;
  graph.points = flat.points;
  graph.conditions = flat.conditions;
  graph.condition_names = flat.condition_labels;
  graph.t_span = {flat.start_time, flat.stop_time};
  graph.discrete = flat.switching.start;
  if (graph.discrete.empty()) graph.discrete.push_back(0);
  // Derivatives of the start values, as many as any variable may need.
  std::vector<EquationSet> levels = {flat.guesses};
  while (levels.size() < 10 && flat.guesses.rows() > 0)
    levels.push_back(levels.back().differentiated());
  graph.guess = [levels, places = flat.guess_of, rows = flat.guesses.rows()](double t, int orders,
                                                                             double* const* x) {
    if (rows == 0) return;
    std::vector<double> values(static_cast<std::size_t>(rows));
    const double* none[] = {nullptr, nullptr};
    for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
      levels[static_cast<std::size_t>(level)].residual({t, none, nullptr}, values.data());
      for (const model::FlatModel::Guess& g : places)
        if (level >= g.order && level - g.order < orders)
          x[level - g.order][g.variable] = values[static_cast<std::size_t>(g.row)];
    }
  };
  return graph;
}

Problem problem_of(const BoundaryGraph& graph) {
  ExpressionGraph form;
  form.size = graph.size();
  form.visible = static_cast<int>(graph.shown.size());
  form.equations = std::make_shared<EquationSet>(graph.equations);
  form.variables = graph.variables;
  form.equation_names = graph.equation_names;
  form.discrete = std::make_shared<std::vector<double>>(graph.discrete);
  std::vector<double> start(graph.variables.size(), 0.0);
  double* x[] = {start.data()};
  if (graph.guess) graph.guess(graph.t_span.begin, 1, x);
  Problem problem;
  problem.form = std::move(form);
  problem.t_span = graph.t_span;
  problem.start = start;
  return problem;
}

}  // namespace bvp

BoundarySolution solve_boundary(const Model& model, const BoundaryOptions& options,
                                const BoundarySolution* before) {
  if (!model.is_boundary_value_problem())
    throw InvalidInput(fmt::format(
        "{} has no boundary conditions; they stand in a 'constraint' section", model.name()));
  const auto& graph = model.boundary();
  return bvp::solve_graph(graph, graph->guess, Findings::none(), options, before);
}

}  // namespace daedalus
