#include "analysis/algebraic_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

AlgebraicProjection::AlgebraicProjection(const System& system, Jacobian& jacobian)
    : system_(system), jacobian_(jacobian) {
  needed_ = std::any_of(system.algebraic_row.begin(), system.algebraic_row.end(),
                        [](char c) { return c != 0; });
  work_.assign(6 * static_cast<std::size_t>(system.size), 0.0);
  double* place = work_.data();
  for (double** part : {&zero_, &r_, &trial_, &start_, &before_, &step_})
    *part = place, place += system.size;
}

/// Most projections are never used, and factors of large systems take memory.
void AlgebraicProjection::make_factors() {
  if (factors_) return;
  pencil_ = jacobian_.make_pencil();
  factors_ = make_real_factors(pencil_);
}

void AlgebraicProjection::swap_modes() {
  std::swap_ranges(system_.modes->begin(), system_.modes->end(), other_modes_->begin());
}

/// F(t, y, 0) into r_.
void AlgebraicProjection::evaluate(double t, const double* y) {
  if (renew_modes_) renew_modes_(t, y);
  system_.residual(t, y, zero_, r_);
  if (!other_modes_) return;
  swap_modes();
  system_.residual(t, y, zero_, trial_);
  swap_modes();
  for (int i = 0; i < system_.size; ++i) r_[i] += other_part_ * (trial_[i] - r_[i]);
}

bool AlgebraicProjection::differentiate(double t, const double* y) {
  if (renew_modes_) renew_modes_(t, y);
  if (!other_modes_) return jacobian_.evaluate(t, y, zero_, pencil_);
  swap_modes();
  bool is_finite = jacobian_.evaluate(t, y, zero_, pencil_);
  swap_modes();
  const std::vector<double> other = pencil_.a;
  is_finite = is_finite && jacobian_.evaluate(t, y, zero_, pencil_);
  for (std::size_t k = 0; k < other.size(); ++k)
    pencil_.a[k] += other_part_ * (other[k] - pencil_.a[k]);
  pencil_.condense();
  return is_finite;
}

bool AlgebraicProjection::refactor(double t, const double* y) {
  factored_ = has_moved_by_rounding_ = false;
  make_factors();
  if (!differentiate(t, y)) return false;
  double largest_a = 0, largest_e = 0;
  for (std::size_t k = 0; k < pencil_.a.size(); ++k) {
    largest_a = std::max(largest_a, std::abs(pencil_.a[k]));
    largest_e = std::max(largest_e, std::abs(pencil_.e[k]));
  }
  // Differential rows off by 1e-12 of a correction that is itself small.
  shift_ = largest_e == 0 ? 1.0 : 1e12 * std::max(largest_a, 1e-300) / largest_e;
  if (!index_known_) return factored_ = find_index() && index_one_;
  return factored_ = index_one_ && factors_->factor(pencil_, shift_);
}

/// Where hidden constraints exist the pencil is regular all the same, but corrections grow with
/// the shift: dz = shift g, which is no solution of anything. Leaves the factors for the shift.
bool AlgebraicProjection::find_index() {
  double size[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    if (!factors_->factor(pencil_, k == 0 ? 1e-3 * shift_ : shift_)) return false;
    for (int i = 0; i < system_.size; ++i)
      trial_[i] = system_.algebraic_row[i] ? 1 + 0.618 * (i % 7) : 0.0;
    factors_->solve(trial_);
    for (int i = 0; i < system_.size; ++i) size[k] = std::max(size[k], std::abs(trial_[i]));
  }
  index_one_ = size[1] <= 30 * size[0];
  return index_known_ = true;
}

std::vector<int> AlgebraicProjection::of_higher_index(double t, const double* y) {
  std::vector<int> list;
  if (!needed_) return list;
  refactor(t, y);
  if (!index_known_ || index_one_) return list;
  std::vector<double> with_shift;
  for (const double factor : {1.0, 1e-3}) {
    if (!factors_->factor(pencil_, factor * shift_)) return list;
    for (int i = 0; i < system_.size; ++i)
      trial_[i] = system_.algebraic_row[i] ? 1 + 0.618 * (i % 7) : 0.0;
    factors_->solve(trial_);
    if (factor == 1.0) with_shift.assign(trial_, trial_ + system_.size);
  }
  for (int j = 0; j < system_.size; ++j)
    if (std::abs(with_shift[j]) > 30 * std::abs(trial_[j]) && std::abs(with_shift[j]) > 1e3)
      list.push_back(j);
  return list;
}

/// Into r_, by the factors at hand. Its size in units of `scale`, or of the rounding of y where
/// that is more; not finite where the equations are not defined.
double AlgebraicProjection::correct(double t, const double* y, const std::vector<double>& scale,
                                    bool has_moved) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const int n = system_.size;
  evaluate(t, y);
  for (int i = 0; i < n; ++i) {
    r_[i] = system_.algebraic_row[i] ? -r_[i] : 0.0;
    if (!std::isfinite(r_[i])) return INFINITY;
  }
  // E y = E y_start: what long corrections let slip is taken back by the next ones.
  for (int j = 0; j < n && has_moved; ++j)
    for (int k = pencil_.pattern.column_start[j]; k < pencil_.pattern.column_start[j + 1]; ++k)
      if (const int i = pencil_.pattern.row[k]; !system_.algebraic_row[i])
        r_[i] += shift_ * pencil_.e[k] * (start_[j] - y[j]);
  factors_->solve(r_);
  double size = 0;
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(r_[i])) return INFINITY;
    size = std::max(size, std::abs(r_[i]) / std::max(scale[i], rounding * std::abs(y[i])));
  }
  return size;
}

/// The correction that old factors give at the end of a step is the next step where it shows that
/// they serve, and else tells whether the step was too long: one that leads to a longer correction
/// may end at any solution, or at none. [Deuflhard2004]
bool AlgebraicProjection::project(double t, double* y, const std::vector<double>& scale,
                                  int max_iterations, int max_cuts) {
  if (!needed_) return true;
  constexpr double most_rounding = 1e3;
  const int n = system_.size;
  double last = 0, fraction = 1;
  bool was_factored_there = false;  // where the last step began
  has_moved_by_rounding_ = false;
  std::copy(y, y + n, start_);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    bool is_factored_here = !factored_;
    if (is_factored_here && !refactor(t, y)) return false;
    double size = correct(t, y, scale, iteration > 0);
    while (!is_factored_here && iteration > 0 && size > 1) {
      // On the long way down a power or an exponential new matrices lead farther.
      const double serves = iteration == 1 ? 0.5 : 0.1;
      if (size <= serves * last && fraction == 1) break;
      if (last <= most_rounding && iteration > 1) break;
      if (was_factored_there && last > most_rounding && !(size <= (1 - 0.25 * fraction) * last)) {
        if (max_cuts-- <= 0) return false;
        fraction *= 0.5;
        for (int i = 0; i < n; ++i) y[i] = before_[i] + fraction * step_[i];
        size = correct(t, y, scale, true);
        continue;
      }
      is_factored_here = true;
      if (!refactor(t, y)) return false;
      size = correct(t, y, scale, true);
    }
    if (!std::isfinite(size)) return false;
    for (int i = 0; i < n; ++i) before_[i] = y[i], step_[i] = r_[i], y[i] += r_[i];
    // What matrices of a far point leave is no small part of a correction.
    const bool is_exact = is_factored_here || iteration == 0 || size <= 0.01 * last;
    if (size <= (is_exact ? 1 : 0.01)) return has_moved_by_rounding_ = is_factored_here, true;
    // Corrections that no longer shrink are rounding, of an ill-conditioned system perhaps.
    if (iteration > 1 && size <= most_rounding && size > 0.3 * last) return true;
    if (!is_factored_here && iteration > 0 && size > 0.1 * last) factored_ = false;
    was_factored_there = is_factored_here;
    fraction = 1, last = size;
  }
  return last > 0 && last <= 1;
}

/// Changes of the rows by what variables of the given sizes do to them must not move variables far
/// beyond these sizes. Next to a singular point rows may all but vanish, so what they are made of
/// elsewhere counts too.
bool AlgebraicProjection::is_regular(double t, const double* y, const std::vector<double>& size,
                                     const double* elsewhere) {
  constexpr double absurd = 1e10;
  if (!needed_) return true;
  make_factors();
  const int n = system_.size;
  std::fill(before_, before_ + n, 0.0);
  const auto note_reach = [&](const double* at) {
    for (int j = 0; j < n; ++j)
      for (int k = pencil_.pattern.column_start[j]; k < pencil_.pattern.column_start[j + 1]; ++k)
        if (const int i = pencil_.pattern.row[k]; system_.algebraic_row[i])
          before_[i] =
              std::max(before_[i], std::abs(pencil_.a[k]) * std::max(size[j], std::abs(at[j])));
  };
  if (differentiate(t, elsewhere)) note_reach(elsewhere);
  if (!refactor(t, y)) return false;
  has_moved_by_rounding_ = true;
  note_reach(y);
  for (int i = 0; i < n; ++i) r_[i] = (i % 2 == 0 ? 1 : -1) * (1 + 0.618 * (i % 7)) * before_[i];
  factors_->solve(r_);
  for (int j = 0; j < n; ++j)
    if (!(std::abs(r_[j]) <= absurd * std::max(size[j], std::abs(y[j])))) return false;
  return true;
}

bool AlgebraicProjection::follow_modes(double t, double* y, const std::vector<double>& scale,
                                       std::vector<double> before) {
  constexpr double shortest = 1e-5, first = 0.25;
  constexpr int few_iterations = 8;
  if (!needed_ || !system_.modes || before.size() != system_.modes->size()) return false;
  std::vector<double> reached(y, y + system_.size);
  other_modes_ = &before;
  double left = 1;  // of the way
  other_part_ = left;
  forget();
  bool follows = project(t, reached.data(), scale);
  for (double step = first; follows && left > 0;) {
    std::copy(reached.begin(), reached.end(), y);
    other_part_ = std::max(0.0, left - step);
    forget();
    // Without cuts: corrections that do not shrink may lead to another branch.
    if (project(t, y, scale, few_iterations, 0)) {
      left = other_part_, step *= 2;
      std::copy(y, y + system_.size, reached.begin());
    } else {
      step *= 0.5;
      follows = step >= shortest;
    }
  }
  other_modes_ = nullptr;
  forget();
  std::copy(reached.begin(), reached.end(), y);
  return follows;
}

/// Columns dF/dy of algebraic variables, dF/dy' of the others.
bool AlgebraicProjection::refactor_with_rates(double t, const double* y, const double* yp) {
  make_factors();
  if (!jacobian_.evaluate(t, y, yp, pencil_)) return false;
  for (int j = 0; j < system_.size; ++j)
    if (!system_.algebraic_variable[j])
      for (int k = pencil_.pattern.column_start[j]; k < pencil_.pattern.column_start[j + 1]; ++k)
        pencil_.a[k] = pencil_.e[k];
  pencil_.condense();
  return factors_->factor(pencil_, 0.0);
}

bool AlgebraicProjection::project_with_rates(double t, double* y, double* yp,
                                             const std::vector<double>& scale, int max_iterations) {
  constexpr double far = 1e6;  // in rounding: matrices of such a distance are renewed
  const int n = system_.size;
  double* const rates = start_;
  std::copy(y, y + n, trial_), std::copy(yp, yp + n, rates);
  const auto unknown = [&](int i) -> double& {
    return system_.algebraic_variable[i] ? trial_[i] : rates[i];
  };
  const auto succeed = [&] {
    std::copy(trial_, trial_ + n, y), std::copy(rates, rates + n, yp);
    return true;
  };
  forget();  // what other factors are of
  bool is_near = false;
  double last = 0;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!is_near && !refactor_with_rates(t, trial_, rates)) return false;
    system_.residual(t, trial_, rates, r_);
    factors_->solve(r_);
    double size = 0;
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(r_[i])) return false;
      unknown(i) -= r_[i];
      size = std::max(size, std::abs(r_[i]) / (scale[i] * (1 + std::abs(unknown(i)))));
    }
    if (size <= 1) return succeed();
    // Corrections that no longer shrink are rounding.
    if (iteration > 1 && size <= 1e3 && size > 0.3 * last) return succeed();
    is_near = size <= far && (iteration == 0 || size <= 0.1 * last);
    last = size;
  }
  return false;
}

bool AlgebraicProjection::derivative(double t, const double* y, double* yp) {
  const int n = system_.size;
  if (!has_moved_by_rounding_ && !refactor(t, y)) return false;
  system_.residual(t, y, zero_, r_);
  jacobian_.time_derivative(t, y, zero_, trial_);
  for (int i = 0; i < n; ++i) yp[i] = system_.algebraic_row[i] ? -trial_[i] : -shift_ * r_[i];
  factors_->solve(yp);
  for (int i = 0; i < n; ++i)
    if (!std::isfinite(yp[i])) return false;
  // An algebraic Jacobian that is singular to rounding shows in derivatives of absurd size.
  for (int i = 0; i < n; ++i)
    if (std::abs(yp[i]) > 1e10 * (1 + std::abs(r_[i]))) return false;
  return true;
}

}  // namespace daedalus
