#include "formulation/recognised_motion.h"

#include <algorithm>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// (x, u) of an equation der(x) = u, or (-1, -1).
std::pair<int, int> named_rate(RowExpressions& rows, int row) {
  if (rows.variables_in(row) != 2) return {-1, -1};
  const NodeId residual = rows.residual(row);
  const auto occurring = rows.occurring(residual);
  int rate = -1, value = -1;
  for (const auto& [variable, order] : occurring) (order == 1 ? rate : value) = variable;
  if (occurring.size() != 2 || rate < 0 || value < 0 ||
      !rows.graph.is_constant(rows.substituted(residual, {{{rate, 1}, rows.variable(value, 0)}}),
                              0))
    return {-1, -1};
  return {rate, value};
}

/// A row that accelerates one free velocity is the one of that velocity; what is left over is taken
/// as it was written, which makes a symmetric mass matrix of the equations of Lagrange.
std::vector<NodeId> in_order_of_velocities(const std::vector<NodeId>& rows,
                                           std::vector<std::vector<int>> accelerated) {
  std::vector<NodeId> ordered(rows.size(), -1);
  std::vector<char> used(rows.size(), 0);
  const auto give = [&](std::size_t row, int velocity) {
    ordered[static_cast<std::size_t>(velocity)] = rows[row], used[row] = 1;
    for (auto& list : accelerated) std::erase(list, velocity);
  };
  for (bool found = true; found;) {
    found = false;
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (!used[row] && accelerated[row].size() == 1)
        give(row, accelerated[row].front()), found = true;
  }
  std::size_t next = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (used[row]) continue;
    while (ordered[next] >= 0) ++next;
    ordered[next] = rows[row];
  }
  return ordered;
}

}  // namespace

void refuse_motion(const std::string& why) {
  throw InvalidInput(
      "explicit methods integrate models of the forms der(y) = f, or der(q) = v, M der(v) = f - "
      "forces of constraints, g(q) = 0; " +
      why + "; use radau for this model");
}

RecognisedMotion::RecognisedMotion(const ExpressionGraph& form, const StructuralAnalysis& structure,
                                   int discrete_values)
    : discrete_(discrete_values),
      discrete_names_(static_cast<std::size_t>(discrete_values)),
      rows(*form.equations, form.variables, discrete_names_) {
  sort_rows(sort_variables(form, structure), form, structure);
  is_multiplier_.resize(static_cast<std::size_t>(form.size));
  for (const int j : v) at_rest_[{j, 1}] = rows.graph.constant(0);
  for (const int k : lambda) at_rest_[{k, 0}] = rows.graph.constant(0), is_multiplier_[k] = 1;
}

std::vector<int> RecognisedMotion::places() const {
  std::vector<int> result;
  for (const auto* list : {&q, &v, &lambda, &a})
    result.insert(result.end(), list->begin(), list->end());
  return result;
}

NodeId RecognisedMotion::force(NodeId row) {
  return rows.graph.neg(rows.substituted(row, at_rest_));
}

std::vector<NodeId> RecognisedMotion::coefficients(NodeId row, const std::vector<int>& inputs) {
  std::vector<NodeId> entries = gradient(rows.graph, row, inputs);
  for (const NodeId entry : entries)
    for (const auto& [variable, order] : rows.occurring(entry))
      if (order > 0 || is_multiplier_[variable])
        refuse_motion("the equations of motion are not linear in accelerations and multipliers");
  return entries;
}

/// Finds coordinates, velocities and multipliers; returns the rows other than der(q) = v.
std::vector<int> RecognisedMotion::sort_variables(const ExpressionGraph& form,
                                                  const StructuralAnalysis& structure) {
  RowExpressions unsorted(*form.equations, form.variables, discrete_names_);
  std::vector<int> velocity_of(static_cast<std::size_t>(form.size), -1), others;
  for (int row = 0; row < form.size; ++row) {
    const auto [rate, value] = named_rate(unsorted, row);
    if (rate >= 0 && velocity_of[rate] < 0 && structure.variable_offset[rate] == 2)
      velocity_of[rate] = value;
    else
      others.push_back(row);
  }
  std::vector<char> is_velocity(static_cast<std::size_t>(form.size), 0);
  for (int j = 0; j < form.size; ++j) {
    if (structure.variable_offset[j] != 2) continue;
    if (velocity_of[j] < 0)
      refuse_motion(fmt::format("no equation der({}) = velocity was found", form.variables[j]));
    q.push_back(j), v.push_back(velocity_of[j]);
    is_velocity[velocity_of[j]] = 1;
  }
  for (int j = 0; j < form.size; ++j) {
    if (structure.variable_offset[j] == 0) lambda.push_back(j);
    if (structure.variable_offset[j] == 1 && !is_velocity[j])
      refuse_motion(form.variables[j] + " is no velocity of a coordinate");
    if (structure.variable_offset[j] > 2)
      refuse_motion(form.variables[j] + " is differentiated more than twice");
  }
  name_accelerations(unsorted, structure, others);
  return others;
}

/// What looks like a multiplier may be the name of an acceleration, der(v) = a. In `der(v) = force`
/// it is a multiplier, and there are as many of these as constraints.
void RecognisedMotion::name_accelerations(RowExpressions& unsorted,
                                          const StructuralAnalysis& structure,
                                          std::vector<int>& others) {
  std::size_t on_positions = 0;
  std::vector<std::pair<int, int>> named;  // row, acceleration
  std::vector<int> coordinate;
  for (const int row : others) {
    const auto occurring = unsorted.occurring(unsorted.residual(row));
    on_positions += std::all_of(occurring.begin(), occurring.end(), [&](const auto& entry) {
      return entry.second == 0 && structure.variable_offset[entry.first] == 2;
    });
    const auto [rate, value] = named_rate(unsorted, row);
    if (rate < 0 || structure.variable_offset[value] != 0) continue;
    const auto at = std::find(v.begin(), v.end(), rate);
    if (at == v.end()) continue;
    named.emplace_back(row, value);
    coordinate.push_back(static_cast<int>(at - v.begin()));
  }
  if (named.empty() || lambda.size() != on_positions + named.size()) return;
  for (std::size_t k = 0; k < named.size(); ++k) {
    std::erase(others, named[k].first), std::erase(lambda, named[k].second);
    a.push_back(named[k].second), shown_accelerations.push_back(coordinate[k]);
  }
}

void RecognisedMotion::sort_rows(const std::vector<int>& others, const ExpressionGraph& form,
                                 const StructuralAnalysis& structure) {
  // The inputs of all tapes, numbered in this order.
  rows.time();
  for (const int j : q) rows.variable(j, 0);
  for (const int j : v) rows.variable(j, 0);
  for (int k = 0; k < discrete_; ++k) rows.discrete(k);
  for (const int j : v) rows.variable(j, 1);
  for (const int j : lambda) rows.variable(j, 0);
  RowExpressions::Replacements to_velocity;
  for (std::size_t k = 0; k < q.size(); ++k) to_velocity[{q[k], 1}] = rows.variable(v[k], 0);
  for (std::size_t k = 0; k < a.size(); ++k)
    to_velocity[{a[k], 0}] = rows.variable(v[shown_accelerations[k]], 1);
  std::vector<NodeId> balances;
  std::vector<std::vector<int>> accelerated;  // velocities whose derivatives occur
  for (const int row : others) {
    const NodeId residual = rows.substituted(rows.residual(row), to_velocity);
    bool on_positions = true;
    std::vector<int> accelerations;
    for (const auto& [variable, order] : rows.occurring(residual)) {
      on_positions = on_positions && order == 0 && structure.variable_offset[variable] == 2;
      if (order == 1)
        accelerations.push_back(
            static_cast<int>(std::find(v.begin(), v.end(), variable) - v.begin()));
    }
    if (!on_positions && accelerations.empty())
      refuse_motion(fmt::format("equation \"{}\" holds neither positions alone nor an acceleration",
                                form.equation_names[row]));
    if (on_positions)
      constraints.push_back(residual), constraint_rows.push_back(row);
    else
      balances.push_back(residual), accelerated.push_back(std::move(accelerations));
  }
  if (constraints.size() != lambda.size() || balances.size() != v.size())
    refuse_motion("the numbers of coordinates, constraints and multipliers do not match");
  dynamics = in_order_of_velocities(balances, accelerated);
}

}  // namespace daedalus
