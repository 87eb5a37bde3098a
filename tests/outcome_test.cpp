// Runs that end early: what is kept, and what is said in the four parts of the message.
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "expectations.h"

namespace daedalus {
namespace {

using testing::expect_failure;
using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Problem decay() {
  Problem problem;
  problem.form = LinearlyImplicit{1, {}, [](auto y, auto f) { f[0] = -y[0]; }};
  problem.t_span = {0, 1}, problem.start = {1};
  return problem;
}

void expect_kept_until(const Solution& solution, double from, double to) {
  ASSERT_GT(solution.rows(), 1);
  EXPECT_GE(solution.t.back(), from);
  EXPECT_LE(solution.t.back(), to);
  EXPECT_EQ(solution.values.size(), solution.t.size() * solution.variables.size());
  for (const double value : solution.values) EXPECT_TRUE(std::isfinite(value));
}

TEST(Outcome, OfSuccessHasNoMessage) {
  const Solution solution = solve(decay());
  EXPECT_EQ(solution.status, Status::success);
  EXPECT_EQ(solution.reason, Reason::finished);
  EXPECT_EQ(solution.message.text(), "");
}

TEST(Outcome, OfEquationsThatBecomeUndefinedKeepsWhatWasComputed) {
  for (const bool exact : {true, false}) {
    Problem problem = decay();
    const auto f = [](auto t, auto y, auto out) {
      out << -y[0], -y[1];
      if (t > 0.6) out[1] = nan;
    };
    if (exact)
      problem.form = LinearlyImplicit{2, {}, f};
    else
      problem.form = LinearlyImplicit{2, {}, plain(f)};
    problem.start = {1, 1}, problem.equations = {"sound", "broken"};
    const Solution solution = solve(problem);
    expect_failure(solution, Reason::not_finite);
    EXPECT_THAT(solution.message.text(), HasSubstr("broken"));
    expect_kept_until(solution, 0.5, 0.6);
    EXPECT_NEAR(solution.y_end()[0], std::exp(-solution.t.back()), 1e-5);
  }
}

TEST(Outcome, OfEquationsThatAreUndefinedFromTheFirstMomentIsNotFinite) {
  Problem problem = decay();
  problem.form = LinearlyImplicit{1, {}, [](auto t, auto y, auto f) {
                                    f[0] = -y[0];
                                    if (t > 0) f[0] = nan;
                                  }};
  expect_failure(solve(problem), Reason::not_finite);
}

TEST(Outcome, OfAnOutputGridKeepsTheTimesThatWereReached) {
  Problem problem = decay();
  problem.form = LinearlyImplicit{1, {}, [](auto t, auto y, auto f) {
                                    f[0] = -y[0];
                                    if (t > 0.6) f[0] = nan;
                                  }};
  Options options;
  options.points = 11;
  const Solution solution = solve(problem, options);
  expect_failure(solution, Reason::not_finite);
  expect_kept_until(solution, 0.5, 0.6);
  EXPECT_GE(solution.rows(), 6);
}

TEST(Outcome, OfACallbackThatThrowsIsTheException) {
  Problem problem = decay();
  problem.form = LinearlyImplicit{1, {}, [](double t, Input y, Output f) {
                                    if (t > 0.5) throw std::runtime_error("no such table entry");
                                    f[0] = -y[0];
                                  }};
  try {
    (void)solve(problem);
    FAIL() << "the exception was swallowed";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "no such table entry");
  }
  Integrator integrator(problem);
  EXPECT_THROW(while (integrator.step()){}, std::runtime_error);
  EXPECT_LE(integrator.t(), 0.5);
  EXPECT_GT(integrator.solution().rows(), 1);
}

TEST(Outcome, OfAVariableInNoEquationNamesIt) {
  Problem problem = decay();
  problem.form = SemiExplicit{1, 2, [](auto x, auto, auto f) { f[0] = -x[0]; },
                              [](auto x, auto z, auto g) { g << z[0] - x[0], x[0] - z[0]; }};
  problem.start = {1, 1, 0}, problem.variables = {"x", "used", "forgotten"};
  const Solution solution = solve(problem);
  expect_failure(solution, Reason::singular_matrix);
  EXPECT_THAT(solution.message.where, HasSubstr("forgotten"));
}

TEST(Outcome, OfTwoEqualEquationsIsASingularMatrix) {
  Problem problem = decay();
  problem.form = SemiExplicit{1, 2, [](auto x, auto, auto f) { f[0] = -x[0]; },
                              [](auto x, auto z, auto g) {
                                g[0] = z[0] + z[1] - x[0];
                                g[1] = z[0] + z[1] - x[0];
                              }};
  problem.start = {1, 0.5, 0.5};
  expect_failure(solve(problem), Reason::singular_matrix);
}

TEST(Outcome, OfBlowUpInFiniteTimeIsAStepTooSmallNearThePole) {
  for (const char* method : {"radau", "radau_iia_5", "sdirk_hairer_wanner_4", "rodas_4", "bdf"}) {
    SCOPED_TRACE(method);
    Problem problem = decay();
    problem.form = LinearlyImplicit{1, {}, [](auto y, auto f) { f[0] = y[0] * y[0]; }};
    problem.t_span = {0, 2}, problem.variables = {"population"};
    Options options;
    options.method = method;
    const Solution solution = solve(problem, options);
    expect_failure(solution, Reason::step_too_small);
    expect_kept_until(solution, 0.999, 1.001);
    EXPECT_NEAR(solution(0.5)[0], 2, 1e-4);
  }
}

TEST(Outcome, OfTheStepLimitKeepsThoseSteps) {
  Options options;
  options.max_steps = 3;
  const Solution solution = solve(decay(), options);
  expect_failure(solution, Reason::max_steps);
  EXPECT_EQ(solution.statistics.steps, 3);
  EXPECT_EQ(solution.rows(), 4);
}

TEST(Outcome, OfTheTimeLimitIsReported) {
  Options options;
  options.time_limit = 1e-9;
  const Solution solution = solve(decay(), options);
  expect_failure(solution, Reason::time_limit);
  EXPECT_GE(solution.rows(), 1);
}

/// After many quick steps, between which nobody looks at the clock, each evaluation takes 5 ms.
TEST(Outcome, OfTheTimeLimitComesInTimeWhereStepsBecomeSlow) {
  int slow = 0;
  Problem problem = decay();
  problem.form = LinearlyImplicit{1, {}, [&slow](auto t, auto y, auto f) {
                                    if (t > 0.45) {
                                      ++slow;
                                      std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                    }
                                    f[0] = -y[0];
                                  }};
  const Solution solution =
      solve(problem, {.method = "radau_iia_5", .fixed_step = 1e-3, .time_limit = 0.2});
  expect_failure(solution, Reason::time_limit);
  EXPECT_LE(slow, 40 + 20);  // 0.2 s, and a step
}

TEST(Outcome, OfAnInterruptIsReported) {
  const std::atomic<bool> stop{true};
  Options options;
  options.interrupt = &stop;
  const Solution solution = solve(decay(), options);
  expect_failure(solution, Reason::interrupted);
  EXPECT_EQ(solution.rows(), 1);
}

TEST(Outcome, OfAProgressCallbackThatSaysNoIsAnInterrupt) {
  Options options;
  int calls = 0;
  options.progress = [&calls](const Progress& progress) {
    EXPECT_GT(progress.fraction, 0);
    EXPECT_LE(progress.fraction, 1);
    EXPECT_NE(progress.statistics, nullptr);
    return ++calls < 3;
  };
  const Solution solution = solve(decay(), options);
  expect_failure(solution, Reason::interrupted);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(solution.statistics.steps, 3);
}

TEST(Outcome, OfANewtonIterationThatCannotConvergeNamesTheVariable) {
  Problem problem = decay();
  problem.form = SemiExplicit{1, 1, [](auto, auto, auto f) { f[0] = 1; },
                              [](auto x, auto z, auto g) {  // no real z beyond x = 0.5
                                g[0] = z[0] * z[0] - (0.5 - x[0]);
                              }};
  problem.start = {0, 0.7};
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.status, Status::failed);
  expect_failure(solution, Reason::step_too_small);
  expect_kept_until(solution, 0.49, 0.51);
  EXPECT_THAT(solution.message.where, HasSubstr("z"));
}

TEST(Solution, RefusesRowsNamesAndTimesThatItDoesNotHave) {
  const Solution solution = solve(decay());
  EXPECT_THROW((void)solution.y(solution.rows()), InvalidInput);
  EXPECT_THROW((void)solution.y(-solution.rows() - 1), InvalidInput);
  EXPECT_THROW((void)solution.value(0, "yy"), InvalidInput);
  EXPECT_THROW((void)solution(1.5), InvalidInput);
  EXPECT_THROW((void)solution(nan), InvalidInput);
  Options options;
  options.dense = false;
  EXPECT_THROW((void)solve(decay(), options)(0.5), InvalidInput);
}

TEST(Solution, GivesUnsortedOutputTimesInTheOrderOfTheRun) {
  Options options;
  options.at = {0.75, 0.25, 0.5};
  EXPECT_EQ(solve(decay(), options).t, (std::vector<double>{0.25, 0.5, 0.75}));
  Problem backwards = decay();
  backwards.t_span = {1, 0};
  EXPECT_EQ(solve(backwards, options).t, (std::vector<double>{0.75, 0.5, 0.25}));
}

TEST(Solution, LetsTheRootOfTimeStandInAnEquation) {
  // y' = 1.5 sqrt(t) y from t = 0: exp(t^1.5). The slope of the root is infinite at the start.
  Problem problem = decay();
  problem.form =
      LinearlyImplicit{1, {}, [](auto t, auto y, auto f) { f[0] = 1.5 * sqrt(t) * y[0]; }};
  const Solution solution = solve(problem);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_NEAR(solution.y_end()[0], std::exp(1.0), 1e-4);
}

}  // namespace
}  // namespace daedalus
