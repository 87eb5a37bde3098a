// Motions as straight-line code: the same slopes, multipliers and projections as the long way.
#include <cmath>

#include <gtest/gtest.h>

#include "formulation/constrained_motion.h"
#include "reproduce/link_chain.h"
#include "reproduce/testset.h"

namespace daedalus {
namespace {

struct Case {
  const char* name;
  Problem (*problem)();
};

class StraightMotions : public ::testing::TestWithParam<Case> {};

TEST_P(StraightMotions, AgreeWithTheLongWay) {
  const Problem problem = GetParam().problem();
  const auto& form = std::get<Mechanical>(problem.form);
  const int n = form.coordinates, m = form.holonomic;
  std::shared_ptr<MotionEquations> equations = motion_of(form, true);
  ASSERT_NE(equations->straight(), nullptr);
  ConstrainedMotion code(equations, Solves::by_factors),
      long_way(motion_of(form, false), Solves::by_factors);
  const double t = 0.1;
  Vector x = Vector(problem.start).head(2 * n);
  code.begin(t, x.data()), long_way.begin(t, x.data());
  const double size = x.lpNorm<Eigen::Infinity>();
  for (int j = 0; j < 2 * n; ++j) x[j] += 1e-4 * size * std::sin(3.0 * (j + 1));
  Vector one(2 * n), other(2 * n), lambda(m), mu(m), y = x;
  ASSERT_TRUE(code.slope(t, x.data(), one.data()));
  ASSERT_TRUE(long_way.slope(t, x.data(), other.data()));
  // Condition numbers of some thousands, in Andrews' mechanism.
  EXPECT_LE((one - other).norm(), 1e-11 * other.norm());
  code.multipliers(lambda.data()), long_way.multipliers(mu.data());
  EXPECT_LE((lambda - mu).norm(), 1e-11 * mu.norm());
  EXPECT_NEAR(code.health(), long_way.health(), 0.9 * long_way.health());

  for (int k = 0; k < 2; ++k) {
    code.level(k, t, x.data(), lambda.data()), long_way.level(k, t, x.data(), mu.data());
    EXPECT_LE((lambda - mu).norm(), 1e-13 * size + 1e-11 * mu.norm()) << "level " << k;
    // Also of a point after another one, level 1 first.
    Vector moved = x + Vector::Constant(2 * n, 1e-3 * size);
    code.level(1, t, moved.data(), lambda.data()), long_way.level(1, t, moved.data(), mu.data());
    EXPECT_LE((lambda - mu).norm(), 1e-13 * size + 1e-11 * mu.norm());
  }

  const Vector tolerance = Vector::Constant(2 * n, size);
  ASSERT_TRUE(code.project_end(t, x.data(), tolerance.data()));
  ASSERT_TRUE(long_way.project_end(t, y.data(), tolerance.data()));
  EXPECT_LE(code.distance(t, x.data()), 1e-13);
  // One takes matrices of the point it starts from, the other of the one where it is: both are the
  // nearest to first order.
  EXPECT_LE((x - y).norm(), 1e-6 * y.norm());
}

/// A pendulum, pushed by what `push` is at the time.
Problem pushed(const double& push, Interval span, Vector start) {
  return {
      .form = Mechanical{.coordinates = 2,
                         .holonomic = 1,
                         .force = [&push](auto, auto, auto f) { f << push, -9.81; },
                         .constraint = [](auto q, auto g) { g[0] = (q.squaredNorm() - 1) / 2; }},
      .t_span = span,
      .start = start};
}

TEST(StraightMotion, SeesWhatFunctionsHold) {
  const Vector start{{1, 0, 0, 0}};
  double push = 0;
  Options options{.method = "dop853", .rtol = 1e-10};
  const Vector middle = solve(pushed(push, {0, 1}, start), options).y_end().head(4);
  push = 5;
  const Vector expected = solve(pushed(push, {1, 2}, middle), options).y_end().head(4);
  push = 0;
  options.events.push_back({.value = [](double t, Input) { return t - 1; },
                            .reset = [&push](double, Output) { push = 5; }});
  const Solution s = solve(pushed(push, {0, 2}, start), options);
  EXPECT_LE((s.y_end().head(4) - expected).norm(), 1e-8);
  // Every way to make steps on the field; these with a looser tolerance.
  for (const char* method : {"phem_56", "extrapolated_euler", "radau"}) {
    push = 0, options.method = method, options.rtol = 1e-8;
    if (options.method == "radau") options.formulation = Formulation::manifold;
    const Solution other = solve(pushed(push, {0, 2}, start), options);
    EXPECT_LE((other.y_end().head(4) - expected).norm(), 1e-5) << method << other.message.text();
  }

  // Between steps, as a controller does. The slope that begins a step is that of the last one's
  // end.
  push = 0;
  Integrator run(pushed(push, {0, 2}, start), {.method = "dop853", .max_step = 1e-3});
  while (run.t() < 1) ASSERT_TRUE(run.step());
  push = 5;
  while (run.step()) continue;
  EXPECT_LE((Vector(run.y()).head(4) - expected).norm(), 1e-2);
  EXPECT_GE((Vector(run.y()).head(4) - middle).norm(), 0.1);
}

/// A point on a circle whose force counts how often it is asked for numbers.
TEST(StraightMotion, AsksFunctionsSeldomWhereNobodyCanChangeWhatTheyHold) {
  int asked = 0;
  const Problem problem = {
      .form = Mechanical{.coordinates = 2,
                         .holonomic = 1,
                         .force =
                             [&asked](auto q, auto, auto f) {
                               using Scalar = std::decay_t<decltype(q[0])>;
                               asked += std::is_same_v<Scalar, double>;
                               f << 0, -9.81;
                             },
                         .constraint = [](auto q, auto g) { g[0] = (q.squaredNorm() - 1) / 2; }},
      .t_span = {0, 100},
      .start = {1, 0, 0, 0}};
  const Solution s = solve(problem, {.method = "dop853", .rtol = 1e-8});
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_GT(s.statistics.steps, 1000);
  EXPECT_LT(asked, s.statistics.steps / 8);
  // By hand: at each step.
  asked = 0;
  Integrator run(problem, {.method = "dop853", .rtol = 1e-8});
  while (run.step()) continue;
  EXPECT_GE(asked, s.statistics.steps);
  EXPECT_EQ(Vector(run.y()), s.y_end());
}

/// Sinking with the speed at which friction holds the weight: what is left of both is rounding,
/// which compilers and code leave differently.
TEST(StraightMotion, KeepsItsCodeWhereForcesAreInBalance) {
  const Problem problem = {
      .form = Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [](auto, auto v, auto f) { f[0] = 0.0, f[1] = -0.7 * v[1] * 3.3 - 9.81 / 7.0; },
          .constraint = [](auto q, auto g) { g[0] = q[0]; }},
      .t_span = {0, 100},
      .start = {0, 0, 0, 0}};
  const std::shared_ptr<MotionEquations> equations =
      motion_of(std::get<Mechanical>(problem.form), true);
  ConstrainedMotion field(equations, Solves::by_factors);
  const double speed = -9.81 / 7 / (0.7 * 3.3);
  for (int k = 0; k < 50; ++k) {
    const double x[] = {0, 1, 0, speed * (1 + (k - 25) * 2e-16)};
    if (k == 0) field.begin(0, x);
    double xp[4];
    ASSERT_TRUE(field.slope(0, x, xp));
    field.renew(0, x, true);
    ASSERT_NE(equations->straight(), nullptr) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, StraightMotions,
    ::testing::Values(
        Case{"Pendulum", [] { return reproduce::rod_pendulum().statement.problem; }},
        Case{"CarAxis",
             [] { return reproduce::car_axis(reproduce::Told::as_mechanism).statement.problem; }},
        Case{"Andrews",
             [] { return reproduce::andrews(reproduce::Told::as_mechanism).statement.problem; }},
        Case{"Chain", [] { return reproduce::link_chain(10, 1); }}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace daedalus
