// Runs that are made again begin with what the one before has prepared: the same bits, whatever was
// done to the problem, its functions or the options in between.
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "reproduce/singular_mechanisms.h"
#include "reproduce/testset.h"

namespace daedalus {
namespace {

struct Rates {
  double slow = 0.04, fast = 3e7, between = 1e4;
};

/// Robertson's reaction with its sum as an algebraic equation.
Problem reaction(const Rates& k) {
  return {.form = LinearlyImplicit{.size = 3,
                                   .mass = Mass::diagonal({1, 1, 0}),
                                   .f =
                                       [&k](auto y, auto f) {
                                         f[0] = -k.slow * y[0] + k.between * y[1] * y[2];
                                         f[1] = -f[0] - k.fast * y[1] * y[1];
                                         f[2] = y[0] + y[1] + y[2] - 1.0;
                                       }},
          .t_span = {0, 40},
          .start = {1, 0, 0}};
}

/// Round a circle, kept on it by a multiplier of index 2.
Problem circle() {
  return {.form = LinearlyImplicit{.size = 3,
                                   .mass = Mass::diagonal({1, 1, 0}),
                                   .f =
                                       [](auto y, auto f) {
                                         f[0] = -y[1] - y[0] * y[2];
                                         f[1] = y[0] - y[1] * y[2];
                                         f[2] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
                                       }},
          .t_span = {0, 1},
          .start = {1, 0, 0.5},
          .variable_index = {1, 1, 2}};
}

Problem semi_explicit() {
  return {.form = SemiExplicit{.differential = 1,
                               .algebraic = 1,
                               .f = [](auto t, auto x, auto z, auto f) { f[0] = -z[0] + t * x[0]; },
                               .g = [](auto x, auto z, auto g) { g[0] = z[0] * z[0] - x[0]; }},
          .t_span = {0, 1},
          .start = {1, 1}};
}

/// F(t, y, y') = 0 whose second row has a derivative or not, as `lag` says.
Problem implicit(const double& lag) {
  return {.form = FullyImplicit{.size = 2,
                                .residual =
                                    [&lag](auto t, auto y, auto yp, auto r) {
                                      r[0] = (1.0 + y[1] * y[1]) * yp[0] + y[0];
                                      r[1] = lag * yp[1] + y[1] - sin(t);
                                    }},
          .t_span = {0, 5},
          .start = {1, 0},
          .start_derivative = {-1, 0}};
}

/// Step by step, so that nothing of the run is given away.
Solution stepped(const Problem& problem, const Options& options) {
  Integrator run(problem, options);
  while (run.step()) {
  }
  return run.solution();
}

void expect_same(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.message.text(), b.message.text());
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.choice, b.choice);
  EXPECT_EQ(a.formulation, b.formulation);
  EXPECT_EQ(a.jacobian, b.jacobian);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.variables, b.variables);
  EXPECT_EQ(a.unknowns, b.unknowns);
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.start_shift, b.start_shift);
  EXPECT_EQ(a.step_residuals, b.step_residuals);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < a.steps.size(); ++k) EXPECT_EQ(a.steps[k].h, b.steps[k].h);
  ASSERT_EQ(a.constraint_residual.size(), b.constraint_residual.size());
  for (std::size_t k = 0; k < a.constraint_residual.size(); ++k) {
    EXPECT_EQ(a.constraint_residual[k].level, b.constraint_residual[k].level);
    EXPECT_EQ(a.constraint_residual[k].maximum, b.constraint_residual[k].maximum);
    EXPECT_EQ(a.constraint_residual[k].t, b.constraint_residual[k].t);
    EXPECT_EQ(a.constraint_residual[k].equation, b.constraint_residual[k].equation);
  }
  EXPECT_EQ(a.statistics.rhs, b.statistics.rhs);
  EXPECT_EQ(a.statistics.jacobians, b.statistics.jacobians);
  EXPECT_EQ(a.statistics.factorizations, b.statistics.factorizations);
  EXPECT_EQ(a.statistics.rejected, b.statistics.rejected);
}

Solution fresh(Problem problem, const Options& options) {
  problem.findings = Findings::none();
  return stepped(problem, options);
}

const char* const methods[] = {"auto", "radau_iia_5", "gauss_4", "rodas_4", "bdf"};

TEST(RunAgain, HasTheSameBits) {
  const Rates rates;
  for (const Problem& problem : {reaction(rates), circle(), semi_explicit()})
    for (const char* method : methods)
      for (const bool dense : {false, true}) {
        SCOPED_TRACE(method);
        const Options options{.method = method, .rtol = 1e-7, .points = 5, .dense = dense};
        const Solution alone = fresh(problem, options);
        for (int round = 0; round < 3; ++round) {
          expect_same(alone, stepped(problem, options));
          expect_same(alone, solve(problem, options));
        }
      }
}

TEST(RunAgain, SeesWhichRowsAreAlgebraicNow) {
  double lag = 0;
  const Problem problem = implicit(lag);
  for (const char* method : {"auto", "radau_iia_5", "bdf"}) {
    const Options options{.method = method, .rtol = 1e-7, .dense = false};
    for (const double now : {0.0, 0.0, 0.5, 0.5, 0.0}) {
      lag = now;
      expect_same(fresh(problem, options), solve(problem, options));
      expect_same(fresh(problem, options), stepped(problem, options));
    }
  }
}

TEST(RunAgain, SeesWhatChanged) {
  Rates rates;
  Problem problem = reaction(rates);
  Options options{.dense = false};
  const auto check = [&](const char* what) {
    SCOPED_TRACE(what);
    for (int round = 0; round < 2; ++round)
      expect_same(fresh(problem, options), stepped(problem, options));
  };
  check("as it was");
  rates.fast = 2e7, check("what functions hold");
  problem.start = {0.9, 0, 0}, check("a start that is moved");
  problem.start = {0.9}, check("a start that stops early");
  problem.t_span = {1, 30}, check("interval");
  problem.t_span = {30, 29.9}, check("backwards");
  problem.t_span = {0, 40};
  options.points = 7, check("points");
  problem.t_span = {0, 41}, check("points of another interval");
  options.points = 0, options.at = {3, 1}, check("times");
  options.rtol = 1e-8, check("tolerance");
  options.atol = {1e-6, 1e-10, 1e-6}, check("tolerances");
  options.max_step = 5, check("longest step");
  options.max_stages = 3, check("stages");
  problem.variables = {"A", "B", "C"}, check("names");
  problem.equations = {"first", "second", "sum"}, check("names of equations");
  problem.fixed = {"A"}, check("fixed");
  problem.fixed = {"A", "C"}, problem.start = {0.9, 0, 0.1}, check("fixed");
  std::get<LinearlyImplicit>(problem.form).mass = Mass::diagonal({1, 0.5, 0}), check("mass");
  std::get<LinearlyImplicit>(problem.form).f = [](auto y, auto f) {
    f[0] = -y[0], f[1] = y[0] - y[1], f[2] = y[0] - y[2];
  };
  problem.fixed = {}, check("function");
  options.record = false, check("no record");
  options.record = true, options.fixed_step = 0.5, check("fixed step");
  problem.start = {0, 0, 0, 0};
  for (int round = 0; round < 2; ++round) EXPECT_THROW(stepped(problem, options), InvalidInput);
  problem.start = {1, 0, 1}, check("after a wrong call");
}

/// Left half way, ended by an exception, failed, or with a matrix of an order that others begin
/// without: the next one knows nothing of it.
TEST(RunAgain, ForgetsHowTheLastOneEnded) {
  Rates rates;
  bool throws = false;
  Problem problem = reaction(rates);
  std::get<LinearlyImplicit>(problem.form).f = [&](auto y, auto f) {
    if (throws) throw std::runtime_error("enough");
    f[0] = -rates.slow * y[0] + rates.between * y[1] * y[2];
    f[1] = -f[0] - rates.fast * y[1] * y[1];
    f[2] = y[0] + y[1] + y[2] - 1.0;
  };
  const Options options{.rtol = 1e-9, .dense = false};
  const Solution alone = fresh(problem, options);
  const auto check = [&] { expect_same(alone, stepped(problem, options)); };
  check();
  for (const int steps : {0, 1, 20}) {
    Integrator left(problem, options);
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(left.step());
    check();
  }
  check();
  {
    Integrator stopped(problem, options);
    EXPECT_TRUE(stopped.step());
    throws = true;
    EXPECT_THROW(stopped.step(), std::runtime_error);
    throws = false;
  }
  check();
  const Solution failed = stepped(problem, {.rtol = 1e-9, .dense = false, .max_steps = 3});
  EXPECT_FALSE(failed.succeeded());
  check();
  rates.slow = std::nan("");
  EXPECT_FALSE(stepped(problem, options).succeeded());
  rates.slow = 0.04;
  check();
}

struct Swing {
  double gravity = 9.81, length = 1;
};
Problem pendulum(const Swing& held) {
  return {.form = Mechanical{
              .coordinates = 2,
              .holonomic = 1,
              .force = [&held](auto, auto, auto f) { f[0] = 0.0, f[1] = -held.gravity; },
              .constraint =
                  [&held](auto q, auto g) { g[0] = q.squaredNorm() - held.length * held.length; }},
          .t_span = {0, 1},
          .start = {1, 0}};
}
/// The same as M y' = f of index 3, which is recorded.
Problem recorded_pendulum(const Swing& held) {
  return {.form = LinearlyImplicit{.size = 5,
                                   .mass = Mass::diagonal({1, 1, 1, 1, 0}),
                                   .f =
                                       [&held](auto y, auto f) {
                                         f[0] = y[2], f[1] = y[3];
                                         f[2] = -y[0] * y[4];
                                         f[3] = -y[1] * y[4] - held.gravity;
                                         f[4] = y[0] * y[0] + y[1] * y[1] - held.length;
                                       }},
          .t_span = {0, 1},
          .start = {1, 0, 0, 0, 0},
          .variable_index = {1, 1, 2, 2, 3}};
}

TEST(RunAgain, SeesWhatChangedInAMotion) {
  Swing swing;
  for (Problem problem : {pendulum(swing), recorded_pendulum(swing)}) {
    Options options{.dense = false};
    const auto check = [&](const char* what) {
      SCOPED_TRACE(what);
      for (int round = 0; round < 2; ++round) {
        expect_same(fresh(problem, options), stepped(problem, options));
        expect_same(fresh(problem, options), solve(problem, options));
      }
    };
    check("as it was");
    swing.gravity = 9.80665, check("what forces hold");
    swing.length = 1 + 1e-9, check("what constraints hold");
    problem.start = {0.6, -0.8}, check("start");
    problem.t_span = {0, 2}, check("interval");
    options.rtol = 1e-8, check("tolerance");
    options.points = 11, check("points");
    options.dense = true, check("dense");
    options.method = "radau", check("method");
    options = {.dense = false};
    if (std::holds_alternative<Mechanical>(problem.form))
      problem.variables = {"x", "y", "vx", "vy", "force"}, check("names");
    else
      problem.variable_index.clear(), problem.t_span = {0, 1e-3}, check("index");
    swing = {};
  }
}

/// One after the other, so that each finds what another one has left. (The slider-crank passes a
/// singular point, which not every method does.)
TEST(RunAgain, MotionsHaveTheSameBitsWithEachMethod) {
  const Swing swing;
  const Problem all[] = {pendulum(swing),
                         reproduce::andrews(reproduce::Told::as_mechanism).statement.problem,
                         reproduce::slider_crank().problem(0.6, 2.5, 3)};
  for (const Problem& problem : all)
    for (int round = 0; round < 3; ++round)
      for (const char* method : {"auto", "dop853", "auto", "hem_4", "extrapolated_midpoint"})
        for (const bool dense : {false, true}) {
          SCOPED_TRACE(method);
          const Options options{.method = method, .rtol = 1e-5, .points = 5, .dense = dense};
          const Solution s = solve(problem, options);
          expect_same(fresh(problem, options), s);
          if (dense && s.succeeded()) {
            const double inside = 0.3 * problem.t_span.begin + 0.7 * problem.t_span.end;
            const Vector here = s(inside);
            expect_same(s, solve(problem, options));
            EXPECT_EQ(s(inside), here);
          }
        }
}

/// Whoever waits with the inside of steps until it is asked for shows the same.
TEST(RunAgain, ShowsTheInsideOfStepsAsDenseOutputDoes) {
  const Swing swing;
  for (const Problem& problem : {pendulum(swing), recorded_pendulum(swing)})
    for (const bool record : {false, true}) {
      Integrator eager(problem, {.rtol = 1e-7}),
          waiting(problem, {.rtol = 1e-7, .at = {1.0}, .dense = false, .record = record});
      std::vector<double> a(5), b(5);
      for (int k = 0; eager.step() && waiting.step(); ++k) {
        ASSERT_EQ(eager.t(), waiting.t());
        if (k < 4) continue;  // the scales of the start are not those of this point
        const double time = eager.t() - 0.3 * eager.step_size();
        eager.interpolate(time, Output(a.data(), 5));
        waiting.interpolate(time, Output(b.data(), 5));
        EXPECT_EQ(a, b) << k;
      }
    }
}

/// What a run has given away stays as it is.
TEST(RunAgain, LeavesSolutionsAlone) {
  const Rates rates;
  Problem problem = reaction(rates);
  const Options options{.rtol = 1e-6};
  const Solution first = solve(problem, options);
  const Vector inside = first(3.7);
  for (int round = 0; round < 2; ++round) {
    problem.start = {0.5, 0, 0.5};
    const Solution other = solve(problem, options);
    EXPECT_NE(other(3.7), inside);
    problem.start = {1, 0, 0};
    EXPECT_EQ(first(3.7), inside);
    EXPECT_EQ(solve(problem, options)(3.7), inside);
  }
}

TEST(RunAgain, MayBeSharedByThreads) {
  const Rates rates;
  const Swing swing;
  for (const Problem& problem : {reaction(rates), pendulum(swing)}) {
    const Options options{.rtol = 1e-6, .dense = false};
    const Solution alone = fresh(problem, options);
    std::vector<Solution> found(4);
    std::vector<std::thread> threads;
    for (Solution& s : found)
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) s = stepped(problem, options);
      });
    for (std::thread& thread : threads) thread.join();
    for (const Solution& s : found) expect_same(alone, s);
  }
}

}  // namespace
}  // namespace daedalus
