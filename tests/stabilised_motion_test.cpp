// Motions whose equations hold their constraints twice, with multipliers that stabilise them: these
// vanish, and what is left is the same motion with its constraints once.
#include "formulation/stabilised_motion.h"

#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/record.h"
#include "daedalus/solve.h"

namespace daedalus {
namespace {

/// How the velocity constraints h belong to the rates r of the position constraints.
enum class Second { combined, product, other };

/// Two point masses, the first one on a rod to a support that moves, the second one on a rod to the
/// first: y = (q, v, lambda, mu).
Problem stabilised_double_pendulum(Second second) {
  const auto f = [second](auto t, auto y, auto out) {
    const auto q = [&y](int i) { return y[i]; };
    const auto v = [&y](int i) { return y[4 + i]; };
    const auto support = 0.1 * sin(3.0 * t), speed = 0.3 * cos(3.0 * t);
    const auto ax = q(0) - support, ay = q(1), bx = q(2) - q(0), by = q(3) - q(1);
    const auto first = 2.0 * (ax * (v(0) - speed) + ay * v(1));
    const auto next = 2.0 * (bx * (v(2) - v(0)) + by * (v(3) - v(1)));
    out[0] = v(0) + 2.0 * (ax * y[10] - bx * y[11]);
    out[1] = v(1) + 2.0 * (ay * y[10] - by * y[11]);
    out[2] = v(2) + 2.0 * bx * y[11];
    out[3] = v(3) + 2.0 * by * y[11];
    out[4] = 2.0 * (ax * y[8] - bx * y[9]);
    out[5] = -9.81 + 2.0 * (ay * y[8] - by * y[9]);
    out[6] = 2.0 * bx * y[9];
    out[7] = -9.81 + 2.0 * by * y[9];
    out[8] = ax * ax + ay * ay - 1.0;
    out[9] = bx * bx + by * by - 1.0;
    switch (second) {
      case Second::combined:
        out[10] = (2.0 + q(0) * q(0)) * first - next;
        out[11] = first + 3.0 * next;
        break;
      case Second::product:
        out[10] = first * (1.0 + v(0) * v(0));
        out[11] = next;
        break;
      case Second::other:
        out[10] = first + 0.1 * ax * v(1);
        out[11] = next;
        break;
    }
  };
  Vector mass = Vector::Zero(12);
  mass.head(8).setOnes();
  return {.form = LinearlyImplicit{.size = 12, .mass = Mass::diagonal(mass), .f = f},
          .t_span = {0, 2},
          .start = {1, 0, 1, -1, 0.3, 0, 0.3, 0, 0, 0, 0, 0},
          .variable_index = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}};
}

Problem double_pendulum() {
  return {.form = Mechanical{.coordinates = 4,
                             .holonomic = 2,
                             .force =
                                 [](auto, auto, auto out) {
                                   out[0] = out[2] = 0.0;
                                   out[1] = out[3] = -9.81;
                                 },
                             .constraint =
                                 [](auto t, auto q, auto out) {
                                   const auto ax = q[0] - 0.1 * sin(3.0 * t), ay = q[1];
                                   const auto bx = q[2] - q[0], by = q[3] - q[1];
                                   out[0] = ax * ax + ay * ay - 1.0;
                                   out[1] = bx * bx + by * by - 1.0;
                                 }},
          .t_span = {0, 2},
          .start = {1, 0, 1, -1, 0.3, 0, 0.3, 0}};
}

/// What keeps a pendulum on a circle from being a motion that holds its constraint twice.
enum class Twist { none, later, far_away, fading, tangential, squared };

Problem twisted_pendulum(Twist twist) {
  const auto f = [twist](auto t, auto y, auto out) {
    const auto x = y[0], h = y[1], u = y[2], v = y[3], lambda = y[4], mu = y[5];
    out[0] = u + x * (twist == Twist::squared ? mu * mu : mu);
    out[1] = v + h * (twist == Twist::squared ? mu * mu : mu);
    if (twist == Twist::tangential) out[0] = u - h * mu, out[1] = v + x * mu;
    out[2] = x * lambda;
    out[3] = h * lambda - 9.81;
    out[4] = x * x + h * h - 1.0;
    out[5] = x * u + h * v;
    if (twist == Twist::later) out[5] = out[5] + sin(t);
    if (twist == Twist::fading) out[5] = out[5] + 0.3 * (1.0 + tanh(50.0 * (-0.5 - h)));
    if (twist == Twist::far_away) out[5] = out[5] + 0.3 * max(-0.5 - h, 0.0 * h);
  };
  Vector mass = Vector::Zero(6);
  mass.head(4).setOnes();
  return {.form = LinearlyImplicit{.size = 6, .mass = Mass::diagonal(mass), .f = f},
          .t_span = {0, 0.6},
          .start = {1, 0, 0, 0, 0, 0},
          .variable_index = {1, 1, 1, 1, 2, 2}};
}

std::optional<UnstabilisedMotion> found_in(const Problem& problem) {
  const Problem graph = recorded(problem);
  ExpressionGraph form = std::get<ExpressionGraph>(graph.form);
  form.equation_names.resize(static_cast<std::size_t>(form.size));
  return without_stabilisation(form, analyze_structure(signature_of(*form.equations, form.size)),
                               problem.t_span, graph.start, nullptr);
}

TEST(StabilisedMotion, LosesItsMultipliersAndVelocityConstraints) {
  const auto motion = found_in(stabilised_double_pendulum(Second::combined));
  ASSERT_TRUE(motion);
  EXPECT_EQ(motion->vanishing, (std::vector<int>{10, 11}));
  EXPECT_EQ(motion->form.size, 10);
  EXPECT_EQ(analyze_structure(signature_of(*motion->form.equations, 10)).index, 3);
}

TEST(StabilisedMotion, IsNotSeenWhereTheSecondConstraintsAreOthers) {
  EXPECT_FALSE(found_in(stabilised_double_pendulum(Second::other)));
  // Zero together, and yet not linear in the velocities.
  EXPECT_FALSE(found_in(stabilised_double_pendulum(Second::product)));
}

TEST(StabilisedMotion, IsNotSeenWhereMultipliersNeedNotVanish) {
  EXPECT_TRUE(found_in(twisted_pendulum(Twist::none)));
  EXPECT_FALSE(found_in(twisted_pendulum(Twist::later)));     // the start does not tell
  EXPECT_FALSE(found_in(twisted_pendulum(Twist::far_away)));  // nor points around it
  EXPECT_FALSE(found_in(twisted_pendulum(Twist::fading)));
  EXPECT_FALSE(found_in(twisted_pendulum(Twist::tangential)));  // mu is free
  EXPECT_FALSE(found_in(twisted_pendulum(Twist::squared)));     // and singular at zero
}

TEST(StabilisedMotion, LeavesOtherEquationsToOtherMethods) {
  for (const Twist twist : {Twist::later, Twist::far_away, Twist::fading}) {
    const Options options = {.rtol = 1e-8, .atol = {1e-8}};
    const Solution chosen = solve(twisted_pendulum(twist), options);
    Options implicit = options;
    implicit.method = "radau";
    const Solution expected = solve(twisted_pendulum(twist), implicit);
    ASSERT_TRUE(chosen.succeeded()) << chosen.message.text();
    ASSERT_TRUE(expected.succeeded()) << expected.message.text();
    // Thirty tolerances for each of them; the multipliers, of size one, are not zero.
    EXPECT_LE((chosen.y_end() - expected.y_end()).head(4).cwiseAbs().maxCoeff(), 6e-7);
    EXPECT_GT(std::abs(chosen.y_end()[5]), 1e-2);
  }
}

TEST(StabilisedMotion, MovesAsTheMechanismDoes) {
  const Options options = {.rtol = 1e-10, .atol = {1e-10}};
  const Solution motion = solve(double_pendulum(), options);
  const Solution stabilised = solve(stabilised_double_pendulum(Second::combined), options);
  ASSERT_TRUE(motion.succeeded()) << motion.message.text();
  ASSERT_TRUE(stabilised.succeeded()) << stabilised.message.text();
  EXPECT_EQ(stabilised.method, "dop853");
  // The same steps, up to rounding in another order of operations that the motion amplifies.
  EXPECT_EQ(stabilised.statistics.steps, motion.statistics.steps);
  const Vector found = stabilised.y_end(), expected = motion.y_end();
  EXPECT_LE((found.head(8) - expected.head(8)).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_LE((found.segment(8, 2) + expected.tail(2)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(found.tail(2), Vector::Zero(2));
}

}  // namespace
}  // namespace daedalus
