// Models whose structure deceives: highest derivatives cancel in combinations of equations.
#include <cmath>
#include <gmock/gmock.h>

#include "daedalus/model.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

Solution solved(const std::string& text, double rtol = 1e-9) {
  const Model m = Model::from_text(text, "m.mo");
  Solution s = solve(m.problem(), m.scaled({.rtol = rtol}));
  EXPECT_EQ(s.status, Status::success) << s.message.text();
  return s;
}

TEST(Combination, EtaIsSolvedExactly) {
  // f2 - f1' holds no derivative: z = sin t + exp(-t), whatever eta.
  const Solution s = solved(std::string(embedded("models/eta.mo")));
  for (int i = 0; i < s.rows(); ++i) {
    const double t = s.t[i], z = std::sin(t) + std::exp(-t);
    EXPECT_NEAR(s.value(i, "z"), z, 1e-8) << t;
    EXPECT_NEAR(s.value(i, "y"), std::exp(-t) - 0.5 * t * z, 1e-6) << t;
  }
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], testing::HasSubstr("cancel"));
}

/// Two nodes that only a capacitor joins to each other: their charges sum to zero, which makes an
/// equation between u1 and u2 out of two differential ones. Index 2, by structure 1.
std::string cutset(const std::string& charge) {
  return "model M Real q1(start = 0, fixed = true), q2, u1, u2; equation der(q1) = sin(time) - u1; "
         "der(q2) = -u2; q1 = " +
         charge + "; q2 = -(" + charge + "); annotation(experiment(StopTime = 3)); end M;";
}

TEST(Combination, ChargesOfACutsetSumToZero) {
  const Solution s = solved(cutset("u1 - u2"));
  EXPECT_EQ(s.formulation, "projected");
  // q1' = (sin t - q1)/2
  const auto exact = [](double t) {
    return (std::sin(t) - 2 * std::cos(t) + 2 * std::exp(-t / 2)) / 5;
  };
  for (int i = 0; i < s.rows(); ++i) {
    EXPECT_NEAR(s.value(i, "q1"), exact(s.t[i]), 1e-7);
    EXPECT_NEAR(s.value(i, "u1") + s.value(i, "u2"), std::sin(s.t[i]), 1e-9);
  }
}

TEST(Combination, NonlinearTermsCancelToo) {
  const Solution s = solved(cutset("(u1 - u2)*(1 + (u1 - u2)^2) + 0.1*sin(u1 - u2)"));
  EXPECT_EQ(s.formulation, "projected");
  for (int i = 0; i < s.rows(); ++i) {
    EXPECT_NEAR(s.value(i, "q1") + s.value(i, "q2"), 0, 1e-12);
    EXPECT_NEAR(s.value(i, "u1") + s.value(i, "u2"), std::sin(s.t[i]), 1e-8);
  }
}

/// a and b are joined by a capacitance that each node sees differently: no combination of the
/// equations with numbers is free of derivatives, but only a' - b' occurs. a = sin t,
/// b = 2 + cos t solve it, index 1, by structure an ordinary differential equation.
const char* const joined_nodes =
    "model M Real a(start = 0), b(start = 3); equation "
    "(1 + a^2)*(der(a) - der(b)) = (1 + sin(time)^2)*(cos(time) + sin(time)) - a + sin(time); "
    "2*(der(a) - der(b)) = 2*(cos(time) + sin(time)) + b - 2 - cos(time); "
    "annotation(experiment(StopTime = 3)); end M;";

TEST(Combination, OfVariablesWhereThoseOfEquationsAreNoNumbers) {
  const Solution s = solved(joined_nodes);
  EXPECT_EQ(s.variables, (Names{"a", "b"}));
  for (int i = 0; i < s.rows(); ++i) {
    EXPECT_NEAR(s.value(i, "a"), std::sin(s.t[i]), 1e-7) << s.t[i];
    EXPECT_NEAR(s.value(i, "b"), 2 + std::cos(s.t[i]), 1e-7) << s.t[i];
  }
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], testing::HasSubstr("der(a)"));
}

TEST(Combination, OfVariablesWithFactorsAndInNonlinearTerms) {
  // Only 2 a' + b' occurs, also in a power; a = exp(-t), b = sin t.
  const Solution s = solved(
      "model M Real a(start = 1), b(start = 0), e, r; equation e = exp(-time); "
      "r = -2*e + cos(time); "
      "a*((2*der(a) + der(b)) + (2*der(a) + der(b))^3/10) = e*(r + r^3/10) + b - sin(time); "
      "(3 + b^2)*(2*der(a) + der(b)) = (3 + sin(time)^2)*r + a - e; "
      "annotation(experiment(StopTime = 2)); end M;");
  for (int i = 0; i < s.rows(); ++i) {
    EXPECT_NEAR(s.value(i, "a"), std::exp(-s.t[i]), 1e-7) << s.t[i];
    EXPECT_NEAR(s.value(i, "b"), std::sin(s.t[i]), 1e-7) << s.t[i];
  }
}

TEST(Combination, NothingIsDoneWithoutNeed) {
  // A constant singular mass has its algebraic rows formed elsewhere; a kink is no dependence.
  for (const char* name : {"transamp", "pendulum", "water", "chain"})
    EXPECT_TRUE(
        solved(std::string(embedded("models/" + std::string(name) + ".mo")), 1e-5).notes.empty())
        << name;
}

TEST(Newton, EquationsThatFollowOthersAreSolvedInEveryStep) {
  // y follows z with a factor that grows with time: the second increment is the last that counts.
  const Solution s = solved(
      "model M Real x(start = 0, fixed = true), y(start = 1), z(start = 1); equation der(x) = 0;"
      "y*(1 + 0*x^2) + 0.5*time*z = exp(-time) + 0*x; z^3 + z = sin(time) + exp(-time);"
      "annotation(experiment(StopTime = 5)); end M;");
  for (int i = 0; i < s.rows(); ++i) {
    const double t = s.t[i], z = s.value(i, "z");
    EXPECT_NEAR(s.value(i, "y"), std::exp(-t) - 0.5 * t * z, 1e-7) << t;
  }
}

}  // namespace
}  // namespace daedalus
