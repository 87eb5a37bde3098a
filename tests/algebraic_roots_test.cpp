// Equations for algebraic variables with more than one solution, or that modes change: which one is
// found at the start and behind an event.
#include <cmath>
#include <gmock/gmock.h>

#include "daedalus/model.h"

namespace daedalus {
namespace {

Solution solved(const std::string& declarations, const std::string& equations, double stop,
                double rtol = 1e-6) {
  const Model model = Model::from_text(
      "model M\n" + declarations + "\nequation\n" + equations +
          "\nannotation(experiment(StopTime = " + std::to_string(stop) + "));\nend M;\n",
      "m.mo");
  Options options;
  options.rtol = rtol;
  return solve(model.problem(), model.scaled(options));
}

/// The last row at this time.
int row_behind(const Solution& s, double t) {
  int row = 0;
  while (row + 1 < static_cast<int>(s.t.size()) && s.t[row + 1] <= t) ++row;
  return row;
}

double positive_root(double a, double b) {  // of x^2 + a x = b
  return 0.5 * (std::sqrt(a * a + 4 * b) - a);
}

TEST(AlgebraicRoots, AreOnTheSideOfTheGuess) {
  // Newton's full step from 0.3 leads to 1.8, and old matrices from there to the other root.
  for (const double guess : {0.01, 0.1, 0.3, 0.9, 30.0}) {
    const Solution s =
        solved("Real x(start = 0, fixed = true), r(start = " + std::to_string(guess) + ");",
               "der(x) = 1; r^2 + 0.01*r = 1;", 1);
    ASSERT_EQ(s.status, Status::success) << guess << s.message.text();
    EXPECT_NEAR(s.value(0, "r"), positive_root(0.01, 1), 1e-12) << guess;
  }
}

TEST(AlgebraicRoots, OfSmallVariablesAreOnTheSideOfTheGuess) {
  const Solution s =
      solved("Real x(start = 0, fixed = true), r(start = 1e-6, nominal = 1e-6, min = 0);",
             "der(x) = 1; 1e9*r^2 + 10*r = 0.138;", 1);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_NEAR(s.value(0, "r"), positive_root(1e-8, 1.38e-10), 1e-17);
}

TEST(AlgebraicRoots, KeepTheirSideBehindAnEvent) {
  const Solution s = solved("Real h(start = 1, fixed = true), q(start = 1);",
                            "der(h) = -0.1*q; q^2*(if time < 1 then 25 else 1) + 0.01*q = h;", 3);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  const int behind = row_behind(s, 1);
  ASSERT_EQ(s.t[behind], 1);
  EXPECT_NEAR(s.value(behind, "q"), positive_root(0.01, s.value(behind, "h")), 1e-7);
  // By tolerances of 1e-12; errors of a few rtol may add up.
  EXPECT_NEAR(s.value(-1, "h"), 0.793063, 3e-6);
  EXPECT_NEAR(s.value(-1, "q"), 0.885555, 3e-6);
}

TEST(AlgebraicRoots, DifferentialVariablesStayAtEvents) {
  // When the switch opens before the diode takes over, v is about -5e5 for a moment, whose
  // rounding is more than what counts for a voltage of 12.
  const Solution s =
      solved("Real i(start = 1, fixed = true), v, c(start = 0.2, fixed = true);",
             "(12 - v)*(if time < 1e-6 then 100 else 1e-6) - v*(if v < 0 then 100 else 1e-6) = i;\n"
             "1e-4*der(i) = v - c; 1e-4*der(c) = i - c/5;",
             2e-6);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  const int behind = row_behind(s, 1e-6);
  ASSERT_EQ(s.t[behind], 1e-6);
  EXPECT_EQ(s.t[behind - 1], 1e-6);
  EXPECT_NEAR(s.value(behind, "i"), s.value(behind - 1, "i"), 1e-12);
  EXPECT_NEAR(s.value(behind, "c"), s.value(behind - 1, "c"), 1e-12);
  EXPECT_NEAR(s.value(behind, "v"), -0.01 * s.value(behind, "i"), 1e-6);
}

TEST(AlgebraicRoots, ASwitchedConverterKeepsItsCurrent) {
  const Solution s =
      solved("Real i(start = 0, fixed = true), c(start = 0, fixed = true), v; Boolean on;",
             "on = mod(time, 2e-5) < 8e-6;\n"
             "(12 - v)*(if on then 100 else 1e-6) - v*(if v < 0 then 100 else 1e-6) = i;\n"
             "1e-4*der(i) = v - c; 1e-4*der(c) = i - c/5;",
             1e-3);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  // Exponentials of the linear pieces, event by event; errors of a hundred events may add up.
  EXPECT_NEAR(s.value(-1, "c"), 4.929966, 1e-4);
  EXPECT_NEAR(s.value(-1, "i"), 1.128426, 1e-4);
}

TEST(AlgebraicRoots, BehindAnEventDetermineAllVariables) {
  // A fault of a power grid is cleared: v = 0 solves the equations too, and lies nearer, but
  // leaves the angle undetermined.
  for (const char* fault : {"2", "5", "10", "20"}) {
    const Solution s = solved(
        "Real d(start = 0.3, fixed = true), w(start = 0, fixed = true), v(start = 1), "
        "a(start = 0), b;",
        std::string("b = if time >= 0.1 and time < 0.2 then ") + fault +
            " else 0;\n"
            "der(d) = w; 0.1*der(w) = 0.8 - 4*v*sin(d - a) - 0.1*w;\n"
            "4*v*sin(d - a) - 3*v*sin(a) - 0.2*v^2 = 0;\n"
            "4*v*cos(d - a) + 3*v*cos(a) - (7 + b)*v^2 = 0;",
        1);
    ASSERT_EQ(s.status, Status::success) << fault << s.message.text();
    const int behind = row_behind(s, 0.2);
    // |4 exp(i d) + 3| / |7 + 0.2 i|
    const double exact = std::sqrt(25 + 24 * std::cos(s.value(behind, "d"))) / std::hypot(7, 0.2);
    EXPECT_NEAR(s.value(behind, "v"), exact, 1e-9) << fault;
  }
}

TEST(AlgebraicRoots, AreFoundThroughTheKinksOfRelations) {
  // With the sign of a wrong guess q |q| + 0.01 q = 1 has no solution at all.
  for (const char* guess : {"0", "-0.3", "-5", "0.01", "0.1", "0.3", "2"}) {
    const Solution s =
        solved(std::string("Real h(start = 1, fixed = true), q(start = ") + guess + ");",
               "der(h) = -0.2*q; q*abs(q) + 0.01*q = h;", 3);
    ASSERT_EQ(s.status, Status::success) << guess << s.message.text();
    EXPECT_NEAR(s.value(0, "q"), positive_root(0.01, 1), 1e-12) << guess;
  }
}

TEST(AlgebraicRoots, AreFoundThroughKinksBehindAnEvent) {
  const Solution s = solved("Real h(start = -1, fixed = true), q(start = -1), u;",
                            "u = if time < 1 then 0 else 3; der(h) = -0.2*q;\n"
                            "q*abs(q) + 0.01*q = h + u;",
                            2);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  const int behind = row_behind(s, 1);
  EXPECT_NEAR(s.value(behind, "q"), positive_root(0.01, s.value(behind, "h") + 3), 1e-7);
}

TEST(AlgebraicRoots, AStartOnTheThresholdOfADiodeIsLeft) {
  // All is at rest at first, and the diode about to conduct. In a long first step the noise of
  // Newton's iteration is larger than the current of its beginning.
  for (const double rtol : {1e-3, 1e-4, 1e-6}) {
    const Solution s = solved(
        "Real i(start = 0, fixed = true), c(start = 0, fixed = true), v, s(start = -1);\n"
        "Boolean off(start = true);",
        "off = s < 0; v = s*(if off then 1 else 1e-3); i = s*(if off then 1e-5 else 1);\n"
        "1e-3*der(i) = 20*sin(314.159265358979*time) - v - c - 0.1*i;\n"
        "1e-3*der(c) = i - c/50;",
        0.1, rtol);
    ASSERT_EQ(s.status, Status::success) << rtol << s.message.text();
    // By a tolerance of 1e-8; errors of a dozen events may add up.
    EXPECT_NEAR(s.value(-1, "c"), 17.32955, std::max(1e-3, 20 * rtol * 17)) << rtol;
  }
}

}  // namespace
}  // namespace daedalus
