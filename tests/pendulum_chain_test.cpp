// Chains of pendulums, the tension of each setting the length of the next: index 5 and 7
// [Campbell, Gear 1995; Pryce 2001]. Reference: angles, with every derivative written out by hand,
// by a fixed-step Runge-Kutta method that shares nothing with the solver.
#include <array>
#include <cmath>
#include <gmock/gmock.h>

#include <fmt/format.h>

#include "daedalus/model.h"

namespace daedalus {
namespace {

constexpr double g = 1, L = 1, c = 0.1;

/// Angle and rate of each pendulum, from the lowest point.
using Angles = std::array<double, 6>;

/// A rod: length and its derivatives, tension, all as functions of the angles.
struct Rod {
  double length = L, length1 = 0, length2 = 0, tension = 0;
};

/// r'' - r a'^2 - g cos a = -r tension along a rod, r a'' + 2 r' a' + g sin a = 0 across it.
double tension_of(const Rod& rod, double angle, double rate) {
  return rate * rate + (g * std::cos(angle) - rod.length2) / rod.length;
}
double acceleration_of(const Rod& rod, double angle, double rate) {
  return -(2 * rod.length1 * rate + g * std::sin(angle)) / rod.length;
}

std::array<Rod, 3> rods_of(const Angles& state) {
  const auto [theta, omega, phi, rate, psi, spin] = state;
  std::array<Rod, 3> rods;
  auto& [first, second, third] = rods;
  first.tension = tension_of(first, theta, omega);
  const double s = std::sin(theta), k = std::cos(theta), w2 = omega * omega, a = g / L;
  const double lam1 = -3 * a * omega * s, lam2 = -3 * a * (w2 * k - a * s * s),
               lam3 = 3 * a * omega * s * (4 * a * k + w2),
               lam4 = 3 * a *
                      (4 * a * (w2 * (k * k - s * s) - a * s * s * k) - 3 * a * w2 * s * s +
                       w2 * w2 * k);
  second = {L + c * first.tension, c * lam1, c * lam2};
  second.tension = tension_of(second, phi, rate);
  const double l = second.length, l1 = second.length1, l2 = second.length2, l3 = c * lam3,
               l4 = c * lam4;
  const double rate1 = acceleration_of(second, phi, rate);
  const double rate2 = -(2 * l2 * rate + 3 * l1 * rate1 + g * std::cos(phi) * rate) / l;
  const double n = g * std::cos(phi) - l2, n1 = -g * std::sin(phi) * rate - l3,
               n2 = -g * std::cos(phi) * rate * rate - g * std::sin(phi) * rate1 - l4;
  const double mu1 = 2 * rate * rate1 + n1 / l - n * l1 / (l * l);
  const double mu2 = 2 * rate1 * rate1 + 2 * rate * rate2 + n2 / l - 2 * n1 * l1 / (l * l) -
                     n * l2 / (l * l) + 2 * n * l1 * l1 / (l * l * l);
  third = {L + c * second.tension, c * mu1, c * mu2};
  third.tension = tension_of(third, psi, spin);
  return rods;
}

Angles rates_of(const Angles& y) {
  const auto rods = rods_of(y);
  return {y[1], acceleration_of(rods[0], y[0], y[1]), y[3], acceleration_of(rods[1], y[2], y[3]),
          y[5], acceleration_of(rods[2], y[4], y[5])};
}

Angles moved(const Angles& y, double h, const Angles& rate) {
  Angles result = y;
  for (std::size_t j = 0; j < y.size(); ++j) result[j] += h * rate[j];
  return result;
}

/// Classical Runge-Kutta: at h = 2e-4 its error h^4 is below rounding.
Angles advanced(Angles y, double h, int steps) {
  for (int i = 0; i < steps; ++i) {
    const Angles k1 = rates_of(y), k2 = rates_of(moved(y, h / 2, k1)),
                 k3 = rates_of(moved(y, h / 2, k2)), k4 = rates_of(moved(y, h, k3));
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  return y;
}

/// x, y, their velocities and the tension of each pendulum, in the order of the model.
std::vector<double> cartesian(const Angles& state, int pendulums) {
  const auto rods = rods_of(state);
  std::vector<double> result;
  for (int k = 0; k < pendulums; ++k) {
    const double s = std::sin(state[2 * k]), o = std::cos(state[2 * k]), w = state[2 * k + 1];
    const auto& [r, r1, r2, tension] = rods[k];
    for (const double value : {r * s, -r * o, r1 * s + r * w * o, -r1 * o + r * w * s, tension})
      result.push_back(value);
  }
  return result;
}

constexpr Angles start = {0.8, 0.3, -0.5, 0.2, 0.4, 0.6};
constexpr double end = 3;

std::string chain_model(int pendulums) {
  const std::vector<double> at = cartesian(start, pendulums);
  std::string declared, equations;
  for (int k = 0; k < pendulums; ++k) {
    declared += fmt::format(
        "Real x{0}(start = {1:.17g}, fixed = true), y{0}(start = {2:.1f}), p{0}(start = {3:.17g}, "
        "fixed = true), q{0}, lam{0}(start = 1);\n",
        k, at[5 * k], at[5 * k + 1], at[5 * k + 2]);
    equations += fmt::format(
        "der(x{0}) = p{0}; der(y{0}) = q{0}; der(p{0}) = -x{0}*lam{0}; der(q{0}) = -y{0}*lam{0} - "
        "{2}; x{0}^2 + y{0}^2 = {1} \"rod {0}\";\n",
        k, k == 0 ? fmt::format("{}^2", L) : fmt::format("({} + {}*lam{})^2", L, c, k - 1), g);
  }
  return fmt::format("model M\n{}equation\n{}annotation(experiment(StopTime = {}));\nend M;\n",
                     declared, equations, end);
}

/// What is left of every level of every rod at a point of the solution: length, radial speed,
/// tension, each beside what the angles of that same point demand.
double worst_level(const Vector& y, int pendulums) {
  Angles state = {};
  for (int k = 0; k < pendulums; ++k) {
    const double px = y[5 * k], py = y[5 * k + 1], u = y[5 * k + 2], v = y[5 * k + 3];
    state[2 * k] = std::atan2(px, -py);
    state[2 * k + 1] = (px * v - py * u) / (px * px + py * py);
  }
  const auto rods = rods_of(state);
  double worst = 0;
  for (int k = 0; k < pendulums; ++k) {
    const double px = y[5 * k], py = y[5 * k + 1], u = y[5 * k + 2], v = y[5 * k + 3];
    const double r = std::hypot(px, py);
    worst = std::max({worst, std::abs(r - rods[k].length),
                      std::abs((px * u + py * v) / r - rods[k].length1),
                      std::abs(y[5 * k + 4] - rods[k].tension)});
  }
  return worst;
}

class PendulumChain : public testing::TestWithParam<int> {};

TEST_P(PendulumChain, IsSolvedToEightDigitsWithAllConstraints) {
  const int pendulums = GetParam();
  constexpr double rtol = 1e-10, atol = rtol;
  const Model model = Model::from_text(chain_model(pendulums));
  const Solution s = solve(model.problem(), model.scaled({.method = "radau", .rtol = rtol}));
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_EQ(s.formulation, "projected");
  // Positions up to the highest derivative that the index asks for.
  EXPECT_EQ(static_cast<int>(s.constraint_residual.size()), 2 * pendulums + 1);
  for (const ConstraintResidual& level : s.constraint_residual)
    EXPECT_LE(level.maximum, 10 * atol) << level.level << " at t = " << level.t;
  constexpr int pieces = 300, steps = 50;
  Angles reference = start;
  double error = 0, left = 0;
  for (int i = 0; i <= pieces; ++i) {
    const Vector y = s(end * i / pieces);
    const std::vector<double> exact = cartesian(reference, pendulums);
    for (int j = 0; j < y.size(); ++j)
      error = std::max(error, std::abs(y[j] - exact[j]) / std::max(1.0, std::abs(exact[j])));
    left = std::max(left, worst_level(y, pendulums));
    reference = advanced(reference, end / pieces / steps, steps);
  }
  EXPECT_LE(error, 1e-8);
  EXPECT_LE(left, 10 * atol) << "between steps";
  std::printf("%d pendulums: error %.1e, constraints between steps %.1e, %lld steps\n", pendulums,
              error, left, static_cast<long long>(s.statistics.steps));
}

INSTANTIATE_TEST_SUITE_P(IndexFiveAndSeven, PendulumChain, testing::Values(1, 2, 3));

}  // namespace
}  // namespace daedalus
