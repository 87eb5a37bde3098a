#include "formulation/graph_index2.h"

#include <algorithm>

#include <fmt/format.h>

#include "problem/system_of.h"

namespace daedalus {

GraphIndex2::GraphIndex2(const ExpressionGraph& form, const StructuralAnalysis& structure,
                         std::shared_ptr<const std::vector<double>> modes) {
  std::vector<int> y, z;
  for (int j = 0; j < form.size; ++j) (structure.variable_offset[j] > 0 ? y : z).push_back(j);
  differential = static_cast<int>(y.size()), algebraic = static_cast<int>(z.size());
  places_ = y;
  places_.insert(places_.end(), z.begin(), z.end());
  const int n = differential, m = algebraic;
  const int discrete = modes ? static_cast<int>(modes->size()) : 0;
  const Names names(static_cast<std::size_t>(discrete));
  RowExpressions rows(*form.equations, form.variables, names);
  Graph& graph = rows.graph;
  // Inputs: time, y, z, discrete values, y'; the rate of the Jacobian has y' in the place of z.
  rows.time();
  for (const int j : places_) rows.variable(j, 0);
  for (int k = 0; k < discrete; ++k) rows.discrete(k);
  for (const int j : y) rows.variable(j, 1);
  const int first_rate = 1 + n + m + discrete;
  std::vector<NodeId> slopes(y.size(), -1), constraints;
  std::vector<int> y_inputs, z_inputs;
  for (int j = 0; j < n; ++j) y_inputs.push_back(1 + j);
  for (int k = 0; k < m; ++k) z_inputs.push_back(1 + n + k);
  for (int row = 0; row < form.size; ++row) {
    const NodeId residual = rows.residual(row);
    int derivatives = 0, of = -1;
    bool only_y = true;
    for (const auto& [variable, order] : rows.occurring(residual)) {
      if (order > 0) ++derivatives, of = variable;
      only_y = only_y && structure.variable_offset[variable] > 0;
    }
    if (derivatives == 0 && only_y) {
      constraints.push_back(residual), constraint_rows_.push_back(row);
      continue;
    }
    const auto at = std::find(y.begin(), y.end(), of) - y.begin();
    bool explicit_row = derivatives == 1 && at < n && slopes[static_cast<std::size_t>(at)] < 0;
    if (explicit_row) {
      const NodeId factor = gradient(graph, residual, {first_rate + static_cast<int>(at)})[0];
      for (const auto& [variable, order] : rows.occurring(factor))
        explicit_row = explicit_row && order == 0;
      const NodeId rest = rows.substituted(residual, {{{of, 1}, graph.constant(0)}});
      slopes[static_cast<std::size_t>(at)] = graph.div(graph.neg(rest), factor);
    }
    require(explicit_row,
            "explicit methods integrate models der(y) = f(t, y, z), 0 = g(t, y); "
            "equation \"{}\" is different; use radau for this model",
            form.equation_names[row]);
  }
  require(constraints.size() == z.size(),
          "explicit methods need as many constraints as algebraic variables; use radau for this "
          "model");
  std::vector<NodeId> directions, jacobian, drift, rate;
  for (const NodeId slope : slopes)
    for (const NodeId entry : gradient(graph, slope, z_inputs)) directions.push_back(entry);
  for (const NodeId g : constraints) {
    drift.push_back(gradient(graph, g, {0})[0]);
    for (const NodeId entry : gradient(graph, g, y_inputs)) {
      jacobian.push_back(entry);
      NodeId sum = gradient(graph, entry, {0})[0];
      const std::vector<NodeId> partial = gradient(graph, entry, y_inputs);
      for (int j = 0; j < n; ++j)
        sum = graph.add(
            sum, graph.mul(partial[static_cast<std::size_t>(j)], graph.input(first_rate + j)));
      rate.push_back(sum);
    }
  }
  slopes_ = GraphTape(rows, n + m, slopes, modes);
  directions_ = GraphTape(rows, n + m, directions, modes);
  constraint_ = GraphTape(rows, n + m, constraints, modes);
  drift_ = GraphTape(rows, n + m, drift, modes);
  jacobian_ = GraphTape(rows, n + m, jacobian, modes);
  jacobian_rate_ = GraphTape(rows, n + m, rate, modes);
  jacobian_rate_.put_second_at(first_rate, n);
  std::vector<NodeId> all;
  for (const auto* list : {&slopes, &directions, &drift, &jacobian})
    all.insert(all.end(), list->begin(), list->end());
  linearized_ = GraphTape(rows, n + m, all, modes);
}

}  // namespace daedalus
