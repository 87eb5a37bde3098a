// Bounds of variables: errors of steps do not lead beyond, and solutions that do are left alone.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "daedalus/error.h"
#include "daedalus/model.h"
#include "daedalus/solve.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

double least_of(const Solution& s) {
  return *std::min_element(s.values.begin(), s.values.end());
}

TEST(Bounds, ChemistryOfTraceConcentrationsIsSolvedAtEveryTolerance) {
  const Model m = Model::from_text(std::string(embedded("models/e5.mo")));
  // At t = 1000, by radau_iia_9 at 1e-10, 1e-12 and 1e-13, which agree to 12 digits.
  const double expected[] = {1.618076999907e-3, 1.38223703050e-10, 8.2515735007e-12,
                             1.299721295490e-10};
  const double nominal[] = {1e-3, 1e-10, 1e-10, 1e-10};
  for (int k = 30; k <= 80; k += 2) {
    const double rtol = std::pow(10.0, -0.1 * k);
    const Solution s = solve(m.problem(), m.scaled({.rtol = rtol, .at = {1000, 1e11}}));
    ASSERT_TRUE(s.succeeded()) << rtol << ": " << s.message.text();
    for (int j = 0; j < 4; ++j) {
      EXPECT_NEAR(s.y(0)[j], expected[j], 30 * rtol * nominal[j]) << rtol;
      EXPECT_LE(std::abs(s.y(1)[j]), rtol * nominal[j]) << rtol;
    }
  }
}

/// y1' = -0.04 y1 + 1e4 y2 y3 and so on: less than nothing of y2 lets y3 fall without bound.
Problem robertson(double end) {
  const auto f = [](double, const auto& y, auto out) {
    out[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    out[1] = 0.04 * y[0] - 1e4 * y[1] * y[2] - 3e7 * y[1] * y[1];
    out[2] = 3e7 * y[1] * y[1];
  };
  return {.form = LinearlyImplicit{.size = 3, .f = f}, .t_span = {0, end}, .start = {1, 0, 0}};
}

TEST(Bounds, KeepLongRunsOfReactions) {
  Problem p = robertson(1e18);
  p.bounds = {{.variable = "y1", .least = 0},
              {.variable = "y2", .least = 0},
              {.variable = "y3", .least = 0, .most = 1}};
  for (const char* method : {"auto", "radau_iia_5", "bdf", "rodas_4", "seulex"})
    for (const double rtol : {1e-3, 1e-4, 1e-5, 1e-6}) {
      const Solution s = solve(p, {.method = method, .rtol = rtol, .atol = {rtol}});
      ASSERT_TRUE(s.succeeded()) << method << " " << rtol << ": " << s.message.text();
      EXPECT_NEAR(s.value(-1, "y3"), 1, 30 * rtol) << method << " " << rtol;
      EXPECT_GE(least_of(s), 0) << method << " " << rtol;
    }
}

TEST(Bounds, ProjectedStepsKeepThemToo) {
  // An exponential that is nothing most of the time, and a constraint between others.
  const Model m = Model::from_text(
      "model m Real a(start = 1, fixed = true, min = 0), x(start = 0.8), y(start = 0.6, "
      "fixed = true), u, lambda; equation der(a) = -20*a*(1 + 0.5*sin(3*time)); der(x) = -u*y + "
      "2*lambda*x; der(y) = u*x + 2*lambda*y; u = 1 + a; x^2 + y^2 = 1; "
      "annotation(experiment(StopTime = 6)); end m;",
      "m.mo");
  for (const char* method : {"auto", "radau", "radau_iia_5"})
    for (const double rtol : {1e-3, 1e-5, 1e-7}) {
      const Solution s = solve(m.problem(), m.scaled({.method = method, .rtol = rtol}));
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      const auto j = std::find(s.variables.begin(), s.variables.end(), "a") - s.variables.begin();
      for (int i = 0; i < s.rows(); ++i)
        EXPECT_GE(s.y(i)[j], -1e-15) << method << " " << rtol;  // rounding of the projection
      EXPECT_NEAR(std::hypot(s.value(-1, "x"), s.value(-1, "y")), 1, 1e-12);
    }
}

TEST(Bounds, SolutionsThatLeaveThemAreLeftAlone) {
  const Model m = Model::from_text(
      "model m Real x(start = 1, fixed = true, min = 0, max = 2), y(start = 1, fixed = true, "
      "min = 0, max = 2); equation der(x) = -1; der(y) = y; annotation(experiment(StopTime = 3)); "
      "end m;",
      "m.mo");
  for (const char* method : {"auto", "radau_iia_5", "bdf"}) {
    const Solution s = solve(m.problem(), m.scaled({.method = method, .rtol = 1e-6}));
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    // One step may have been put back, by ten tolerances.
    EXPECT_NEAR(s.value(-1, "x"), -2, 3e-5) << method;
    EXPECT_NEAR(s.value(-1, "y"), std::exp(3.0), 30e-6 * std::exp(3.0)) << method;
  }
}

TEST(Bounds, WrongOnesAreRefused) {
  Problem p = robertson(1);
  p.bounds = {{.variable = "y4", .least = 0}};
  EXPECT_THROW(solve(p), InvalidInput);
  p.bounds = {{.variable = "y3", .least = 1, .most = 0}};
  EXPECT_THROW(solve(p), InvalidInput);
}

}  // namespace
}  // namespace daedalus
