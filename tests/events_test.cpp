// Zeros of event functions: all of them, once each, in order, at the right time; and what a reset
// leaves behind. Exact times are known for every problem here.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "exact_problems.h"

namespace daedalus {
namespace {

constexpr double pi = std::numbers::pi;

Event component(int i, Direction direction = Direction::both) {
  return {.name = "zero", .value = [i](double, Input y) { return y[i]; }, .direction = direction};
}

Problem oscillator_until(double end) {
  Problem p = exact::oscillator().problem;
  p.t_span.end = end;
  return p;
}

std::vector<double> times(const Solution& solution, int event = 0) {
  std::vector<double> t;
  for (const EventRecord& e : solution.events)
    if (e.event == event) t.push_back(e.t);
  return t;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected,
                  double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << "event " << i;
}

/// Falls from height 1 with gravity 1; the speed is reversed and halved at the ground.
Problem ball(double end) {
  return {.form = LinearlyImplicit{.size = 2,
                                   .f =
                                       [](auto y, auto& out) {
                                         out[0] = y[1];
                                         out[1] = -1.0;
                                       }},
          .t_span = {0, end},
          .start = {1, 0}};
}

Event bounce(double restitution, Direction direction = Direction::falling) {
  return {.name = "bounce",
          .value = [](double, Input y) { return y[0]; },
          .direction = direction,
          .reset = [restitution](double, Output y) { y[0] = 0, y[1] *= -restitution; }};
}

std::vector<double> impact_times(double restitution, double end) {
  std::vector<double> t;
  double speed = std::sqrt(2.0);
  for (double next = speed; next < end; next += 2 * speed) {
    t.push_back(next);
    speed *= restitution;
  }
  return t;
}

TEST(Events, AreFoundInTheDirectionAskedFor) {
  Options o{.rtol = 1e-8, .events = {component(0, Direction::rising)}};
  o.events.push_back(component(0, Direction::falling));
  o.events.push_back(component(0, Direction::both));
  const Solution s = solve(oscillator_until(10), o);
  ASSERT_EQ(s.status, Status::success);
  // The error of the phase after ten units of time is a few rtol.
  expect_times(times(s, 0), {2 * pi}, 1e-7);
  expect_times(times(s, 1), {pi, 3 * pi}, 1e-7);
  expect_times(times(s, 2), {pi, 2 * pi, 3 * pi}, 1e-7);
}

TEST(Events, TerminalEventEndsTheRunAtItsTime) {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Event e = component(1, Direction::falling);
    e.terminal = true;
    const Solution s = solve(oscillator_until(10), {.rtol = rtol, .events = {e}});
    EXPECT_EQ(s.status, Status::event);
    EXPECT_EQ(s.reason, Reason::terminal_event);
    EXPECT_NEAR(s.t.back(), pi / 2, 10 * rtol);
    // Unit slope, so the value is as far from zero as the time is from the root of the run.
    EXPECT_NEAR(s.y_end()[1], 0, 1e-13);
    EXPECT_NEAR(s.y_end()[0], 1, 10 * rtol);
    ASSERT_EQ(s.events.size(), 1u);
    EXPECT_EQ(s.events[0].t, s.t.back());
    EXPECT_EQ(s.events[0].name, "zero");
  }
}

TEST(Events, TerminalEventGivesItsRowAlsoWhereOutputTimesAreGiven) {
  Event e = component(1);
  e.terminal = true;
  const Solution s = solve(oscillator_until(10), {.at = {0.5, 1.0, 5.0}, .events = {e}});
  ASSERT_EQ(s.rows(), 3);
  EXPECT_EQ(s.t[0], 0.5);
  EXPECT_EQ(s.t[1], 1.0);
  EXPECT_NEAR(s.t[2], pi / 2, 1e-5);
}

TEST(Events, RecordedTimesHaveTheAccuracyOfTheRun) {
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const Solution s = solve(oscillator_until(20), {.rtol = rtol, .events = {component(0)}});
    // Phase errors add up over three turns.
    expect_times(times(s), {pi, 2 * pi, 3 * pi, 4 * pi, 5 * pi, 6 * pi}, 30 * rtol);
  }
}

TEST(Events, OfAlgebraicVariablesAreAsAccurateAsThoseOfDifferentialOnes) {
  // z = 2 + cos t crosses 2.7; z' = -sin t.
  const double exact_time = std::acos(0.7);
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Event e{.value = [](double, Input y) { return y[2] - 2.7; }};
    const Solution s = solve(exact::index_1().problem, {.rtol = rtol, .events = {e}});
    expect_times(times(s), {exact_time}, 30 * rtol);
  }
}

TEST(Events, BouncingBallMeetsTheGroundAtTheExactTimes) {
  for (const Direction direction : {Direction::falling, Direction::both}) {
    const Solution s = solve(ball(4.2), {.rtol = 1e-8, .events = {bounce(0.5, direction)}});
    ASSERT_EQ(s.status, Status::success);
    // The parabolas are reproduced to rounding.
    expect_times(times(s), impact_times(0.5, 4.2), 1e-12);
    const double speed_after_last = std::sqrt(2.0) * std::pow(0.5, double(s.events.size()));
    EXPECT_NEAR(0.5 * s.y_end()[1] * s.y_end()[1] + s.y_end()[0],
                0.5 * speed_after_last * speed_after_last, 1e-12);
  }
}

TEST(Events, ElasticBallKeepsItsEnergyOverManyBounces) {
  const Solution s = solve(ball(100), {.rtol = 1e-8, .events = {bounce(1.0, Direction::both)}});
  ASSERT_EQ(s.status, Status::success);
  expect_times(times(s), impact_times(1.0, 100), 1e-10);
  EXPECT_NEAR(0.5 * s.y_end()[1] * s.y_end()[1] + s.y_end()[0], 1, 1e-11);
}

TEST(Events, DenseOutputShowsBothSidesOfAJump) {
  const Solution s = solve(ball(2), {.rtol = 1e-8, .events = {bounce(0.5)}});
  const double t = s.events[0].t;
  EXPECT_NEAR(s(t)[1], 0.5 * std::sqrt(2.0), 1e-12) << "at the event: the value after it";
  EXPECT_NEAR(s(t - 1e-9)[1], -std::sqrt(2.0), 1e-8);
  // Every step has its row, the event has two.
  ASSERT_EQ(s.rows(), int(s.steps.size()) + 2);
}

TEST(Events, ZenosBallEndsInAStatusNotInAnEndlessLoop) {
  // Impacts accumulate at t = 3 sqrt 2; there the ball is below the ground or the step too small.
  const Solution s = solve(ball(10), {.max_steps = 20000, .events = {bounce(0.5)}});
  EXPECT_LE(s.statistics.steps, 20000);
  for (std::size_t i = 1; i < s.events.size(); ++i)
    EXPECT_GT(s.events[i].t, s.events[i - 1].t) << i;
}

TEST(Events, PendulumBouncesOffAWallWithAConsistentVelocity) {
  // At the wall x = 0 the pendulum has its lowest point: speed sqrt 2, horizontal.
  for (const Formulation formulation :
       {Formulation::automatic, Formulation::direct, Formulation::index_2, Formulation::index_1}) {
    const Event wall{.value = [](double, Input y) { return y[0]; },
                     .direction = Direction::falling,
                     .reset = [](double, Output y) { y[2] *= -0.5; }};
    Options o{.formulation = formulation, .rtol = 1e-8, .events = {wall}};
    const Solution s = solve(exact::pendulum(3), o);
    ASSERT_EQ(s.status, Status::success) << name_of(formulation);
    ASSERT_EQ(s.events.size(), 1u) << name_of(formulation);
    const Vector after = s(s.events[0].t);
    EXPECT_NEAR(after[0] * after[2] + after[1] * after[3], 0, 1e-10) << name_of(formulation);
    EXPECT_NEAR(after[2], 0.5 * std::sqrt(2.0), 1e-6) << name_of(formulation);
    // lambda = v^2 + gravity along the rod at the lowest point.
    EXPECT_NEAR(after[4], 0.5 + 1, 1e-6) << name_of(formulation);
    const double energy =
        0.5 * (s.y_end()[2] * s.y_end()[2] + s.y_end()[3] * s.y_end()[3]) + s.y_end()[1];
    EXPECT_NEAR(energy, 0.25 - 1, 1e-6) << name_of(formulation);
  }
}

TEST(Events, ResetToAnInconsistentVelocityIsMadeConsistent) {
  const Event kick{.value = [](double, Input y) { return y[0]; },
                   .direction = Direction::falling,
                   .reset = [](double, Output y) { y[2] *= -0.5, y[3] += 0.1; }};
  const Solution s = solve(exact::pendulum(3), {.rtol = 1e-8, .events = {kick}});
  ASSERT_EQ(s.status, Status::success);
  ASSERT_EQ(s.events.size(), 1u);
  const Vector after = s(s.events[0].t);
  EXPECT_NEAR(after[0] * after[0] + after[1] * after[1], 1, 1e-10);
  EXPECT_NEAR(after[0] * after[2] + after[1] * after[3], 0, 1e-10);
  EXPECT_NEAR(after[4], after[2] * after[2] + after[3] * after[3] - after[1], 1e-8);
}

TEST(Events, OfOneStepComeInTheOrderOfTime) {
  Options o{.rtol = 1e-6, .fixed_step = 1.0};
  for (const double at : {0.9, 0.1, 0.5, 0.3, 0.7})
    o.events.push_back({.value = [at](double t, Input) { return t - at; }});
  const Solution s = solve(oscillator_until(1), o);
  ASSERT_EQ(s.events.size(), 5u);
  const int order[] = {1, 3, 2, 4, 0};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(s.events[i].event, order[i]);
    EXPECT_NEAR(s.events[i].t, 0.1 + 0.2 * i, 1e-14);
  }
}

TEST(Events, AfterATerminalEventOfTheSameStepAreNotReported) {
  Options o{.rtol = 1e-6, .fixed_step = 1.0};
  o.events.push_back({.value = [](double t, Input) { return t - 0.75; }});
  o.events.push_back({.value = [](double t, Input) { return t - 0.5; }, .terminal = true});
  o.events.push_back({.value = [](double t, Input) { return t - 0.25; }});
  const Solution s = solve(oscillator_until(1), o);
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_EQ(s.events[0].event, 2);
  EXPECT_EQ(s.events[1].event, 1);
  EXPECT_EQ(s.status, Status::event);
  EXPECT_NEAR(s.t.back(), 0.5, 1e-14);
}

TEST(Events, AfterAResetOfTheSameStepAreStillFound) {
  Options o{.rtol = 1e-6, .fixed_step = 1.0};
  o.events.push_back({.value = [](double t, Input) { return t - 0.75; }});
  o.events.push_back({.value = [](double t, Input) { return t - 0.5; },
                      .reset = [](double, Output y) { y[0] = 0; }});
  const Solution s = solve(oscillator_until(1), o);
  ASSERT_EQ(s.events.size(), 2u);
  EXPECT_NEAR(s.events[0].t, 0.5, 1e-14);
  EXPECT_NEAR(s.events[1].t, 0.75, 1e-14);
}

TEST(Events, DoubleCrossingsInsideOneStepAreFound) {
  for (const double depth : {1e-1, 1e-3, 1e-5, 1e-8}) {
    // A parabola in t that dips below zero around 0.437, in one step of length 1.
    const Event e{.value = [depth](double t, Input) { return (t - 0.437) * (t - 0.437) - depth; }};
    Options o{.fixed_step = 1.0, .events = {e}};
    const Solution s = solve(oscillator_until(1), o);
    const double half = std::sqrt(depth);
    expect_times(times(s), {0.437 - half, 0.437 + half}, 1e-9);
    o.events[0].direction = Direction::rising;
    expect_times(times(solve(oscillator_until(1), o)), {0.437 + half}, 1e-9);
  }
}

TEST(Events, DoubleCrossingsAtEitherEndOfAStepAreFound) {
  // Dips between the ends of the step and the samples next to them.
  for (const double centre : {0.01, 0.02, 0.03, 0.04, 0.5, 0.97, 0.98, 0.99}) {
    const Event e{
        .value = [centre](double t, Input) { return (t - centre) * (t - centre) - 1e-6; }};
    const Solution s = solve(oscillator_until(1), {.fixed_step = 1.0, .events = {e}});
    SCOPED_TRACE(centre);
    expect_times(times(s), {centre - 1e-3, centre + 1e-3}, 1e-9);
  }
}

TEST(Events, ATouchFromAboveIsNoRisingOrFallingCrossing) {
  const Event e{.value = [](double t, Input) { return (t - 0.4) * (t - 0.4) + 1e-9; }};
  EXPECT_TRUE(solve(oscillator_until(1), {.fixed_step = 1.0, .events = {e}}).events.empty());
}

TEST(Events, WhereTheRunStartsOnTheZeroIsNoEvent) {
  const Solution s = solve(oscillator_until(3), {.rtol = 1e-8, .events = {component(0)}});
  EXPECT_TRUE(s.events.empty()) << "sin t starts at zero";
}

TEST(Events, ZeroExactlyOnAMeshPointHappensOnce) {
  // 0.125 is a power of two: the event function is exactly zero at the fourth mesh point.
  for (const Direction direction : {Direction::both, Direction::rising}) {
    const Event e{.value = [](double t, Input) { return t - 0.5; }, .direction = direction};
    const Solution s = solve(oscillator_until(1), {.fixed_step = 0.125, .events = {e}});
    expect_times(times(s), {0.5}, 0);
  }
}

TEST(Events, ResetOnAMeshPointHappensOnce) {
  int calls = 0;
  const Event e{.value = [](double t, Input) { return t - 0.5; },
                .reset = [&calls](double, Output y) { y[0] = 0, ++calls; }};
  const Solution s = solve(oscillator_until(1), {.fixed_step = 0.125, .events = {e}});
  expect_times(times(s), {0.5}, 0);
  EXPECT_EQ(calls, 1);
  EXPECT_NEAR(s.y_end()[0], std::cos(0.5) * std::sin(0.5), 1e-8);
}

TEST(Events, AtTheEndOfTheRunStillHappen) {
  for (const bool terminal : {false, true}) {
    const Event e{.value = [](double t, Input) { return t - 1; }, .terminal = terminal};
    const Solution s = solve(oscillator_until(1), {.rtol = 1e-8, .events = {e}});
    expect_times(times(s), {1.0}, 0);
    EXPECT_EQ(s.status, terminal ? Status::event : Status::success);
    EXPECT_EQ(s.t.back(), 1.0);
  }
}

TEST(Events, ResetAtTheEndOfTheRunEndsIt) {
  const Event e{.value = [](double t, Input) { return t - 1; },
                .reset = [](double, Output y) { y[0] = 7; }};
  const Solution s = solve(oscillator_until(1), {.rtol = 1e-8, .events = {e}});
  EXPECT_EQ(s.status, Status::success);
  EXPECT_EQ(s.t.back(), 1.0);
  EXPECT_EQ(s.y_end()[0], 7);
}

TEST(Events, OfTimeAloneDoNotDependOnTheTolerance) {
  const Event e{.value = [](double t, Input) { return std::sin(20 * t); }};
  const Solution s = solve(oscillator_until(1), {.rtol = 1e-3, .events = {e}});
  std::vector<double> expected;
  for (int k = 1; k * pi / 20 < 1; ++k) expected.push_back(k * pi / 20);
  expect_times(times(s), expected, 1e-12);
}

TEST(Events, ScaledByATinyFactorAreStillEvents) {
  // The same ball in units in which its height is 1e-15.
  const Event tiny{.value = [](double, Input y) { return 1e-15 * y[0]; },
                   .direction = Direction::falling,
                   .reset = [](double, Output y) { y[0] = 0, y[1] *= -0.5; }};
  const Solution s = solve(ball(4), {.rtol = 1e-8, .events = {tiny}});
  expect_times(times(s), impact_times(0.5, 4), 1e-12);
}

TEST(Events, ResetFarAwayFromTheZeroRestartsTheClock) {
  // Integrate and fire: y' = 1, fires at 1, reset to 0.
  const Problem p{.form = LinearlyImplicit{.size = 1, .f = [](auto, auto& out) { out[0] = 1.0; }},
                  .t_span = {0, 5.5},
                  .start = {0}};
  const Event fire{.value = [](double, Input y) { return y[0] - 1; },
                   .reset = [](double, Output y) { y[0] = 0; }};
  expect_times(times(solve(p, {.events = {fire}})), {1, 2, 3, 4, 5}, 1e-12);
}

TEST(Events, AreFoundBackwardsInTime) {
  Problem p = oscillator_until(0);
  p.t_span = {10, 0};
  p.start = {std::sin(10.0), std::cos(10.0)};
  Options o{.rtol = 1e-8, .events = {component(0)}};
  const Solution both = solve(p, o);
  expect_times(times(both), {3 * pi, 2 * pi, pi}, 1e-7);
  // Rising and falling are meant along the run: backwards the sine rises where it falls forwards.
  o.events[0].direction = Direction::rising;
  expect_times(times(solve(p, o)), {3 * pi, pi}, 1e-7);
  o.events[0].terminal = true;
  const Solution end = solve(p, o);
  EXPECT_EQ(end.status, Status::event);
  EXPECT_NEAR(end.t.back(), 3 * pi, 1e-7);
}

TEST(Events, DoNotDependOnTheStorageOfTheMatrix) {
  const Event e{.value = [](double, Input y) { return y[20] - 0.2; }, .terminal = true};
  std::vector<double> ends;
  for (const LinearAlgebra storage :
       {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse}) {
    const Solution s =
        solve(exact::chain(40, 2), {.rtol = 1e-8, .linear_algebra = storage, .events = {e}});
    ASSERT_EQ(s.status, Status::event);
    ends.push_back(s.t.back());
  }
  EXPECT_NEAR(ends[1], ends[0], 1e-10);
  EXPECT_NEAR(ends[2], ends[0], 1e-10);
}

TEST(Events, AreAccurateForEveryIndex) {
  // In each problem one variable is exp(-t), exp(t) or sin t: solve for its crossing.
  struct Case {
    exact::Exact exact;
    int variable;
    double level, time;
  };
  const Case cases[] = {
      {exact::index_1(), 1, 0.4, std::asin(0.4)}, {exact::index_1(), 2, 2.8, std::acos(0.8)},
      {exact::index_2(), 0, 1.3, std::log(1.3)},  {exact::index_2(), 2, 1.5, std::log(1.5) / 2},
      {exact::index_3(), 1, 0.8, -std::log(0.8)}, {exact::index_3(), 3, 0.7, -std::log(0.7)},
      {exact::index_3(), 4, 1.2, std::log(1.2)}};
  for (const Case& c : cases)
    for (const bool terminal : {false, true}) {
      const Event e{.value = [&c](double, Input y) { return y[c.variable] - c.level; },
                    .terminal = terminal};
      for (const double rtol : {1e-5, 1e-8}) {
        const Solution s = solve(c.exact.problem, {.rtol = rtol, .events = {e}});
        SCOPED_TRACE(c.exact.name + ", variable " + std::to_string(c.variable) +
                     (terminal ? ", terminal" : ""));
        expect_times(times(s), {c.time}, 100 * rtol);
      }
    }
}

TEST(Events, FunctionsThatThrowPassThrough) {
  const Event e{.value = [](double t, Input) -> double {
    if (t > 0.5) throw std::runtime_error("sensor");
    return 1;
  }};
  EXPECT_THROW(static_cast<void>(solve(oscillator_until(1), {.events = {e}})), std::runtime_error);
}

}  // namespace
}  // namespace daedalus
