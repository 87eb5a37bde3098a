#include "progress.h"

#include <csignal>
#include <gmock/gmock.h>
#include <sstream>

#include <gtest/gtest.h>

#include "interrupt.h"

namespace daedalus::command {
namespace {

using testing::HasSubstr;

const Statistics statistics = {.steps = 637};
const Progress half = {5, 0.016, 5, 0.5, &statistics};

TEST(ProgressBar, ShowsTimeStepOrderAndWhatIsLeft) {
  EXPECT_EQ(progress_line(half, 75, 96),
            "[==============>             ]  50.0%  t = 5  h = 1.6e-02  order 5  637 steps  "
            "1:15, 1:15 to go");
}

TEST(ProgressBar, FitsIntoTheTerminal) {
  for (const int columns : {1, 20, 40, 80, 200})
    EXPECT_LT(progress_line(half, 5000, columns).size(), std::max(columns, 2));
  EXPECT_THAT(progress_line({1, 1, 1, std::nan(""), nullptr}, 0, 80), HasSubstr("0.0%"));
}

TEST(ProgressBar, IsDrawnTenTimesASecondAtMostAndGoesAway) {
  std::ostringstream out;
  double now = 100;
  {
    ProgressBar bar(out, true, 80, [&] { return now; });
    const auto callback = bar.callback();
    for (int i = 0; i <= 1000; ++i, now += 1e-3) EXPECT_TRUE(callback(half));
  }
  const std::string text = out.str();
  // The first after 0.2 s, the last at 1 s, and one return to clear the line.
  EXPECT_NEAR(std::count(text.begin(), text.end(), '\r'), 10, 1);
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST(ProgressBar, WritesLinesWhereThereIsNoTerminal) {
  std::ostringstream out;
  double now = 0;
  ProgressBar bar(out, false, 120, [&] { return now; });
  const auto callback = bar.callback();
  for (int i = 0; i <= 3000; ++i, now += 1e-3) callback(half);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(ProgressBar, ThatIsNotWantedCostsNothing) {
  EXPECT_FALSE(ProgressBar(ProgressBar::Show::never).callback());
}

Problem decay() {
  Problem problem;
  problem.form = LinearlyImplicit{.size = 1, .f = [](auto, auto y, auto out) { out[0] = -y[0]; }};
  problem.t_span = {0, 1e6};
  problem.start = {1};
  return problem;
}

TEST(Interrupt, EndsARunAndKeepsItsResults) {
  const Interrupt interrupt;
  EXPECT_FALSE(interrupt.happened());
  Options options;
  options.interrupt = interrupt.flag();
  options.progress = [](const Progress& progress) {
    if (progress.statistics->steps == 5) std::raise(SIGTERM);
    return true;
  };
  testing::internal::CaptureStderr();
  const Solution solution = solve(decay(), options);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("results are kept"));
  EXPECT_TRUE(interrupt.happened());
  EXPECT_EQ(solution.reason, Reason::interrupted);
  EXPECT_EQ(solution.steps.size(), 5u);
  EXPECT_EQ(solution.rows(), 6);
}

TEST(Interrupt, RestoresWhatWasThereBefore) {
  static int count = 0;
  const auto before = std::signal(SIGINT, [](int) { ++count; });
  {
    const Interrupt interrupt;
    testing::internal::CaptureStderr();
    std::raise(SIGINT);
    testing::internal::GetCapturedStderr();
    EXPECT_TRUE(interrupt.happened());
  }
  std::raise(SIGINT);
  EXPECT_EQ(count, 1);
  std::signal(SIGINT, before);
}

TEST(InterruptDeathTest, TheSecondKills) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto twice = [] {
    const Interrupt interrupt;
    std::raise(SIGINT);
    std::raise(SIGINT);
  };
  EXPECT_EXIT(twice(), testing::KilledBySignal(SIGINT), "once more to stop at once");
}

}  // namespace
}  // namespace daedalus::command
