#include "stepper/backward_differences.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

void BackwardDifferences::begin(const double* y, const double* yp, double h) {
  std::fill(phi_.begin(), phi_.end(), 0.0);
  std::copy(y, y + n_, phi_.begin());
  for (int j = 0; j < n_; ++j) row(phi_, 1)[j] = h * yp[j];
  for (int i = 0; i < rows; ++i) psi_before_[i] = (i + 1) * h;
}

void BackwardDifferences::prepare(double h, int k) {
  h_ = h, k_ = k;
  double beta = 1, before = 0;
  sigma_[0] = 1, gamma_[0] = 0, alpha_s_ = 0;
  for (int i = 0; i <= k; ++i) {
    psi_[i] = before + h;
    alpha_[i] = h / psi_[i];
    if (i > 0) {
      sigma_[i] = i * sigma_[i - 1] * alpha_[i];
      gamma_[i] = gamma_[i - 1] + 1 / psi_[i - 1];
      alpha_s_ += 1.0 / i;
    }
    const double* from = row(phi_, i);
    double* to = row(scaled_, i);
    for (int j = 0; j < n_; ++j) to[j] = beta * from[j];
    beta *= psi_[i] / psi_before_[i];
    before = psi_before_[i];
  }
}

void BackwardDifferences::predict(double* y, double* yp) const {
  std::fill(y, y + n_, 0.0);
  std::fill(yp, yp + n_, 0.0);
  for (int i = 0; i <= k_; ++i) {
    const double* difference = row(scaled_, i);
    for (int j = 0; j < n_; ++j) y[j] += difference[j], yp[j] += gamma_[i] * difference[j];
  }
}

double BackwardDifferences::error_constant() const {
  double alpha_0 = 0;
  for (int i = 0; i < k_; ++i) alpha_0 += alpha_[i];
  return std::max(alpha_[k_], std::abs(alpha_[k_] - alpha_s_ + alpha_0));
}

void BackwardDifferences::slope_at(double theta, const double* e, double* yp) const {
  std::fill(yp, yp + n_, 0.0);
  // w_i = prod_{j<i} (1 - alpha_j + alpha_j theta), and its derivative.
  double w = 1, slope = 0;
  for (int i = 1; i <= k_; ++i) {
    const double factor = 1 - alpha_[i - 1] + alpha_[i - 1] * theta;
    slope = slope * factor + w * alpha_[i - 1];
    w *= factor;
    const double* difference = row(scaled_, i);
    for (int j = 0; j < n_; ++j)
      yp[j] += slope / h_ * (i == k_ ? difference[j] + e[j] : difference[j]);
  }
}

BackwardDifferences::LastPoint BackwardDifferences::last_point() const {
  LastPoint last = {1, 0, 0};
  for (int i = 0; i < k_; ++i) {
    last.value_ahead *= (h_ + psi_[i]) / psi_[i];
    last.slope += h_ / psi_[i], last.slope_ahead += h_ / (h_ + psi_[i]);
  }
  last.slope_ahead *= last.value_ahead;
  return last;
}

void BackwardDifferences::advance(const double* e) {
  std::copy(e, e + n_, row(phi_, k_ + 1));
  for (int i = k_; i >= 0; --i) {
    const double *above = row(phi_, i + 1), *difference = row(scaled_, i);
    double* to = row(phi_, i);
    for (int j = 0; j < n_; ++j) to[j] = above[j] + difference[j];
  }
  std::copy(psi_.begin(), psi_.begin() + k_ + 1, psi_before_.begin());
  if (k_ + 1 < rows) psi_before_[k_ + 1] = psi_[k_] + h_;
}

void BackwardDifferences::interpolant(const double* e, Interpolant& out) const {
  out.size = n_, out.basis = nullptr, out.method = 0;
  out.nested = std::max(2, k_);
  const std::size_t n = static_cast<std::size_t>(n_);
  out.data.assign(n * static_cast<std::size_t>(1 + out.nested), 0.0);
  const double* start = row(scaled_, 0);
  std::copy(start, start + n_, out.data.begin());
  // y(theta) = sum_{i<=k} w_i phi*_i + w_{k+1} (phi*_{k+1} + e), w_i = prod_{j<i} (1 - alpha_j +
  // alpha_j theta), first as powers of theta.
  std::array<double, rows> w = {1};
  for (int i = 1; i <= k_; ++i) {
    const double a = alpha_[i - 1];
    for (int m = i; m >= 0; --m) w[m] = (1 - a) * w[m] + (m > 0 ? a * w[m - 1] : 0.0);
    // Then nested: w vanishes at 0.
    std::array<double, rows> nested = {};
    Interpolant::nested_weights(w.data(), i, nested.data());
    for (int m = 0; m < i; ++m) {
      const double weight = nested[m];
      double* to = out.data.data() + n * static_cast<std::size_t>(1 + m);
      const double* difference = row(scaled_, i);
      for (int j = 0; j < n_; ++j)
        to[j] += weight * (i == k_ ? difference[j] + e[j] : difference[j]);
    }
  }
}

void BackwardDifferences::save(std::vector<double>& memory) const {
  save_list(memory, phi_);
  memory.insert(memory.end(), psi_before_.begin(), psi_before_.end());
}

void BackwardDifferences::restore(SavedState& memory) {
  memory.list(phi_);
  for (double& psi : psi_before_) psi = memory.number();
}

}  // namespace daedalus
