// Linear models with constant coefficients: one correction of Newton's iteration is all there is to
// correct.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "daedalus/solve.h"

namespace daedalus {
namespace {

Solution solved(const std::string& declarations, const std::string& equations, double rtol) {
  const Model m = Model::from_text("model m " + declarations + " equation " + equations +
                                       " annotation(experiment(StopTime = 4)); end m;",
                                   "m.mo");
  return solve(m.problem(), m.scaled({.method = "radau", .rtol = rtol}));
}

constexpr const char* oscillator =
    "Real x(start = 1, fixed = true), v(start = 0, fixed = true), w, s(start = 0, fixed = true);";

TEST(LinearModels, TakeOneIterationAStep) {
  for (const double rtol : {1e-3, 1e-6, 1e-9}) {
    const Solution s = solved(
        oscillator, "der(x) = v; der(v) = -100*w; w = x + 0*v; der(s) = -1e5*(s - x);", rtol);
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_NEAR(s.value(-1, "x"), std::cos(40.0), 30 * rtol) << rtol;
    const Statistics& made = s.statistics;
    // Two where rounding is looked at: at the start and behind rejected steps.
    EXPECT_LE(made.newton, made.steps + 2 * made.rejected + 2) << rtol;
    EXPECT_LE(made.jacobians, 1 + made.rejected) << rtol;
  }
}

TEST(LinearModels, ThatAreNotLinearTakeMore) {
  for (const char* equation : {"der(v) = -100*sin(x);", "der(v) = -(100 + sin(time))*x;",
                               "der(v) = -(if noEvent(x > 0) then 100 else 50)*x;",
                               // Slopes that vanish where they exist: dry friction.
                               "der(v) = -100*x - 0.5*noEvent(sign(v));"}) {
    const Solution s = solved("Real x(start = 1, fixed = true), v(start = 0, fixed = true);",
                              std::string("der(x) = v; ") + equation, 1e-6);
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    const Statistics& made = s.statistics;
    EXPECT_GE(made.newton, 2 * (made.steps + made.rejected)) << equation;
  }
}

TEST(LinearModels, WhoseCoefficientsChangeAtEventsAreSolvedInEachPart) {
  // A spring that is stiffer on one side: half periods of pi / 10 and pi / 20.
  for (const double rtol : {1e-4, 1e-7}) {
    const Solution s = solved("Real x(start = 1, fixed = true), v(start = 0, fixed = true);",
                              "der(x) = v; der(v) = -(if x > 0 then 100 else 400)*x;", rtol);
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    const double pi = std::acos(-1.0), period = pi / 10 + pi / 20;
    const double phase = 4 - std::floor(4 / period) * period;
    ASSERT_LT(phase, pi / 20 + pi / 20);  // on the stiff side, behind a quarter of the soft one
    ASSERT_GT(phase, pi / 20);
    EXPECT_NEAR(s.value(-1, "x"), -0.5 * std::sin(20 * (phase - pi / 20)), 30 * rtol) << rtol;
  }
}

}  // namespace
}  // namespace daedalus
