#include "analysis/consistent_start.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <Eigen/QR>
#include <fmt/format.h>

#include "analysis/constraint_projection.h"
#include "analysis/mass_parts.h"

namespace daedalus {
namespace {

constexpr int largest_search = 3000;  // its matrices are dense
constexpr int largest_retry = 300;    // each costs as much as many searches

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

/// No algebraic row is off by more than `tolerance` of what changes of the size of the variables do
/// to it.
bool algebraic_rows_hold(const System& system, const Pencil& pencil, const Vector& r,
                         const std::vector<double>& y, const std::vector<double>& scale,
                         double tolerance) {
  std::vector<double> reach(static_cast<std::size_t>(system.size), 1e-300);
  for (int j = 0; j < system.size; ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      double& row = reach[pencil.pattern.row[k]];
      row = std::max(row, std::abs(pencil.a[k]) * std::max(scale[j], std::abs(y[j])));
    }
  for (int i = 0; i < system.size; ++i)
    if (system.algebraic_row[i] && !(std::abs(r[i]) <= tolerance * reach[i])) return false;
  return true;
}

/// To the last bit: there is nothing to move.
bool levels_hold_exactly(const System& system, double t, const std::vector<double>& y) {
  std::vector<double> r(static_cast<std::size_t>(system.size));
  for (const ConstraintLevel& level : system.levels) {
    if (level.equations.size() > r.size()) r.resize(level.equations.size());
    level.residual(t, y.data(), r.data());
    if (std::any_of(r.begin(), r.begin() + level.size(), [](double x) { return x != 0; }))
      return false;
  }
  return true;
}

/// Beyond an event of a system whose index is higher than its form tells: y misses the rows that
/// are known by little, and moves as a step of the length of its own time scale would move it,
/// (shift E + A) dy = -r in the algebraic rows.
bool nudge_onto_rows(const System& system, Jacobian& jacobian, double t, std::vector<double>& y,
                     const std::vector<double>& scale) {
  constexpr double far_below_tolerances = 1e-11;
  constexpr int most_iterations = 8;
  const std::vector<double> rest(static_cast<std::size_t>(system.size), 0.0), before = y;
  Pencil pencil = jacobian.make_pencil();
  const auto factors = make_real_factors(pencil);
  Vector r(system.size);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    system.residual(t, y.data(), rest.data(), r.data());
    if (!r.allFinite() || !jacobian.evaluate(t, y.data(), rest.data(), pencil)) break;
    if (algebraic_rows_hold(system, pencil, r, y, scale, far_below_tolerances)) return true;
    const double a =
        Eigen::Map<const Vector>(pencil.a.data(), std::ssize(pencil.a)).cwiseAbs().maxCoeff();
    const double e =
        Eigen::Map<const Vector>(pencil.e.data(), std::ssize(pencil.e)).cwiseAbs().maxCoeff();
    if (!factors->factor(pencil, a / std::max(e, 1e-300))) break;
    for (int i = 0; i < system.size; ++i) r[i] = system.algebraic_row[i] ? -r[i] : 0.0;
    factors->solve(r.data());
    for (int i = 0; i < system.size; ++i) y[i] += r[i];
  }
  y = before;
  return false;
}

/// Least squares y' from E y' = -F(t, y, 0) for systems whose constraints are hidden ones.
void derivative_by_least_squares(const System& system, Jacobian& jacobian, double t,
                                 const std::vector<double>& y, std::vector<double>& yp,
                                 AlgebraicProjection* kept) {
  const int n = system.size;
  std::fill(yp.begin(), yp.end(), 0.0);
  Pencil own;
  if (!kept) own = jacobian.make_pencil();
  Pencil& pencil = kept ? kept->pencil() : own;
  Vector r(n);
  system.residual(t, y.data(), yp.data(), r.data());
  if (!jacobian.evaluate_mass(t, y.data(), yp.data(), pencil)) return;
  for (int i = 0; i < n; ++i) r[i] = system.algebraic_row[i] ? 0.0 : -r[i];
  std::vector<double> solved(static_cast<std::size_t>(n));
  if (solve_mass_by_parts(pencil, r.data(), solved.data())) yp = solved;
}

/// Where y' alone can satisfy the equations in which it occurs, or does so already, y stays as it
/// was given. `yp` is left alone otherwise.
bool derivative_alone(const System& system, Jacobian& jacobian, double t,
                      const std::vector<double>& y, std::vector<double>& yp,
                      const std::vector<double>& scale) {
  const int n = system.size;
  Pencil pencil = jacobian.make_pencil();
  std::vector<double> trial = yp, r(static_cast<std::size_t>(n)), step(r.size()), size(r.size());
  for (int iteration = 0; iteration < 30; ++iteration) {
    system.residual(t, y.data(), trial.data(), r.data());
    if (!jacobian.evaluate_mass(t, y.data(), trial.data(), pencil)) return false;
    size.assign(r.size(), 0.0), pencil.has_constant_e = false;  // it is scaled in place
    for (int j = 0; j < n; ++j)
      for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
        pencil.e[k] *= scale[j];
        size[pencil.pattern.row[k]] = std::hypot(size[pencil.pattern.row[k]], pencil.e[k]);
      }
    double left = 0, moved = 0;
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(r[i])) return false;
      r[i] = system.algebraic_row[i] ? 0.0 : -r[i] / std::max(size[i], 1e-300);
      left = std::max(left, std::abs(r[i]));
    }
    if (iteration == 0 && left <= 1e-15) return true;  // of rounding
    for (std::size_t k = 0; k < pencil.e.size(); ++k)
      pencil.e[k] /= std::max(size[pencil.pattern.row[k]], 1e-300);
    if (!solve_mass_by_parts(pencil, r.data(), step.data())) return false;
    for (int j = 0; j < n; ++j) {
      trial[j] += scale[j] * step[j];
      moved = std::max(moved, std::abs(step[j]) / (1 + std::abs(trial[j]) / scale[j]));
    }
    if (moved > 1e-13 || iteration == 0) continue;
    if (left <= 1e-12) yp = trial;
    return left <= 1e-12;
  }
  return false;
}

/// Not run off to infinity, where a product with something next to zero may be anything. A guess of
/// zero may stand for a value as large as others are.
bool is_near(const std::vector<double>& y, const std::vector<double>& guess,
             const std::vector<double>& scale) {
  double largest = 0;
  for (const double value : guess) largest = std::max(largest, std::abs(value));
  for (std::size_t j = 0; j < y.size(); ++j)
    if (!(std::abs(y[j] - guess[j]) <= farthest_start * std::max(scale[j], largest))) return false;
  return true;
}

/// The guess may be a singular point (the centre of a circle, the end of a root): tries others
/// around it, moving first what is algebraic, then all that is not fixed. `y` and `yp` change on
/// success only.
bool from_other_guesses(ConstraintProjection& projection, const System& system, double t,
                        const std::vector<double>& guess, const std::vector<double>& rates,
                        const std::vector<char>& fixed, const std::vector<double>& scale,
                        bool also_differential, std::vector<double>& y, std::vector<double>& yp) {
  for (const bool all : {false, true})
    for (const double distance : {0.1, -0.1, 1.0, -1.0}) {
      if (all && !also_differential) return false;
      std::vector<double> trial = guess, trial_rates = rates;
      std::mt19937 random(1);
      std::uniform_real_distribution<double> part(0.5, 1);
      for (int j = 0; j < system.size; ++j) {
        const double move = distance * scale[j] * part(random);
        if (!fixed[j] && (all || system.algebraic_variable[j])) trial[j] += move;
      }
      if (!projection.solve(t, trial.data(), trial_rates.data(), 60)) continue;
      if (!is_near(trial, guess, scale)) continue;
      y = std::move(trial), yp = std::move(trial_rates);
      return true;
    }
  return false;
}

/// Algebraic variables and the derivatives of the others by Newton's iteration, which ends fast
/// where that for all of y and y' crept: from where it came to, and from the guess.
bool solve_for_rates(const System& system, Jacobian& jacobian, double t,
                     const std::vector<double>& guess, const std::vector<double>& rates,
                     const std::vector<char>& fixed, const std::vector<double>& scale,
                     std::vector<double>& y, std::vector<double>& yp) {
  constexpr int most_iterations = 100;
  std::vector<double> tolerance(scale.size());
  for (std::size_t j = 0; j < scale.size(); ++j) {
    if (fixed[j] && system.algebraic_variable[j]) return false;
    tolerance[j] = 1e-13 * scale[j];
  }
  AlgebraicProjection projection(system, jacobian);
  for (const bool anew : {false, true}) {
    std::vector<double> trial = anew ? guess : y, trial_rates = anew ? rates : yp;
    if (!projection.project_with_rates(t, trial.data(), trial_rates.data(), tolerance,
                                       most_iterations) ||
        !is_near(trial, guess, scale))
      continue;
    y = std::move(trial), yp = std::move(trial_rates);
    return true;
  }
  return false;
}

/// Algebraic variables of a system of index 1. A point that leaves some of them undetermined is no
/// better than none, if there is another one.
bool solve_algebraic_rows(AlgebraicProjection& projection, const System& system, double t,
                          std::vector<double>& y, const std::vector<char>& fixed,
                          const std::vector<double>& scale, const BeforeEvent* before,
                          const std::vector<double>& guess, std::vector<double>& tolerance) {
  // Many: from far away Newton's iteration on a power only divides by a constant.
  constexpr int most_iterations = 100, most_cuts = 400;
  for (std::size_t j = 0; j < scale.size(); ++j) tolerance[j] = 1e-13 * scale[j];
  const auto holds_fixed = [&](const std::vector<double>& found) {
    for (std::size_t j = 0; j < found.size(); ++j)
      if (fixed[j] && std::abs(found[j] - guess[j]) > 1e-10 * scale[j]) return false;
    return true;
  };
  bool done =
      projection.project(t, y.data(), tolerance, most_iterations, most_cuts) && holds_fixed(y);
  if (before && (!done || !projection.is_regular(t, y.data(), scale, guess.data()))) {
    std::vector<double> other = guess;
    for (std::size_t j = 0; j < other.size(); ++j)
      if (system.algebraic_variable[j]) other[j] = before->y[j];
    if (projection.follow_modes(t, other.data(), tolerance, before->modes) && holds_fixed(other) &&
        projection.is_regular(t, other.data(), scale, guess.data()))
      return y = std::move(other), true;
    projection.forget();
  }
  if (!done) y = guess, projection.forget();
  return done;
}

/// Algebraic variables along a curve, or from other guesses, while nothing else moves: where the
/// rows have no derivatives at the guess, as q^2 at zero, the nearest point has other differential
/// variables. `y` changes on success only.
bool search_for_algebraic(const System& system, double t, std::vector<double>& y,
                          const std::vector<double>& rates, std::vector<char> held,
                          const std::vector<double>& scale) {
  for (int j = 0; j < system.size; ++j) held[j] |= !system.algebraic_variable[j];
  ConstraintProjection projection(system, level_constraints(system, scale), scale, held);
  std::vector<double> found = y, their_rates = rates;
  const bool followed =
      projection.follow(t, found.data(), their_rates.data()) && is_near(found, y, scale);
  if (!followed &&
      !from_other_guesses(projection, system, t, y, rates, held, scale, false, found, their_rates))
    return false;
  for (int j = 0; j < system.size; ++j)
    if (system.algebraic_variable[j]) y[j] = found[j];
  return true;
}

}  // namespace

StartReport make_consistent(const System& system, Jacobian& jacobian, double t,
                            std::vector<double>& y, std::vector<double>& yp,
                            const std::vector<char>& fixed, const std::vector<double>& scale,
                            bool at_start, const BeforeEvent* event, AlgebraicProjection* kept) {
  StartReport report;
  report.rate_known.resize(static_cast<std::size_t>(system.size));
  for (int i = 0; i < system.size; ++i) report.rate_known[i] = !system.algebraic_variable[i];
  const std::vector<double> guess = y;
  std::vector<double> r(system.size);
  system.residual(t, y.data(), yp.data(), r.data());
  for (int i = 0; i < system.size; ++i)
    if (!std::isfinite(r[i])) {
      report.consistent = false;
      report.message =
          inconsistent(t, fmt::format("equation \"{}\" is not finite", system.equations[i]),
                       "the equations are not defined at the given start values");
      return report;
    }
  const auto project = [&](ConstraintProjection&& projection, bool all) {
    const std::vector<double> before = y, rates = yp;
    if (projection.solve(t, y.data(), yp.data(), 60)) return true;
    if (at_start && system.size <= largest_retry) {
      std::vector<double> followed = before, their_rates = rates;
      if (projection.follow(t, followed.data(), their_rates.data()) &&
          is_near(followed, before, scale)) {
        y = std::move(followed), yp = std::move(their_rates);
        return true;
      }
      if (from_other_guesses(projection, system, t, before, rates, fixed, scale, all, y, yp))
        return true;
    }
    report.consistent = false;
    report.message = inconsistent(t, projection.contradiction(t, y.data()),
                                  "no point near the start satisfies these equations together");
    return false;
  };
  const std::shared_ptr<ConstraintSet>& set =
      at_start && system.start_constraints ? system.start_constraints : system.constraints;
  if (set) {
    for (const int of : set->derivative_of) report.rate_known[of] = 1;
    project(ConstraintProjection(system, set, scale, fixed), true);
    for (std::size_t j = 0; j < system.derivative_variable.size(); ++j)
      if (const int rate = system.derivative_variable[j]; rate >= 0)
        yp[j] = y[rate], report.rate_known[j] = 1;
    return report;
  }
  if (!system.levels.empty()) {
    const bool is_index_one = system.is_index_one();
    bool done = false;
    std::optional<AlgebraicProjection> own;
    AlgebraicProjection& projection = kept ? *kept : own.emplace(system, jacobian);
    if (kept) kept->begin_anew();
    if (is_index_one)
      done = solve_algebraic_rows(projection, system, t, y, fixed, scale, event, guess,
                                  r);  // which is needed no more
    // Such events move no differential variable, whatever it takes.
    const bool only_algebraic = !at_start && is_index_one;
    const bool never_more = only_algebraic && projection.has_index_one();
    if (!done) done = levels_hold_exactly(system, t, y);
    if (!done && !at_start && !never_more) done = nudge_onto_rows(system, jacobian, t, y, scale);
    if (!done && system.size > largest_search) {
      report.consistent = false;
      report.message = inconsistent(
          t, fmt::format("{} equations", system.size),
          "Newton's iteration for the algebraic variables missed the fixed values, and "
          "the nearest consistent point is searched for in smaller systems only");
      return report;
    }
    if (!done && at_start && is_index_one && system.size <= largest_retry)
      done = search_for_algebraic(system, t, y, yp, fixed, scale);
    if (!done) {
      const auto levels = level_constraints(system, scale);
      std::vector<char> held = fixed;
      for (int i = 0; i < system.size && only_algebraic; ++i)
        if (!system.algebraic_variable[i]) held[i] = 1;
      done = project(ConstraintProjection(system, levels, scale, held), false);
      if (never_more && !done) return report;
      if (!done && only_algebraic)
        y = guess, done = project(ConstraintProjection(system, levels, scale, fixed), false);
      if (!done) {
        // Algebraic variables alone cannot do it: all move alike.
        std::fill(levels->freedom.begin(), levels->freedom.end(), 1.0);
        y = guess;
        if (!project(ConstraintProjection(system, levels, scale, fixed), true)) return report;
      }
      report.consistent = true, report.message = {};
      for (int i = 0; i < system.size; ++i)
        if (fixed[i]) y[i] = guess[i];
    }
    if (is_index_one && system.constant_mass && projection.derivative(t, y.data(), yp.data())) {
      std::fill(report.rate_known.begin(), report.rate_known.end(), 1);
      return report;
    }
  }
  const bool hidden = !system.levels.empty() && system.levels[0].name != "algebraic";
  if (system.constant_mass || hidden) {
    derivative_by_least_squares(system, jacobian, t, y, yp, kept);
    return report;
  }
  if (derivative_alone(system, jacobian, t, y, yp, scale)) return report;
  double left = 0;
  const std::vector<double> before = y, rates = yp;
  if (!solve_residual(system, jacobian, t, y, yp, fixed, scale, left) &&
      !solve_for_rates(system, jacobian, t, before, rates, fixed, scale, y, yp)) {
    report.consistent = false;
    report.message = inconsistent(t, fmt::format("scaled residual {:.3g} remains", left),
                                  "F(t, y, y') = 0 has no solution near the guesses for y and y'");
  }
  return report;
}

}  // namespace daedalus
