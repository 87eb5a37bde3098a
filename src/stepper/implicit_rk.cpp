#include "stepper/implicit_rk.h"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

/// Of a step so much longer than the last one.
StageNodes extrapolation_nodes(const StageConstants& constants, double ratio, double far) {
  const StagePolynomial& u = constants.polynomial;
  if (ratio > far && !constants.late_weights.empty())
    return {u.nodes(), constants.late_weights.data(), false, u.stages() > 3};
  return {u.nodes(), u.weights(), u.is_through_origin()};
}

}  // namespace

ImplicitStages::ImplicitStages(const System& system, const StageConstants& constants,
                               const Pencil& pencil, StageMemory* shared)
    : StageSolver(system, constants),
      data_(constants.data),
      s_(data_.unknowns),
      stride_(padded(n_)),
      mean_(1.0 / (n_ * s_)),
      kernels_(stage_kernels(best_instruction_set(), s_)),
      factors_(data_, constants.estimate_gamma, pencil) {
  const int index = *std::max_element(system.variable_index.begin(), system.variable_index.end());
  // Newton leaves errors tol/h in multipliers of index 2; a polynomial of high degree makes them
  // thousands of times larger one step ahead, and the next iteration starts from nonsense. (With
  // index 3 neither degree was found to be better throughout.)
  lowers_multipliers_ = s_ > 3 && index == 2;
  // The first correction from y' = 0 is -(gamma/h E + A)^-1 F(t, y, 0). What
  //   F(t, y, 0) + E y' = O(y'^2)
  // has outside the range of E throws algebraic variables off by as much, however short the step
  // is, and the second correction, which brings them back, is of the same size: it looks as if the
  // iteration diverged. From c h y' both are O(h). (Where derivatives of all variables enter,
  // y' = 0 may be far from every root, or near a wrong one.)
  starts_with_slope_ =
      data_.explicit_first || system.nonlinear_in_derivatives ||
      (!system.constant_mass && !system.linear_in_derivatives &&
       std::count(system.algebraic_variable.begin(), system.algebraic_variable.end(), 0) == n_);
  // Without stiff accuracy y'_n is extrapolated from the stages of the last step, and with an index
  // above 1 it has the error of the multipliers: then it is no better than u'(0).
  slope_is_good_ = stiffly_accurate_ && index == 1;
  const std::size_t stride = static_cast<std::size_t>(stride_);
  const std::size_t length = static_cast<std::size_t>(s_) * stride;
  StageMemory& memory = shared ? *shared : own_;
  memory.hold(stage_vectors(s_) * stride + factors_.doubles(), factors_.row_numbers());
  double* place = memory.numbers();
  for (double** part : {&z_, &v_, &last_z_, &stage_, &slope_, &residual_, &d_})
    *part = place, place += length;
  for (double** part : {&from_, &increment_}) *part = place, place += stride;
  factors_.place(place, memory.rows());
  if (!data_.explicit_first) at_once_ = factors_.at_once();
  splits_off_rates_ = at_once_ && stiffly_accurate_ && system.knows_right_hand_side;
}

void ImplicitStages::learn_mass(const Pencil& pencil) {
  const double* const e = pencil.e.data();
  bool diagonal = true;
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < n_; ++i)
      if (i != j && e[i + j * n_] != 0) diagonal = false;
  for (int i = 0; i < n_; ++i) mass_diagonal_[i] = e[i + i * n_];
  mass_ = {constants_.lambda.data(), diagonal ? mass_diagonal_ : nullptr, e};
}

bool ImplicitStages::factor(const Pencil& pencil, double h) {
  if (splits_off_rates_ && mass_.columns != pencil.e.data()) learn_mass(pencil);
  const bool regular = factors_.factor(pencil, h);
  if (!regular) singular_column_ = factors_.singular_column();
  return regular;
}

void ImplicitStages::start_values(const State& state, double h, const Guess& guess, double far,
                                  const NewtonStages& all) {
  if (guess.covering) {
    for (int i = 0; i < s_; ++i) {
      double* z = z_ + i * stride_;
      std::fill(z + n_, z + stride_, 0.0);
      guess.covering->evaluate(state.t + data_.c[i] * h, z);
      for (int k = 0; k < n_; ++k) z[k] -= state.y[k];
    }
  } else if (guess.extrapolate && last_h_ != 0) {
    if (at_once_ && !lowers_multipliers_)
      return at_once_.begin(all, extrapolation_nodes(constants_, h / last_h_, far), h / last_h_,
                            last_z_, increment_, 1 / h);
    extrapolate(h, far);
  } else if (starts_with_slope_) {
    std::fill(z_, z_ + s_ * stride_, 0.0);
    for (int i = 0; i < s_; ++i)
      for (int k = 0; k < n_; ++k)
        z_[i * stride_ + k] = system_.algebraic_variable[k] ? 0.0 : h * data_.c[i] * state.yp[k];
  } else {
    std::fill(z_, z_ + s_ * stride_, 0.0);
    std::fill(v_, v_ + s_ * stride_, 0.0);
    return arguments(state, h);
  }
  kernels_.combine(s_, stride_, constants_.t_inverse.data(), z_, v_);
  arguments(state, h);
}

void ImplicitStages::extrapolate(double h, double far) {
  const double ratio = h / last_h_;
  kernels_.extrapolate(s_, stride_, extrapolation_nodes(constants_, ratio, far), ratio, last_z_,
                       increment_, z_);
  if (!lowers_multipliers_) return;
  double low_basis[max_stages];
  const int low = constants_.low_polynomial.stages();
  for (int i = 0; i < s_; ++i) {
    constants_.low_polynomial.stage_basis(1 + data_.c[i] * ratio, low_basis);
    for (int k = 0; k < n_; ++k) {
      if (system_.variable_index[k] <= 1) continue;
      double sum = -increment_[k];
      for (int j = 0; j < low; ++j) sum += low_basis[j] * last_z_[(s_ - low + j) * stride_ + k];
      z_[i * stride_ + k] = sum;
    }
  }
}

NewtonStages ImplicitStages::all_stages(const State& state) {
  return {constants_.t_inverse.data(),
          constants_.t.data(),
          constants_.w_t.data(),
          factors_.real_then_complex(),
          state.y.data(),
          residual_,
          d_,
          v_,
          z_,
          stage_,
          slope_,
          mass_};
}

void ImplicitStages::arguments(const State& state, double h) {
  std::copy(state.y.begin(), state.y.end(), from_);
  kernels_.arguments(s_, stride_, constants_.w.data(), 1 / h, from_, z_, stage_, slope_);
  if (data_.explicit_first) subtract_first_slope(state);
}

void ImplicitStages::subtract_first_slope(const State& state) {
  for (int i = 0; i < s_; ++i)
    for (int k = 0; k < n_; ++k) slope_[i * stride_ + k] -= constants_.first_slope[i] * state.yp[k];
}

double ImplicitStages::correct(const State& state, double h, const ErrorNorm& norm,
                               const NewtonStages& all) {
  double squares = 0;
  // The increments are minus the solutions of the transformed systems.
  if (at_once_) {
    squares = at_once_.correct(all, norm.weights(), 1 / h);
  } else {
    kernels_.combine(s_, stride_, constants_.t_inverse.data(), residual_, d_);
    factors_.solve(d_);
    squares = kernels_.advance(s_, stride_, constants_.t.data(), norm.weights(), d_,
                               constants_.w.data(), 1 / h, from_, v_, z_, stage_, slope_);
    if (data_.explicit_first) subtract_first_slope(state);
  }
  return std::sqrt(squares * mean_);
}

int ImplicitStages::row_not_finite() const {
  for (int i = 0; i < s_; ++i)
    for (int k = 0; k < n_; ++k)
      if (!std::isfinite(residual_[i * stride_ + k])) return k;
  return -1;
}

NewtonResult ImplicitStages::solve(const State& state, double h, const ErrorNorm& norm,
                                   const NewtonSettings& settings, Statistics& statistics,
                                   const Guess& guess) {
  NewtonResult result;
  NewtonMonitor monitor(settings, carried_eta_, last_h_ == 0 ? 1.0 : std::max(1.0, h / last_h_));
  const NewtonStages all = all_stages(state);
  start_values(state, h, guess, settings.far, all);
  double times[max_stages];
  for (int i = 0; i < s_; ++i) times[i] = state.t + data_.c[i] * h;
  solved_ = z_;
  using Verdict = NewtonMonitor::Verdict;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    ++statistics.newton, statistics.rhs += s_, ++statistics.solves;
    if (splits_off_rates_)
      system_.right_hand_sides(s_, stride_, times, stage_, residual_);
    else
      system_.residuals(s_, stride_, times, stage_, slope_, residual_);
    const double increment = correct(state, h, norm, all);
    if (!std::isfinite(increment)) {
      result.worst = row_not_finite();
      // What lies behind the vectors is to stay zero, for other methods too.
      for (double* stages : {d_, v_, z_}) std::fill(stages, stages + s_ * stride_, 0.0);
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
      result.worst = norm.worst(d_, s_, stride_);
      return result;
    }
  }
  carried_eta_ = monitor.eta();
  return result;
}

void ImplicitStages::rate(const double* weights, double h, double* out) const {
  double over_h[max_stages];
  const double inverse_h = 1 / h;
  for (int j = 0; j < s_; ++j) over_h[j] = inverse_h * weights[j];
  kernels_.sum(s_, stride_, over_h, z_, out);
}

void ImplicitStages::result(const State& state, double h, double* y1, double* yp1) const {
  if (stiffly_accurate_) {
    const int last = (s_ - 1) * stride_;
    for (int k = 0; k < n_; ++k) y1[k] = state.y[k] + z_[last + k];
    if (splits_off_rates_)
      rate(constants_.w.data() + (s_ - 1) * s_, h, d_), std::copy_n(d_, n_, yp1);
    else
      std::copy_n(slope_ + last, n_, yp1);
    return;
  }
  for (int k = 0; k < n_; ++k) {
    double sum = h * data_.result_first * state.yp[k], slope = 0;
    for (int j = 0; j < s_; ++j) {
      sum += data_.result[j] * z_[j * stride_ + k];
      slope += constants_.end_slope[j] * slope_[j * stride_ + k];
    }
    y1[k] = state.y[k] + sum, yp1[k] = slope;
  }
}

void ImplicitStages::solve_defect(const StageConstants::Defect& defect, const State& state,
                                  double h, bool refine, Statistics& statistics) {
  double *const slope = d_, *const moved = residual_, *const estimate = v_;
  if (splits_off_rates_)
    rate(defect.slope_of_z.data(), h, slope);
  else
    kernels_.sum(s_, stride_, defect.slope.data(), slope_, slope);
  const double* point = state.y.data();
  if (defect.at != 0) {
    kernels_.sum(s_, stride_, defect.value.data(), z_, moved);
    for (int k = 0; k < n_; ++k) moved[k] += state.y[k];
    point = moved;
  }
  for (int round = 0; round < (refine ? 2 : 1); ++round) {
    if (round > 0) {
      for (int k = 0; k < n_; ++k) moved[k] = point[k] + estimate[k];
      point = moved;
    }
    minus_defect(state.t + defect.at * h, point, slope, estimate, statistics);
    factors_.solve_estimate(estimate);
    std::fill(estimate + n_, estimate + stride_, 0.0);  // where a solution is not finite
  }
}

void ImplicitStages::estimate(const State& state, double h, double* error, bool refine,
                              Statistics& statistics) {
  const auto add = [&](const StageConstants::Defect& defect) {
    solve_defect(defect, state, h, refine, statistics);
    for (int k = 0; k < n_; ++k) error[k] = std::abs(error[k]) + std::abs(v_[k]);
  };
  solve_defect(constants_.defects[0], state, h, refine, statistics);
  std::copy_n(v_, n_, error);
  if (constants_.defects.size() > 1) add(constants_.defects[1]);
  if (doubts_growth_ && last_h_ != 0 && std::abs(h) > std::abs(last_h_))
    for (const StageConstants::Defect& defect : constants_.doubts) add(defect);
}

bool ImplicitStages::predict(const State& state, double h, double part, double* y) const {
  constexpr double longest = 3;  // in last steps
  if (last_h_ == 0 || h / last_h_ > longest) return false;
  double basis[max_stages];
  constants_.polynomial.basis(1 + part * h / last_h_, basis);
  kernels_.sum(s_, stride_, basis, last_z_, residual_);
  for (int k = 0; k < n_; ++k) y[k] = state.y[k] - increment_[k] + residual_[k];
  return true;
}

void ImplicitStages::accept(double h) {
  std::swap(last_z_, z_);
  solved_ = last_z_;
  last_h_ = h;
  if (stiffly_accurate_) {
    std::copy_n(last_z_ + (s_ - 1) * stride_, n_, increment_);
    return;
  }
  for (int k = 0; k < n_; ++k) {
    double sum = 0;
    for (int j = 0; j < s_; ++j) sum += data_.result[j] * last_z_[j * stride_ + k];
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
  for (int i = 0; i < s_; ++i)
    std::copy_n(solved_ + i * stride_, n, out.data.begin() + (i + 2) * n_);
  for (std::size_t k = 0; k < n; ++k) {
    double correction = h * state.yp[k] * constants_.basis->slope_factor();
    for (int i = 0; i < s_; ++i)
      correction -= constants_.basis->z_factor()[i] * solved_[i * stride_ + k];
    // The slope of an algebraic variable is no better than that of the polynomial itself.
    out.data[n + k] = !out.corrected || system_.algebraic_variable[k] ? 0.0 : correction;
  }
}

void ImplicitStages::save(std::vector<double>& memory) const {
  memory.push_back(last_h_), memory.push_back(carried_eta_);
  for (int i = 0; i < s_; ++i)
    memory.insert(memory.end(), last_z_ + i * stride_, last_z_ + i * stride_ + n_);
  memory.insert(memory.end(), increment_, increment_ + n_);
}

void ImplicitStages::restore(SavedState& memory) {
  last_h_ = memory.number(), carried_eta_ = memory.number();
  for (int i = 0; i < s_; ++i) memory.fill(last_z_ + i * stride_, static_cast<std::size_t>(n_));
  memory.fill(increment_, static_cast<std::size_t>(n_));
}

}  // namespace daedalus
