#include "analysis/consistent_start.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "analysis/constraint_projection.h"

namespace daedalus {
namespace {

/// What it costs to move a variable: multipliers are guesses, and what is wrong with velocities
/// must be put right by velocities, so each level is next to nothing beside the one before.
double cost_of(const System& system, int j) {
  if (system.algebraic_variable[j]) return 1e-10;
  return system.velocity_variable[j] ? 1e-5 : 1.0;
}
constexpr double smallest_change = 1e-14;  // relative to the scale: rounding level
constexpr double noise = 1e-8;  // second derivatives by differences: no iteration gets below

double size_of_row(const Matrix& m, int i) {
  return m.row(i).norm();
}

}  // namespace

LevelProjection::LevelProjection(const System& system, std::vector<double> scale)
    : system_(system), scale_(std::move(scale)), held_(system.size, 0) {
  for (const ConstraintLevel& level : system.levels)
    equations_.insert(equations_.end(), level.equations.begin(), level.equations.end());
  for (int j = 0; j < system.size; ++j) cost_.push_back(cost_of(system, j)), scale_[j] /= cost_[j];
  const auto rows = static_cast<Eigen::Index>(equations_.size());
  residual_.resize(rows), trial_residual_.resize(rows);
  trial_.resize(system.size), step_.resize(system.size), natural_.resize(system.size);
}

void LevelProjection::evaluate(double t, const double* y, Vector& out) const {
  double* next = out.data();
  for (const ConstraintLevel& level : system_.levels) {
    level.residual(t, y, next);
    next += level.size();
  }
}

void LevelProjection::linearize(double t, const double* y) {
  const int n = system_.size;
  const auto rows = static_cast<Eigen::Index>(equations_.size());
  jacobian_.setZero(rows, n);
  std::vector<double> moved(y, y + n);
  Vector plus(rows), minus(rows);
  for (int j = 0; j < n; ++j) {
    if (held_[j]) continue;
    const double cost = cost_[j];
    const double s = 6e-6 * std::max(std::abs(y[j]), scale_[j] * cost);  // eps^(1/3)
    moved[j] = y[j] + s;
    evaluate(t, moved.data(), plus);
    moved[j] = y[j] - s;
    evaluate(t, moved.data(), minus);
    moved[j] = y[j];
    jacobian_.col(j) = (plus - minus) * (scale_[j] / (2 * s));
  }
  // Rows of very different size (a position beside an acceleration) must not decide the rank.
  Vector row_size(rows);
  for (Eigen::Index i = 0; i < rows; ++i)
    row_size[i] = std::max(size_of_row(jacobian_, static_cast<int>(i)), 1e-300);
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(1e-9);
  decomposition.compute(row_size.cwiseInverse().asDiagonal() * jacobian_);
  pseudo_inverse_ = decomposition.pseudoInverse() * row_size.cwiseInverse().asDiagonal();
  factored_ = pseudo_inverse_.allFinite();
}

bool LevelProjection::iterate(double t, double* y, int max_iterations) {
  const int n = system_.size;
  evaluate(t, y, residual_);
  if (!residual_.allFinite()) return false;
  const auto extent = [&](const Vector& step) {  // in the scale of the variables, costs left out
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::max(largest, std::abs(step[j]) / cost_[j]);
    return largest;
  };
  double last = 0;
  bool fresh = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!factored_) linearize(t, y), fresh = true;
    if (!factored_) return false;
    step_.noalias() = pseudo_inverse_ * residual_;
    const double change = extent(step_);
    if (!std::isfinite(change)) return false;
    // Damping: the natural step of the frozen linearisation must shrink.
    double fraction = 1;
    for (;; fraction *= 0.5) {
      for (int j = 0; j < n; ++j) trial_[j] = y[j] - fraction * scale_[j] * step_[j];
      evaluate(t, trial_.data(), trial_residual_);
      natural_.noalias() = pseudo_inverse_ * trial_residual_;
      const double next = trial_residual_.allFinite() ? extent(natural_) : INFINITY;
      if (next <= (1 - 0.25 * fraction) * change || change <= 1e-11 || fraction < 1e-4) break;
    }
    if (fraction < 1e-4 && !fresh) {
      factored_ = false;
      continue;
    }
    if (fraction < 1e-4 && change <= noise) return true;
    std::copy(trial_.begin(), trial_.end(), y);
    residual_ = trial_residual_;
    if (!residual_.allFinite() || fraction < 1e-4) return false;
    if (change <= smallest_change) return true;
    if (change <= 1e-10 && iteration > 0 && change >= 0.3 * last) return true;
    if (iteration > 0 && change > 0.1 * last) factored_ = false;
    fresh = false;
    last = change;
  }
  return last <= noise;
}

bool LevelProjection::polish(double t, double* y) {
  return iterate(t, y, 20);
}

bool LevelProjection::project(double t, double* y, int max_iterations) {
  if (residual_.size() == 0) return true;
  iterate(t, y, max_iterations);
  if (!residual_.allFinite()) return false;
  // Satisfied means: what is left is rounding, in units of what the variables can do to the row.
  linearize(t, y);
  for (Eigen::Index i = 0; i < residual_.size(); ++i) {
    if (!(std::abs(residual_[i]) <= 1e-8 * reach(static_cast<int>(i)) + 1e-12)) return false;
  }
  return true;
}

double LevelProjection::reach(int row) const {
  double largest = 1e-300;
  for (int j = 0; j < system_.size; ++j)
    largest = std::max(largest, std::abs(jacobian_(row, j)) * cost_[j]);
  return largest;
}

std::string LevelProjection::contradiction(double t, const double* y) const {
  LevelProjection copy(*this);
  Vector r(residual_.size());
  evaluate(t, y, r);
  // The part of the residual that no movable variable can reach.
  copy.linearize(t, y);
  const Vector stuck = copy.factored_ ? Vector(r - copy.jacobian_ * (copy.pseudo_inverse_ * r)) : r;
  std::vector<int> rows(static_cast<std::size_t>(r.size()));
  std::iota(rows.begin(), rows.end(), 0);
  const bool reachable = stuck.cwiseAbs().maxCoeff() < 1e-3 * r.cwiseAbs().maxCoeff();
  const Vector& share = reachable ? r : stuck;
  std::sort(rows.begin(), rows.end(),
            [&](int a, int b) { return std::abs(share[a]) > std::abs(share[b]); });
  LevelProjection free(*this);
  free.held_.assign(system_.size, 0);
  free.linearize(t, y);
  std::string text, held;
  for (int i : rows) {
    if (std::abs(share[i]) < 1e-3 * std::abs(share[rows[0]]) || text.size() > 300) break;
    text +=
        fmt::format("{}\"{}\" (residual {:.3g})", text.empty() ? "" : ", ", equations_[i], r[i]);
    for (int j = 0; j < system_.size; ++j)
      if (held_[j] && std::abs(free.jacobian_(i, j)) * cost_[j] > 1e-8 * free.reach(i) &&
          held.find(system_.variables[j] + " =") == std::string::npos)
        held += fmt::format("{}{} = {:.6g}", held.empty() ? "" : ", ", system_.variables[j], y[j]);
  }
  return held.empty() ? text : text + " with the fixed values " + held;
}

namespace {

Message inconsistent(double t, const std::string& where, const std::string& why) {
  return {"the initial values could not be made consistent",
          fmt::format("at t = {:.6g}: {}", t, where), why,
          "free one of the fixed values, correct the start, or check these equations"};
}

/// Equations with y' in every row and no algebraic rows of their own: F(t, y, y') = 0 is solved
/// for y' and, where it must, for y; moving y costs much more.
bool solve_residual(const System& system, Jacobian& jacobian, double t, std::vector<double>& y,
                    std::vector<double>& yp, const std::vector<char>& fixed,
                    const std::vector<double>& scale, double& left) {
  const int n = system.size;
  Pencil pencil = jacobian.make_pencil();
  Vector r(n);
  Matrix both = Matrix::Zero(n, 2 * n);
  const auto cost = [&](int j) {
    return fixed[j] ? 0.0 : system.algebraic_variable[j] ? 1e-4 : 1e-6;
  };
  for (int iteration = 0; iteration < 30; ++iteration) {
    system.residual(t, y.data(), yp.data(), r.data());
    if (!r.allFinite() || !jacobian.evaluate(t, y.data(), yp.data(), pencil)) return false;
    both.setZero();
    for (int j = 0; j < n; ++j)
      for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
        both(pencil.pattern.row[k], j) = pencil.e[k] * scale[j];
        both(pencil.pattern.row[k], n + j) = pencil.a[k] * scale[j] * cost(j);
      }
    Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
    Vector row_size = both.rowwise().norm().cwiseMax(1e-300);
    decomposition.setThreshold(1e-12);
    decomposition.compute(row_size.cwiseInverse().asDiagonal() * both);
    const Vector step = decomposition.solve(Vector(-r.cwiseQuotient(row_size)));
    double size = 0;
    for (int j = 0; j < n; ++j) {
      yp[j] += scale[j] * step[j];
      y[j] += scale[j] * cost(j) * step[n + j];
      size = std::max({size, std::abs(step[j]) / (1 + std::abs(yp[j]) / scale[j]),
                       cost(j) * std::abs(step[n + j])});
    }
    left = (r.cwiseQuotient(row_size)).cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) return false;
    if (size <= 1e-13 && iteration > 0) return left <= 1e-8;
  }
  return left <= 1e-8;
}

/// Least squares y' from E y' = -F(t, y, 0) for systems whose constraints are hidden ones.
void derivative_by_least_squares(const System& system, Jacobian& jacobian, double t,
                                 const std::vector<double>& y, std::vector<double>& yp) {
  const int n = system.size;
  std::fill(yp.begin(), yp.end(), 0.0);
  Pencil pencil = jacobian.make_pencil();
  Vector r(n);
  system.residual(t, y.data(), yp.data(), r.data());
  if (!jacobian.evaluate(t, y.data(), yp.data(), pencil)) return;
  Matrix e = Matrix::Zero(n, n);
  for (int j = 0; j < n; ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k)
      e(pencil.pattern.row[k], j) = pencil.e[k];
  for (int i = 0; i < n; ++i)
    if (system.algebraic_row[i]) r[i] = 0;
  const Vector solved = e.completeOrthogonalDecomposition().solve(-r);
  if (solved.allFinite()) std::copy(solved.data(), solved.data() + n, yp.begin());
}

}  // namespace

StartReport make_consistent(const System& system, Jacobian& jacobian, double t,
                            std::vector<double>& y, std::vector<double>& yp,
                            const std::vector<char>& fixed, const std::vector<double>& scale) {
  StartReport report;
  const std::vector<double> guess = y;
  const auto finish = [&]() -> StartReport& {
    for (int i = 0; i < system.visible; ++i) report.shift.push_back(y[i] - guess[i]);
    return report;
  };
  std::vector<double> r(system.size);
  system.residual(t, y.data(), yp.data(), r.data());
  for (int i = 0; i < system.size; ++i)
    if (!std::isfinite(r[i])) {
      report.consistent = false;
      report.message =
          inconsistent(t, fmt::format("equation \"{}\" is not finite", system.equations[i]),
                       "the equations are not defined at the given start values");
      return finish();
    }
  if (system.constraints) {
    ConstraintProjection projection(system, scale, fixed);
    if (!projection.solve(t, y.data(), yp.data(), 60)) {
      report.consistent = false;
      report.message = inconsistent(t, projection.contradiction(t, y.data()),
                                    "no point near the start satisfies these equations together");
    }
    return finish();
  }
  if (!system.levels.empty()) {
    bool done = false;
    AlgebraicProjection projection(system, jacobian);
    if (system.is_index_one()) {
      std::vector<double> tolerance(system.size);
      for (int i = 0; i < system.size; ++i) tolerance[i] = 1e-13 * scale[i];
      // Many: from far away Newton's iteration on a power only divides by a constant.
      done = projection.project(t, y.data(), tolerance, 100);
      for (int i = 0; i < system.size && done; ++i)
        done = !fixed[i] || std::abs(y[i] - guess[i]) <= 1e-10 * scale[i];
      if (!done) y = guess;
    }
    if (!done) {
      LevelProjection levels(system, scale);
      levels.hold(fixed);
      if (!levels.project(t, y.data(), 60)) {
        report.consistent = false;
        report.message = inconsistent(t, levels.contradiction(t, y.data()),
                                      "no point near the start satisfies these equations together");
        return finish();
      }
      for (int i = 0; i < system.size; ++i)
        if (fixed[i]) y[i] = guess[i];
    }
    if (system.is_index_one() && system.constant_mass &&
        projection.derivative(t, y.data(), yp.data()))
      return finish();
  }
  const bool hidden = !system.levels.empty() && system.levels[0].name != "algebraic";
  if (system.constant_mass || hidden) {
    derivative_by_least_squares(system, jacobian, t, y, yp);
    return finish();
  }
  // Where y' alone can satisfy the equations, y stays as it was given.
  double left = 0;
  const std::vector<double> y_before = y, yp_before = yp;
  if (solve_residual(system, jacobian, t, y, yp, std::vector<char>(system.size, 1), scale, left) &&
      left <= 1e-12)
    return finish();
  y = y_before, yp = yp_before;
  if (!solve_residual(system, jacobian, t, y, yp, fixed, scale, left)) {
    report.consistent = false;
    report.message = inconsistent(t, fmt::format("scaled residual {:.3g} remains", left),
                                  "F(t, y, y') = 0 has no solution near the guesses for y and y'");
  }
  return finish();
}

}  // namespace daedalus
