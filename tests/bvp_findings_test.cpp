// What a boundary value problem remembers of earlier runs: the same bits in less time, and nothing
// that no longer holds.
#include <thread>

#include <gtest/gtest.h>

#include "bvp/prepared_boundary.h"
#include "bvp_known.h"

namespace daedalus {
namespace {

/// u'' = -y, y = strength exp(u), with a guess and an end that may change.
struct Held {
  double strength = 3, end = 0, guess = 0;
};
BoundaryProblem bratu_with(const Held& held) {
  BoundaryProblem p;
  p.orders = {2}, p.algebraic = 1, p.t_span = {0, 1}, p.conditions = 2;
  p.f = [](auto, auto, auto y, auto out) { out[0] = -y[0]; };
  p.g = [&held](auto, auto z, auto y, auto out) { out[0] = y[0] - held.strength * exp(z[0]); };
  p.condition = [&held](auto z, auto out) { out[0] = z[0], out[1] = z[2] - held.end; };
  p.guess = [&held](double, Output z, Output) { z[0] = held.guess; };
  return p;
}

void expect_as_if_new(const BoundaryProblem& problem, const BoundaryOptions& options = {}) {
  BoundaryProblem forgetful = problem;
  forgetful.findings = Findings::none();
  const BoundarySolution a = solve_boundary(problem, options),
                         b = solve_boundary(forgetful, options);
  ASSERT_TRUE(a.succeeded()) << a.message.text();
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.variables, b.variables);
  EXPECT_EQ(a.statistics.newton, b.statistics.newton);
}

TEST(BoundaryFindings, LeaveNoTraceInTheBits) {
  for (const auto& [name, known] : boundary_problems::known_problems()) {
    SCOPED_TRACE(name);
    (void)solve_boundary(known.problem, {.tolerance = 1e-3});
    expect_as_if_new(known.problem, {.tolerance = 1e-5});
  }
}

TEST(BoundaryFindings, AreUsedAgain) {
  const Held held;
  const BoundaryProblem problem = bratu_with(held);
  const auto prepared = [&](const BoundaryProblem& p) {
    return bvp::PreparedBoundary::of(bvp::recorded_graph(p), ConstraintForm::direct, 5, p.findings);
  };
  const auto first = prepared(problem);
  const BoundaryProblem copy = problem;
  EXPECT_EQ(prepared(copy), first);
  BoundaryProblem other = problem;
  other.findings = Findings();
  EXPECT_NE(prepared(other), first);
}

TEST(BoundaryFindings, FollowWhatFunctionsHoldAndHowTheProblemIsStated) {
  Held held;
  BoundaryProblem problem = bratu_with(held);
  expect_as_if_new(problem);
  held.strength = 2, expect_as_if_new(problem);
  held.end = 0.1, expect_as_if_new(problem);
  held.guess = 1, expect_as_if_new(problem);
  problem.t_span.end = 0.5, expect_as_if_new(problem);
  problem.variables = {"u", "v", "w"}, expect_as_if_new(problem);
  EXPECT_EQ(solve_boundary(problem).variables, problem.variables);
  expect_as_if_new(problem, {.form = ConstraintForm::baumgarte});
  problem.points = {0, 0.25, 0.5};
  problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[4]; };
  expect_as_if_new(problem);
}

TEST(BoundaryFindings, MayBeSharedByThreads) {
  const Held held;
  const BoundaryProblem problem = bratu_with(held);
  const BoundarySolution expected = solve_boundary(problem);
  std::vector<BoundarySolution> found(4);
  std::vector<std::thread> threads;
  for (BoundarySolution& each : found)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) each = solve_boundary(problem);
    });
  for (std::thread& each : threads) each.join();
  for (const BoundarySolution& each : found) EXPECT_EQ(each.values, expected.values);
}

}  // namespace
}  // namespace daedalus
