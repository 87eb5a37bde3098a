#include "formulation/graph_motion.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw InvalidInput(
      "explicit methods integrate models of the forms der(y) = f, or der(q) = v, M der(v) = f - "
      "forces of constraints, g(q) = 0; " +
      why + "; use radau for this model");
}

/// d/dt with constant velocity; inputs: time, q, v, ...
NodeId along_straight_line(Graph& graph, NodeId node, int n) {
  std::vector<int> inputs;
  for (int j = 0; j <= n; ++j) inputs.push_back(j);
  const std::vector<NodeId> partial = gradient(graph, node, inputs);
  NodeId sum = partial[0];
  for (int j = 0; j < n; ++j)
    sum =
        graph.add(sum, graph.mul(partial[static_cast<std::size_t>(1 + j)], graph.input(1 + n + j)));
  return sum;
}

/// (x, u) of an equation der(x) = u, or (-1, -1).
std::pair<int, int> named_rate(RowExpressions& rows, int row) {
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

GraphMotion::GraphMotion(const ExpressionGraph& form, const StructuralAnalysis& structure, double t,
                         const double* y, std::shared_ptr<const std::vector<double>> modes)
    : modes_(std::move(modes)) {
  const std::vector<int> others = sort_variables(form, structure);
  const Names discrete(modes_ ? modes_->size() : 0);
  RowExpressions rows(*form.equations, form.variables, discrete);
  sort_rows(rows, others, form, structure);
  make_constraints(rows);
  make_dynamics(rows);
  places_ = q_;
  places_.insert(places_.end(), v_.begin(), v_.end());
  places_.insert(places_.end(), lambda_.begin(), lambda_.end());
  places_.insert(places_.end(), a_.begin(), a_.end());
  entries_.resize(static_cast<std::size_t>(coordinates) * static_cast<std::size_t>(coordinates));
  rows_.resize(static_cast<std::size_t>(coordinates) * static_cast<std::size_t>(position));
  columns_.resize(coordinates, position);
  sum_.resize(coordinates), solved_.resize(position);
  // Rows may be written as f - M der(v) = 0 too.
  Vector point(2 * coordinates);
  for (int j = 0; j < 2 * coordinates; ++j) point[j] = y[places_[static_cast<std::size_t>(j)]];
  mass_(t, point.data(), 2 * coordinates, nullptr, entries_.data());
  bool turned = false;
  for (int i = 0; i < coordinates; ++i)
    if (entries_[static_cast<std::size_t>(i * coordinates + i)] < 0) {
      NodeId& row = dynamic_rows_[static_cast<std::size_t>(i)];
      row = rows.graph.neg(row);
      turned = true;
    }
  if (turned) make_dynamics(rows);
  check_forces(t, point);
}

/// Finds coordinates, velocities and multipliers; returns the rows other than der(q) = v.
std::vector<int> GraphMotion::sort_variables(const ExpressionGraph& form,
                                             const StructuralAnalysis& structure) {
  const Names discrete(modes_ ? modes_->size() : 0);
  RowExpressions rows(*form.equations, form.variables, discrete);
  std::vector<int> velocity_of(static_cast<std::size_t>(form.size), -1), others;
  for (int row = 0; row < form.size; ++row) {
    const auto [rate, value] = named_rate(rows, row);
    if (rate >= 0 && velocity_of[rate] < 0 && structure.variable_offset[rate] == 2)
      velocity_of[rate] = value;
    else
      others.push_back(row);
  }
  std::vector<char> is_velocity(static_cast<std::size_t>(form.size), 0);
  for (int j = 0; j < form.size; ++j) {
    if (structure.variable_offset[j] != 2) continue;
    if (velocity_of[j] < 0)
      refuse(fmt::format("no equation der({}) = velocity was found", form.variables[j]));
    q_.push_back(j), v_.push_back(velocity_of[j]);
    is_velocity[velocity_of[j]] = 1;
  }
  for (int j = 0; j < form.size; ++j) {
    if (structure.variable_offset[j] == 0) lambda_.push_back(j);
    if (structure.variable_offset[j] == 1 && !is_velocity[j])
      refuse(form.variables[j] + " is no velocity of a coordinate");
    if (structure.variable_offset[j] > 2)
      refuse(form.variables[j] + " is differentiated more than twice");
  }
  name_accelerations(rows, structure, others);
  coordinates = static_cast<int>(q_.size()), position = static_cast<int>(lambda_.size());
  return others;
}

/// What looks like a multiplier may be the name of an acceleration, der(v) = a. In `der(v) = force`
/// it is a multiplier, and there are as many of these as constraints.
void GraphMotion::name_accelerations(RowExpressions& rows, const StructuralAnalysis& structure,
                                     std::vector<int>& others) {
  std::size_t constraints = 0;
  std::vector<std::pair<int, int>> named;  // row, acceleration
  std::vector<int> coordinate;
  for (const int row : others) {
    const auto occurring = rows.occurring(rows.residual(row));
    constraints += std::all_of(occurring.begin(), occurring.end(), [&](const auto& entry) {
      return entry.second == 0 && structure.variable_offset[entry.first] == 2;
    });
    const auto [rate, value] = named_rate(rows, row);
    if (rate < 0 || structure.variable_offset[value] != 0) continue;
    const auto at = std::find(v_.begin(), v_.end(), rate);
    if (at == v_.end()) continue;
    named.emplace_back(row, value);
    coordinate.push_back(static_cast<int>(at - v_.begin()));
  }
  if (named.empty() || lambda_.size() != constraints + named.size()) return;
  for (std::size_t k = 0; k < named.size(); ++k) {
    std::erase(others, named[k].first), std::erase(lambda_, named[k].second);
    a_.push_back(named[k].second), shown_accelerations.push_back(coordinate[k]);
  }
}

void GraphMotion::sort_rows(RowExpressions& rows, const std::vector<int>& others,
                            const ExpressionGraph& form, const StructuralAnalysis& structure) {
  // The inputs of all tapes, numbered in this order.
  rows.time();
  for (const int j : q_) rows.variable(j, 0);
  for (const int j : v_) rows.variable(j, 0);
  for (std::size_t k = 0; modes_ && k < modes_->size(); ++k) rows.discrete(static_cast<int>(k));
  for (const int j : v_) rows.variable(j, 1);
  for (const int j : lambda_) rows.variable(j, 0);
  RowExpressions::Replacements to_velocity;
  for (std::size_t k = 0; k < q_.size(); ++k) to_velocity[{q_[k], 1}] = rows.variable(v_[k], 0);
  for (std::size_t k = 0; k < a_.size(); ++k)
    to_velocity[{a_[k], 0}] = rows.variable(v_[shown_accelerations[k]], 1);
  std::vector<NodeId> dynamics;
  std::vector<std::vector<int>> accelerated;  // velocities whose derivatives occur
  for (const int row : others) {
    const NodeId residual = rows.substituted(rows.residual(row), to_velocity);
    bool on_positions = true;
    std::vector<int> accelerations;
    for (const auto& [variable, order] : rows.occurring(residual)) {
      on_positions = on_positions && order == 0 && structure.variable_offset[variable] == 2;
      if (order == 1)
        accelerations.push_back(
            static_cast<int>(std::find(v_.begin(), v_.end(), variable) - v_.begin()));
    }
    if (!on_positions && accelerations.empty())
      refuse(fmt::format("equation \"{}\" holds neither positions alone nor an acceleration",
                         form.equation_names[row]));
    if (on_positions)
      constraint_rows_.push_back(residual);
    else
      dynamics.push_back(residual), accelerated.push_back(std::move(accelerations));
  }
  if (constraint_rows_.size() != lambda_.size() || dynamics.size() != v_.size())
    refuse("the numbers of coordinates, constraints and multipliers do not match");
  dynamic_rows_ = in_order_of_velocities(dynamics, accelerated);
}

void GraphMotion::make_constraints(RowExpressions& rows) {
  const int n = coordinates;
  Graph& graph = rows.graph;
  std::vector<int> inputs;
  for (int j = 0; j < n; ++j) inputs.push_back(1 + j);
  std::vector<NodeId> matrix, rates, level = constraint_rows_;
  for (const NodeId row : constraint_rows_)
    for (const NodeId entry : gradient(graph, row, inputs)) {
      matrix.push_back(entry);
      rates.push_back(along_straight_line(graph, entry, n));
    }
  jacobian_ = GraphTape(rows, 2 * n, matrix, modes_);
  jacobian_rate_ = GraphTape(rows, 2 * n, rates, modes_);
  for (GraphTape& tape : level_) {
    tape = GraphTape(rows, 2 * n, level, modes_);
    for (NodeId& node : level) node = along_straight_line(graph, node, n);
  }
}

void GraphMotion::make_dynamics(RowExpressions& rows) {
  Graph& graph = rows.graph;
  const int n = coordinates, first = 1 + 2 * n + (modes_ ? static_cast<int>(modes_->size()) : 0);
  std::vector<int> accelerations, multipliers;
  RowExpressions::Replacements at_rest;
  for (int j = 0; j < n; ++j)
    accelerations.push_back(first + j), at_rest[{v_[j], 1}] = graph.constant(0);
  for (int k = 0; k < position; ++k)
    multipliers.push_back(first + n + k), at_rest[{lambda_[k], 0}] = graph.constant(0);
  std::vector<NodeId> mass, directions, force;
  constant_mass = true;
  const auto require_linear = [&](NodeId node) {
    for (const auto& [variable, order] : rows.occurring(node))
      if (order > 0 || std::count(lambda_.begin(), lambda_.end(), variable) > 0)
        refuse("the equations of motion are not linear in accelerations and multipliers");
  };
  for (const NodeId row : dynamic_rows_) {
    for (const NodeId entry : gradient(graph, row, accelerations)) {
      require_linear(entry);
      constant_mass = constant_mass && graph.is_constant(entry);
      mass.push_back(entry);
    }
    for (const NodeId entry : gradient(graph, row, multipliers)) {
      require_linear(entry);
      directions.push_back(entry);
    }
    force.push_back(graph.neg(rows.substituted(row, at_rest)));
  }
  mass_ = GraphTape(rows, 2 * n, mass, modes_);
  directions_ = GraphTape(rows, 2 * n, directions, modes_);
  force_ = GraphTape(rows, 2 * n, force, modes_);
}

void GraphMotion::mass(double t, const double* q, MatrixOutput m) {
  mass_(t, q, coordinates, nullptr, entries_.data());
  for (int i = 0; i < coordinates; ++i)
    for (int j = 0; j < coordinates; ++j)
      m(i, j) = entries_[static_cast<std::size_t>(i * coordinates + j)];
}

/// M must be symmetric, and B lambda the force of ideal constraints, here and nearby.
void GraphMotion::check_forces(double t, const Vector& start) {
  const int n = coordinates, m = position;
  Vector q = start.head(n);
  Matrix mass_here(n, n), rows(m, n), columns(n, m);
  for (int probe = 0; probe < 3; ++probe) {
    mass(t, q.data(), MatrixOutput(mass_here.data(), n, n));
    if (!mass_here.isApprox(mass_here.transpose(), 1e-9))
      refuse("the mass matrix is not symmetric: write M der(v) = f with the masses on the left");
    jacobian(t, q.data(), rows_.data());
    directions_(t, q.data(), n, nullptr, entries_.data());
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < n; ++j) {
        rows(k, j) = rows_[static_cast<std::size_t>(k * n + j)];
        columns(j, k) = entries_[static_cast<std::size_t>(j * m + k)];
      }
    directions_differ_ = directions_differ_ || !columns.isApprox(rows.transpose(), 1e-14);
    const Matrix across =
        columns -
        rows.transpose() * rows.transpose().completeOrthogonalDecomposition().solve(columns);
    if (across.norm() > 1e-8 * columns.norm())
      refuse(
          "the forces of the multipliers are not normal to the constraints: write the equations "
          "of motion with the masses on the left");
    for (int j = 0; j < n; ++j)
      q[j] += 0.03 * std::sin(7.0 * (j + 1) + probe) * (1 + std::abs(q[j]));
  }
}

void GraphMotion::to_user(double t, const double* q, double* lambda) {
  if (!directions_differ_) return;
  jacobian(t, q, rows_.data());
  directions_(t, q, coordinates, nullptr, entries_.data());
  sum_.setZero();
  for (int k = 0; k < position; ++k)
    for (int j = 0; j < coordinates; ++j) {
      sum_[j] += rows_[static_cast<std::size_t>(k * coordinates + j)] * lambda[k];
      columns_(j, k) = entries_[static_cast<std::size_t>(j * position + k)];
    }
  factors_.compute(columns_);
  solved_ = factors_.solve(sum_);
  std::copy(solved_.data(), solved_.data() + position, lambda);
}

}  // namespace daedalus
