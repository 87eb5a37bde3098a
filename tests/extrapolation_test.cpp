// Extrapolation: orders of the columns, the order that runs choose, the polynomial of slopes, and
// what the methods refuse.
#include <cmath>

#include "controller/extrapolation_control.h"
#include "daedalus/model.h"
#include "exact_problems.h"
#include "expectations.h"
#include "io/embedded.h"
#include "reproduce/problems.h"
#include "stepper/slope_polynomial.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

/// log2 of the quotient of the errors of y (and z) with n and 2 n steps.
std::pair<double, double> observed_orders(const exact::Exact& e, const char* method, int max_order,
                                          int steps) {
  double error[2][2];
  const int a = e.algebraic_from;
  for (int k = 0; k < 2; ++k) {
    const double end = e.problem.t_span.end;
    const Solution s = solve(e.problem, {.method = method,
                                         .project_output = false,
                                         .fixed_step = end / (steps << k),
                                         .max_order = max_order});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    const Vector difference = s.y_end() - e.solution(end);
    error[0][k] = difference.head(a).lpNorm<Eigen::Infinity>();
    error[1][k] = s.size() > a ? difference.tail(s.size() - a).lpNorm<Eigen::Infinity>() : 1.0;
  }
  return {std::log2(error[0][0] / error[0][1]), std::log2(error[1][0] / error[1][1])};
}

TEST(Extrapolation, EulerGainsAnOrderWithEveryRow) {
  for (int k = 1; k <= 4; ++k) {
    EXPECT_NEAR(observed_orders(exact::oscillator(), "extrapolated_euler", k, 32).first, k, 0.1);
    // With multipliers that enter nonlinearly it takes shorter steps to see it.
    EXPECT_NEAR(observed_orders(exact::index_2(), "extrapolated_euler", k, 64).first, k, 0.2);
    EXPECT_NEAR(observed_orders(exact::motion(), "extrapolated_euler", k, 32).first, k, 0.1);
    EXPECT_NEAR(observed_orders(exact::motion(), "extrapolated_euler_3", k, 32).first, k, 0.1);
  }
}

TEST(Extrapolation, SymmetricMethodsGainTwoOrdersWithEveryRow) {
  for (int k = 1; k <= 4; ++k) {
    const int steps = k < 4 ? 8 : 4;  // before rounding
    EXPECT_NEAR(observed_orders(exact::oscillator(), "extrapolated_midpoint", 2 * k, steps).first,
                2 * k, 0.25);
    EXPECT_NEAR(observed_orders(exact::motion(), "extrapolated_midpoint", 2 * k, steps).first,
                2 * k, 0.25);
    EXPECT_NEAR(observed_orders(exact::motion(), "extrapolated_rattle", 2 * k, steps).first, 2 * k,
                0.25);
  }
}

TEST(Extrapolation, MidpointIsStuckAtOrderThreeWhereMultipliersEnterNonlinearly) {
  for (const int order : {4, 6, 8})
    EXPECT_NEAR(observed_orders(exact::index_2(), "extrapolated_midpoint", order, 64).first, 3,
                0.2);
  EXPECT_THAT(refusal(exact::index_2().problem, {.method = "extrapolated_midpoint"}),
              HasSubstr("linearly"));
}

TEST(Extrapolation, LinearlyImplicitEulerHasOrderOfItsColumnsUpToFour) {
  for (int k = 1; k <= 4; ++k) {
    EXPECT_NEAR(observed_orders(exact::oscillator(), "seulex", k, 32).first, k, 0.1);
    const auto [y, z] = observed_orders(exact::index_1(), "seulex", k, 64);
    EXPECT_NEAR(y, k, 0.1) << k;
    if (k > 1) {
      EXPECT_NEAR(z, k, 0.1) << k;
    }
  }
}

TEST(Extrapolation, RattleTakesForcesOfVelocitiesAndMassesOfPositions) {
  // A pendulum in polar coordinates with friction: M depends on q, forces on v.
  const Problem p{.form = Mechanical{.coordinates = 2,
                                     .holonomic = 1,
                                     .mass =
                                         [](auto q, auto& out) {
                                           out(0, 0) = 1.0;
                                           out(1, 1) = q[0] * q[0];
                                         },
                                     .force =
                                         [](auto q, auto v, auto& out) {
                                           using std::cos, std::sin;
                                           out[0] = q[0] * v[1] * v[1] + cos(q[1]);
                                           out[1] = -2.0 * q[0] * v[0] * v[1] - q[0] * sin(q[1]) -
                                                    0.1 * v[1];
                                         },
                                     .constraint =
                                         [](auto q, auto& out) {
                                           using std::sin;
                                           out[0] = q[0] - 1.0 - 0.3 * sin(q[1]);
                                         }},
                  .t_span = {0, 2},
                  .start = {1 + 0.3 * std::sin(1.0), 1, 0, 0, 0}};
  const Vector exact = solve(p, {.method = "dop853", .rtol = 1e-13}).y_end();
  double before = 0;
  for (const int steps : {32, 64}) {
    const Solution s =
        solve(p, {.method = "extrapolated_rattle", .fixed_step = 2.0 / steps, .max_order = 6});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    const double error = (s.y_end() - exact).head(4).lpNorm<Eigen::Infinity>();
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 6, 0.4);
    }
    before = error;
  }
}

TEST(Extrapolation, TakesTighterTolerancesWithHigherOrdersNotWithManyMoreSteps) {
  const Problem p = exact::pendulum(3);
  const Vector exact = solve(p, {.method = "dop853", .rtol = 1e-13}).y_end();
  for (const char* method :
       {"extrapolated_euler", "extrapolated_midpoint", "extrapolated_rattle"}) {
    std::int64_t few = 0;
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
      const Solution s = solve(p, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      // Errors of steps add up over a period.
      EXPECT_LE((s.y_end() - exact).head(4).lpNorm<Eigen::Infinity>(), 30 * rtol) << method;
      EXPECT_LE(s.statistics.rejected, s.statistics.steps / 3 + 2) << method;
      if (few == 0) few = s.statistics.steps;
      // A method of order 5 would need 16 times as many.
      EXPECT_LE(s.statistics.steps, 6 * few) << method;
    }
  }
}

TEST(Extrapolation, SolvesStiffProblemsToTheTolerance) {
  for (const reproduce::ReferenceProblem& r :
       {reproduce::van_der_pol_standard(), reproduce::two_transistor_amplifier(),
        reproduce::one_transistor_amplifier()}) {
    const Vector exact = solve(r.problem, {.rtol = 1e-11, .dense = false}).y_end();
    for (const double rtol : {1e-4, 1e-7}) {
      const Solution s = solve(r.problem, {.method = "seulex", .rtol = rtol, .dense = false});
      ASSERT_TRUE(s.succeeded()) << r.name << ": " << s.message.text();
      for (int k = 0; k < s.size(); ++k)
        EXPECT_LE(std::abs(s.y_end()[k] - exact[k]), 50 * rtol * (1 + std::abs(exact[k])))
            << r.name << " " << rtol;
    }
  }
}

TEST(Extrapolation, RefusesWhatItCannotIntegrate) {
  EXPECT_THAT(refusal(exact::oscillator().problem, {.method = "extrapolated_rattle"}),
              HasSubstr("motions"));
  EXPECT_THAT(refusal(exact::index_3().problem, {.method = "seulex"}), HasSubstr("index 3"));
  EXPECT_THAT(refusal(exact::oscillator().problem, {.method = "seulex", .max_order = 12}),
              HasSubstr("max_order"));
}

TEST(SlopePolynomial, IsExactForPolynomialsAndStopsThere) {
  SlopePolynomial polynomial(1);
  for (int degree = 3; degree <= 3 + SlopePolynomial::most_inside; ++degree) {
    const double h = 0.5, y0 = 0, y1 = std::pow(h, degree), k0 = 0,
                 k1 = h * degree * std::pow(h, degree - 1);
    int slopes = 0;
    const int count = polynomial.make(
        &y0, &y1, &k0, &k1, h,
        [&](double theta, const double*, double* yp) {
          yp[0] = degree * std::pow(theta * h, degree - 1);
          return ++slopes, true;
        },
        [](const double* x) { return std::abs(x[0]) < 1e-12; });
    for (const double theta : {0.1, 0.4, 0.9}) {
      double value = polynomial.coefficient(count - 1)[0];
      for (int j = count - 2; j >= 0; --j)
        value = polynomial.coefficient(j)[0] + (j % 2 == 0 ? 1 - theta : theta) * value;
      EXPECT_NEAR(theta * value, std::pow(theta * h, degree), 1e-11) << degree;
    }
    EXPECT_LE(slopes, 21);
  }
}

TEST(ExtrapolationControl, TakesTheColumnThatPromisesMostForItsWork) {
  const ExtrapolationTable& midpoint = *find_extrapolation("extrapolated_midpoint");
  ExtrapolationControl control;
  control.configure(midpoint, 7, 2, 0, 1);
  control.start(1e-6);
  EXPECT_EQ(control.target(), 3);
  using Verdict = ExtrapolationControl::Verdict;
  // The first step may end with any column.
  EXPECT_EQ(control.judge(2, 0.5, 0.1, false), Verdict::accept);
  EXPECT_NEAR(control.after_accepted(0.1), 0.1 * 0.9 * std::pow(0.65 / 0.5, 1.0 / 3) * 14.0 / 8,
              1e-12);
  EXPECT_EQ(control.target(), 3);
  // Work 8, 14, 22, 32: column 4 allows twice the step of column 3, for half as much work again.
  EXPECT_EQ(control.judge(2, 10, 0.2, false), Verdict::go_on);
  EXPECT_EQ(control.judge(3, 3, 0.2, false), Verdict::go_on);
  EXPECT_EQ(control.judge(4, 0.001, 0.2, false), Verdict::accept);
  EXPECT_GT(control.after_accepted(0.2), 0.2);
  EXPECT_EQ(control.target(), 4);
  // No row to come can repair this.
  EXPECT_EQ(control.judge(3, 1e9, 0.4, false), Verdict::reject);
  EXPECT_LT(control.after_rejected(0.4), 0.4 * 0.71);
}

}  // namespace
}  // namespace daedalus
