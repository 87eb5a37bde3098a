// Fixed steps, and the monitors and controllers of steps against numbers worked out by hand.
#include <cmath>

#include <gtest/gtest.h>

#include "controller/norm.h"
#include "controller/step_control.h"
#include "daedalus/daedalus.h"
#include "exact_problems.h"
#include "problem/jacobian.h"
#include "reproduce/problems.h"
#include "reproduce/testset.h"
#include "stepper/stage_solver.h"

namespace daedalus {

namespace {

TEST(FixedStep, CountIsExactForManySteps) {
  // Rounding of t adds up over 20000 steps; the last one must not be split.
  for (const double h : {1e-3, 1.0 / 3000, 5e-5}) {
    Problem p = exact::oscillator().problem;
    const Solution s = solve(p, {.method = "radau_iia_1", .dense = false, .fixed_step = h});
    EXPECT_EQ(s.statistics.steps, std::llround(1 / h)) << h;
  }
}

TEST(FixedStep, ThatDoesNotDivideTheIntervalEndsWithAShorterOne) {
  const Solution s = solve(exact::oscillator().problem, {.fixed_step = 0.3});
  ASSERT_EQ(s.statistics.steps, 4);
  EXPECT_NEAR(s.steps.back().h, 0.1, 1e-15);
  EXPECT_EQ(s.t.back(), 1.0);
}

using Verdict = NewtonMonitor::Verdict;

TEST(NewtonMonitor, StopsAfterOneIterationOnTheCarriedRate) {
  // eta = max(0.1, eps)^0.8 = 0.158489: 0.158489 * 0.1 <= 0.02.
  const NewtonSettings settings{7, 0.02, false};
  NewtonMonitor fast(settings, 0.1);
  EXPECT_EQ(fast.judge(0.1), Verdict::converged);
  EXPECT_NEAR(fast.eta(), 0.15848931924611, 1e-12);
  NewtonMonitor slow(settings, 0.1);
  EXPECT_EQ(slow.judge(0.13), Verdict::go_on);  // 0.0206 > 0.02
}

TEST(NewtonMonitor, DoubtsTwoCorrectionsThatBeginFarOff) {
  NewtonSettings settings;
  settings.tolerance = 0.03;
  // The second correction is small beside the first one, not beside what it may have left.
  NewtonMonitor far(settings, 1);
  EXPECT_EQ(far.judge(1e8), Verdict::go_on);
  EXPECT_EQ(far.judge(1e3), Verdict::go_on);
  EXPECT_EQ(far.judge(10), Verdict::converged);
  EXPECT_DOUBLE_EQ(far.rate(), 1e-5);
  // Two are enough where a hundredth of the second one does not matter,
  NewtonMonitor near(settings, 1);
  EXPECT_EQ(near.judge(1e5), Verdict::go_on);
  EXPECT_EQ(near.judge(2), Verdict::converged);
  // and where the third one is rounding.
  NewtonMonitor rounded(settings, 1);
  EXPECT_EQ(rounded.judge(1e8), Verdict::go_on);
  EXPECT_EQ(rounded.judge(1e3), Verdict::go_on);
  EXPECT_EQ(rounded.judge(1e3), Verdict::converged);
}

TEST(NewtonMonitor, BelievesTheLastStepTheLessTheShorterItWas) {
  // Linear equations contract to rounding; ten tolerances are believed, 10/4 after a step of half
  // the size.
  const NewtonSettings settings{7, 0.02, false};
  for (const double growth : {1.0, 2.0}) {
    const double most = 10 / (growth * growth);
    NewtonMonitor below(settings, 1e-16, growth), above(settings, 1e-16, growth);
    EXPECT_EQ(below.judge(0.99 * most), Verdict::converged);
    EXPECT_EQ(above.judge(1.01 * most), Verdict::go_on);
  }
}

TEST(NewtonMonitor, JudgesByTheThirdCorrectionWhereTheFirstOneMisleads) {
  NewtonSettings settings;
  settings.tolerance = 1e-3;
  NewtonMonitor trusting(settings, 1);
  EXPECT_EQ(trusting.judge(1), Verdict::go_on);
  EXPECT_EQ(trusting.judge(1.1), Verdict::diverged);
  settings.first_misleads = true;
  NewtonMonitor wary(settings, 1);
  EXPECT_EQ(wary.judge(1), Verdict::go_on);
  EXPECT_EQ(wary.judge(1.1), Verdict::go_on);
  EXPECT_EQ(wary.judge(0.011), Verdict::converged);
  EXPECT_NEAR(wary.rate(), 0.01, 1e-15);
  EXPECT_NEAR(wary.eta(), 0.01 / 0.99, 1e-15);
  NewtonMonitor hopeless(settings, 1);
  EXPECT_EQ(hopeless.judge(1), Verdict::go_on);
  EXPECT_EQ(hopeless.judge(1.1), Verdict::go_on);
  EXPECT_EQ(hopeless.judge(1.2), Verdict::diverged);
}

TEST(NewtonMonitor, TakesTheGeometricMeanOfTheLastTwoRates) {
  const NewtonSettings settings{7, 1e-6, false};
  NewtonMonitor monitor(settings, 1);
  EXPECT_EQ(monitor.judge(1), Verdict::go_on);
  EXPECT_EQ(monitor.judge(0.04), Verdict::go_on);
  EXPECT_NEAR(monitor.rate(), 0.04, 1e-15);
  EXPECT_EQ(monitor.judge(0.0004), Verdict::go_on);
  EXPECT_NEAR(monitor.rate(), std::sqrt(0.04 * 0.01), 1e-15);
  // The next step may not rely on more than the slowest contraction of this one.
  EXPECT_NEAR(monitor.eta(), 0.04 / 0.96, 1e-15);
}

TEST(NewtonMonitor, GivesUpWhereTheRateIsOneOrMore) {
  const NewtonSettings settings{7, 1e-6, false};
  for (const double second : {0.99, 1.0, 2.0}) {
    NewtonMonitor monitor(settings, 1);
    EXPECT_EQ(monitor.judge(1), Verdict::go_on);
    EXPECT_EQ(monitor.judge(second), Verdict::diverged);
  }
}

TEST(NewtonMonitor, PredictsFailureAndTheStepThatWouldDo) {
  // theta = 0.5, eta = 1, five iterations left: 0.5 * 0.5^5 / 1e-3 = 15.625 >= 1.
  const NewtonSettings settings{7, 1e-3, false};
  NewtonMonitor monitor(settings, 1);
  EXPECT_EQ(monitor.judge(1), Verdict::go_on);
  EXPECT_EQ(monitor.judge(0.5), Verdict::hopeless);
  EXPECT_NEAR(monitor.step_factor(), 0.8 * std::pow(15.625, -1.0 / 9), 1e-15);
  // Clipped at 20.
  NewtonMonitor worse(settings, 1);
  worse.judge(100);
  EXPECT_EQ(worse.judge(50), Verdict::hopeless);
  EXPECT_NEAR(worse.step_factor(), 0.8 * std::pow(20.0, -1.0 / 9), 1e-15);
}

TEST(NewtonMonitor, HasNoMoreIterationsThanAllowed) {
  const NewtonSettings settings{3, 1e-9, false};
  NewtonMonitor monitor(settings, 1);
  EXPECT_EQ(monitor.judge(1e-3), Verdict::go_on);
  EXPECT_EQ(monitor.judge(1e-6), Verdict::go_on);  // 1e-6 * 1e-3 / 1e-9 = 1 with one left
  EXPECT_EQ(monitor.judge(2e-8), Verdict::converged);
  NewtonMonitor late(settings, 1);
  late.judge(1e-3), late.judge(9e-7);
  EXPECT_EQ(late.judge(8e-7), Verdict::diverged);
}

TEST(Radau, PassesThresholdsOfTransistorsWithCrudeTolerances) {
  // A step of such a size ends on an amplifier's slope with what a matrix from before the threshold
  // leaves in the algebraic rows: the next one must not take that for its own error.
  const Problem p = reproduce::two_transistor_amplifier().problem;
  for (int k = 0; k < 20; ++k) {
    const double rtol = std::pow(10.0, -2 - 0.05 * k);
    const Solution s = solve(p, {.method = "radau", .rtol = rtol, .dense = false});
    EXPECT_EQ(s.status, Status::success) << rtol << ": " << s.message.text();
  }
}

TEST(Radau, TakesItsMatrixFromTheMiddleOfTheStep) {
  // A matrix of the beginning let a third of these steps fail (26 steps, 92 iterations).
  const Problem p = reproduce::jay_index_2().statement.problem;
  const Solution s = solve(p, {.method = "radau", .rtol = 1e-4, .atol = {1e-4}, .dense = false});
  ASSERT_EQ(s.status, Status::success);
  EXPECT_LE(s.statistics.newton_failures, 2);
  EXPECT_LT(s.statistics.newton, 60);
}

TEST(StepControl, DividesByTheRootOfTheErrorOverTheSafety) {
  const StepControl control;
  // One iteration of seven: trust = 0.9 (1 + 14)/(1 + 14) = 0.9.
  EXPECT_NEAR(control.divisor(1, 3, 1, 7), 1 / 0.9, 1e-15);
  // Seven iterations: 0.9 * 15/21.
  EXPECT_NEAR(control.divisor(1, 3, 7, 7), 21 / (0.9 * 15), 1e-15);
  EXPECT_NEAR(control.divisor(16, 3, 1, 7), 2 / 0.9, 1e-15);
  EXPECT_EQ(control.divisor(1e-12, 3, 1, 7), 1.0 / 8) << "grows by 8 at most";
  EXPECT_EQ(control.divisor(1e12, 3, 1, 7), 5) << "shrinks to a fifth at most";
}

TEST(StepControl, IsPredictiveAfterTheFirstAcceptedStep) {
  StepControl control;
  EXPECT_NEAR(control.after_accepted(0.1, 0.5, 3, 1, 7), 0.1 * 0.9 / std::pow(0.5, 0.25), 1e-15);
  // h_old/h (err^2/err_old)^(1/4)/0.9 = 0.5 (0.64/0.5)^(1/4)/0.9 < plain: the plain one holds.
  EXPECT_NEAR(control.after_accepted(0.2, 0.8, 3, 1, 7), 0.2 * 0.9 / std::pow(0.8, 0.25), 1e-15);
  // The step was halved and the error did not fall: 2 (0.81/0.8)^(1/4)/0.9 prevails.
  EXPECT_NEAR(control.after_accepted(0.1, 0.9, 3, 1, 7),
              0.1 / (2 * std::pow(0.81 / 0.8, 0.25) / 0.9), 1e-15);
  control.forget();
  EXPECT_NEAR(control.after_accepted(-0.1, 0.5, 3, 1, 7), -0.1 * 0.9 / std::pow(0.5, 0.25), 1e-15);
}

TEST(StepControl, RemembersNoErrorBelowOneHundredth) {
  StepControl control;
  control.after_accepted(0.1, 1e-8, 3, 1, 7);
  EXPECT_EQ(control.accepted_error, 1e-2);
  EXPECT_EQ(control.accepted_h, 0.1);
}

OrderControl settled() {
  OrderControl control;
  control.factorizations_since_change = 20;
  return control;
}

TEST(OrderControl, RaisesTheOrderWhereNewtonIsFastAndTheStepSteady) {
  EXPECT_EQ(settled().next(3, 0.002, 2, 1.0), 5);
  EXPECT_EQ(settled().next(5, 0.002, 2, 1.0), 7);
  EXPECT_EQ(settled().next(7, 0.002, 2, 1.0), 7) << "no more than max_stages";
  EXPECT_EQ(settled().next(3, 0.0021, 2, 1.0), 3);
  EXPECT_EQ(settled().next(3, 0.001, 1, 1.0), 3) << "one iteration says nothing about the rate";
  EXPECT_EQ(settled().next(3, 0.001, 2, 1.2), 3);
  EXPECT_EQ(settled().next(3, 0.001, 2, 0.8), 3);
}

TEST(OrderControl, TakesFewerStagesWhereNewtonKeepsStepsShort) {
  OrderControl control = settled();
  const auto after = [&control](int steps, bool limited, double error_of_fewer) {
    for (int k = 0; k < steps; ++k) control.note(limited, error_of_fewer);
    return OrderControl(control).next(5, 0.1, 3, 1);
  };
  EXPECT_EQ(after(100, false, 0.1), 5) << "as long as they may be";
  EXPECT_EQ(after(100, true, 1.1), 5) << "fewer would not do";
  EXPECT_EQ(after(2, true, 0.1), 5);
  EXPECT_EQ(after(10, true, 0.1), 3);
  EXPECT_EQ(control.next(5, 0.1, 3, 1), 3);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(control.next(3, 1e-3, 2, 1), 3) << "wait";
  EXPECT_EQ(control.next(3, 1e-3, 2, 1), 5);
}

TEST(OrderControl, RaisesTheOrderEarlierWhereStagesAreCheap) {
  OrderControl eager = settled();
  eager.is_eager = true;
  EXPECT_EQ(OrderControl(eager).next(3, 0.1, 2, 1.9), 5);
  EXPECT_EQ(OrderControl(eager).next(3, 0.11, 2, 1.0), 3);
  EXPECT_EQ(OrderControl(eager).next(5, 0.01, 2, 0.6), 7);
  EXPECT_EQ(OrderControl(eager).next(5, 0.011, 2, 1.0), 5) << "seven stages ask for more";
  EXPECT_EQ(OrderControl(eager).next(3, 0.01, 2, 2.0), 3);
  EXPECT_EQ(OrderControl(eager).next(3, 0.01, 2, 0.5), 3);
}

TEST(OrderControl, LowersTheOrderWhereNewtonIsSlowOrFails) {
  EXPECT_EQ(settled().next(5, 0.8, 5, 1.0), 3);
  EXPECT_EQ(settled().next(3, 0.8, 5, 1.0), 3) << "no less than min_stages";
  OrderControl failed = settled();
  failed.newton_failed = true;
  EXPECT_EQ(failed.next(7, 0.1, 5, 1.0), 5);
  OrderControl slow = settled();
  slow.newton_was_slow = true;
  EXPECT_EQ(slow.next(7, 0.1, 5, 1.0), 5);
}

TEST(OrderControl, SmoothsTheRateAndWaitsTenFactorisations) {
  OrderControl control = settled();
  control.smoothed_rate = 0.1;
  EXPECT_EQ(control.next(3, 1e-4, 2, 1.0), 3) << "0.05 after halving";
  EXPECT_EQ(control.smoothed_rate, 0.05);
  OrderControl fresh;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(fresh.next(3, 1e-3, 2, 1.0), 3) << i;
  EXPECT_EQ(fresh.next(3, 1e-3, 2, 1.0), 5);
  EXPECT_EQ(fresh.next(5, 1e-3, 2, 1.0), 5) << "waits again";
}

TEST(OrderControl, WaitsAtTheStartForOneMatrixWhereStagesAreCheap) {
  OrderControl fresh;
  fresh.be_eager();
  EXPECT_EQ(fresh.next(3, 0.05, 2, 1.0), 3);
  EXPECT_EQ(fresh.next(3, 0.05, 2, 1.0), 5);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(fresh.next(5, 1e-3, 2, 1.0), 5) << i;
  EXPECT_EQ(fresh.next(5, 1e-3, 2, 1.0), 7);
}

TEST(OrderControl, TriesMoreStagesWhereTheSameFactorsServeALinearProblem) {
  OrderControl control;
  const auto make_steps = [&](int stages, double h, bool kept) {
    int count = 1;
    while (count < 100 && !control.after_step(stages, h, true, kept)) ++count;
    return count;
  };
  EXPECT_EQ(make_steps(3, 0.1, true), 10);
  EXPECT_EQ(control.next(3, 0, 1, 1.0), 5) << "though one iteration was all";
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(control.after_step(5, 0.2, true, false)) << i;
  EXPECT_EQ(make_steps(5, 0.2, true), 10) << "longer steps: there may be more yet";
  EXPECT_EQ(control.next(5, 0, 1, 1.0), 7);
  EXPECT_EQ(make_steps(7, 0.2, true), 10);
  EXPECT_EQ(control.next(7, 0, 1, 1.0), 5) << "steps did not grow by what the stages cost";
  EXPECT_EQ(make_steps(5, 0.2, true), 40) << "the next trial waits for longer";
}

TEST(OrderControl, TriesNoMoreStagesWhereFactorsChangeOrRatesWereSeen) {
  OrderControl seen, changing, highest;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(seen.after_step(3, 0.1, false, true));
    EXPECT_FALSE(changing.after_step(3, 0.1, true, i % 9 != 8));
    EXPECT_FALSE(highest.after_step(7, 0.1, true, true)) << "no more than max_stages";
  }
}

/// Its matrix is made once and its factors serve on: an occasion to raise the order has to be made.
TEST(OrderControl, RisesInALinearProblemThatKeepsItsFactors) {
  const Problem oscillator = {
      .form = LinearlyImplicit{.size = 2,
                               .f = [](auto, auto y, auto f) { f[0] = y[1], f[1] = -1.0 * y[0]; }},
      .t_span = {0, 1000},
      .start = {1, 0}};
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    SCOPED_TRACE(rtol);
    const auto run = [&](const char* method) {
      return solve(oscillator, {.method = method, .rtol = rtol, .dense = false});
    };
    const Solution s = run("radau"), highest = run("radau_iia_13");
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    // Ten steps of three stages and of five, and some that grow.
    EXPECT_LE(s.statistics.steps, highest.statistics.steps + 50);
    EXPECT_LE(s.statistics.jacobians, 2);
  }
}

/// The estimate of one step of size h from exact values, by the stages of `method`.
std::vector<double> estimate(const exact::Exact& e, const char* method, double t, double h) {
  auto system = make_system(e.problem, Formulation::direct);
  const int n = system->size;
  State state;
  state.t = t;
  const Vector y = e.solution(t), before = e.solution(t - 1e-5), after = e.solution(t + 1e-5);
  state.y.assign(y.data(), y.data() + n), state.yp.resize(n);
  for (int k = 0; k < n; ++k) state.yp[k] = (after[k] - before[k]) / 2e-5;
  Jacobian jacobian(*system, LinearAlgebra::dense, t, state.y.data(), state.yp.data());
  Pencil pencil = jacobian.make_pencil();
  EXPECT_TRUE(jacobian.evaluate(t, state.y.data(), state.yp.data(), pencil));
  const auto stages = make_stage_solver(*system, stage_constants(find_method(method)), pencil);
  EXPECT_TRUE(stages->factor(pencil, h));
  ErrorNorm norm(system->variable_index, 1e-12, Vector::Constant(n, 1e-12));
  norm.set_reference(state.y.data());
  norm.set_step(h);
  Statistics statistics;
  EXPECT_EQ(stages->solve(state, h, norm, {60, 1, true}, statistics, {false, nullptr}).outcome,
            NewtonOutcome::converged);
  std::vector<double> error(n);
  stages->estimate(state, h, error.data(), false, statistics);
  return error;
}

TEST(ErrorEstimate, HasTheOrdersOfTheTheory) {
  struct Case {
    exact::Exact exact;
    const char* method;
    double h;
    std::vector<int> order;
  };
  // s = 3: h^4 for differential variables, h^3 for those of index 2, h^2 for those of index 3
  // (multipliers); odd s: h^(s+1).
  const Case cases[] = {{exact::oscillator(), "radau_iia_1", 0.02, {2, 2}},
                        {exact::oscillator(), "radau_iia_5", 0.05, {4, 4}},
                        {exact::oscillator(), "radau_iia_9", 0.1, {6, 6}},
                        {exact::index_1(), "radau_iia_5", 0.02, {4, 4, 4}},
                        {exact::index_2(), "radau_iia_5", 0.01, {4, 4, 3}},
                        {exact::index_3(), "radau_iia_5", 0.02, {4, 4, 3, 3, 2}}};
  for (const Case& c : cases) {
    const std::vector<double> whole = estimate(c.exact, c.method, 0.2, c.h);
    const std::vector<double> half = estimate(c.exact, c.method, 0.2, c.h / 2);
    for (std::size_t k = 0; k < c.order.size(); ++k)
      // The next term of the expansion is of relative size h.
      EXPECT_NEAR(std::log2(std::abs(whole[k] / half[k])), c.order[k], 0.25)
          << c.exact.name << " " << c.method << " variable " << k;
  }
}

TEST(ErrorNorm, WeighsHigherIndexByPowersOfTheStep) {
  ErrorNorm norm({1, 2, 3}, 1e-3, Vector::Constant(3, 1e-6));
  const double y[] = {1, 1, 1};
  norm.set_reference(y);
  norm.set_step(-0.1);
  EXPECT_NEAR(norm.weight(0), 1 / (1e-6 + 1e-3), 1e-9);
  EXPECT_NEAR(norm.weight(1), 0.1 / (1e-6 + 1e-3), 1e-9);
  EXPECT_NEAR(norm.weight(2), 0.01 / (1e-6 + 1e-3), 1e-9);
  const double x[] = {1.001e-3, 0, 0};
  EXPECT_NEAR(norm(x), std::sqrt(1.0 / 3), 1e-12);
}

/// An estimate that vanishes where F does not depend on y would let steps grow without bound.
TEST(ErrorEstimate, SeesRightSidesThatDependOnTimeAlone) {
  const Problem quadrature = {
      .form = LinearlyImplicit{.size = 1,
                               .f = [](auto t, auto, auto out) { out[0] = 20.0 * cos(20.0 * t); }},
      .t_span = {0, 1},
      .start = {0}};
  for (const Tableau& method : runge_kutta_methods()) {
    if (method.order < 3) continue;  // too many steps, whose errors add up
    const double rtol = 1e-6;
    const Solution s = solve(quadrature, {.method = method.name, .rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << method.name << ": " << s.message.text();
    EXPECT_LE(std::abs(s.y_end()[0] - std::sin(20.0)), 30 * rtol) << method.name;
  }
}

}  // namespace
}  // namespace daedalus
