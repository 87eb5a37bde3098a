// Bodies that bounce: each impact happens once and turns the speed round, and none goes through
// what it falls on, however slow or inexact the run.
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "daedalus/model.h"

namespace daedalus {
namespace {

const std::vector<std::string> methods = {"auto", "radau", "dop853", "bdf"};

/// At every instant with two rows n rises by one and `speed` changes its sign, or neither moves.
void expect_single_bounces(const Solution& s, const std::string& speed) {
  for (int i = 1; i < s.rows(); ++i) {
    if (s.t[i] != s.t[i - 1]) continue;
    const double rise = s.value(i, "n") - s.value(i - 1, "n");
    const double before = s.value(i - 1, speed), after = s.value(i, speed);
    if (rise == 0) {
      EXPECT_NEAR(after, before, 1e-9 * std::abs(before)) << "at t = " << s.t[i];
      continue;
    }
    EXPECT_EQ(rise, 1) << "at t = " << s.t[i];
    EXPECT_LT(before * after, 0) << "at t = " << s.t[i];
  }
}

Solution solved(const std::string& text, double end, const Options& options) {
  const Model model = Model::from_text(text, "m.mo");
  Problem problem = model.problem();
  problem.t_span.end = end;
  return solve(problem, model.scaled(options));
}

TEST(Bounce, HappensOnceAtEveryToleranceAndWall) {
  std::mt19937 random(7);
  const auto between = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  for (int k = 0; k < 120; ++k) {
    const std::string walls[] = {fmt::format("cos(th) < {}", between(0.01, 0.3)),
                                 fmt::format("th < {}", between(-2, -1)),
                                 fmt::format("sin(th) < {}", between(-0.95, -0.7)),
                                 fmt::format("th^2 + 0.3*th > {}", between(1.2, 2))};
    const std::string text = fmt::format(
        "model M Real th(start = {}, fixed = true), w(start = 0, fixed = true);"
        "discrete Real n(start = 0); equation der(th) = w; der(w) = -{}*cos(th);"
        "when {} then reinit(w, -{}*w); n = pre(n) + 1; end when; end M;",
        between(-0.6, 0.5), between(1, 30), walls[k % 4], between(0.3, 1));
    const double rtol = std::pow(10, between(-8, -1.7));
    for (const std::string& method : methods) {
      SCOPED_TRACE(fmt::format("{}, rtol = {}: {}", method, rtol, text));
      const Solution s = solved(text, 3, {.method = method, .rtol = rtol, .max_steps = 20000});
      EXPECT_TRUE(s.status == Status::success || s.reason == Reason::too_many_events)
          << s.message.text();
      EXPECT_GT(s.value(-1, "n"), 0);
      expect_single_bounces(s, "w");
    }
  }
}

TEST(Bounce, OfAConstrainedBodyHappensOnce) {
  for (const double wall : {-0.1, -0.2, -0.35, -0.5})
    for (const double rtol : {5e-3, 1e-3, 5e-4, 1e-4, 1e-6}) {
      const Solution s = solved(
          fmt::format(
              "model M Real x(start = 1, fixed = true), y(start = 0),"
              "u(start = 0, fixed = true), v(start = 0), lam, mu; discrete Real n(start = 0);"
              "equation der(x) = u + x*mu; der(y) = v + y*mu; der(u) = x*lam;"
              "der(v) = y*lam - 10*(1 + 0.1*n); x^2 + y^2 = 1; x*u + y*v = 0;"
              "when x < {} then reinit(u, -0.8*u); reinit(v, -0.8*v); n = pre(n) + 1;"
              "end when; end M;",
              wall),
          5, {.rtol = rtol});
      SCOPED_TRACE(fmt::format("wall at {}, rtol = {}", wall, rtol));
      ASSERT_EQ(s.status, Status::success) << s.message.text();
      EXPECT_GE(s.value(-1, "n"), 3);
      expect_single_bounces(s, "u");
    }
}

constexpr double gravity = 9.81;

/// When a ball that falls from height 1 comes to rest.
double rest(double e) {
  return std::sqrt(2 / gravity) * (1 + 2 * e / (1 - e));
}

void expect_rest_on_the_floor(const Solution& s, double e, double rtol) {
  EXPECT_EQ(s.status, Status::failed);
  EXPECT_EQ(s.reason, Reason::too_many_events) << s.message.text();
  // Errors of single bounces add up; those to come are left out when they are short beside the run.
  EXPECT_NEAR(s.t.back(), rest(e), rtol * rest(e) + 2e-7 * (rest(e) + 5) / (1 - e));
  for (int i = 0; i < s.rows(); ++i)
    EXPECT_GT(s.values[static_cast<std::size_t>(i) * s.size()], -0.1 * rtol) << s.t[i];
}

TEST(Bounce, ABallNeverPassesTheFloorOfAModel) {
  for (const double e : {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.99})
    for (const double rtol : {1e-3, 1e-5, 1e-6, 1e-8, 1e-10})
      for (const std::string& method : methods) {
        SCOPED_TRACE(fmt::format("{}, e = {}, rtol = {}", method, e, rtol));
        const std::string text = fmt::format(
            "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true);"
            "equation der(h) = v; der(v) = -{}; when h <= 0 then reinit(v, -{}*v); end when; end "
            "M;",
            gravity, e);
        const Options options{.method = method, .rtol = rtol, .max_steps = 100000};
        expect_rest_on_the_floor(solved(text, rest(e) + 5, options), e, rtol);
      }
}

TEST(Bounce, ABallNeverPassesTheFloorOfAnEvent) {
  for (const bool exactly : {false, true})
    for (const double e : {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.99})
      for (const double rtol : {1e-3, 1e-5, 1e-6, 1e-8, 1e-10})
        for (const std::string& method : methods) {
          SCOPED_TRACE(fmt::format("{}, e = {}, rtol = {}, {}", method, e, rtol, exactly));
          const Problem ball{.form = LinearlyImplicit{.size = 2,
                                                      .f =
                                                          [](auto y, auto& out) {
                                                            out[0] = y[1];
                                                            out[1] = -gravity;
                                                          }},
                             .t_span = {0, rest(e) + 5},
                             .start = {1, 0}};
          const Event floor{.name = "floor",
                            .value = [](double, Input y) { return y[0]; },
                            .direction = exactly ? Direction::falling : Direction::both,
                            .reset =
                                [=](double, Output y) {
                                  if (exactly) y[0] = 0;
                                  y[1] *= -e;
                                }};
          const Options options{
              .method = method, .rtol = rtol, .max_steps = 100000, .events = {floor}};
          expect_rest_on_the_floor(solve(ball, options), e, rtol);
        }
}

TEST(Bounce, AThrownBallLeavesTheFloorOnWhichItStarts) {
  // Up with 3 under gravity 10: back at 0.6, then at 0.6 + 0.48.
  for (const std::string& method : methods) {
    const Solution s = solved(
        "model M Real h(start = 0, fixed = true), v(start = 3, fixed = true);"
        "equation der(h) = v; der(v) = -10; when h <= 0 then reinit(v, -0.8*v); end when;"
        "end M;",
        1.2, {.method = method, .rtol = 1e-8});
    ASSERT_EQ(s.status, Status::success) << method << s.message.text();
    ASSERT_EQ(s.events.size(), 2u) << method;
    EXPECT_NEAR(s.events[0].t, 0.6, 1e-6) << method;
    EXPECT_NEAR(s.events[1].t, 1.08, 1e-6) << method;
  }
}

TEST(Bounce, ABodyThatIsCaughtStaysWhereItIs) {
  for (const std::string& method : methods) {
    const Solution s = solved(
        "model M Real h(start = 1, fixed = true), v(start = 0, fixed = true);"
        "discrete Real caught(start = 0); equation der(h) = v;"
        "der(v) = if caught > 0.5 then 0 else -10;"
        "when h <= 0 then reinit(v, 0); caught = 1; end when; end M;",
        6, {.method = method, .rtol = 1e-6});
    ASSERT_EQ(s.status, Status::success) << method << s.message.text();
    EXPECT_NEAR(s.value(-1, "h"), 0, 1e-9) << method;
  }
}

}  // namespace
}  // namespace daedalus
