#include "formulation/stabilised_motion.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include <Eigen/QR>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

constexpr int most_constraints = 400;  // their combinations are compared as dense matrices
constexpr double rounding = 1e-9;      // of such a comparison, C being of moderate condition

/// What the equations say of each variable, and which rows are which.
struct Parts {
  std::vector<char> is_algebraic, is_coordinate, is_velocity, vanishes;  ///< by variable
  std::vector<int> rate_rows;                    ///< der(q) = v, with mu or without
  std::vector<std::pair<int, int>> velocity_of;  ///< (q, v) of these
  std::vector<int> position_rows, velocity_rows;
};

bool is_value(const Leaf& leaf) {
  return leaf.kind == Leaf::Kind::variable && leaf.order == 0;
}

/// Leaves of q' and v where equations read der(q) = v as soon as their algebraic variables are
/// zero.
std::optional<std::pair<int, int>> rate_and_velocity(const Kernel& kernel,
                                                     const std::vector<char>& is_algebraic) {
  const std::size_t count = kernel.leaves.size();
  std::vector<char> gone(count, 0);
  int rate = -1;
  for (std::size_t l = 0; l < count; ++l) {
    const Leaf& leaf = kernel.leaves[l];
    if (leaf.kind == Leaf::Kind::variable && leaf.order > 0) {
      if (leaf.order > 1 || rate >= 0) return std::nullopt;
      rate = static_cast<int>(l);
    }
    if (!is_value(leaf)) continue;
    const auto& which = kernel.which[l];
    const auto algebraic =
        std::count_if(which.begin(), which.end(), [&](int j) { return is_algebraic[j] != 0; });
    if (algebraic != 0 && algebraic != std::ssize(which)) return std::nullopt;
    gone[l] = algebraic != 0;
  }
  if (rate < 0) return std::nullopt;
  Graph graph;
  const NodeId rest = rebuilt(kernel.graph, kernel.residual, graph, [&](int input) {
    return gone[static_cast<std::size_t>(input)] ? graph.constant(0) : graph.input(input);
  });
  int velocity = -1;
  for (const NodeId node : needed(graph, rest)) {
    if (graph[node].op != Op::input || graph[node].a == rate) continue;
    if (velocity >= 0 || !is_value(kernel.leaves[static_cast<std::size_t>(graph[node].a)]))
      return std::nullopt;
    velocity = graph[node].a;
  }
  if (velocity < 0) return std::nullopt;
  const NodeId difference = rebuilt(
      graph, rest, graph, [&](int input) { return graph.input(input == rate ? velocity : input); });
  if (graph.is_constant(rest) || !graph.is_constant(difference, 0)) return std::nullopt;
  return std::pair(rate, velocity);
}

/// Calls use(row, variable) for everything that is no derivative.
template <class Use>
void for_values(const EquationSet& equations, Use use) {
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (is_value(kernel.leaves[l]))
        for (std::size_t i = 0; i < kernel.rows.size(); ++i)
          use(kernel.rows[i], kernel.which[l][i]);
}

std::optional<Parts> parts_of(const EquationSet& equations, const StructuralAnalysis& structure) {
  const std::size_t size = structure.variable_offset.size();
  Parts parts;
  for (auto* list :
       {&parts.is_algebraic, &parts.is_coordinate, &parts.is_velocity, &parts.vanishes})
    list->assign(size, 0);
  for (std::size_t j = 0; j < size; ++j) parts.is_algebraic[j] = structure.variable_offset[j] == 0;
  std::vector<char> is_rate(size, 0), is_constraint(size, 1), on_positions(size, 1);
  for (const Kernel& kernel : equations.kernels()) {
    const auto found = rate_and_velocity(kernel, parts.is_algebraic);
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
        for (const int row : kernel.rows) is_constraint[row] = 0;
    if (!found) continue;
    for (std::size_t i = 0; i < kernel.rows.size(); ++i) {
      const int q = kernel.which[found->first][i], v = kernel.which[found->second][i];
      is_rate[kernel.rows[i]] = parts.is_coordinate[q] = parts.is_velocity[v] = 1;
      parts.rate_rows.push_back(kernel.rows[i]), parts.velocity_of.emplace_back(q, v);
    }
  }
  bool only_there = true;
  for_values(equations, [&](int row, int variable) {
    if (!parts.is_algebraic[variable]) return;
    is_constraint[row] = 0;
    if (is_rate[row]) parts.vanishes[variable] = 1;
  });
  for_values(equations, [&](int row, int variable) {
    only_there = only_there && (is_rate[row] || !parts.vanishes[variable]);
    on_positions[row] = on_positions[row] && parts.is_coordinate[variable];
    is_constraint[row] =
        is_constraint[row] && (parts.is_coordinate[variable] || parts.is_velocity[variable]);
  });
  for (int row = 0; row < equations.rows(); ++row)
    if (is_constraint[row])
      (on_positions[row] ? parts.position_rows : parts.velocity_rows).push_back(row);
  const auto vanishing = std::count(parts.vanishes.begin(), parts.vanishes.end(), char{1});
  if (!only_there || vanishing == 0 || vanishing > most_constraints ||
      std::ssize(parts.position_rows) != vanishing || std::ssize(parts.velocity_rows) != vanishing)
    return std::nullopt;
  return parts;
}

/// Whether h = C dg/dt for all velocities, with some regular C for each t and q: fitted to twice as
/// many velocities as constraints.
bool are_derivatives(const EquationSet& equations, const Parts& parts, double t,
                     const Vector& start, const std::vector<double>* modes) {
  const EquationSet rates = equations.restricted(parts.position_rows).differentiated();
  const EquationSet velocities = equations.restricted(parts.velocity_rows);
  const int m = static_cast<int>(parts.position_rows.size()), samples = 2 * m + 2;
  Vector y = start, yp = Vector::Zero(y.size());
  Matrix of_rates(m, samples), given(m, samples);
  std::minstd_rand generator;
  std::uniform_real_distribution<double> distribution(-1, 1);
  const auto next = [&] { return distribution(generator); };
  for (int probe = 0; probe < 2; ++probe) {
    for (const auto& [q, v] : parts.velocity_of) y[q] += 0.03 * next() * (1 + std::abs(y[q]));
    for (int k = 0; k < samples; ++k) {
      for (const auto& [q, v] : parts.velocity_of) yp[q] = y[v] = next() * (1 + std::abs(start[v]));
      const double* const x[] = {y.data(), yp.data()};
      const Point point{t, x, modes ? modes->data() : nullptr};
      rates.residual(point, of_rates.col(k).data());
      velocities.residual(point, given.col(k).data());
    }
    if (!of_rates.allFinite() || !given.allFinite()) return false;
    const auto factors = of_rates.transpose().colPivHouseholderQr();
    const Matrix combination = factors.solve(given.transpose());
    const double off = (of_rates.transpose() * combination - given.transpose()).norm();
    if (factors.rank() < m || !(off <= rounding * given.norm()) ||
        combination.colPivHouseholderQr().rank() < m)
      return false;
  }
  return true;
}

}  // namespace

bool look_stabilised(const EquationSet& equations, const StructuralAnalysis& structure) {
  return parts_of(equations, structure).has_value();
}

std::optional<UnstabilisedMotion> without_stabilisation(
    const ExpressionGraph& form, const StructuralAnalysis& structure, double t, const Vector& start,
    const std::shared_ptr<const std::vector<double>>& modes) {
  const EquationSet& equations = *form.equations;
  const std::optional<Parts> parts = parts_of(equations, structure);
  if (!parts || !are_derivatives(equations, *parts, t, start, modes.get())) return std::nullopt;
  EquationBuilder rates;
  for (const auto& [q, v] : parts->velocity_of) {
    rates.begin();
    rates.add(rates.graph().sub(rates.variable(q, 1), rates.variable(v)));
  }
  UnstabilisedMotion motion;
  std::vector<int> place(static_cast<std::size_t>(form.size), -1), kept_rows;
  for (int j = 0; j < form.size; ++j) {
    if (parts->vanishes[j]) {
      motion.vanishing.push_back(j);
      continue;
    }
    place[j] = static_cast<int>(motion.variables.size());
    motion.variables.push_back(j), motion.form.variables.push_back(form.variables[j]);
  }
  for (int row = 0; row < form.size; ++row) {
    if (std::find(parts->velocity_rows.begin(), parts->velocity_rows.end(), row) !=
        parts->velocity_rows.end())
      continue;
    kept_rows.push_back(row), motion.form.equation_names.push_back(form.equation_names[row]);
  }
  motion.form.size = motion.form.visible = static_cast<int>(motion.variables.size());
  motion.form.equations = std::make_shared<EquationSet>(
      equations.with_rows(parts->rate_rows, rates.take()).restricted(kept_rows).renumbered(place));
  motion.form.discrete = form.discrete;
  return motion;
}

}  // namespace daedalus
