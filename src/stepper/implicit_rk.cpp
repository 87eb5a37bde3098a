#include "stepper/implicit_rk.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

ImplicitStages::ImplicitStages(const System& system, const StageConstants& constants,
                               const Pencil& pencil)
    : StageSolver(system, constants),
      data_(constants.data),
      s_(data_.unknowns),
      kernels_(stage_kernels(best_instruction_set(), s_)) {
  const int index = *std::max_element(system.variable_index.begin(), system.variable_index.end());
  // Newton leaves errors tol/h in multipliers of index 2; a polynomial of high degree makes them
  // thousands of times larger one step ahead, and the next iteration starts from nonsense. (With
  // index 3 neither degree was found to be better throughout.)
  lowers_multipliers_ = s_ > 3 && index == 2;
  real_.reserve(data_.gamma.size()), complex_.reserve(data_.pairs.size());
  for (std::size_t k = 0; k < data_.gamma.size(); ++k) real_.push_back(make_real_factors(pencil));
  for (std::size_t k = 0; k < data_.pairs.size(); ++k)
    complex_.push_back(make_complex_factors(pencil));
  if (real_.empty()) own_estimate_factors_ = make_real_factors(pencil);
  estimate_factors_ = real_.empty() ? own_estimate_factors_.get() : real_[0].get();
  // Where derivatives of all variables enter nonlinearly, y' = 0 may be far from every root, or
  // near a wrong one.
  starts_with_slope_ =
      data_.explicit_first ||
      (!system.constant_mass && !system.linear_in_derivatives &&
       std::count(system.algebraic_variable.begin(), system.algebraic_variable.end(), 0) == n_);
  // Without stiff accuracy y'_n is extrapolated from the stages of the last step, and with an index
  // above 1 it has the error of the multipliers: then it is no better than u'(0).
  slope_is_good_ = stiffly_accurate_ && index == 1;
  const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(s_) * n_;
  memory_.assign(static_cast<std::size_t>(7 * length + n_), 0.0);
  double* place = memory_.data();
  for (double** part : {&z_, &v_, &last_z_, &stage_, &slope_, &residual_, &d_})
    *part = place, place += length;
  increment_ = place;
}

bool ImplicitStages::factor(const Pencil& pencil, double h) {
  for (std::size_t k = 0; k < real_.size(); ++k)
    if (!real_[k]->factor(pencil, data_.gamma[k] / h))
      return singular_column_ = real_[k]->singular_column(), false;
  for (std::size_t k = 0; k < complex_.size(); ++k)
    if (!complex_[k]->factor(pencil, data_.pairs[k].alpha / h, -data_.pairs[k].beta / h))
      return singular_column_ = complex_[k]->singular_column(), false;
  if (own_estimate_factors_ &&
      !own_estimate_factors_->factor(pencil, constants_.estimate_gamma / h))
    return singular_column_ = own_estimate_factors_->singular_column(), false;
  return true;
}

void ImplicitStages::start_values(const State& state, double h, const Guess& guess) {
  if (guess.covering) {
    for (int i = 0; i < s_; ++i) {
      double* z = z_ + i * n_;
      guess.covering->evaluate(state.t + data_.c[i] * h, z);
      for (int k = 0; k < n_; ++k) z[k] -= state.y[k];
    }
  } else if (guess.extrapolate && last_h_ != 0) {
    extrapolate(h);
  } else if (starts_with_slope_) {
    for (int i = 0; i < s_; ++i)
      for (int k = 0; k < n_; ++k)
        z_[i * n_ + k] = system_.algebraic_variable[k] ? 0.0 : h * data_.c[i] * state.yp[k];
  } else {
    std::fill(z_, z_ + s_ * n_, 0.0);
    std::fill(v_, v_ + s_ * n_, 0.0);
    return;
  }
  kernels_.combine(s_, n_, constants_.t_inverse.data(), z_, v_);
}

void ImplicitStages::extrapolate(double h) {
  double basis[max_stages * max_stages], low_basis[max_stages];
  const double ratio = h / last_h_;
  for (int i = 0; i < s_; ++i) constants_.polynomial.basis(1 + data_.c[i] * ratio, basis + i * s_);
  kernels_.extrapolate(s_, n_, basis, last_z_, increment_, z_);
  if (!lowers_multipliers_) return;
  const int low = constants_.low_polynomial.stages();
  for (int i = 0; i < s_; ++i) {
    constants_.low_polynomial.stage_basis(1 + data_.c[i] * ratio, low_basis);
    for (int k = 0; k < n_; ++k) {
      if (system_.variable_index[k] <= 1) continue;
      double sum = -increment_[k];
      for (int j = 0; j < low; ++j) sum += low_basis[j] * last_z_[(s_ - low + j) * n_ + k];
      z_[i * n_ + k] = sum;
    }
  }
}

void ImplicitStages::arguments(const State& state, double h) {
  kernels_.arguments(s_, n_, constants_.w.data(), 1 / h, state.y.data(), z_, stage_, slope_);
  if (!data_.explicit_first) return;
  for (int i = 0; i < s_; ++i)
    for (int k = 0; k < n_; ++k) slope_[i * n_ + k] -= constants_.first_slope[i] * state.yp[k];
}

void ImplicitStages::solve_blocks() {
  int row = 0;
  for (auto& factors : real_) factors->solve(d_ + n_ * row++);
  for (auto& factors : complex_) {
    factors->solve(d_ + n_ * row, d_ + n_ * (row + 1));
    row += 2;
  }
}

int ImplicitStages::row_not_finite() const {
  for (int k = 0; k < s_ * n_; ++k)
    if (!std::isfinite(residual_[k])) return k % n_;
  return -1;
}

NewtonResult ImplicitStages::solve(const State& state, double h, const ErrorNorm& norm,
                                   const NewtonSettings& settings, Statistics& statistics,
                                   const Guess& guess) {
  NewtonResult result;
  // The rate of simplified Newton is O(h): what was seen with a shorter step says less now.
  const double growth = last_h_ == 0 ? 1.0 : std::max(1.0, h / last_h_);
  NewtonMonitor monitor(settings, carried_eta_ * growth);
  start_values(state, h, guess);
  arguments(state, h);
  solved_ = z_;
  using Verdict = NewtonMonitor::Verdict;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    ++statistics.newton, statistics.rhs += s_, ++statistics.solves;
    for (int i = 0; i < s_; ++i)
      system_.residual(state.t + data_.c[i] * h, stage_ + i * n_, slope_ + i * n_,
                       residual_ + i * n_);
    // The increments are minus the solutions of the transformed systems.
    kernels_.combine(s_, n_, constants_.t_inverse.data(), residual_, d_);
    solve_blocks();
    const double squares =
        kernels_.advance(s_, n_, constants_.t.data(), norm.weights(), d_, v_, z_);
    const double increment = std::sqrt(squares / (n_ * s_));
    if (!std::isfinite(increment)) {
      result.worst = row_not_finite();
      result.outcome = result.worst >= 0 ? NewtonOutcome::not_finite : NewtonOutcome::diverged;
      result.step_factor = 0.5;
      return result;
    }
    verdict = monitor.judge(increment);
    result.iterations = monitor.iterations();
    result.rate = monitor.rate();
    if (verdict == Verdict::diverged || verdict == Verdict::hopeless) {
      result.outcome =
          verdict == Verdict::hopeless ? NewtonOutcome::predicted_failure : NewtonOutcome::diverged;
      result.step_factor = verdict == Verdict::hopeless ? monitor.step_factor() : 0.5;
      double largest = -1;
      for (int k = 0; k < s_ * n_; ++k)
        if (const double size = std::abs(d_[k]) * norm.weight(k % n_); size > largest)
          largest = size, result.worst = k % n_;
      return result;
    }
    arguments(state, h);
  }
  carried_eta_ = monitor.eta();
  return result;
}

void ImplicitStages::result(const State& state, double h, double* y1, double* yp1) const {
  for (int k = 0; k < n_; ++k) {
    double sum = stiffly_accurate_ ? z_[(s_ - 1) * n_ + k] : h * data_.result_first * state.yp[k];
    if (!stiffly_accurate_)
      for (int j = 0; j < s_; ++j) sum += data_.result[j] * z_[j * n_ + k];
    y1[k] = state.y[k] + sum;
    if (stiffly_accurate_) {
      yp1[k] = slope_[(s_ - 1) * n_ + k];
    } else {
      double slope = 0;
      for (int j = 0; j < s_; ++j) slope += constants_.end_slope[j] * slope_[j * n_ + k];
      yp1[k] = slope;
    }
  }
}

void ImplicitStages::estimate(const State& state, double h, double* error, bool refine,
                              Statistics& statistics) {
  double* const slope = d_;
  double* const point = residual_;
  const double at = constants_.defect_at;
  for (int k = 0; k < n_; ++k) {
    double derivative = 0, value = state.y[k];
    for (int j = 0; j < s_; ++j) {
      derivative += constants_.defect_slope[j] * slope_[j * n_ + k];
      if (at != 0) value += constants_.defect_value[j] * z_[j * n_ + k];
    }
    slope[k] = derivative, point[k] = value;
  }
  const auto defect = [&] {
    filtered_defect(state.t + at * h, point, slope, *estimate_factors_, error, statistics);
  };
  defect();
  if (!refine) return;
  for (int k = 0; k < n_; ++k) point[k] += error[k];
  defect();
}

void ImplicitStages::accept(double h) {
  std::swap(last_z_, z_);
  solved_ = last_z_;
  last_h_ = h;
  for (int k = 0; k < n_; ++k) {
    double sum = 0;
    if (stiffly_accurate_)
      sum = last_z_[(s_ - 1) * n_ + k];
    else
      for (int j = 0; j < s_; ++j) sum += data_.result[j] * last_z_[j * n_ + k];
    increment_[k] = sum;
  }
}

void ImplicitStages::interpolant(const State& state, const State& next, Interpolant& out) const {
  if (!constants_.basis) return StageSolver::interpolant(state, next, out);
  const std::size_t n = state.y.size();
  out.t0 = state.t, out.t1 = next.t, out.size = n_, out.nested = 0, out.basis = constants_.basis;
  out.corrected = slope_is_good_;
  out.data.resize(n * static_cast<std::size_t>(s_ + 2));
  const double h = next.t - state.t;
  std::copy(state.y.begin(), state.y.end(), out.data.begin());
  std::copy(solved_, solved_ + s_ * n_, out.data.begin() + static_cast<std::ptrdiff_t>(2 * n));
  for (std::size_t k = 0; k < n; ++k) {
    double correction = h * state.yp[k] * constants_.basis->slope_factor();
    for (int i = 0; i < s_; ++i)
      correction -= constants_.basis->z_factor()[i] * solved_[i * n_ + k];
    // The slope of an algebraic variable is no better than that of the polynomial itself.
    out.data[n + k] = !out.corrected || system_.algebraic_variable[k] ? 0.0 : correction;
  }
}

std::vector<double> ImplicitStages::pivots() const {
  std::vector<double> all;
  for (const auto& factors : real_) save_list(all, factors->pivots());
  for (const auto& factors : complex_) save_list(all, factors->pivots());
  if (own_estimate_factors_) save_list(all, own_estimate_factors_->pivots());
  return all;
}

void ImplicitStages::restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) {
  SavedState saved(pivots);
  for (const auto& factors : real_) factors->restore_pivots(pencil, saved.list());
  for (const auto& factors : complex_) factors->restore_pivots(pencil, saved.list());
  if (own_estimate_factors_) own_estimate_factors_->restore_pivots(pencil, saved.list());
}

void ImplicitStages::save(std::vector<double>& memory) const {
  memory.push_back(last_h_), memory.push_back(carried_eta_);
  memory.insert(memory.end(), last_z_, last_z_ + s_ * n_);
  memory.insert(memory.end(), increment_, increment_ + n_);
}

void ImplicitStages::restore(SavedState& memory) {
  last_h_ = memory.number(), carried_eta_ = memory.number();
  memory.fill(last_z_, static_cast<std::size_t>(s_) * static_cast<std::size_t>(n_));
  memory.fill(increment_, static_cast<std::size_t>(n_));
}

}  // namespace daedalus
