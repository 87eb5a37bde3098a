// All stages of an explicit step as one piece of code: the bits of the stages one by one.
#include <cmath>

#include <gtest/gtest.h>

#include "formulation/constrained_motion.h"
#include "method/explicit.h"
#include "reproduce/testset.h"
#include "stepper/slope_sums.h"

namespace daedalus {
namespace {

struct Case {
  const char* name;
  Problem (*problem)();
};

class StageCodes : public ::testing::TestWithParam<Case> {};

/// A step of size h from the consistent start, by `slope` and by `make_stages`.
struct Step {
  Step(const Problem& problem, const ExplicitTable& table)
      : form(std::get<Mechanical>(problem.form)),
        method(table),
        field(motion_of(form, true), Solves::by_factors),
        size(2 * form.coordinates),
        length(padded(size)),
        x(Vector::Zero(length)),
        slopes(Matrix::Zero(length, table.all_stages)),
        stage(Vector::Zero(length)),
        end(Vector::Zero(length)),
        estimates(Matrix::Zero(length, 2)),
        sums(table, slopes.data(), length, sum_kernels(best_instruction_set())) {
    x.head(size) = Vector(problem.start).head(size);
    field.begin(0, x.data());
    const Vector anywhere = Vector::Constant(size, 1e300);
    field.project_end(0, x.data(), anywhere.data());
    EXPECT_TRUE(field.slope(0, x.data(), slopes.data()));
  }
  void one_by_one(double h) {
    sums.set_step(h);
    for (int i = 1; i < method.stages; ++i) {
      sums.stage(i, x.data(), stage.data());
      ASSERT_TRUE(field.slope(method.c[i] * h, stage.data(), slopes.col(i).data()));
    }
    sums.end(x.data(), end.data());
    for (int e = 0; e < 2; ++e) sums.estimate(e, estimates.col(e).data());
  }
  bool at_once(double h) {
    const auto made = field.make_stages({sums.terms(), 0, h, h, x.data(), slopes.data()});
    if (!made) return false;
    const int half = size / 2, last = method.stages - 1;
    const auto column = [&](const double* from, int j) {
      return Eigen::Map<const Vector>(from + j * size, size);
    };
    for (int i = 1; i <= last; ++i) slopes.col(i).head(size) = column(made->slopes, i - 1);
    stage.head(half) = Eigen::Map<const Vector>(made->last_positions, half);
    stage.segment(half, half) = slopes.col(last).head(half);
    end.head(size) = column(made->end, 0);
    for (int e = 0; e < 2; ++e) estimates.col(e).head(size) = column(made->estimates, e);
    return true;
  }

  const Mechanical& form;
  const ExplicitTable& method;
  ConstrainedMotion field;
  int size, length;
  Vector x;
  Matrix slopes;
  Vector stage, end;
  Matrix estimates;
  SlopeSums sums;
};

TEST_P(StageCodes, HaveTheBitsOfSingleStages) {
  const Problem problem = GetParam().problem();
  for (const ExplicitTable* method : {&dop853, &dormand_prince_5}) {
    const double h = (method == &dop853 ? 0.01 : -0.003) * problem.t_span.end;
    Step single(problem, *method), whole(problem, *method);
    single.one_by_one(h);
    // It is made for those who take many steps.
    EXPECT_FALSE(whole.at_once(h));
    int asked = 1;
    while (!whole.at_once(h)) ASSERT_LE(++asked, 1000);
    const int size = whole.size;
    EXPECT_EQ(whole.slopes.topRows(size), single.slopes.topRows(size)) << method->name;
    EXPECT_EQ(whole.stage.head(size), single.stage.head(size)) << method->name;
    EXPECT_EQ(whole.end.head(size), single.end.head(size)) << method->name;
    // The end on the manifold, and its slope.
    Vector tolerance = Vector::Constant(size, 1e300), slope(size), coded(size);
    ASSERT_TRUE(single.field.project_end(h, single.end.data(), tolerance.data()));
    ASSERT_TRUE(single.field.slope(h, single.end.data(), slope.data()));
    ASSERT_TRUE(whole.field.end_stages(whole.end.data(), coded.data()));
    EXPECT_EQ(whole.end.head(size), single.end.head(size)) << method->name;
    EXPECT_EQ(coded, slope) << method->name;
    Vector lambda(whole.field.algebraic), mu(whole.field.algebraic);
    single.field.multipliers(lambda.data()), whole.field.multipliers(mu.data());
    EXPECT_EQ(mu, lambda) << method->name;
    for (int k = 0; k < whole.field.levels(); ++k) {
      Vector missed(whole.form.holonomic), coded_level(missed);
      single.field.level(k, h, single.end.data(), missed.data());
      whole.field.level(k, h, whole.end.data(), coded_level.data());
      EXPECT_EQ(coded_level, missed) << method->name << ", level " << k;
    }
    if (method->error_needs_end()) continue;
    EXPECT_EQ(whole.estimates.topRows(size), single.estimates.topRows(size)) << method->name;
  }
}

TEST_P(StageCodes, DoNotChangeARun) {
  Problem problem = GetParam().problem();
  const Options options{.method = "dop853", .rtol = 1e-9};
  Problem forgetful = problem;
  forgetful.findings = Findings::none();
  const Solution once = solve(forgetful, options);
  // Enough steps for code to be made, on the way or by all of them together.
  for (std::int64_t steps = 0; steps < 1000; steps += once.statistics.steps)
    ASSERT_TRUE(solve(problem, options).succeeded());
  const Solution again = solve(problem, options);
  EXPECT_EQ(once.t, again.t);
  EXPECT_EQ(once.y_end(), again.y_end());
  EXPECT_EQ(once.step_residuals, again.step_residuals);
  EXPECT_EQ(once.statistics.rhs, again.statistics.rhs);
  EXPECT_EQ(once.statistics.factorizations, again.statistics.factorizations);
}

/// A bead on a hoop that is turned by a motor: accelerations of the time alone in one coordinate.
Problem driven_bead() {
  return {.form = Mechanical{.coordinates = 3,
                             .holonomic = 1,
                             .force =
                                 [](auto t, auto q, auto v, auto out) {
                                   using std::cos, std::sin;
                                   out[0] = sin(3.0 * t) - 0.1 * v[0];
                                   out[1] = -9.81 + cos(t) * q[0];
                                   out[2] = cos(2.0 * t) + sin(5.0 * t);
                                 },
                             .constraint =
                                 [](auto t, auto q, auto out) {
                                   using std::sin;
                                   const auto radius = 1.0 + 0.1 * sin(t);
                                   out[0] = q[0] * q[0] + q[1] * q[1] - radius * radius;
                                 }},
          .t_span = {0, 20},
          .start = {1, 0, 0, 0, 0, 0}};
}

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, StageCodes,
    ::testing::Values(
        Case{"Pendulum", [] { return reproduce::rod_pendulum().statement.problem; }},
        Case{"CarAxis",
             [] { return reproduce::car_axis(reproduce::Told::as_mechanism).statement.problem; }},
        Case{"Andrews",
             [] { return reproduce::andrews(reproduce::Told::as_mechanism).statement.problem; }},
        Case{"DrivenBead", driven_bead}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(StageCode, IsLeftOutWhereItWouldBeLong) {
  Step step(reproduce::hanging_chain(20).statement.problem, dop853);
  for (int k = 0; k < 10'000; ++k) ASSERT_FALSE(step.at_once(1e-5));
}

}  // namespace
}  // namespace daedalus
