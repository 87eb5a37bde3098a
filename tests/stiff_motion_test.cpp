// Motions that become stiff: exact derivatives of the accelerations, Rosenbrock steps of the size
// of the coordinates, and the turns that `auto` takes.
#include <gmock/gmock.h>
#include <sstream>

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "daedalus/daedalus.h"
#include "reproduce/link_chain.h"
#include "stepper/motion_rosenbrock.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Bars of length 1 with point masses that bend against springs with friction, in syrup: falls from
/// a slope and comes to rest hanging, while its fastest modes limit explicit steps all along.
struct BendingForce {
  int links;
  double friction, stiffness;
  template <class Q, class Out>
  void operator()(const Q& q, const Q& v, Out& f) const {
    for (int i = 0; i < links; ++i)
      f[2 * i] = -friction * v[2 * i], f[2 * i + 1] = -9.81 - friction * v[2 * i + 1];
    for (int i = 1; i + 1 < links; ++i)
      for (int c = 0; c < 2; ++c) {
        const auto bend = q[2 * (i + 1) + c] - 2.0 * q[2 * i + c] + q[2 * (i - 1) + c];
        const auto rate = v[2 * (i + 1) + c] - 2.0 * v[2 * i + c] + v[2 * (i - 1) + c];
        const auto moment = stiffness * bend + friction * rate;
        f[2 * i + c] += 2.0 * moment;
        f[2 * (i + 1) + c] -= moment, f[2 * (i - 1) + c] -= moment;
      }
  }
};

template <class Force>
Problem chain(int links, Force force, double end = 200) {
  Vector start = Vector::Zero(5 * links);
  for (int i = 0; i < links; ++i)
    start[2 * i] = (i + 1) * std::cos(0.3), start[2 * i + 1] = -(i + 1) * std::sin(0.3);
  const auto lengths = [links](auto q, auto g) {
    g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
    for (int i = 1; i < links; ++i) {
      const auto x = q[2 * i] - q[2 * i - 2], y = q[2 * i + 1] - q[2 * i - 1];
      g[i] = x * x + y * y - 1.0;
    }
  };
  return {.form = Mechanical{.coordinates = 2 * links,
                             .holonomic = links,
                             .mass = Mass::diagonal(Vector(Vector::LinSpaced(2 * links, 1, 1.5))),
                             .force = force,
                             .constraint = lengths},
          .t_span = {0, end},
          .start = start};
}

std::unique_ptr<ProjectedField> field_of(const Problem& problem) {
  return make_projected_field(problem, nullptr, Solves::by_factors);
}

/// By central differences.
void expect_derivatives(ProjectedField& field, double t, const Vector& x) {
  const int n = field.differential / 2;
  Matrix a(n, n), b(n, n), by_differences(n, 2 * n);
  for (int j = 0; j < 2 * n; ++j) {
    constexpr double delta = 1e-5;
    Vector moved = x, ahead(2 * n), behind(2 * n);
    moved[j] = x[j] + delta;
    ASSERT_TRUE(field.slope(t, moved.data(), ahead.data()));
    moved[j] = x[j] - delta;
    ASSERT_TRUE(field.slope(t, moved.data(), behind.data()));
    by_differences.col(j) = (ahead - behind).tail(n) / (2 * delta);
  }
  ASSERT_TRUE(field.acceleration_derivatives(t, x.data(), a.data(), b.data()));
  // Differences of order two with steps of 1e-5, or those of the field with steps of 1e-8.
  EXPECT_LE((a - by_differences.leftCols(n)).norm(), 1e-6 * by_differences.norm());
  EXPECT_LE((b - by_differences.rightCols(n)).norm(), 1e-6 * by_differences.norm());
}

Vector point_near(const Problem& problem, int coordinates) {
  Vector x = Vector(problem.start).head(2 * coordinates);
  for (int j = 0; j < 2 * coordinates; ++j) x[j] += 0.1 * std::sin(3.0 * (j + 1));
  return x;
}

TEST(StiffMotion, HasExactDerivatives) {
  // Friction along each coordinate, as it is guessed first; between neighbours; of a function that
  // takes doubles only; and with dense matrices.
  const Problem alone = chain(21, [](auto q, auto v, auto f) {
    for (int i = 0; i < 42; ++i) f[i] = -q[i] * q[i] - 3.0 * v[i] * v[i];
  });
  const BendingForce bending{21, 2, 100};
  const Problem coupled = chain(21, bending);
  const Problem plain =
      chain(21, [bending](double, Input q, Input v, Output f) { bending(q, v, f); });
  const Problem small = chain(4, BendingForce{4, 2, 100});
  for (const Problem* problem : {&alone, &coupled, &plain, &small}) {
    SCOPED_TRACE(problem == &alone ? "alone" : problem == &coupled ? "coupled" : "others");
    const auto field = field_of(*problem);
    ASSERT_TRUE(field->is_motion());
    ASSERT_EQ(field->is_sparse(), problem != &small);
    const Vector x = point_near(*problem, field->differential / 2);
    // Twice: what the first time has shown is used in the second.
    for (int round = 0; round < 2; ++round) expect_derivatives(*field, 0, x);
  }
}

TEST(StiffMotion, HasExactDerivativesInModels) {
  const Problem problem = recorded(chain(21, BendingForce{21, 2, 100}));
  const auto field = field_of(problem);
  ASSERT_TRUE(field->is_sparse());
  Vector x(field->differential);
  const Vector start = problem.start;
  field->gather(start.data(), x.data());
  for (int j = 0; j < x.size(); ++j) x[j] += 0.1 * std::sin(3.0 * (j + 1));
  expect_derivatives(*field, 0, x);
}

/// A pendulum under a force that depends on time, in a bearing with friction.
Problem driven_pendulum() {
  return {.form = Mechanical{
              .coordinates = 2,
              .holonomic = 1,
              .force =
                  [](auto t, auto q, auto v, auto f) {
                    f[0] = 30.0 * sin(t) - 4.0 * v[0];
                    f[1] = -9.81 - 4.0 * v[1] + 5.0 * q[0] * q[1];
                  },
              .constraint = [](auto q, auto g) { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }},
          .t_span = {0, 2},
          .start = {0.6, -0.8, 0, 0, 0}};
}

/// Where steps of one size lead to.
Vector after_steps(const RosenbrockTable& table, int steps) {
  const Problem problem = driven_pendulum();
  Statistics statistics;
  MotionRosenbrock stepper(field_of(problem), table, {}, Vector::Constant(5, 1e6), statistics);
  State state;
  const Vector start = problem.start;
  state.y.assign(start.data(), start.data() + 5), state.yp.assign(5, 0.0);
  stepper.place(state);
  const double h = problem.t_span.end / steps;
  stepper.start(state, h);
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(stepper.attempt_exactly(h, {}));
    stepper.commit();
  }
  return Eigen::Map<const Vector>(stepper.state().y.data(), 4);
}

TEST(MotionRosenbrock, HasTheOrderOfItsMethod) {
  Options sharp = {.method = "radau", .rtol = 1e-13};
  sharp.atol = {1e-14};
  const Vector exact = solve(driven_pendulum(), sharp).y_end().head(4);
  for (const RosenbrockTable* table : rosenbrock_tables) {
    double error[3];
    for (const int k : {0, 1, 2}) error[k] = (after_steps(*table, 20 << k) - exact).norm();
    EXPECT_GE(0.5 * std::log2(error[0] / error[2]), table->order - 0.3)
        << table->name << " " << error[0] << " " << error[1] << " " << error[2];
  }
}

Options tight(double rtol) {
  Options options = {.rtol = rtol};
  options.atol = {rtol};
  return options;
}

TEST(Auto, TurnsToRosenbrockStepsWhenTheRestIsStiff) {
  // 8 coordinates with dense matrices, 40 with sparse ones.
  for (const int links : {4, 20}) {
    const Problem problem = chain(links, BendingForce{links, 2, 100});
    const int n = 4 * links;
    Options reference = tight(1e-10);
    reference.method = "dop853", reference.dense = true;
    const Solution exact = solve(problem, reference);
    for (const double rtol : {1e-4, 1e-7}) {
      SCOPED_TRACE(testing::Message() << links << " links, rtol " << rtol);
      Options options = tight(rtol), one_way = options;
      options.dense = true, one_way.method = "dop853";
      const Solution s = solve(problem, options);
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      EXPECT_THAT(s.choice,
                  HasSubstr(rtol > 1e-6 ? "; rodas_4 from t = " : "; rodas_5p from t = "));
      // When the long chain turns is decided by rounding where tolerances are sharp: seven of them
      // around 1e-7 take 190 to 450 steps, explicit ones 1410 to 1420.
      const int times = links > 4 && rtol < 1e-6 ? 3 : 4;
      EXPECT_LT(times * s.statistics.steps, solve(problem, one_way).statistics.steps);
      EXPECT_LT(s.statistics.jacobians, s.statistics.steps);
      // Velocities of the fall carry up to ten times the tolerance; motions die away behind it.
      for (const double t : {1.0, 7.77, 12.34, 33.3, 111.1, 200.0})
        EXPECT_LE((s(t) - exact(t)).head(n).lpNorm<Eigen::Infinity>(), 100 * rtol) << t;
      for (const ConstraintResidual& level : s.constraint_residual)
        EXPECT_LE(level.maximum, 1e-11) << level.level;
    }
  }
}

TEST(Auto, FindsEventsAmongRosenbrockSteps) {
  const Problem problem = chain(20, BendingForce{20, 2, 100});
  // The end of the chain sinks until it hangs.
  Options options = tight(1e-6);
  options.events = {{.name = "low", .value = [](double, Input y) { return y[39] + 19.9; }}};
  const Solution s = solve(problem, options);
  ASSERT_THAT(s.choice, HasSubstr("rodas"));
  ASSERT_EQ(s.events.size(), 1u);
  Options other = options;
  other.method = "dop853";
  const Solution by_explicit = solve(problem, other);
  ASSERT_EQ(by_explicit.events.size(), 1u);
  EXPECT_NEAR(s.events[0].t, by_explicit.events[0].t, 1e-4 * s.events[0].t);
}

TEST(Auto, ResumesAmongRosenbrockSteps) {
  const Problem problem = chain(20, BendingForce{20, 2, 100});
  const Options options = tight(1e-6);
  const Solution whole = solve(problem, options);
  ASSERT_THAT(whole.choice, HasSubstr("rodas"));
  Integrator part(problem, options);
  for (bool more = true; more;) {
    for (int k = 0; more && k < 7; ++k) more = part.step();
    if (!more) break;
    std::stringstream stream;
    part.save(stream);
    part = Integrator::resume(problem, options, stream);
  }
  for (int j = 0; j < whole.size(); ++j)
    EXPECT_EQ(part.solution().y_end()[j], whole.y_end()[j]) << j;
}

TEST(Auto, DoesNotTurnWhereImplicitStepsMayNotBeLonger) {
  // Explicit steps are 0.15 long, as stability allows, and implicit ones cost several of them.
  Options options = tight(1e-4);
  options.max_step = 0.3;
  Integrator run(chain(20, BendingForce{20, 2, 100}), options);
  for (double before = 0; run.step(); before = run.t())
    ASSERT_LE(run.t() - before, options.max_step * (1 + 1e-12)) << run.t();
  EXPECT_THAT(run.solution().choice, Not(HasSubstr("rodas")));
}

TEST(Allocation, DoesNotHappenInRosenbrockStepsOfMotions) {
  for (const int links : {4, 20}) {
    Options options = tight(1e-6);
    options.record = false;
    const Problem problem = chain(links, BendingForce{links, 2, 100});
    Integrator run(problem, options);
    while (run.solution().choice.find("rodas") == std::string::npos) ASSERT_TRUE(run.step());
    ASSERT_TRUE(run.step());
    int steps = 0, allocating = 0;
    for (long before = allocations; run.step(); before = allocations, ++steps)
      if (allocations != before) ++allocating;
    // Code for points where the constraints look suspicious, for their Jacobian and their
    // curvature, is made when a run first comes to one.
    EXPECT_LE(allocating, 2) << links;
    EXPECT_GE(steps, 3);
  }
}

TEST(Auto, DoesNotTurnWhereStepsAreShortForAnotherReason) {
  // Stability limits these steps as well, but implicit ones would not be longer.
  for (const int links : {30, 100})
    for (const double rtol : {1e-3, 1e-4}) {
      const Solution s = solve(reproduce::link_chain(links, 1), {.rtol = rtol});
      EXPECT_TRUE(s.succeeded());
      EXPECT_THAT(s.choice, Not(HasSubstr("rodas"))) << links << " " << rtol;
    }
}

}  // namespace
}  // namespace daedalus
