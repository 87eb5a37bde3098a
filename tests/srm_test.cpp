// Method srm: multipliers by sequential regularisation with E = I inside of each stage. What it
// shares with the other explicit methods at singular points is in singular_test.cpp.
#include <cmath>

#include "daedalus/model.h"
#include "exact_problems.h"
#include "expectations.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

constexpr double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};

/// Errors below the tolerance, and smaller with it: a hundredth of the tolerance makes at most a
/// tenth of the error.
template <class ErrorAt>
void expect_proportional(ErrorAt error_at, double bound) {
  double before = INFINITY;
  for (const double rtol : tolerances) {
    const double error = error_at(rtol);
    EXPECT_LE(error, bound * rtol);
    EXPECT_LE(error, before / 10) << rtol;
    before = error;
  }
}

/// Nothing is factored, and multipliers do come from an iteration.
void expect_products_alone(const Solution& s) {
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_EQ(s.statistics.factorizations, 0);
  EXPECT_EQ(s.statistics.jacobians, 0);
  EXPECT_GT(s.statistics.solves, s.statistics.steps);
}

TEST(Srm, MeetsTheToleranceOnThePendulum) {
  const Solution expected =
      solve(exact::pendulum(3), {.method = "dop853", .rtol = 1e-13, .points = 41});
  const auto error = [&](double rtol) {
    const Solution s = solve(exact::pendulum(3), {.method = "srm", .rtol = rtol, .points = 41});
    expect_products_alone(s);
    double largest = 0;
    for (int i = 0; i < s.rows(); ++i)  // the multiplier, y[4], is about 30
      largest = std::max({largest, (s.y(i) - expected.y(i)).head(4).lpNorm<Eigen::Infinity>(),
                          std::abs(s.y(i)[4] - expected.y(i)[4]) / 30});
    return largest;
  };
  expect_proportional(error, 1);
}

TEST(Srm, MeetsTheToleranceInIndex2WithNonlinearMultipliers) {
  const exact::Exact e = exact::index_2();
  const auto error = [&](double rtol) {
    const Solution s = solve(e.problem, {.method = "srm", .rtol = rtol});
    expect_products_alone(s);
    return (s.y_end() - e.solution(0.5)).lpNorm<Eigen::Infinity>();
  };
  expect_proportional(error, 1);
}

/// G B = (1 2; -1 1) times a sign: neither symmetric nor, with the lower sign, positive.
Problem unsymmetric(double sign) {
  return {.form = HessenbergIndex2{.differential = 3,
                                   .algebraic = 2,
                                   .f =
                                       [sign](auto y, auto z, auto f) {
                                         f[0] = sign * (z[0] + 2.0 * z[1]);
                                         f[1] = sign * (z[1] - z[0]);
                                         f[2] = -y[2] + z[0] * y[0];
                                       },
                                   .g =
                                       [](auto t, auto y, auto g) {
                                         g[0] = y[0] - sin(t);
                                         g[1] = y[1] - cos(t);
                                       }},
          .t_span = {0, 2},
          .start = {0, 1, 0.5, 0, 0}};
}

TEST(Srm, TakesDirectionsOfBothSignsWithoutSymmetry) {
  for (const double sign : {1.0, -1.0}) {
    const Solution s = solve(unsymmetric(sign), {.method = "srm", .rtol = 1e-8});
    expect_products_alone(s);
    const double c = std::cos(2.0), d = std::sin(2.0), z1 = (c - d) / 3;
    // z1 = (cos t - sin t) / 3, z0 = z1 + sin t, by the derivatives of both constraints.
    EXPECT_NEAR(sign * s.y_end()[4], z1, 1e-8);
    EXPECT_NEAR(sign * s.y_end()[3], z1 + d, 1e-8);
    const Solution expected = solve(unsymmetric(sign), {.rtol = 1e-11});
    EXPECT_NEAR(s.y_end()[2], expected.y_end()[2], 1e-8);
  }
}

TEST(Srm, PassesSingularPointsWithoutFactors) {
  for (const reproduce::SingularMechanism& m :
       {reproduce::slider_crank(), reproduce::slider_crank_angles(), reproduce::four_bar()}) {
    const Solution s = solve(m.problem(0.3, 8, 3), {.method = "srm", .rtol = 1e-8});
    expect_products_alone(s);
    EXPECT_GE(s.singularities.size(), 3u) << m.name;
    const Solution factored = solve(m.problem(0.3, 8, 3), {.method = "dop853", .rtol = 1e-8});
    // What the iteration leaves must not shorten the steps.
    EXPECT_LE(s.statistics.rhs, 1.3 * static_cast<double>(factored.statistics.rhs)) << m.name;
  }
}

TEST(Srm, AsksForLessWhereLessIsWanted) {
  const auto iterations_per_slope = [](double rtol) {
    const Solution s =
        solve(reproduce::slider_crank_angles().problem(0.3, 1, 1), {.method = "srm", .rtol = rtol});
    EXPECT_TRUE(s.succeeded());
    return static_cast<double>(s.statistics.solves) / static_cast<double>(s.statistics.rhs);
  };
  EXPECT_LT(iterations_per_slope(1e-4), iterations_per_slope(1e-10));
}

TEST(Srm, TakesModels) {
  const Model model = Model::from_text(
      "model m Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, F; equation "
      "der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - 9.81; x^2 + y^2 = 1; end m;",
      "m.mo");
  Problem p = model.problem();
  p.t_span = {0, 1};
  const Solution s = solve(p, {.method = "srm", .rtol = 1e-8});
  const Solution expected = solve(p, {.rtol = 1e-11});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_EQ(s.statistics.factorizations, 0);
  EXPECT_LE((s.y_end() - expected.y_end()).head(4).lpNorm<Eigen::Infinity>(), 1e-7);
}

}  // namespace
}  // namespace daedalus
