// Cost of the boundary value solver: linear in the number of elements, no limit on components.
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "../bvp_problems.h"

namespace daedalus {
namespace {

using namespace boundary_problems;

double megabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

TEST(BoundaryScaling, IsLinearInTheNumberOfElements) {
  std::printf("%10s %12s %14s %10s\n", "elements", "seconds", "us/element/LU", "MB");
  for (const int elements : {1000, 10'000, 100'000}) {
    BoundaryOptions options;
    options.adapt = false;
    options.elements = elements;
    options.stages = 3;
    options.tolerance = 1e-6;
    const BoundarySolution s = solve_boundary(l1().problem, options);
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    std::printf("%10d %12.3f %14.2f %10.0f\n", elements, s.statistics.wall_seconds,
                1e6 * s.statistics.wall_seconds / elements / s.statistics.factorizations,
                megabytes());
    EXPECT_NEAR(s.row(-1)[0], std::exp(1.0), 1e-11);
  }
  EXPECT_LT(megabytes(), 4000);
}

/// n components that grow and decay in turn, coupled to their neighbours and to a mean value.
BoundaryProblem coupled(int n) {
  BoundaryProblem p;
  p.orders.assign(static_cast<std::size_t>(n), 1), p.algebraic = 1;
  p.t_span = {0, 1};
  p.f = [n](auto t, auto z, auto y, auto out) {
    for (int i = 0; i < n; ++i) {
      out[i] = (i % 2 ? -3.0 : 3.0) * z[i] + sin(t + i) + 0.1 * y[0];
      if (i > 0) out[i] += 0.1 * z[i - 1] * z[i - 1];
    }
  };
  p.g = [n](auto, auto z, auto y, auto out) {
    out[0] = y[0];
    for (int i = 0; i < n; ++i) out[0] -= z[i] / n;
  };
  p.conditions = n;
  p.condition = [n](auto z, auto out) {
    for (int i = 0; i < n; ++i) out[i] = (i % 2 ? z[i] : z[n + i]) - 1;
  };
  return p;
}

TEST(BoundaryScaling, TakesTwoHundredComponents) {
  std::printf("%10s %12s %10s\n", "components", "seconds", "MB");
  for (const int n : {10, 50, 200}) {
    const BoundarySolution s = solve_boundary(coupled(n), {.tolerance = 1e-6, .stages = 4});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    std::printf("%10d %12.3f %10.0f\n", n, s.statistics.wall_seconds, megabytes());
  }
}

TEST(BoundaryScaling, SharesElementsAmongThreads) {
  std::printf("%10s %10s %14s\n", "components", "threads", "seconds");
  for (const int n : {10, 60}) {
    std::vector<double> values;
    for (const int threads : {1, 2}) {
      double least = HUGE_VAL;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const BoundarySolution s = solve_boundary(coupled(n), {.tolerance = 1e-8,
                                                               .stages = 4,
                                                               .elements = 20'000 / n,
                                                               .adapt = false,
                                                               .threads = threads});
        ASSERT_TRUE(s.succeeded()) << s.message.text();
        least = std::min(least, s.statistics.wall_seconds);
        if (values.empty()) values = s.values;
        EXPECT_EQ(values, s.values);
      }
      std::printf("%10d %10d %14.3f\n", n, threads, least);
    }
  }
}

}  // namespace
}  // namespace daedalus
