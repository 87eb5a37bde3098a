#include "stepper/implicit_rk.h"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

std::vector<double> row_major(const Eigen::MatrixXd& m) {
  std::vector<double> rows;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) rows.push_back(m(i, j));
  return rows;
}

/// Fixed stage counts let the compiler keep the small matrix in registers.
template <int S>
void combine_fixed(const double* m, const double* in, double* out, int n) {
  for (int k = 0; k < n; ++k) {
    double column[S];
    for (int j = 0; j < S; ++j) column[j] = in[j * n + k];
    for (int i = 0; i < S; ++i) {
      double sum = m[i * S] * column[0];
      for (int j = 1; j < S; ++j) sum += m[i * S + j] * column[j];
      out[i * n + k] = sum;
    }
  }
}

/// The first value that is not finite, or -1.
int first_not_finite(const double* x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += 0 * x[k];
  if (sum == 0) return -1;
  return static_cast<int>(std::find_if(x, x + n, [](double v) { return !std::isfinite(v); }) - x);
}

void combine_any(const double* m, const double* in, double* out, int n, int s) {
  for (int i = 0; i < s; ++i) {
    std::fill(out + i * n, out + (i + 1) * n, 0.0);
    for (int j = 0; j < s; ++j)
      for (int k = 0; k < n; ++k) out[i * n + k] += m[i * s + j] * in[j * n + k];
  }
}

}  // namespace

ImplicitStages::ImplicitStages(const System& system, const Tableau& method, const Pencil& pencil)
    : StageSolver(system, method), data_(transform_stages(method)), s_(data_.unknowns) {
  w_ = row_major(data_.w), t_ = row_major(data_.t), t_inverse_ = row_major(data_.t_inverse);
  const bool first_at_zero = data_.c[0] == 0;
  polynomial_ = StagePolynomial(data_.c, !first_at_zero);
  const int index = *std::max_element(system.variable_index.begin(), system.variable_index.end());
  // Newton leaves errors tol/h in multipliers of index 2; a polynomial of high degree makes them
  // thousands of times larger one step ahead, and the next iteration starts from nonsense. (With
  // index 3 neither degree was found to be better throughout.)
  if (s_ > 3 && index == 2) low_polynomial_ = StagePolynomial(data_.c.tail(3), false);
  if (!first_at_zero && stage_order(method) >= s_)
    basis_ = std::make_shared<CollocationBasis>(data_.c);
  for (std::size_t k = 0; k < data_.gamma.size(); ++k) real_.push_back(make_real_factors(pencil));
  for (std::size_t k = 0; k < data_.pairs.size(); ++k)
    complex_.push_back(make_complex_factors(pencil));
  if (real_.empty()) {
    own_estimate_factors_ = make_real_factors(pencil);
    estimate_factors_ = own_estimate_factors_.get();
    estimate_gamma_ = std::hypot(data_.pairs[0].alpha, data_.pairs[0].beta);
  } else {
    estimate_factors_ = real_[0].get();
    estimate_gamma_ = data_.gamma[0];
  }
  // Without stiff accuracy y'_n is extrapolated from the stages of the last step, and with an index
  // above 1 it has the error of the multipliers: then it is no better than u'(0).
  slope_is_good_ = stiffly_accurate_ && index == 1;
  // With an explicit first stage the defect vanishes at 0; the middle of the first gap serves.
  defect_at_ = data_.explicit_first ? 0.5 * data_.c[0] : 0.0;
  defect_value_.resize(s_), defect_slope_.resize(s_), end_slope_.resize(s_);
  polynomial_.basis(defect_at_, defect_value_.data());
  polynomial_.stage_basis(defect_at_, defect_slope_.data());
  polynomial_.stage_basis(1.0, end_slope_.data());
  const std::size_t length = static_cast<std::size_t>(s_) * n_;
  for (auto* buffer : {&z_, &v_, &d_, &derivatives_, &last_z_}) buffer->assign(length, 0.0);
  stage_y_.assign(n_, 0.0), increment_.assign(n_, 0.0);
}

void ImplicitStages::combine(const std::vector<double>& m, const double* in, double* out) const {
  switch (s_) {
    case 1:
      return combine_fixed<1>(m.data(), in, out, n_);
    case 3:
      return combine_fixed<3>(m.data(), in, out, n_);
    case 5:
      return combine_fixed<5>(m.data(), in, out, n_);
    case 7:
      return combine_fixed<7>(m.data(), in, out, n_);
    default:
      return combine_any(m.data(), in, out, n_, s_);
  }
}

bool ImplicitStages::factor(const Pencil& pencil, double h) {
  for (std::size_t k = 0; k < real_.size(); ++k)
    if (!real_[k]->factor(pencil, data_.gamma[k] / h))
      return singular_column_ = real_[k]->singular_column(), false;
  for (std::size_t k = 0; k < complex_.size(); ++k)
    if (!complex_[k]->factor(pencil, data_.pairs[k].alpha / h, -data_.pairs[k].beta / h))
      return singular_column_ = complex_[k]->singular_column(), false;
  if (own_estimate_factors_ && !own_estimate_factors_->factor(pencil, estimate_gamma_ / h))
    return singular_column_ = own_estimate_factors_->singular_column(), false;
  return true;
}

void ImplicitStages::start_values(const State& state, double h, const Guess& guess) {
  if (guess.covering) {
    for (int i = 0; i < s_; ++i) {
      double* z = z_.data() + i * n_;
      guess.covering->evaluate(state.t + data_.c[i] * h, z);
      for (int k = 0; k < n_; ++k) z[k] -= state.y[k];
    }
    combine(t_inverse_, z_.data(), v_.data());
    return;
  }
  if (!guess.extrapolate || last_h_ == 0) {
    if (data_.explicit_first) {
      for (int i = 0; i < s_; ++i)
        for (int k = 0; k < n_; ++k)
          z_[i * n_ + k] = system_.algebraic_variable[k] ? 0.0 : h * data_.c[i] * state.yp[k];
      combine(t_inverse_, z_.data(), v_.data());
      return;
    }
    std::fill(z_.begin(), z_.end(), 0.0);
    std::fill(v_.begin(), v_.end(), 0.0);
    return;
  }
  double basis[max_stages], low_basis[max_stages];
  const int low = low_polynomial_.stages();
  for (int i = 0; i < s_; ++i) {
    const double theta = 1 + data_.c[i] * h / last_h_;
    polynomial_.basis(theta, basis);
    if (low > 0) low_polynomial_.stage_basis(theta, low_basis);
    for (int k = 0; k < n_; ++k) {
      double sum = -increment_[k];
      if (low > 0 && system_.variable_index[k] > 1)
        for (int j = 0; j < low; ++j) sum += low_basis[j] * last_z_[(s_ - low + j) * n_ + k];
      else
        for (int j = 0; j < s_; ++j) sum += basis[j] * last_z_[j * n_ + k];
      z_[i * n_ + k] = sum;
    }
  }
  combine(t_inverse_, z_.data(), v_.data());
}

void ImplicitStages::stage_derivatives(const State& state, double h, const double* z,
                                       double* derivatives) {
  const double* shifted = z;
  if (data_.explicit_first) {
    for (int i = 0; i < s_; ++i)
      for (int k = 0; k < n_; ++k)
        d_[i * n_ + k] = z[i * n_ + k] - h * data_.first_column[i] * state.yp[k];
    shifted = d_.data();
  }
  combine(w_, shifted, derivatives);
  const double inverse_h = 1 / h;
  for (int k = 0; k < s_ * n_; ++k) derivatives[k] *= inverse_h;
}

bool ImplicitStages::residuals(const State& state, double h, NewtonResult& result) {
  stage_derivatives(state, h, z_.data(), derivatives_.data());
  for (int i = 0; i < s_; ++i) {
    for (int k = 0; k < n_; ++k) stage_y_[k] = state.y[k] + z_[i * n_ + k];
    double* r = d_.data() + i * n_;
    system_.residual(state.t + data_.c[i] * h, stage_y_.data(), derivatives_.data() + i * n_, r);
    if (const int k = first_not_finite(r, n_); k >= 0) return result.worst = k, false;
  }
  return true;
}

void ImplicitStages::solve_blocks() {
  // d holds T^-1 F; the increments are minus the solutions.
  for (double& x : d_) x = -x;
  int row = 0;
  for (auto& factors : real_) factors->solve(d_.data() + n_ * row++);
  for (auto& factors : complex_) {
    factors->solve(d_.data() + n_ * row, d_.data() + n_ * (row + 1));
    row += 2;
  }
}

NewtonResult ImplicitStages::solve(const State& state, double h, const ErrorNorm& norm,
                                   const NewtonSettings& settings, Statistics& statistics,
                                   const Guess& guess) {
  NewtonResult result;
  // The rate of simplified Newton is O(h): what was seen with a shorter step says less now.
  const double growth = last_h_ == 0 ? 1.0 : std::max(1.0, h / last_h_);
  NewtonMonitor monitor(settings, carried_eta_ * growth);
  start_values(state, h, guess);
  using Verdict = NewtonMonitor::Verdict;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    ++statistics.newton, statistics.rhs += s_, ++statistics.solves;
    if (!residuals(state, h, result)) {
      result.outcome = NewtonOutcome::not_finite;
      result.step_factor = 0.5;
      return result;
    }
    std::swap(d_, derivatives_);
    combine(t_inverse_, derivatives_.data(), d_.data());
    solve_blocks();
    const double increment = norm.over(d_.data(), s_);
    verdict = std::isfinite(increment) ? monitor.judge(increment) : Verdict::diverged;
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
    for (int k = 0; k < s_ * n_; ++k) v_[k] += d_[k];
    combine(t_, v_.data(), z_.data());
  }
  carried_eta_ = monitor.eta();
  stage_derivatives(state, h, z_.data(), derivatives_.data());
  return result;
}

void ImplicitStages::result(const State& state, double h, double* y1, double* yp1) const {
  for (int k = 0; k < n_; ++k) {
    double sum = stiffly_accurate_ ? z_[(s_ - 1) * n_ + k] : h * data_.result_first * state.yp[k];
    if (!stiffly_accurate_)
      for (int j = 0; j < s_; ++j) sum += data_.result[j] * z_[j * n_ + k];
    y1[k] = state.y[k] + sum;
    if (stiffly_accurate_) {
      yp1[k] = derivatives_[(s_ - 1) * n_ + k];
    } else {
      double slope = 0;
      for (int j = 0; j < s_; ++j) slope += end_slope_[j] * derivatives_[j * n_ + k];
      yp1[k] = slope;
    }
  }
}

void ImplicitStages::estimate(const State& state, double h, double* error, bool refine,
                              Statistics& statistics) {
  double* slope = d_.data();
  double* point = stage_y_.data();
  for (int k = 0; k < n_; ++k) {
    double derivative = 0, value = state.y[k];
    for (int j = 0; j < s_; ++j) {
      derivative += defect_slope_[j] * derivatives_[j * n_ + k];
      if (defect_at_ != 0) value += defect_value_[j] * z_[j * n_ + k];
    }
    slope[k] = derivative, point[k] = value;
  }
  const auto defect = [&] {
    filtered_defect(state.t + defect_at_ * h, point, slope, *estimate_factors_, error, statistics);
  };
  defect();
  if (!refine) return;
  for (int k = 0; k < n_; ++k) point[k] += error[k];
  defect();
}

void ImplicitStages::accept(double h) {
  last_z_ = z_;
  last_h_ = h;
  for (int k = 0; k < n_; ++k) {
    double sum = 0;
    if (stiffly_accurate_)
      sum = z_[(s_ - 1) * n_ + k];
    else
      for (int j = 0; j < s_; ++j) sum += data_.result[j] * z_[j * n_ + k];
    increment_[k] = sum;
  }
}

void ImplicitStages::interpolant(const State& state, const State& next, Interpolant& out) const {
  if (!basis_) return StageSolver::interpolant(state, next, out);
  const std::size_t n = state.y.size();
  out.t0 = state.t, out.t1 = next.t, out.size = n_, out.nested = 0, out.basis = basis_;
  out.corrected = slope_is_good_;
  out.data.resize(n * static_cast<std::size_t>(s_ + 2));
  const double h = next.t - state.t;
  std::copy(state.y.begin(), state.y.end(), out.data.begin());
  std::copy(z_.begin(), z_.end(), out.data.begin() + static_cast<std::ptrdiff_t>(2 * n));
  for (std::size_t k = 0; k < n; ++k) {
    double correction = h * state.yp[k] * basis_->slope_factor();
    for (int i = 0; i < s_; ++i) correction -= basis_->z_factor()[i] * z_[i * n_ + k];
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
  memory.insert(memory.end(), last_z_.begin(), last_z_.end());
  memory.insert(memory.end(), increment_.begin(), increment_.end());
}

void ImplicitStages::restore(SavedState& memory) {
  last_h_ = memory.number(), carried_eta_ = memory.number();
  memory.fill(last_z_), memory.fill(increment_);
}

}  // namespace daedalus
