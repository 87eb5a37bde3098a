// Where equations end: roots of what becomes zero, logarithms of what must stay positive.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "daedalus/solve.h"

namespace daedalus {
namespace {

Problem problem_of(const std::string& text, double end) {
  Problem problem = Model::from_text(text, "m.mo").problem();
  problem.t_span = {0, end};
  return problem;
}

/// With s = sqrt(h), t = -4 s - 0.8 log(1 - 5 s).
void expect_filled(const Problem& problem) {
  for (const char* method : {"auto", "radau_iia_5", "rodas_5p"})
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
      const Solution solution = solve(problem, {.method = method, .rtol = rtol});
      ASSERT_TRUE(solution.succeeded()) << method << " " << solution.message.text();
      const double h = solution.y_end()[0], s = std::sqrt(h);
      const double time_of_h = -4 * s - 0.8 * std::log(1 - 5 * s);
      EXPECT_NEAR(time_of_h * (0.1 - 0.5 * s), 0.1 - 0.5 * s, 30 * rtol) << method << " " << rtol;
    }
}

/// sqrt(h) has no derivative at the start.
TEST(Domain, AnEmptyTankIsFilled) {
  for (const std::string level : {"h", "max(h, 0)"}) {
    const Problem problem =
        problem_of("model fill Real h(start = 0, fixed = true); equation der(h) = 0.1 - 0.5*sqrt(" +
                       level + "); end fill;",
                   1);
    expect_filled(problem);
  }
}

/// h = (1 - t/4)^2 up to t = 4 and nothing from then on. Below zero the derivative of the root is
/// infinite, and that of max is zero; and where the threshold is an event, h comes to it but never
/// falls below.
TEST(Domain, ATankRunsEmpty) {
  for (const std::string rate : {"noEvent(0.5*sqrt(max(h, 0)))", "0.5*sqrt(max(h, 0))",
                                 "(if h > 0 then 0.5*sqrt(h) else 0)"})
    for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
      const Problem problem =
          problem_of("model drain Real h(start = 1, fixed = true); equation der(h) = -" + rate +
                         "; end drain;",
                     6);
      const Solution solution = solve(problem, {.rtol = rtol});
      ASSERT_TRUE(solution.succeeded()) << rate << rtol << solution.message.text();
      EXPECT_NEAR(solution.y_end()[0], 0, 30 * rtol) << rate << rtol;
    }
}

/// h = (1 - t/2)^2 up to t = 2. To both sides of zero it is driven back, and rounding decides on
/// which side it is.
TEST(Domain, ATankRunsEmptyWhereItsFlowChangesSign) {
  const Problem drain = problem_of(
      "model drain Real h(start = 1, fixed = true); equation der(h) = -sign(h)*sqrt(abs(h)); "
      "end drain;",
      5);
  for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    const Solution solution = solve(drain, {.rtol = rtol});
    ASSERT_TRUE(solution.succeeded()) << rtol << solution.message.text();
    EXPECT_NEAR(solution.y_end()[0], 0, 30 * rtol) << rtol;
    EXPECT_LT(solution.statistics.steps, 200) << rtol;
  }
}

/// h1 - h2 = (1 - t/10)^2 up to t = 10. Of levels that are equal the root has no derivative in the
/// direction of both; that of their rounding, 1.5e-8, is what the flow may be off by.
TEST(Domain, LevelsBecomeEqual) {
  const Problem level = problem_of(
      "model level Real h1(start = 2, fixed = true), h2(start = 1, fixed = true), q; equation "
      "der(h1) = -q; der(h2) = q; q = 0.1*sign(h1 - h2)*sqrt(abs(h1 - h2)); end level;",
      30);
  // At some tolerances the last bit of h1 - h2 is what no step can take away.
  for (int i = 0; i <= 60; ++i) {
    const double rtol = std::pow(10, -3 - i / 12.0);
    const Solution solution = solve(level, {.rtol = rtol});
    ASSERT_TRUE(solution.succeeded()) << rtol << solution.message.text();
    EXPECT_NEAR(solution.y_end()[0], 1.5, 30 * rtol) << rtol;
    EXPECT_NEAR(solution.y_end()[1], 1.5, 30 * rtol) << rtol;
    EXPECT_LT(solution.statistics.steps, 200) << rtol;
  }
}

/// x decays onto the threshold of a relation and never comes to its other side, but by rounding.
TEST(Domain, DecaysEndOnTheThresholdOfARelation) {
  for (const std::string equations :
       {"der(x) = if x > 0 then -2*x else -x", "der(x) = -x*(1 + 0.5*sign(x))",
        "der(x) = -max(x, 0) - 0.3*x", "der(x) = -y; y*abs(y) + 0.1*y = x",
        "der(x) = -y; y*abs(y) + y = x", "der(x) = -y; y + max(y, 0) = x"})
    for (const double end : {5.0, 50.0, 200.0})
      for (const double rtol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
        const Problem problem = problem_of(
            "model decay Real x(start = 1, fixed = true)" +
                std::string(equations.find('y') < equations.size() ? ", y(start = 0.5)" : "") +
                "; equation " + equations + "; end decay;",
            end);
        const Solution solution = solve(problem, {.rtol = rtol});
        ASSERT_TRUE(solution.succeeded()) << equations << rtol << solution.message.text();
        if (end > 5) {
          EXPECT_NEAR(solution.y_end()[0], 0, 30 * rtol) << equations << rtol;
        }
      }
}

/// What is left in an empty tank may be less than nothing, by rounding.
TEST(Domain, ATankIsFilledAgain) {
  for (const std::string rate : {"0.5*sqrt(max(h, 0))", "(if h > 0 then 0.5*sqrt(h) else 0)"})
    for (const double rtol : {1e-3, 1e-5, 1e-7, 1e-9}) {
      const Problem problem = problem_of(
          "model refill Real h(start = 1, fixed = true); equation der(h) = (if time < 6 "
          "then 0 else 0.1) - " +
              rate + "; end refill;",
          7);
      const Solution solution = solve(problem, {.rtol = rtol});
      ASSERT_TRUE(solution.succeeded()) << rate << rtol << solution.message.text();
      const double s = std::sqrt(solution.y_end()[0]);
      const double time_of_h = -4 * s - 0.8 * std::log(1 - 5 * s);
      EXPECT_NEAR(time_of_h * (0.1 - 0.5 * s), 0.1 - 0.5 * s, 30 * rtol) << rate << rtol;
    }
}

/// A weak acid, titrated by a strong base. The balance of charges has a second root, without
/// meaning, that comes as near as 2e-7 at the turning point; there is no pH on it.
TEST(Domain, APHIsFollowedThroughItsTurningPoint) {
  const Model model = Model::from_text(R"(model titration
  parameter Real Kw = 1e-14, Ka = 1.8e-5;
  Real V(start = 1, fixed = true), H(start = 1e-3, nominal = 1e-10), A(nominal = 0.1);
  Real Na = (V - 1)*0.1/V, pH = -log10(H);
equation
  der(V) = 0.01;
  A*(H + Ka) = Ka*0.05/V;
  H + Na = A + Kw/H;
  annotation(experiment(StopTime = 80));
end titration;)",
                                       "titration.mo");
  // Beyond the turning point H is Kw over what base is left, but for 1e-7 of itself that the acid
  // takes: H = Kw V/(0.1 (V - 1) - 0.05) with V = 1.8.
  const double expected = -std::log10(1e-14 * 1.8 / (0.1 * 0.8 - 0.05));
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Solution solution = solve(model.problem(), model.scaled({.rtol = rtol}));
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    double pH = 0;
    for (std::size_t k = 0; k < solution.variables.size(); ++k)
      if (solution.variables[k] == "pH") pH = solution.y_end()[static_cast<int>(k)];
    EXPECT_NEAR(pH, expected, 1e-6 + 30 * rtol * expected) << rtol;
  }
}

/// The same where nothing tells how small H becomes: beside 1 it is nothing from the start on, but
/// not to its logarithm. Runs ended at the turning point, or with a pH that was not a number.
TEST(Domain, AConcentrationIsAsExactAsItsLogarithm) {
  const Model model = Model::from_text(R"(model titration
  Real b(start = 0, fixed = true), H(start = 1e-3), pH;
equation
  der(b) = 1e-3;
  H + b = 1e-14/H + 0.1*1.8e-5/(1.8e-5 + H);
  pH = -log10(H);
  annotation(experiment(StopTime = 150));
end titration;)",
                                       "titration.mo");
  // The base beyond 0.1, and 1e-8 of it that H takes from the acid.
  const double expected = 14 + std::log10(0.05);
  for (const double rtol : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    const Solution solution = solve(model.problem(), model.scaled({.rtol = rtol}));
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    EXPECT_NEAR(solution.value(-1, "pH"), expected, 2e-8 + 30 * rtol * expected) << rtol;
  }
}

}  // namespace
}  // namespace daedalus
