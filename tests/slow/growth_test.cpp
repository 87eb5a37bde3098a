// How the work of fields grows with their unknowns, in counts. In one dimension a solve and a
// factorisation of a band take time in proportion to the unknowns, so that counts are all that can
// grow; in two dimensions with iterations it is the number of solves.
#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/solve.h"
#include "reproduce/testset.h"

namespace daedalus {
namespace {

struct Work {
  double unknowns = 0;
  Statistics counts = {};
  std::string method = {};
};

Work work_of(const reproduce::TestProblem& test, double rtol) {
  const Problem& problem = test.statement.problem;
  const Solution s = solve(problem, {.rtol = rtol, .at = {problem.t_span.end}, .dense = false});
  EXPECT_TRUE(s.succeeded()) << test.name << ": " << s.message.text();
  std::printf("%s: %lld steps, %lld evaluations, %lld factorizations, %lld solves\n",
              test.name.c_str(), static_cast<long long>(s.statistics.steps),
              static_cast<long long>(s.statistics.rhs),
              static_cast<long long>(s.statistics.factorizations),
              static_cast<long long>(s.statistics.solves));
  return {static_cast<double>(s.unknowns), s.statistics, s.method};
}

double exponent(const Work& small, const Work& large, std::int64_t Statistics::*count) {
  const double ratio =
      static_cast<double>(large.counts.*count) / static_cast<double>(small.counts.*count);
  return std::log(ratio) / std::log(large.unknowns / small.unknowns);
}

TEST(Growth, IsLinearInOneDimension) {
  const Work small = work_of(reproduce::food_web(500, 1), 1e-5);
  const Work large = work_of(reproduce::food_web(50'000, 1), 1e-5);
  // The exponent of time is to stay below 1.1, that of a step is 1.
  EXPECT_LE(exponent(small, large, &Statistics::rhs), 0.1);
  EXPECT_LE(exponent(small, large, &Statistics::jacobians), 0.1);
  EXPECT_LE(exponent(small, large, &Statistics::factorizations), 0.1);
}

TEST(Growth, OfSolvesIsSlowInTwoDimensions) {
  const Work small = work_of(reproduce::food_web(40, 40), 1e-4);
  const Work large = work_of(reproduce::food_web(160, 160), 1e-4);
  EXPECT_EQ(small.method, "bdf");
  EXPECT_EQ(large.method, "bdf");
  // A finer grid shows more of the boundary layers at the start; iterations for a solve grow with
  // the side of the grid at most, exponent 0.5, so that 1.5 is kept with 0.15 to spare.
  EXPECT_LE(exponent(small, large, &Statistics::solves), 0.35);
}

}  // namespace
}  // namespace daedalus
