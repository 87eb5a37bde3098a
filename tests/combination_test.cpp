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
