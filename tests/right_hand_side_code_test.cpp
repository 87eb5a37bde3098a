// Code for f and df/dy against the functions it is made of, and runs that go over to it.
#include "problem/right_hand_side_code.h"

#include <cmath>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "io/embedded.h"
#include "problem/system.h"

namespace daedalus {
namespace {

constexpr int n = 5;

template <class S, class In, class Out>
void equations(double stiffness, const S& t, const In& y, Out& f) {
  f[0] = -stiffness * y[0] + sin(3.0 * t) * exp(y[1]);
  f[1] = y[2] * y[3] - y[1] / (1.0 + t * t);
  f[2] = cos(t);  // of the time alone
  f[3] = y[4];    // a variable itself
  f[4] = sqrt(1.0 + y[0] * y[0]) - 2.0;
}

struct Case {
  double stiffness = 40;
  RightHandSideCode::Record record() const {
    return [this](const Expr& t, const Expr* y, Expr* f) { equations(stiffness, t, y, f); };
  }
};

double component(int point, int j) {
  return std::sin(1.0 + 3 * point + j);
}

TEST(RightHandSideCode, GivesWhatTheFunctionGives) {
  const Case given;
  const auto code = RightHandSideCode::of(n, given.record(), {});
  ASSERT_TRUE(code);
  for (const int points : {1, 3, 4, 5, 7, 9})
    for (const int apart : {n, 8}) {
      std::vector<double> t, y(static_cast<std::size_t>(points * apart + 8), 0.0), f(y.size(), 7.0);
      for (int i = 0; i < points; ++i) {
        t.push_back(0.1 * points + i);
        for (int j = 0; j < n; ++j) y[i * apart + j] = component(i + points, j);
      }
      for (int round = 0; round < 2; ++round)  // the second with sources that are known
        code->values(points, apart, t.data(), y.data(), f.data());
      for (int i = 0; i < points; ++i) {
        double expected[n];
        const double* at = y.data() + i * apart;
        equations(given.stiffness, t[i], at, expected);
        for (int j = 0; j < n; ++j)
          EXPECT_NEAR(f[i * apart + j], expected[j], 4e-16 * (given.stiffness + 4));
        if (apart == 8) {
          EXPECT_EQ(f[i * apart + n], 0);
        }
      }
      EXPECT_EQ(f[points * apart], 7) << "nothing is written behind the last point";
    }
}

TEST(RightHandSideCode, GivesDerivatives) {
  const Case given;
  const auto code = RightHandSideCode::of(n, given.record(), {});
  ASSERT_TRUE(code);
  const double t = 0.7;
  double y[n];
  std::vector<Dual> at(n), f(n);
  for (int j = 0; j < n; ++j) {
    y[j] = component(0, j);
    at[j] = y[j], at[j].d[j] = 1;
  }
  equations(given.stiffness, Dual(t), at, f);
  std::vector<double> a(n * n, 3.0);
  code->minus_derivatives(t, y, a.data());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(a[i + j * n], -f[i].d[j], 4e-16 * given.stiffness) << i << ' ' << j;
}

TEST(RightHandSideCode, IsNotMadeOfFunctionsThatBranchOnValues) {
  const auto branch = [](const Expr&, const Expr* y, Expr* f) { f[0] = y[0] < 1 ? y[0] : Expr(1); };
  EXPECT_FALSE(RightHandSideCode::of(1, branch, {}));
}

TEST(RightHandSideCode, FollowsValuesThatAFunctionHolds) {
  const Findings findings = Problem{}.findings;
  Case given;
  std::vector<double> y(8, 1.0), f(8);
  const double t = 0;
  for (const double stiffness : {40.0, 40.0, 2.0, 40.0}) {
    given.stiffness = stiffness;
    const auto code = RightHandSideCode::of(n, given.record(), findings);
    code->values(1, 8, &t, y.data(), f.data());
    EXPECT_EQ(f[0], -stiffness);
  }
}

/// Van der Pol's equation with a source, a few hundred steps.
Problem oscillator() {
  const LinearlyImplicit form = {
      .size = 2, .mass = Mass::diagonal({1, 1e-2}), .f = [](auto t, auto y, auto out) {
        out[0] = y[1];
        out[1] = (1.0 - y[0] * y[0]) * y[1] - y[0] + 0.1 * sin(5.0 * t) * exp(-y[0]);
      }};
  return {.form = form, .t_span = {0, 10}, .start = {2, 0}};
}

TEST(RightHandSideCode, LeavesTheSolutionOfARunWhereItIs) {
  const Problem problem = oscillator();
  Options options = {.method = "radau", .rtol = 1e-8};
  const Solution with = solve(problem, options), again = solve(problem, options);
  options.evaluation = Evaluation::interpreted;
  const Solution without = solve(problem, options);
  EXPECT_GT(with.statistics.steps, 64);
  EXPECT_EQ(with.y_end(), again.y_end()) << "code that is known already gives the same bits";
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(with.y_end()[j], without.y_end()[j], 1e-6);
}

TEST(RightHandSideCode, IsTakenUpAgainBehindACheckpoint) {
  Options options = {.method = "radau", .rtol = 1e-8};
  std::stringstream saved;
  Integrator run(oscillator(), options);
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(run.step());
  run.save(saved);
  while (run.step()) {
  }
  Integrator resumed = Integrator::resume(oscillator(), options, saved);
  while (resumed.step()) {
  }
  EXPECT_EQ(run.solution().y_end(), resumed.solution().y_end());
}

/// y' = u - y and a ripple that keeps the steps short, so that there is code long before t = 30.
struct Controlled {
  double u = 1;
  Problem problem() const {
    return {
        .form = LinearlyImplicit{.size = 1,
                                 .f = [this](auto t, auto y,
                                             auto f) { f[0] = u - y[0] + 0.05 * sin(20.0 * t); }},
        .t_span = {0, 60},
        .start = {0}};
  }
};

TEST(RightHandSideCode, SeesWhatWhoeverMakesTheStepsChanges) {
  Controlled control;
  Integrator run(control.problem(), {.method = "radau", .rtol = 1e-8});
  while (run.step())
    if (run.t() > 30) control.u = -1;
  EXPECT_NEAR(run.y()[0], -1, 0.01);
}

TEST(RightHandSideCode, SeesWhatAProgressCallbackChanges) {
  Controlled control;
  Options options = {.method = "radau", .rtol = 1e-8};
  options.progress = [&](const Progress& now) {
    if (now.t > 30) control.u = -1;
    return true;
  };
  EXPECT_NEAR(solve(control.problem(), options).y_end()[0], -1, 0.01);
}

TEST(RightHandSideCode, SeesWhatAResetChanges) {
  Controlled control;
  Options options = {.method = "radau", .rtol = 1e-8};
  options.events.push_back({.name = "off",
                            .value = [](double, Input y) { return y[0] - 0.9; },
                            .reset = [&](double, Output) { control.u = 0; }});
  const Solution solution = solve(control.problem(), options);
  EXPECT_NEAR(solution.y_end()[0], 0, 0.01);
  EXPECT_EQ(solution.events.size(), 1u);
}

TEST(RightHandSideCode, IsNotMadeOfLongComputations) {
  const auto sum = [](const Expr&, const Expr* y, Expr* f) {
    f[0] = Expr(0);
    for (int k = 1; k <= 20000; ++k) f[0] = f[0] + 1.0 / (k + y[0] * y[0]);
  };
  EXPECT_FALSE(RightHandSideCode::of(1, sum, {}));
}

/// F at several points, as `System::residuals` has it.
std::vector<double> residuals(const System& system, int points, int apart) {
  std::vector<double> t, y(static_cast<std::size_t>(points * apart)), yp = y, r = y;
  for (int i = 0; i < points; ++i) {
    t.push_back(0.1 + 0.01 * i);
    for (int j = 0; j < system.size; ++j)
      y[i * apart + j] = 0.5 + 0.4 * component(i, j), yp[i * apart + j] = component(j, i);
  }
  system.residuals(points, apart, t.data(), y.data(), yp.data(), r.data());
  return r;
}

TEST(RightHandSideCode, GivesWhatAModelSays) {
  // transamp: algebraic equations are combinations of rows.
  for (const std::string name : {"robertson_40", "chemakzo", "transamp", "jay_index2", "rlc"}) {
    const Problem problem =
        Model::from_text(std::string(embedded("models/" + name + ".mo")), name).problem();
    const auto system = make_system(problem, Formulation::direct);
    ASSERT_TRUE(system->knows_right_hand_side) << name;
    for (const int points : {3, 5, 7}) {
      const int apart = (system->size + 3) / 4 * 4;
      const std::vector<double> before = residuals(*system, points, apart);
      system->translate(problem.findings, 0, nullptr);
      const std::vector<double> after = residuals(*system, points, apart);
      double largest = 1;  // terms that cancel are no larger than some row
      for (const double value : before) largest = std::max(largest, std::abs(value));
      for (std::size_t k = 0; k < before.size(); ++k)
        EXPECT_NEAR(after[k], before[k], 1e-14 * largest) << name << ", " << k;
    }
  }
}

}  // namespace
}  // namespace daedalus
