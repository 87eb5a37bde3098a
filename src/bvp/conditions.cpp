#include "bvp/conditions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daedalus/error.h"

namespace daedalus::bvp {
namespace {

std::size_t at_index(int i) {
  return static_cast<std::size_t>(i);
}

/// Takes from v what lies in the span of the orthonormal columns, twice for rounding.
void remove_span(const std::vector<Vector>& columns, Vector& v) {
  for (int pass = 0; pass < 2; ++pass)
    for (const Vector& q : columns) v -= q.dot(v) * q;
}

}  // namespace

ConditionEquations::ConditionEquations(const BoundaryGraph& graph,
                                       const CollocationSystem& system) {
  const int variables = graph.size(), states = system.states(), rows = graph.conditions.rows();
  if (rows == 0) return;
  const auto place = [&](int variable, int order) {
    std::vector<int> slots = system.place(variable % variables, order);
    for (int& s : slots) {
      if (s >= states) {
        if (!system.closure.determines(s))
          throw InvalidInput(fmt::format(
              "the boundary conditions use {}{}, which follows from the states only by derivatives "
              "beyond those that are collocated; state the condition for the states, or add an "
              "equation der(...) = ... for it",
              order > 0 ? "a derivative of " : "",
              graph.variables[at_index(variable % variables)]));
        need_closure = true;
      }
      s += variable / variables * system.slots();
    }
    if (slots.empty())
      throw InvalidInput(
          fmt::format("the boundary conditions use a derivative of {} that is too high",
                      graph.variables[at_index(variable % variables)]));
    return slots;
  };
  std::vector<int> row(at_index(rows));
  std::iota(row.begin(), row.end(), 0);
  equations = SlotEquations(graph.conditions, place, row, std::vector<double>(row.size(), 1.0),
                            graph.discrete);
}

Conditions::Conditions(const BoundaryGraph& graph, const CollocationSystem& system,
                       const ConditionEquations& equations)
    : graph_(graph),
      system_(system),
      slots_(system.slots()),
      states_(system.states()),
      user_(graph.conditions.rows()),
      own_(equations) {
  const int points = static_cast<int>(graph.points.size());
  joined_.resize(at_index(points * slots_));
  values_.resize(at_index(user_));
  lower_values_.resize(at_index(system.lower.rows()));
  user_jacobian_.resize(user_, points * slots_);
}

std::vector<int> Conditions::nodes(const std::vector<double>& mesh) const {
  std::vector<int> result = {0};
  for (const double t : graph_.points) {
    const auto found = std::min_element(mesh.begin(), mesh.end(), [&](double a, double b) {
      return std::abs(a - t) < std::abs(b - t);
    });
    result.push_back(static_cast<int>(found - mesh.begin()));
  }
  return result;
}

void Conditions::evaluate_user(const std::vector<NodeState>& at) {
  for (std::size_t p = 1; p < at.size(); ++p)
    std::copy(at[p].slots.begin(), at[p].slots.end(),
              joined_.begin() + static_cast<long>(p - 1) * slots_);
}

void Conditions::linearize_user(const std::vector<NodeState>& at) {
  evaluate_user(at);
  user_jacobian_.setZero();
  if (user_ > 0) own_.equations.add_jacobian(0, joined_.data(), user_jacobian_, scratch_);
  if (!own_.need_closure) return;
  const std::vector<int>& unknowns = system_.closure.unknowns();
  for (std::size_t p = 1; p < at.size(); ++p) {
    const int first = static_cast<int>(p - 1) * slots_;
    const Matrix derivative = system_.closure.derivative(at[p].t, at[p].slots.data(), scratch_);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      auto column = user_jacobian_.col(first + unknowns[k]);
      if (column.isZero(0)) continue;
      user_jacobian_.middleCols(first, states_).noalias() +=
          column * derivative.row(static_cast<int>(k));
      column.setZero();
    }
  }
}

std::string Conditions::count_text() const {
  const int free =
      states_ - index_two_ - system_.lower.rows() - static_cast<int>(system_.zero_at_left.size());
  std::string text =
      fmt::format("{} boundary condition{} for a problem with {} degree{} of freedom", user_,
                  user_ == 1 ? "" : "s", free, free == 1 ? "" : "s");
  if (index_two_ + system_.lower.rows() > 0)
    text += fmt::format(" ({} states less {} that constraints determine)", states_, states_ - free);
  return text;
}

/// A condition at one point is implied if its derivative lies in the span of those of the
/// constraints there and of the conditions before it.
std::vector<int> Conditions::find_implied(const std::vector<NodeState>& at) {
  constexpr double tolerance = 1e-7;
  linearize_user(at);
  std::vector<int> implied;
  for (std::size_t p = 1; p < at.size(); ++p) {
    std::vector<Vector> span;
    const auto extend = [&](Vector v) {
      const double size = v.norm();
      if (!(size > 0)) return false;
      v /= size;
      remove_span(span, v);
      if (v.norm() < tolerance) return false;
      span.push_back(v.normalized());
      return true;
    };
    for (int i = 0; i < at[p].projection->g.rows(); ++i)
      extend(at[p].projection->g.row(i).transpose());
    lower_jacobian_.setZero(system_.lower.rows(), slots_);
    system_.lower.add_jacobian(at[p].t, at[p].slots.data(), lower_jacobian_, scratch_);
    for (int i = 0; i < lower_jacobian_.rows(); ++i)
      extend(lower_jacobian_.row(i).head(states_).transpose());
    for (int i = 0; i < user_; ++i) {
      const auto here = user_jacobian_.row(i).segment(static_cast<int>(p - 1) * slots_, states_);
      if (here.squaredNorm() == 0 || here.squaredNorm() < user_jacobian_.row(i).squaredNorm())
        continue;
      if (!extend(here.transpose())) implied.push_back(i);
    }
  }
  return implied;
}

void Conditions::choose(const std::vector<NodeState>& at, int index_two) {
  index_two_ = index_two;
  kept_.clear(), aside_.clear(), notes_.clear();
  const int wanted =
      states_ - index_two - system_.lower.rows() - static_cast<int>(system_.zero_at_left.size());
  if (user_ < wanted)
    throw InvalidInput(
        fmt::format("too few boundary conditions: {}; add {}", count_text(), wanted - user_));
  if (user_ > wanted) {
    aside_ = find_implied(at);
    if (static_cast<int>(aside_.size()) < user_ - wanted) {
      Names names;
      for (const int i : aside_) names.push_back(graph_.condition_names[at_index(i)]);
      throw InvalidInput(fmt::format(
          "too many boundary conditions: {}; {}", count_text(),
          names.empty() ? fmt::format("remove {}", user_ - wanted)
                        : fmt::format("even without {}, which the constraints imply, {} too many",
                                      fmt::join(names, ", "),
                                      user_ - wanted - static_cast<int>(aside_.size()))));
    }
    aside_.erase(aside_.begin(), aside_.end() - (user_ - wanted));
    for (const int i : aside_)
      notes_.push_back(
          fmt::format("boundary condition '{}' follows from the constraints and the "
                      "other conditions; it was only checked",
                      graph_.condition_names[at_index(i)]));
  }
  for (int i = 0; i < user_; ++i)
    if (std::find(aside_.begin(), aside_.end(), i) == aside_.end()) kept_.push_back(i);
  chosen_ = true;
}

void Conditions::jacobian(const std::vector<NodeState>& at, Matrix& to) {
  to.setZero(states_, states_ * static_cast<int>(at.size()));
  int row = 0;
  for (int i = 0; i < index_two_; ++i) to.row(row++).head(states_) = at[0].projection->g.row(i);
  lower_jacobian_.setZero(system_.lower.rows(), slots_);
  system_.lower.add_jacobian(at[0].t, at[0].slots.data(), lower_jacobian_, scratch_);
  for (int i = 0; i < lower_jacobian_.rows(); ++i)
    to.row(row++).head(states_) = lower_jacobian_.row(i).head(states_);
  for (const int slot : system_.zero_at_left) to(row++, slot) = 1;
  linearize_user(at);
  for (const int i : kept_) {
    for (std::size_t p = 1; p < at.size(); ++p)
      to.row(row).segment(static_cast<int>(p) * states_, states_) =
          user_jacobian_.row(i).segment(static_cast<int>(p - 1) * slots_, states_);
    ++row;
  }
}

void Conditions::residual(const std::vector<NodeState>& at, const double* left_constraints,
                          Vector& to) {
  to.resize(states_);
  int row = 0;
  for (int i = 0; i < index_two_; ++i) to[row++] = left_constraints[i];
  std::fill(lower_values_.begin(), lower_values_.end(), 0.0);
  system_.lower.add_residual(at[0].t, at[0].slots.data(), lower_values_.data(), scratch_);
  for (const double value : lower_values_) to[row++] = value;
  for (const int slot : system_.zero_at_left) to[row++] = at[0].slots[at_index(slot)];
  evaluate_user(at);
  std::fill(values_.begin(), values_.end(), 0.0);
  own_.equations.add_residual(0, joined_.data(), values_.data(), scratch_);
  for (const int i : kept_) to[row++] = values_[at_index(i)];
}

std::string Conditions::violated(const std::vector<NodeState>& at, double tolerance) {
  if (aside_.empty()) return {};
  evaluate_user(at);
  std::fill(values_.begin(), values_.end(), 0.0);
  own_.equations.add_residual(0, joined_.data(), values_.data(), scratch_);
  user_jacobian_.setZero();
  own_.equations.add_jacobian(0, joined_.data(), user_jacobian_, scratch_);
  for (const int i : aside_) {
    double scale = 0;  // what errors of the tolerance make of it
    for (int j = 0; j < user_jacobian_.cols(); ++j)
      scale += std::abs(user_jacobian_(i, j)) * (1 + std::abs(joined_[at_index(j)]));
    if (std::abs(values_[at_index(i)]) > 100 * tolerance * scale)
      return fmt::format("'{}' is violated by {:.3g}", graph_.condition_names[at_index(i)],
                         values_[at_index(i)]);
  }
  return {};
}

}  // namespace daedalus::bvp
