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
  return drops_out * scaled_size(v) * constraints_.reference() / size_;
}

/// rate_ = d/dt Gc along (1, v), by rows and in the metric of M.
void ConstrainedMotion::turn_rates(double t, const double* q, const double* v) {
  for (int j = 0; j < n_; ++j) {
    dual_q_[j] = Dual(q[j]), dual_q_[j].d[0] = v[j];
    dual_v_[j] = Dual(0.0);
  }
  Dual time(t);
  time.d[0] = 1;
  const auto scatter = [&](int first, int count, const auto& entry) {
    for (int i = 0; i < count; ++i) {
      double* row = rate_.data() + static_cast<std::ptrdiff_t>(first + i) * n_;
      for (int j = 0; j < n_; ++j) row[j] = entry(i + j * count);
      to_scaled_force(row);
    }
  };
  const auto differences = [&](int first, int count, const auto& jacobian) {
    double speed = 1e-300, size = 1;
    for (int j = 0; j < n_; ++j)
      speed = std::max(speed, std::abs(v[j])), size = std::max(size, std::abs(q[j]));
    const double s = 1e-4 * size / speed;
    std::vector<double>& plus = g_columns_;
    for (int j = 0; j < n_; ++j) extra_[j] = q[j] + s * v[j];
    jacobian(t + s, extra_.data(), plus.data());
    for (int j = 0; j < n_; ++j) extra_[j] = q[j] - s * v[j];
    std::vector<double>& minus = k_columns_;
    jacobian(t - s, extra_.data(), minus.data());
    scatter(first, count, [&](int k) { return (plus[k] - minus[k]) / (2 * s); });
  };
  if (position_ > 0 && g_.is_differentiable()) {
    g_.jacobian<Dual>(time, {dual_q_.data()}, 0, dual_jacobian_.data());
    scatter(0, position_, [&](int k) { return dual_jacobian_[k].d[0]; });
  } else if (position_ > 0) {
    differences(0, position_, [&](double at, const double* where, double* out) {
      g_.jacobian<double>(at, {where}, 0, out);
    });
  }
  if (velocity_ > 0 && rolling_.is_differentiable()) {
    rolling_.jacobian<Dual>(time, {dual_q_.data(), dual_v_.data()}, 1, dual_jacobian_.data());
    scatter(position_, velocity_, [&](int k) { return dual_jacobian_[k].d[0]; });
  } else if (velocity_ > 0) {
    differences(position_, velocity_, [&](double at, const double* where, double* out) {
      rolling_.jacobian<double>(at, {where, v}, 1, out);
    });
  }
}

/// Where a combination u of the rows vanishes, u^T Gc a = -u^T gamma says nothing of a. Its
/// derivative does: u^T (Gc a' + 3 Gc' a + T) = 0 with T the third derivative along the straight
/// line, and u^T Gc = 0. Both conditions are blended so that a is continuous in the distance from
/// the singular point, s = t - t*:  r a + th w a = -u^T gamma - th u^T T / 3,  r = u^T Gc, w = u^T
/// Gc', th = 0 where |s| is large enough for the first one alone. (Velocity constraints: 2 in place
/// of 3, and the second derivative.)
bool ConstrainedMotion::add_derivative_rows(double t, const double* q, const double* v) {
  turn_rates(t, q, v);
  if (position_ > 0) third_(t, q, v, third_values_.data());
  if (velocity_ > 0) rolling_.second(t, {q, v}, {v, nullptr}, third_values_.data() + position_);
  for (int i = position_; i < m_; ++i)
    for (int k = 0; k < n_; ++k) rate_[k + static_cast<std::ptrdiff_t>(i) * n_] *= 2.0 / 3.0;
  const double reference = constraints_.reference();
  int added = 0;
  for (int i = 0; i < m_; ++i) {
    if (constraints_.relative_sigma(i) >= nearly_singular) continue;
    constraints_.turning(i, rate_.data(), nearly_singular, extra_.data(), projected_.data());
    const double turn = norm(projected_);
    if (!(turn > slowest_turn(v))) {
      dependent_ = true;
      continue;
    }
    const double sigma = constraints_.sigma(i);
    const double s =
        sigma > 0 ? sigma * dot(constraints_.right(i), projected_.data(), n_) / (turn * turn) : 0;
    const double window = nearly_singular * reference / turn;
    const double th = std::copysign(std::max(0.0, window - std::abs(s)), s);
    double value =
        constraints_.left(i, gamma_.data()) + th * constraints_.left(i, third_values_.data()) / 3;
    for (int k = 0; k < n_; ++k) {
      const double row = (sigma > 0 ? sigma * constraints_.right(i)[k] : 0) + th * extra_[k];
      step_[k] = row;
      value += row * (force_[k] - zh_[k]);  // row (L^T a) + rhs must vanish
    }
    // The part of the row that no other condition sees carries the correction.
    projected_ = step_;
    const auto remove = [&](const double* direction) {
      const double part = dot(direction, step_.data(), n_);
      for (int j = 0; j < n_; ++j) projected_[j] -= part * direction[j];
    };
    for (int k = 0; k < m_; ++k)
      if (constraints_.relative_sigma(k) >= nearly_singular) remove(constraints_.right(k));
    for (int k = 0; k < added; ++k) remove(added_.data() + static_cast<std::ptrdiff_t>(k) * n_);
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

double ConstrainedMotion::since_singular() {
  const double* q = slope_t_q_v_.data() + 1;
  if (m_ == 0 || !prepare(slope_t_q_v_[0], q, true)) return std::numeric_limits<double>::infinity();
  const double* v = q + n_;
  turn_rates(slope_t_q_v_[0], q, v);
  return constraints_.since_crossing(rate_.data(), slowest_turn(v));
}

}  // namespace daedalus
