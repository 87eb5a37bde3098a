// Backward differentiation: its memory against polynomials, the orders that the run uses, and the
// problems that it is made for.
#include <cmath>

#include "exact_problems.h"
#include "expectations.h"
#include "reproduce/problems.h"
#include "stepper/backward_differences.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

double power(double t, int k) {
  return std::pow(t, k);
}

TEST(BackwardDifferences, FollowPolynomialsOfTheirOrderWithAnyStepsExactly) {
  for (int k = 1; k <= BackwardDifferences::most_order; ++k) {
    BackwardDifferences memory(1);
    double t = 1, y = 1, slope = k, predicted = 0, rate = 0;
    memory.begin(&y, &slope, 0.1);
    const double steps[] = {0.1, 0.2, 0.15, 0.3, 0.3, 0.12, 0.2, 0.4};
    for (int n = 0; n < 8; ++n) {
      const int order = std::min(n + 1, k);
      memory.prepare(steps[n], order);
      memory.predict(&predicted, &rate);
      t += steps[n];
      const double e = power(t, k) - predicted;
      // From here on k + 1 points are known.
      if (n > k) {
        EXPECT_NEAR(e, 0, 1e-11) << k;
        EXPECT_NEAR(rate, k * power(t, k - 1), 1e-10) << k;
        Interpolant inside;
        memory.interpolant(&e, inside);
        inside.t0 = t - steps[n], inside.t1 = t;
        for (const double theta : {0.0, 0.3, 0.7, 1.0}) {
          const double at = inside.t0 + theta * steps[n];
          inside.evaluate(at, &y);
          EXPECT_NEAR(y, power(at, k), 1e-11) << k << " " << theta;
        }
      }
      memory.advance(&e);
    }
  }
}

TEST(BackwardDifferences, HaveTheErrorConstantsOfConstantSteps) {
  // 1/(k+1) and coefficients 1, 3/2, 11/6, 25/12, 137/60 of y_{n+1}. [HairerNorsettWanner1993,
  // III.2]
  const double leading[] = {1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60};
  for (int k = 1; k <= BackwardDifferences::most_order; ++k) {
    BackwardDifferences memory(1);
    const double y = 1, slope = 0, e = 0;
    memory.begin(&y, &slope, 0.5);
    for (int n = 0; n < 8; ++n) memory.prepare(0.5, std::min(n + 1, k)), memory.advance(&e);
    memory.prepare(0.5, k);
    EXPECT_NEAR(memory.leading_coefficient(), leading[k - 1], 1e-15);
    EXPECT_NEAR(memory.error_constant(), 1.0 / (k + 1), 1e-15);
  }
}

TEST(Bdf, UsesNoOrderAboveTheOneAllowed) {
  Problem p = exact::index_1().problem;
  p.t_span.end = 5;
  for (int k = 1; k <= 5; ++k) {
    const Solution s = solve(p, {.method = "bdf", .rtol = k == 1 ? 1e-4 : 1e-6, .max_order = k});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    int highest = 0;
    for (const StepRecord& r : s.steps) highest = std::max(highest, r.order);
    EXPECT_EQ(highest, k);
  }
  EXPECT_THAT(refusal(p, {.method = "bdf", .max_order = 6}), HasSubstr("max_order"));
}

/// d log(error) / d log(steps) between two tolerances.
double observed_order(exact::Exact e, const char* method, int order, double coarse, double fine) {
  double error[2], steps[2];
  for (int i = 0; i < 2; ++i) {
    const double rtol = i == 0 ? coarse : fine;
    const Solution s = solve(
        e.problem, {.method = method, .rtol = rtol, .project_output = false, .max_order = order});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    error[i] = 0;
    for (int r = 0; r < s.rows(); ++r)
      error[i] = std::max(
          error[i], (s.y(r) - e.solution(s.t[r])).head(e.algebraic_from).cwiseAbs().maxCoeff());
    steps[i] = double(s.statistics.steps);
  }
  return -std::log(error[1] / error[0]) / std::log(steps[1] / steps[0]);
}

TEST(Bdf, ConvergesWithTheOrdersAllowed) {
  for (exact::Exact e : {exact::oscillator(), exact::index_1(), exact::index_2()}) {
    if (e.name != "index 2") e.problem.t_span.end = 5;
    for (int k = 1; k <= 5; ++k) {
      const double order = observed_order(e, "bdf", k, k == 1 ? 1e-3 : 1e-4, k == 1 ? 1e-6 : 1e-8);
      // Step sizes move in factors of two, so that single pairs of runs scatter.
      EXPECT_GE(order, k - 0.3) << e.name;
      if (k <= 2) {
        EXPECT_LE(order, k + 0.4) << e.name;
      }
    }
  }
}

TEST(Bdf, GainsAnOrderByLookingAStepAhead) {
  for (exact::Exact e : {exact::oscillator(), exact::index_1(), exact::index_2()}) {
    if (e.name != "index 2") e.problem.t_span.end = 5;
    for (int k = 2; k <= 6; ++k) {
      const double order =
          observed_order(e, "mebdf", k, k == 2 ? 1e-3 : 1e-4, k == 2 ? 1e-6 : 1e-8);
      // As above; measured: 2.02, 2.70, 3.81, ...
      EXPECT_GE(order, k - 0.4) << e.name;
      if (k <= 3) {
        EXPECT_LE(order, k + 0.6) << e.name;
      }
    }
  }
}

TEST(Bdf, IsMoreAccurateAtTheSameToleranceWhenExtended) {
  // Both estimate the error of the plain formulas, mebdf with five times the tolerance.
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    double error[2] = {0, 0};
    std::int64_t steps[2] = {0, 0};
    const exact::Exact e = exact::index_1();
    for (const int k : {0, 1}) {
      const Solution s = solve(e.problem, {.method = k == 0 ? "bdf" : "mebdf", .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      steps[k] = s.statistics.steps;
      for (int r = 0; r < s.rows(); ++r)
        error[k] = std::max(error[k], (s.y(r) - e.solution(s.t[r])).cwiseAbs().maxCoeff());
    }
    EXPECT_LE(error[1], 2 * error[0]) << rtol;
    EXPECT_LT(steps[1], steps[0]) << rtol;
  }
}

TEST(Bdf, RecoversFromStepsThatLeadFarAway) {
  // The exponentials of the transistors make Jacobians at the end of a step that is too long
  // useless for the shorter ones that follow.
  const Problem p = reproduce::two_transistor_amplifier().problem;
  for (const char* method : {"bdf", "mebdf"})
    for (const double rtol : {2e-2, 1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4}) {
      const Solution s = solve(p, {.method = method, .rtol = rtol, .dense = false});
      EXPECT_TRUE(s.succeeded()) << method << " " << rtol << ": " << s.message.text();
    }
}

TEST(Bdf, SolvesStiffAndDifferentialAlgebraicProblemsToTheTolerance) {
  for (const reproduce::ReferenceProblem& r :
       {reproduce::van_der_pol_standard(), reproduce::two_transistor_amplifier(),
        reproduce::one_transistor_amplifier(), reproduce::van_der_pol_lienard(1e-6)}) {
    const Solution fine = solve(r.problem, {.rtol = 1e-11, .dense = false});
    for (const char* method : {"bdf", "mebdf"})
      for (const double rtol : {1e-3, 1e-5, 1e-8}) {
        const Solution s = solve(r.problem, {.method = method, .rtol = rtol, .dense = false});
        ASSERT_TRUE(s.succeeded()) << r.name << ": " << s.message.text();
        for (int k = 0; k < s.size(); ++k)
          // Errors of all steps add up; measured: up to 3.
          EXPECT_LE(std::abs(s.y_end()[k] - fine.y_end()[k]),
                    15 * rtol * (1 + std::abs(fine.y_end()[k])))
              << r.name << " " << rtol;
        EXPECT_LT(s.statistics.rejected, s.statistics.steps / 5) << r.name << " " << rtol;
        EXPECT_LT(s.statistics.jacobians, s.statistics.steps / 3 + 5) << r.name << " " << rtol;
      }
  }
}

TEST(Bdf, SolvesRobertsonsKineticsOverElevenDecades) {
  const Problem p{.form = LinearlyImplicit{.size = 3,
                                           .mass = Mass::diagonal({1, 1, 0}),
                                           .f =
                                               [](auto y, auto& out) {
                                                 const auto a = 0.04 * y[0], b = 1e4 * y[1] * y[2],
                                                            c = 3e7 * y[1] * y[1];
                                                 out[0] = -a + b;
                                                 out[1] = a - b - c;
                                                 out[2] = y[0] + y[1] + y[2] - 1.0;
                                               }},
                  .t_span = {0, 1e11},
                  .start = {1, 0, 0}};
  const Solution s = solve(p, {.method = "bdf", .rtol = 1e-6, .atol = {1e-14}});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  // [HairerWanner1996, IV.10]
  EXPECT_NEAR(s.y_end()[0] / 0.2083340149701255e-7, 1, 1e-3);
  EXPECT_NEAR(s.y_end()[1] / 0.8333360770334713e-13, 1, 1e-3);
  EXPECT_NEAR(s.y_end()[2], 0.9999999791665050, 1e-9);
}

TEST(Bdf, SolvesThePendulumOfIndexTwo) {
  const Problem p = exact::pendulum(5);
  for (const Formulation f : {Formulation::index_2, Formulation::stabilized_index_2}) {
    const Solution fine = solve(p, {.formulation = f, .rtol = 1e-11});
    for (const double rtol : {1e-4, 1e-6}) {
      const Solution s = solve(p, {.method = "bdf", .formulation = f, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      // Errors of the phase add up; measured: up to 30.
      EXPECT_LE((s.y_end() - fine.y_end()).head(4).cwiseAbs().maxCoeff(), 100 * rtol)
          << name_of(f) << " " << rtol;
    }
  }
}

TEST(Bdf, KeepsItsMatrixOnALinearProblem) {
  const Problem p = exact::chain(200, 3);
  const Solution s = solve(p, {.method = "bdf", .rtol = 1e-6});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_LT(s.statistics.jacobians, s.statistics.steps / 5);
  EXPECT_LT(s.statistics.factorizations, s.statistics.steps / 2);
}

TEST(Bdf, RefusesIndexThree) {
  EXPECT_THAT(refusal(exact::index_3().problem, {.method = "bdf"}), HasSubstr("index 3"));
}

}  // namespace
}  // namespace daedalus
