// What every method that is no Runge-Kutta tableau must do, one step at a time or all at once.
#include <cmath>
#include <numbers>

#include "exact_problems.h"
#include "expectations.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

double worst_error(const exact::Exact& e, const Solution& s, int from, int to) {
  double worst = 0;
  for (int i = 0; i < s.rows(); ++i) {
    const Vector exact = e.solution(s.t[i]);
    for (int k = from; k < to; ++k)
      worst = std::max(worst, std::abs(s.y(i)[k] - exact[k]) / (1 + std::abs(exact[k])));
  }
  return worst;
}

class OtherMethods : public ::testing::TestWithParam<std::string> {
 protected:
  double rtol_ = 1e-6;
  Options options_{.method = GetParam(), .rtol = rtol_};
};

TEST_P(OtherMethods, SolveSmoothProblemsToTheTolerance) {
  for (const exact::Exact& e : {exact::oscillator(), exact::index_1()}) {
    const Solution s = solve(e.problem, options_);
    ASSERT_EQ(s.status, Status::success) << e.name << ": " << s.message.text();
    // Local errors add up over the interval; 50 is generous for a unit of time.
    EXPECT_LE(worst_error(e, s, 0, s.size()), 50 * rtol_) << e.name;
    EXPECT_LT(s.statistics.steps, 500) << e.name;
  }
}

TEST_P(OtherMethods, SolveIndexTwo) {
  const exact::Exact e = exact::index_2();
  const Solution s = solve(e.problem, options_);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_LE(worst_error(e, s, 0, 2), 100 * rtol_);
  // Output is put onto the hidden constraint, which gives the multiplier the accuracy of y.
  EXPECT_LE(worst_error(e, s, 2, 3), 300 * rtol_);
}

TEST_P(OtherMethods, TakeExactlyTheFixedStepsAskedFor) {
  for (const int count : {1, 3, 7, 10, 64}) {
    Options o = options_;
    o.fixed_step = 1.0 / count;
    const Solution s = solve(exact::oscillator().problem, o);
    ASSERT_EQ(s.status, Status::success) << s.message.text();
    EXPECT_EQ(s.statistics.steps, count);
    EXPECT_EQ(s.statistics.rejected, 0);
    EXPECT_EQ(s.t.back(), 1.0);
  }
}

TEST_P(OtherMethods, StepwiseUseEqualsSolveBitForBit) {
  const Problem p = exact::index_1().problem;
  const Solution all = solve(p, options_);
  Integrator run(p, options_);
  std::size_t i = 0;
  while (run.step()) {
    ASSERT_LT(i, all.steps.size());
    EXPECT_EQ(run.t(), all.steps[i].t);
    EXPECT_EQ(run.step_size(), all.steps[i].h);
    ++i;
  }
  EXPECT_EQ(i, all.steps.size());
  EXPECT_EQ(run.solution().values, all.values);
}

TEST_P(OtherMethods, RespectFirstAndLargestStep) {
  Options o = options_;
  o.first_step = 1e-4;
  o.max_step = 0.02;
  const Solution s = solve(exact::oscillator().problem, o);
  EXPECT_EQ(s.steps.front().h, 1e-4);
  // The last step may be stretched by 1e-4 to reach the end.
  for (const StepRecord& r : s.steps) EXPECT_LE(r.h, 0.02 * (1 + 1.1e-4));
  EXPECT_GE(s.statistics.steps, 50);
}

TEST_P(OtherMethods, RunBackwards) {
  exact::Exact e = exact::index_1();
  e.problem.t_span = {1, 0};
  e.problem.start = e.solution(1);
  const Solution s = solve(e.problem, options_);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_EQ(s.t.back(), 0.0);
  EXPECT_LE(worst_error(e, s, 0, 3), 50 * rtol_);
}

TEST_P(OtherMethods, GiveTheSameInEveryStorage) {
  const Problem p = exact::chain(40, 3);
  Options o = options_;
  o.linear_algebra = LinearAlgebra::dense;
  const Solution dense = solve(p, o);
  ASSERT_TRUE(dense.succeeded()) << dense.message.text();
  for (const LinearAlgebra storage : {LinearAlgebra::banded, LinearAlgebra::sparse}) {
    o.linear_algebra = storage;
    const Solution s = solve(p, o);
    EXPECT_EQ(s.statistics.steps, dense.statistics.steps);
    // Rounding errors of another elimination order, on values below 1.
    EXPECT_LE((s.y_end() - dense.y_end()).cwiseAbs().maxCoeff(), 1e-11);
  }
}

TEST_P(OtherMethods, AreAccurateBetweenMeshPointsAndOnTheConstraint) {
  const exact::Exact e = exact::index_1();
  const Solution s = solve(e.problem, options_);
  // The ends of steps meet the constraint to the tolerance only.
  for (int i = 1; i < 200; ++i) {
    const double t = i / 200.0;
    const Vector y = s(t);
    EXPECT_LE((y - e.solution(t)).cwiseAbs().maxCoeff(), 100 * rtol_) << t;
    EXPECT_LE(e.violation(t, y), 1e-10) << t;
  }
}

TEST_P(OtherMethods, FindEventsAndGoOnBehindThem) {
  // Falls from height 1 with gravity 1 and comes back with the same speed: impacts at
  // sqrt 2, 3 sqrt 2, ...
  const Problem ball{.form = LinearlyImplicit{.size = 2,
                                              .f =
                                                  [](auto y, auto& out) {
                                                    out[0] = y[1];
                                                    out[1] = -1.0;
                                                  }},
                     .t_span = {0, 10},
                     .start = {1, 0}};
  Options o = options_;
  o.events.push_back({.name = "bounce",
                      .value = [](double, Input y) { return y[0]; },
                      .direction = Direction::falling,
                      .reset = [](double, Output y) { y[0] = 0, y[1] *= -1; }});
  const Solution s = solve(ball, o);
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  ASSERT_EQ(s.events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(s.events[k].t, (2.0 * double(k) + 1) * std::numbers::sqrt2, 50 * rtol_);
}

TEST_P(OtherMethods, EndAtATerminalEventOfAnAlgebraicVariable) {
  const exact::Exact e = exact::index_1();
  Options o = options_;
  o.events.push_back({.value = [](double, Input y) { return y[2] - 2.8; }, .terminal = true});
  const Solution s = solve(e.problem, o);
  ASSERT_EQ(s.status, Status::event) << s.message.text();
  EXPECT_NEAR(s.t.back(), std::acos(0.8), 50 * rtol_);  // z = 2 + cos t
  EXPECT_LE(worst_error(e, s, 0, 3), 50 * rtol_);
}

TEST_P(OtherMethods, ReportWhereTheEquationsEnd) {
  const Problem p{.form = LinearlyImplicit{.size = 1,
                                           .f =
                                               [](auto y, auto& out) {
                                                 using std::sqrt;
                                                 out[0] = -1.0 / sqrt(y[0]);
                                               }},
                  .t_span = {0, 2},
                  .start = {1}};
  const Solution s = solve(p, options_);  // y = (1 - 3 t / 2)^(2/3) ends at t = 2/3
  EXPECT_EQ(s.status, Status::failed);
  EXPECT_NEAR(s.t.back(), 2.0 / 3, 1e-3);
  EXPECT_FALSE(s.message.what.empty() || s.message.where.empty() || s.message.why.empty() ||
               s.message.hint.empty());
}

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const OtherMethod& method : other_methods()) list.push_back(method.name);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, OtherMethods, ::testing::ValuesIn(names()),
                         [](const auto& name) { return name.param; });

TEST(OtherMethods, AreNamedWhenANameIsNearlyRight) {
  EXPECT_THAT(refusal(exact::oscillator().problem, {.method = "rodas4"}), HasSubstr("rodas_4"));
}

}  // namespace
}  // namespace daedalus
