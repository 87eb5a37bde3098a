#include "stepper/diagonally_implicit_rk.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// Weights that extrapolate the stage derivatives to a point of the step by the polynomial through
/// distinct abscissae (of equal ones the last).
std::vector<double> weights_at(double theta, const Tableau& m) {
  std::vector<double> weights(m.stages, 0.0);
  std::vector<int> distinct;
  for (int i = 0; i < m.stages; ++i) {
    bool repeated = false;
    for (int j = i + 1; j < m.stages; ++j) repeated = repeated || m.c[j] == m.c[i];
    if (!repeated) distinct.push_back(i);
  }
  for (int i : distinct) {
    weights[i] = 1;
    for (int j : distinct)
      if (j != i) weights[i] *= (m.c[j] - theta) / (m.c[j] - m.c[i]);
  }
  return weights;
}

}  // namespace

DiagonallyImplicitStages::DiagonallyImplicitStages(const System& system,
                                                   const StageConstants& constants,
                                                   const Pencil& pencil)
    : StageSolver(system, constants),
      gamma_(constants.method.a[0][0]),
      factors_(make_real_factors(pencil)) {
  const Tableau& method = constants.method;
  for (int i = 0; i < method.stages; ++i)
    if (method.a[i][i] != gamma_ || gamma_ == 0)
      throw InvalidInput(
          fmt::format("method {}: a diagonally implicit method needs equal nonzero "
                      "diagonal entries, a({},{}) = {}",
                      method.name, i + 1, i + 1, method.a[i][i]));
  const std::size_t length = static_cast<std::size_t>(method.stages) * n_;
  y_.assign(length, 0.0), yp_.assign(length, 0.0);
  base_.assign(n_, 0.0), d_.assign(n_, 0.0), slope_.assign(n_, 0.0);
  defect_slope_ = weights_at(0, method);
  end_slope_ = weights_at(1, method);
}

bool DiagonallyImplicitStages::factor(const Pencil& pencil, double h) {
  if (factors_->factor(pencil, 1 / (h * gamma_))) return true;
  singular_column_ = factors_->singular_column();
  return false;
}

NewtonResult DiagonallyImplicitStages::solve_stage(int stage, const State& state, double h,
                                                   const ErrorNorm& norm,
                                                   const NewtonSettings& settings,
                                                   Statistics& statistics) {
  double* y = y_.data() + stage * n_;
  double* yp = yp_.data() + stage * n_;
  std::copy(state.y.begin(), state.y.end(), base_.begin());
  for (int j = 0; j < stage; ++j)
    for (int k = 0; k < n_; ++k) base_[k] += h * method_.a[stage][j] * yp_[j * n_ + k];
  const double* guess = stage == 0 ? state.yp.data() : yp - n_;
  for (int k = 0; k < n_; ++k)
    y[k] = system_.algebraic_variable[k] ? (stage == 0 ? state.y[k] : y[k - n_])
                                         : base_[k] + h * gamma_ * guess[k];
  NewtonResult result;
  NewtonMonitor monitor(settings, carried_eta_);
  using Verdict = NewtonMonitor::Verdict;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    for (int k = 0; k < n_; ++k) yp[k] = (y[k] - base_[k]) / (h * gamma_);
    ++statistics.newton, ++statistics.rhs, ++statistics.solves;
    system_.residual(state.t + method_.c[stage] * h, y, yp, d_.data());
    for (int k = 0; k < n_; ++k)
      if (!std::isfinite(d_[k])) {
        result = {NewtonOutcome::not_finite, monitor.iterations(), 1, 0.5, k};
        return result;
      }
    factors_->solve(d_.data());
    const double increment = norm(d_.data());
    verdict = std::isfinite(increment) ? monitor.judge(increment) : Verdict::diverged;
    result.iterations = monitor.iterations();
    result.rate = monitor.rate();
    if (verdict == Verdict::diverged || verdict == Verdict::hopeless) {
      result.outcome =
          verdict == Verdict::hopeless ? NewtonOutcome::predicted_failure : NewtonOutcome::diverged;
      result.step_factor = verdict == Verdict::hopeless ? monitor.step_factor() : 0.5;
      result.worst = norm.worst(d_.data());
      return result;
    }
    for (int k = 0; k < n_; ++k) y[k] -= d_[k];
  }
  for (int k = 0; k < n_; ++k) yp[k] = (y[k] - base_[k]) / (h * gamma_);
  carried_eta_ = monitor.eta();
  return result;
}

NewtonResult DiagonallyImplicitStages::solve(const State& state, double h, const ErrorNorm& norm,
                                             const NewtonSettings& settings, Statistics& statistics,
                                             const Guess&) {
  NewtonResult worst;
  for (int stage = 0; stage < method_.stages; ++stage) {
    const NewtonResult result = solve_stage(stage, state, h, norm, settings, statistics);
    if (result.outcome != NewtonOutcome::converged) return result;
    if (result.iterations > worst.iterations) worst.iterations = result.iterations;
    worst.rate = std::max(worst.rate, result.rate);
  }
  return worst;
}

void DiagonallyImplicitStages::result(const State& state, double h, double* y1, double* yp1) const {
  const int last = method_.stages - 1;
  for (int k = 0; k < n_; ++k) {
    yp1[k] = yp_[last * n_ + k];
    y1[k] = y_[last * n_ + k];
    if (stiffly_accurate_) continue;
    double sum = 0, slope = 0;
    for (int j = 0; j <= last; ++j)
      sum += method_.b[j] * yp_[j * n_ + k], slope += end_slope_[j] * yp_[j * n_ + k];
    y1[k] = state.y[k] + h * sum, yp1[k] = slope;
  }
}

void DiagonallyImplicitStages::estimate(const State& state, double h, double* error, bool refine,
                                        Statistics& statistics) {
  const bool embedded = method_.embedded_order > 0;
  for (int k = 0; k < n_; ++k) {
    double sum = 0;
    for (int j = 0; j < method_.stages; ++j)
      sum += (embedded ? method_.b[j] - method_.b_hat[j] : defect_slope_[j]) * yp_[j * n_ + k];
    if (embedded)
      error[k] = h * sum;
    else
      slope_[k] = sum;
  }
  if (embedded) return;
  base_ = state.y;
  const auto defect = [&] {
    minus_defect(state.t, base_.data(), slope_.data(), error, statistics);
    factors_->solve(error);
  };
  defect();
  if (!refine) return;
  for (int k = 0; k < n_; ++k) base_[k] += error[k];
  defect();
}

}  // namespace daedalus
