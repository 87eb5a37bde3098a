#include "analysis/algebraic_projection.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

AlgebraicProjection::AlgebraicProjection(const System& system, Jacobian& jacobian)
    : system_(system), jacobian_(jacobian) {
  needed_ = std::any_of(system.algebraic_row.begin(), system.algebraic_row.end(),
                        [](char c) { return c != 0; });
  work_.assign(4 * static_cast<std::size_t>(system.size), 0.0);
  double* place = work_.data();
  for (double** part : {&zero_, &r_, &trial_, &start_}) *part = place, place += system.size;
}

/// Most projections are never used, and factors of large systems take memory.
void AlgebraicProjection::make_factors() {
  if (factors_) return;
  pencil_ = jacobian_.make_pencil();
  factors_ = make_real_factors(pencil_);
}

bool AlgebraicProjection::refactor(double t, const double* y) {
  factored_ = has_moved_by_rounding_ = false;
  make_factors();
  if (!jacobian_.evaluate(t, y, zero_, pencil_)) return false;
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

bool AlgebraicProjection::project(double t, double* y, const std::vector<double>& scale,
                                  int max_iterations) {
  if (!needed_) return true;
  const int n = system_.size;
  double last = 0;
  has_moved_by_rounding_ = false;
  std::copy(y, y + n, start_);
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const bool is_factored_here = !factored_;
    if (is_factored_here && !refactor(t, y)) return false;
    system_.residual(t, y, zero_, r_);
    for (int i = 0; i < n; ++i) {
      r_[i] = system_.algebraic_row[i] ? -r_[i] : 0.0;
      if (!std::isfinite(r_[i])) return false;
    }
    // E y = E y_start: what long corrections let slip is taken back by the next ones.
    for (int j = 0; j < n && iteration > 0; ++j)
      for (int k = pencil_.pattern.column_start[j]; k < pencil_.pattern.column_start[j + 1]; ++k)
        if (const int i = pencil_.pattern.row[k]; !system_.algebraic_row[i])
          r_[i] += shift_ * pencil_.e[k] * (start_[j] - y[j]);
    factors_->solve(r_);
    double size = 0;
    for (int i = 0; i < n; ++i) size = std::max(size, std::abs(r_[i]) / scale[i]);
    if (!std::isfinite(size)) return false;
    for (int i = 0; i < n; ++i) y[i] += r_[i];
    if (size <= 1) return has_moved_by_rounding_ = is_factored_here, true;
    // Corrections that no longer shrink are rounding, of an ill-conditioned system perhaps.
    if (iteration > 1 && size <= 1e3 && size > 0.3 * last) return true;
    if (iteration > 0 && size > 0.1 * last) factored_ = false;
    last = size;
  }
  return false;
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
