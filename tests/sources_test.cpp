// Sources that oscillate, or move for a short while only, while nothing else moves: steps must not
// leap over what happens in their periods.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "daedalus/solve.h"
#include "expression/source_pulses.h"
#include "expression/source_rate.h"

namespace daedalus {
namespace {

constexpr double pi = std::numbers::pi;

double source_of(const char* equations) {
  const Model model = Model::from_text(std::string("model m ") + equations + " end m;", "m.mo");
  return fastest_source(*std::get<ExpressionGraph>(model.problem().form).equations);
}

TEST(Sources, AreSinesOfTheTimeAlone) {
  EXPECT_DOUBLE_EQ(source_of("Real x(start = 0); equation der(x) = sin(3*time) + cos(1 - 7*time);"),
                   7);
  EXPECT_EQ(source_of("Real x(start = 0); equation der(x) = sin(9*x) + sin(x + 9*time);"), 0);
  EXPECT_EQ(source_of("Real x(start = 0); equation der(x) = sin(time^2);"), 0);
}

/// Drops that are filled in once a period: between them x' = -x/10 asks for steps of many periods.
const char* const sink = R"(model sink
  constant Real pi = 3.14159265358979323846;
  Real x(start = 1, fixed = true), q;
equation
  q = 0.02*log(1 + exp((sin(2*pi*time) - 0.9)/0.02));
  der(x) = -0.1*x + 10*q;
end sink;)";

/// By the classical method; steps of 1e-4 are off by 1e-11.
double level_after(double end) {
  const auto rate = [](double t, double x) {
    return -0.1 * x + 0.2 * std::log1p(std::exp((std::sin(2 * pi * t) - 0.9) / 0.02));
  };
  constexpr double h = 1e-4;
  double x = 1;
  for (int k = 0; k < std::lround(end / h); ++k) {
    const double t = k * h, a = rate(t, x), b = rate(t + h / 2, x + h / 2 * a),
                 c = rate(t + h / 2, x + h / 2 * b), d = rate(t + h, x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return x;
}

TEST(Sources, AreFollowedThroughTheirPeriods) {
  Problem problem = Model::from_text(sink, "sink.mo").problem();
  problem.t_span = {0, 20};
  const double exact = level_after(20);
  // A drop adds 0.1. At one tolerance of ten a step in which one begins is off by 30 to 900 rtol,
  // more than its estimate tells.
  constexpr double part_of_a_drop = 0.01;
  for (const char* method : {"auto", "rodas_5p"}) {
    std::vector<double> ratios;
    for (int k = 0; k <= 24; ++k) {
      const double rtol = std::pow(10, -3 - k / 4.0);
      const Solution s = solve(problem, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      const double error = std::abs(s.y_end()[0] - exact);
      EXPECT_LE(error, std::max(part_of_a_drop, 30 * rtol)) << method << " " << rtol;
      ratios.push_back(error / rtol);
    }
    std::nth_element(ratios.begin(), ratios.begin() + 12, ratios.end());
    EXPECT_LE(ratios[12], 30) << method;
  }
}

TEST(Sources, AreLeftAloneIfUsersSayHowLongStepsMayBe) {
  Problem problem = Model::from_text(sink, "sink.mo").problem();
  problem.t_span = {0, 20};
  const auto steps = [&](double max_step) {
    return solve(problem, {.rtol = 1e-3, .max_step = max_step}).statistics.steps;
  };
  EXPECT_GE(steps(std::numeric_limits<double>::infinity()), 8 * 20);
  EXPECT_LT(steps(20), 8 * 20 / 2) << "some drops are met by chance";
}

std::vector<double> pulses_of(const char* source, double begin, double end) {
  const Model model = Model::from_text(
      std::string("model m Real x(start = 0); equation der(x) = -x + ") + source + "; end m;",
      "m.mo");
  return pulse_times(*std::get<ExpressionGraph>(model.problem().form).equations, begin, end);
}

TEST(Sources, RestAndMoveForAShortWhile) {
  const std::vector<double> bell = pulses_of("exp(-((time - 5)/0.05)^2)", 0, 10);
  ASSERT_GE(bell.size(), 5u);
  // exp(-s^2) is 1e-10 at its foot, s = -4.8, and comes to rest at 1e-4, s = 3.03.
  EXPECT_NEAR(bell.front(), 5 - 4.8 * 0.05, 0.02);
  EXPECT_NEAR(bell.back(), 5 + 3.03 * 0.05, 0.02);
  const std::vector<double> back = pulses_of("exp(-((time - 5)/0.05)^2)", 10, 0);
  EXPECT_GT(back.front(), back.back());
  // A step of no length is one between two times.
  EXPECT_EQ(pulses_of("tanh(1e9*(time - 3.14159))", 0, 10).size(), 2u);
  for (const char* source :
       {"exp(-time)", "3*time", "sin(time)", "sin(0.5*time)", "1/(1 + time^2)", "exp(-x*time)"})
    EXPECT_TRUE(pulses_of(source, 0, 10).empty()) << source;
}

/// x' = -x + exp(-((t - 5)/w)^2) from rest: behind the pulse x = sqrt(pi) w exp(5 - t + w^2/4).
TEST(Sources, OfAShortPulseAreNotLeaptOver) {
  constexpr double w = 0.05, end = 5.5;
  Problem problem = Model::from_text(R"(model bell
  Real x(start = 0, fixed = true);
equation
  der(x) = -x + exp(-((time - 5)/0.05)^2);
end bell;)",
                                     "bell.mo")
                        .problem();
  problem.t_span = {0, end};
  const double exact = std::sqrt(pi) * w * std::exp(5 - end + w * w / 4);
  for (const char* method : {"auto", "bdf", "rodas_5p", "gauss_6"})
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      const Solution s = solve(problem, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      EXPECT_NEAR(s.y_end()[0], exact, 30 * rtol) << method << " " << rtol;
    }
}

}  // namespace
}  // namespace daedalus
