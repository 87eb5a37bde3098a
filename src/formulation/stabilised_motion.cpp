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
// How far from the start positions are looked at. Equations may be undefined at the far ones.
constexpr double distances[] = {0.03, 0.1, 0.3};

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

/// One formula for all times and places: what two such have in common around a point, to be seen
/// beside rounding, they have in common everywhere.
bool is_analytic(const Kernel& kernel) {
  for (const NodeId node : needed(kernel.graph, kernel.residual)) {
    const Node& n = kernel.graph[node];
    const bool has_pieces = (n.op >= Op::abs && n.op <= Op::logical_not) || n.op >= Op::min;
    // Where they are small nothing is seen of what multiplies them elsewhere.
    const bool fades = n.op == Op::exp || n.op == Op::pow || (n.op >= Op::sinh && n.op <= Op::tanh);
    const bool may_switch =
        n.op == Op::input &&
        kernel.leaves[static_cast<std::size_t>(n.a)].kind == Leaf::Kind::discrete;
    if (has_pieces || fades || may_switch) return false;
  }
  return true;
}

/// In the given inputs together, and in the first of them with a constant factor.
bool is_affine(const Kernel& kernel, const std::vector<int>& inputs) {
  Graph graph = kernel.graph;
  const std::vector<NodeId> slopes = gradient(graph, kernel.residual, inputs);
  if (!graph.is_constant(slopes[0]) || graph.is_constant(slopes[0], 0)) return false;
  return std::all_of(slopes.begin(), slopes.end(), [&](NodeId slope) {
    const std::vector<NodeId> nodes = needed(graph, slope);
    return std::none_of(nodes.begin(), nodes.end(), [&](NodeId node) {
      return graph[node].op == Op::input &&
             std::find(inputs.begin(), inputs.end(), graph[node].a) != inputs.end();
    });
  });
}

/// Leaves of q' and v where equations read der(q) = v as soon as their algebraic variables, which
/// enter linearly, are zero.
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
  std::vector<int> linear = {rate};
  for (std::size_t l = 0; l < count; ++l)
    if (gone[l]) linear.push_back(static_cast<int>(l));
  if (!is_analytic(kernel) || !is_affine(kernel, linear)) return std::nullopt;
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
    if (!is_analytic(kernel))
      for (const int row : kernel.rows) is_constraint[row] = 0;
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

/// Looks at the equations at times of the interval and at points around the start.
class Probe {
 public:
  Probe(const EquationSet& equations, const Parts& parts, Interval t_span, const Vector& start,
        const std::vector<double>* modes)
      : parts_(parts),
        rates_(equations.restricted(parts.rate_rows)),
        derivatives_(equations.restricted(parts.position_rows).differentiated()),
        velocities_(equations.restricted(parts.velocity_rows)),
        t_span_(t_span),
        start_(start),
        modes_(modes ? modes->data() : nullptr) {
    for (int j = 0; j < std::ssize(parts.vanishes); ++j)
      if (parts.vanishes[j]) multipliers_.push_back(j);
  }

  /// h = C dg/dt with regular C, and G B regular.
  bool confirms() {
    bool first = true;
    for (const double distance : distances) {
      t_ = first ? t_span_.begin : t_span_.begin + between(0, 1) * (t_span_.end - t_span_.begin);
      first = false;
      y_ = start_;
      for (const auto& [q, v] : parts_.velocity_of)
        y_[q] += distance * between(-1, 1) * (1 + std::abs(y_[q]));
      for (const int mu : multipliers_) y_[mu] = 0;
      yp_ = Vector::Zero(y_.size());
      const Matrix directions = multiplied();
      const bool is_defined = sample() && directions.allFinite();
      if (!is_defined && distance > distances[0]) continue;
      if (!is_defined || directions.colPivHouseholderQr().rank() < constraints() ||
          !are_derivatives())
        return false;
    }
    return true;
  }

 private:
  int constraints() const { return static_cast<int>(multipliers_.size()); }

  double between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }

  Vector residual(const EquationSet& equations) const {
    const double* const x[] = {y_.data(), yp_.data()};
    Vector r(equations.rows());
    equations.residual({t_, x, modes_}, r.data());
    return r;
  }

  /// G B: the rows der(q) = v + B mu read a (der(q) - v) - a B mu = 0.
  Matrix multiplied() {
    const Vector at_rest = residual(rates_), constraints_at_rest = residual(derivatives_);
    for (const auto& [q, v] : parts_.velocity_of) yp_[q] = 1;
    const Vector factor = residual(rates_) - at_rest;
    Matrix product(constraints(), constraints());
    for (int k = 0; k < constraints(); ++k) {
      yp_.setZero();
      y_[multipliers_[k]] = 1;
      const Vector direction = (at_rest - residual(rates_)).cwiseQuotient(factor);
      y_[multipliers_[k]] = 0;
      for (std::size_t i = 0; i < parts_.velocity_of.size(); ++i)
        yp_[parts_.velocity_of[i].first] = direction[static_cast<Eigen::Index>(i)];
      product.col(k) = residual(derivatives_) - constraints_at_rest;
    }
    return product;
  }

  /// dg/dt and h for twice as many velocities as constraints; whether they are defined.
  bool sample() {
    const int samples = 2 * constraints() + 2;
    of_positions_.resize(samples, constraints());
    given_.resize(samples, constraints());
    yp_.setZero();
    for (int k = 0; k < samples; ++k) {
      for (const auto& [q, v] : parts_.velocity_of)
        yp_[q] = y_[v] = between(-1, 1) * (1 + std::abs(start_[v]));
      of_positions_.row(k) = residual(derivatives_);
      given_.row(k) = residual(velocities_);
    }
    return of_positions_.allFinite() && given_.allFinite();
  }

  bool are_derivatives() const {
    const auto factors = of_positions_.colPivHouseholderQr();
    const Matrix combination = factors.solve(given_);
    const double off = (of_positions_ * combination - given_).norm();
    return factors.rank() == constraints() && off <= rounding * given_.norm() &&
           combination.colPivHouseholderQr().rank() == constraints();
  }

  const Parts& parts_;
  EquationSet rates_, derivatives_, velocities_;
  Interval t_span_;
  const Vector& start_;
  const double* modes_;
  std::vector<int> multipliers_;
  std::minstd_rand generator_;
  double t_ = 0;
  Vector y_, yp_;
  Matrix of_positions_, given_;  ///< a row for each velocity
};

}  // namespace

bool look_stabilised(const EquationSet& equations, const StructuralAnalysis& structure) {
  return parts_of(equations, structure).has_value();
}

std::optional<UnstabilisedMotion> without_stabilisation(
    const ExpressionGraph& form, const StructuralAnalysis& structure, Interval t_span,
    const Vector& start, const std::shared_ptr<const std::vector<double>>& modes) {
  const EquationSet& equations = *form.equations;
  const std::optional<Parts> parts = parts_of(equations, structure);
  if (!parts || !Probe(equations, *parts, t_span, start, modes.get()).confirms())
    return std::nullopt;
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
