#include "nonlinear/nearest_point.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace daedalus {
namespace {

constexpr double rounding = 1e-14;  // change relative to the scale that is nothing
constexpr double rank_threshold = 1e-10;
constexpr double shortest_step = 1e-4;

}  // namespace

NearestPoint::NearestPoint(Equations equations, std::vector<double> scale,
                           std::vector<double> freedom)
    : equations_(std::move(equations)), scale_(std::move(scale)), freedom_(std::move(freedom)) {
  jacobian_.resize(equations_.count, equations_.unknowns);
  residual_.resize(equations_.count), trial_residual_.resize(equations_.count);
  step_.resize(equations_.unknowns), natural_.resize(equations_.unknowns);
  trial_.resize(static_cast<std::size_t>(equations_.unknowns));
}

void NearestPoint::linearize(const double* x) {
  equations_.linearize(x, jacobian_.data());
  scaled_ = jacobian_;
  for (int j = 0; j < equations_.unknowns; ++j)
    scaled_.col(j) *= scale_[static_cast<std::size_t>(j)] * freedom_[static_cast<std::size_t>(j)];
  // Rows of very different size (a position beside an acceleration) must not decide the rank.
  // A row that no free unknown reaches (all held) takes no part.
  Vector inverse = scaled_.rowwise().norm();
  for (double& row : inverse) row = row > 1e-200 ? 1 / row : 0.0;
  scaled_ = inverse.asDiagonal() * scaled_;
  factored_ = scaled_.allFinite();
  if (!factored_) return;
  Eigen::CompleteOrthogonalDecomposition<Matrix> decomposition;
  decomposition.setThreshold(rank_threshold);
  decomposition.compute(scaled_);
  rank_ = static_cast<int>(decomposition.rank());
  pseudo_inverse_ = decomposition.pseudoInverse() * inverse.asDiagonal();
  factored_ = pseudo_inverse_.allFinite();
}

bool NearestPoint::iterate(double* x, int max_iterations) {
  const int n = equations_.unknowns;
  equations_.evaluate(x, residual_.data());
  if (!residual_.allFinite()) return false;
  double last = 0;
  bool fresh = false;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    if (!factored_) linearize(x), fresh = true;
    if (!factored_) return false;
    step_.noalias() = pseudo_inverse_ * residual_;
    double change = 0;
    for (int j = 0; j < n; ++j) {
      const auto k = static_cast<std::size_t>(j);
      change =
          std::max(change, std::abs(step_[j]) * freedom_[k] / (1 + std::abs(x[j]) / scale_[k]));
    }
    const double size = step_.norm();
    if (!std::isfinite(size)) return false;
    // The natural step of the frozen linearisation must shrink.
    double fraction = 1;
    for (;; fraction *= 0.5) {
      for (int j = 0; j < n; ++j)
        trial_[static_cast<std::size_t>(j)] =
            x[j] - fraction * scale_[static_cast<std::size_t>(j)] *
                       freedom_[static_cast<std::size_t>(j)] * step_[j];
      equations_.evaluate(trial_.data(), trial_residual_.data());
      natural_.noalias() = pseudo_inverse_ * trial_residual_;
      const double next = trial_residual_.allFinite() ? natural_.norm() : INFINITY;
      if (next <= (1 - 0.25 * fraction) * size || change <= 1e-12 || fraction < shortest_step)
        break;
    }
    if (fraction < shortest_step && !fresh) {
      factored_ = false;
      continue;
    }
    if (!trial_residual_.allFinite()) return false;
    std::copy(trial_.begin(), trial_.end(), x);
    residual_ = trial_residual_;
    if (fraction < shortest_step) return false;
    if (change <= rounding || (change <= 1e-10 && iteration > 0 && change >= 0.3 * last))
      return true;
    if (iteration > 0 && change > 0.3 * last) factored_ = false;
    fresh = false;
    last = change;
  }
  return last <= 1e-10;
}

bool NearestPoint::polish(double* x) {
  return iterate(x, 8);
}

bool NearestPoint::solve(double* x, int max_iterations) {
  if (equations_.count == 0) return true;
  iterate(x, max_iterations);
  if (!residual_.allFinite()) return false;
  equations_.linearize(x, jacobian_.data());
  for (int i = 0; i < equations_.count; ++i) {
    // What the unknowns, at their size, do to the row.
    double reach = 0;
    for (int j = 0; j < equations_.unknowns; ++j)
      reach = std::max(reach, std::abs(jacobian_(i, j)) *
                                  std::max(scale_[static_cast<std::size_t>(j)], std::abs(x[j])));
    if (!(std::abs(residual_[i]) <= 1e-8 * reach + 1e-300)) return false;
  }
  return true;
}

Vector NearestPoint::unreachable(const double* x) {
  equations_.evaluate(x, residual_.data());
  linearize(x);
  if (!factored_) return residual_;
  Vector moved = pseudo_inverse_ * residual_;
  for (int j = 0; j < equations_.unknowns; ++j)
    moved[j] *= scale_[static_cast<std::size_t>(j)] * freedom_[static_cast<std::size_t>(j)];
  return residual_ - jacobian_ * moved;
}

}  // namespace daedalus
