// Mechanical systems where their constraints lose rank: how the rows turn, and the condition that
// their next derivative gives.
#include <algorithm>
#include <cmath>

#include "formulation/constrained_motion.h"
#include "linear/small_vectors.h"

namespace daedalus {

/// A combination of the rows that turns slower does not cross, it is redundant.
double ConstrainedMotion::slowest_turn(const double* v) const {
  constexpr double drops_out = 1e-7;
  return drops_out * scaled_size(v) * constraints_->reference() / size_;
}

/// rate_ = d/dt Gc along (1, v), by rows and in the metric of M.
void ConstrainedMotion::turn_rates(double t, const double* q, const double* v) {
  equations_->jacobian_rate(t, q, v, rate_.data());
  for (int i = 0; i < m_; ++i) to_scaled_force(rate_.data() + static_cast<std::ptrdiff_t>(i) * n_);
}

/// Where a combination u of the rows vanishes, u^T Gc a = -u^T gamma says nothing of a. Its
/// derivative does: u^T (Gc a' + 3 Gc' a + T) = 0 with T the third derivative along the straight
/// line, and u^T Gc = 0. Both conditions are blended so that a is continuous in the distance from
/// the singular point, s = t - t*:  r a + th w a = -u^T gamma - th u^T T / 3,  r = u^T Gc, w = u^T
/// Gc', th = 0 where |s| is large enough for the first one alone. (Velocity constraints: 2 in place
/// of 3, and the second derivative.)
bool ConstrainedMotion::add_derivative_rows(double t, const double* q, const double* v) {
  turn_rates(t, q, v);
  equations_->next_curvature(t, q, v, third_values_.data());
  for (int i = equations_->position; i < m_; ++i)
    for (int k = 0; k < n_; ++k) rate_[k + static_cast<std::ptrdiff_t>(i) * n_] *= 2.0 / 3.0;
  const double reference = constraints_->reference();
  int added = 0;
  for (int i = 0; i < constraints_->pairs(); ++i) {
    if (constraints_->relative_sigma(i) >= nearly_singular) continue;
    constraints_->turning(i, rate_.data(), nearly_singular, extra_.data(), projected_.data());
    const double turn = norm(projected_);
    if (!(turn > slowest_turn(v))) {
      dependent_ = true;
      continue;
    }
    const double sigma = constraints_->sigma(i);
    const double s =
        sigma > 0 ? sigma * dot(constraints_->right(i), projected_.data(), n_) / (turn * turn) : 0;
    const double window = nearly_singular * reference / turn;
    const double th = std::copysign(std::max(0.0, window - std::abs(s)), s);
    double value =
        constraints_->left(i, gamma_.data()) + th * constraints_->left(i, third_values_.data()) / 3;
    for (int k = 0; k < n_; ++k) {
      const double row = (sigma > 0 ? sigma * constraints_->right(i)[k] : 0) + th * extra_[k];
      step_[k] = row;
      value += row * (force_[k] - zh_[k]);  // row (L^T a) + rhs must vanish
    }
    // The part of the row that no other condition sees carries the correction.
    projected_ = step_;
    constraints_->leave_free(projected_.data(), nearly_singular);
    for (int k = 0; k < added; ++k) {
      const double* direction = added_.data() + static_cast<std::ptrdiff_t>(k) * n_;
      const double part = dot(direction, step_.data(), n_);
      for (int j = 0; j < n_; ++j) projected_[j] -= part * direction[j];
    }
    const double length = norm(projected_);
    if (!(length > 0)) continue;
    double* direction = added_.data() + static_cast<std::ptrdiff_t>(added++) * n_;
    for (int k = 0; k < n_; ++k) {
      direction[k] = projected_[k] / length;
      zh_[k] += direction[k] * value / length;
    }
    undetermined_ = true;
  }
  return true;
}

double ConstrainedMotion::find_crossing(double t, const double* q, const double* v) {
  if (!prepare(t, q, true)) return std::numeric_limits<double>::infinity();
  turn_rates(t, q, v);
  return constraints_->since_crossing(rate_.data(), slowest_turn(v));
}

}  // namespace daedalus
