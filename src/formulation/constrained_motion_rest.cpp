// Mechanical systems at rest where their constraints are singular. There the manifold crosses
// itself, and no velocity tells on which branch the motion goes on. With u the left singular vector
// and q = q0 + a t^2/2 + ..., u^T g(q) = t^4/8 u^T g_qq(a, a) + ...: accelerations are those a in
// the kernel of G for which the quadratic form vanishes. With one degree of freedom the kernel is a
// plane and the form has two lines or none; along each the motion follows the tangential force.
#include <algorithm>
#include <array>
#include <cmath>

#include "formulation/constrained_motion.h"
#include "linear/small_vectors.h"

namespace daedalus {
namespace {

constexpr double at_rest = 1e-12;    // of the speed that the force gives along the size of q
constexpr double rounding = 1e-12;   // of the discriminant
constexpr double independent = 0.1;  // length of a unit vector in what is left of the space

using Direction = std::array<double, 2>;  ///< in the plane

/// Where a x^2 + 2 b x y + c y^2 = 0, as unit vectors.
std::vector<Direction> zeros_of(double a, double b, double c) {
  const double size = a * a + b * b + c * c, square = b * b - a * c;
  if (!(square > rounding * size)) return {};
  const double root = std::sqrt(square);
  std::vector<Direction> lines;
  for (const double s : {root, -root}) {
    // The larger of both forms of the same line.
    const double first = std::hypot(-b + s, a), second = std::hypot(c, -b - s);
    const Direction line = first > second ? Direction{(-b + s) / first, a / first}
                                          : Direction{c / second, (-b - s) / second};
    lines.push_back(line);
  }
  return lines;
}

}  // namespace

int ConstrainedMotion::leave_rest(double t, double* x, int branch, double speed) {
  const double *q = x, *v = x + n_;
  if (m_ == 0 || is_regular(t, x)) return 0;
  int vanishing = -1, count = 0;
  for (int i = 0; i < constraints_->pairs(); ++i)
    if (constraints_->relative_sigma(i) < nearly_singular) vanishing = i, ++count;
  std::vector<std::vector<double>> plane;
  for (int j = 0; j < n_ && plane.size() < 3; ++j) {
    std::vector<double> e(static_cast<std::size_t>(n_), 0.0);
    e[static_cast<std::size_t>(j)] = 1;
    constraints_->leave_free(e.data(), nearly_singular);
    for (const auto& other : plane) {
      const double part = dot(other.data(), e.data(), n_);
      for (int k = 0; k < n_; ++k) e[k] -= part * other[k];
    }
    const double length = norm(e);
    if (length < independent) continue;
    for (double& entry : e) entry /= length;
    plane.push_back(std::move(e));
  }
  if (count != 1 || plane.size() != 2) return 0;

  equations_->force(t, q, v, force_.data());
  to_scaled_force(force_.data());
  const double pull =
      std::hypot(dot(plane[0].data(), force_.data(), n_), dot(plane[1].data(), force_.data(), n_));
  const double fast = std::sqrt(pull * size_);
  // In equilibrium, or on its way.
  if (!(pull > rounding * norm(force_)) || !(scaled_size(v) <= at_rest * fast)) return 0;
  std::vector<double> motion(static_cast<std::size_t>(n_));
  const auto bend = [&](double first, double second) {
    for (int k = 0; k < n_; ++k) motion[k] = first * plane[0][k] + second * plane[1][k];
    from_scaled_motion(motion.data());
    equations_->curvature(t, q, motion.data(), gamma_.data());
    return constraints_->left(vanishing, gamma_.data());
  };
  const double rest = bend(0, 0), a = bend(1, 0), c = bend(0, 1);
  const double b = (bend(1, 1) - a - c) / 2;
  // Constraints that move are no place to rest at.
  if (std::abs(rest) > rounding * (std::abs(a) + std::abs(b) + std::abs(c))) return 0;
  std::vector<Direction> branches = zeros_of(a, b, c);
  const auto along = [&](const Direction& d) {
    return d[0] * dot(plane[0].data(), force_.data(), n_) +
           d[1] * dot(plane[1].data(), force_.data(), n_);
  };
  std::sort(branches.begin(), branches.end(), [&](const Direction& one, const Direction& other) {
    return std::abs(along(one)) > std::abs(along(other));
  });
  if (branches.empty()) return 0;
  const auto chosen =
      static_cast<std::size_t>(std::clamp(branch - 1, 0, static_cast<int>(branches.size()) - 1));
  const Direction line = branches[chosen];
  const double push = std::copysign(speed * fast, along(line));
  for (int k = 0; k < n_; ++k) motion[k] = push * (line[0] * plane[0][k] + line[1] * plane[1][k]);
  from_scaled_motion(motion.data());
  std::copy(motion.begin(), motion.end(), x + n_);
  return static_cast<int>(branches.size());
}

}  // namespace daedalus
