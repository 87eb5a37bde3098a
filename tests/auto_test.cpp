// Method "auto": what it chooses, that it says why, and that a resumed run chooses the same.
#include <gmock/gmock.h>
#include <sstream>

#include "daedalus/model.h"
#include "daedalus/record.h"
#include "exact_problems.h"
#include "io/embedded.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

using testing::HasSubstr;

/// A particle on a circle with friction of the given strength.
Problem in_syrup(double friction) {
  return {
      .form = Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [friction](auto, auto v,
                              auto f) { f[0] = -friction * v[0], f[1] = -1.0 - friction * v[1]; },
          .constraint = [](auto q, auto g) { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }},
      .t_span = {0, 10},
      .start = {1, 0}};
}

TEST(Auto, IsExplicitOnConstraintsThatAreNotStiff) {
  const Solution s = solve(in_syrup(0.1));
  EXPECT_EQ(s.method, "dop853");
  EXPECT_EQ(s.formulation, "projected");
  EXPECT_THAT(s.choice, HasSubstr("not stiff"));
  EXPECT_EQ(solve(in_syrup(0.1), {.rtol = 1e-2}).method, "dormand_prince_5");
}

TEST(Auto, SeesStiffForcesInTheFirstSteps) {
  for (const double friction : {1e3, 1e5, 1e7}) {
    const Solution s = solve(in_syrup(friction));
    EXPECT_EQ(s.status, Status::success) << s.message.text();
    EXPECT_EQ(s.method, "radau") << friction;
    EXPECT_THAT(s.choice, HasSubstr("stiff"));
  }
}

TEST(Auto, TakesModelsAsItTakesFunctions) {
  const auto method = [](const char* name) {
    const Model m = Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo")));
    Options options = m.scaled({.rtol = 1e-6});
    options.max_steps = 5;
    return solve(m.problem(), options).method;
  };
  for (const char* motion : {"pendulum", "caraxis", "chain", "andrews"})
    EXPECT_EQ(method(motion), "dop853") << motion;
  for (const char* other : {"robertson", "transamp", "crane"})
    EXPECT_EQ(method(other), "radau") << other;
}

TEST(Auto, IsImplicitWhereItsOptionsAreAsked) {
  for (const Options& options : {Options{.formulation = Formulation::index_2},
                                 Options{.fixed_step = 0.1}, Options{.min_stages = 1}}) {
    const Solution s = solve(in_syrup(0.1), options);
    EXPECT_EQ(s.method, "radau");
    EXPECT_THAT(s.choice, HasSubstr("options"));
  }
}

TEST(Auto, PassesSingularPoints) {
  const reproduce::SingularMechanism m = reproduce::four_bar();
  const double rtol = 1e-8, end = 3;
  const Solution s = solve(m.problem(0.3, 8, end), {.rtol = rtol});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_GE(s.singularities.size(), 3u);
  const Solution angle = solve(m.minimal(0.3, 8, end), {.method = "dop853", .rtol = 1e-13});
  Vector q, first, second;
  m.kinematics(angle.y_end()[0], q, first, second);
  // As for dop853 itself: errors of the energy become errors of the phase.
  EXPECT_LE((s.y_end().head(q.size()) - q).cwiseAbs().maxCoeff(), 1000 * rtol);
}

TEST(Auto, ChoosesTheSameWhenResumed) {
  for (const double friction : {0.1, 1e5}) {
    const Problem problem = in_syrup(friction);
    const Solution whole = solve(problem);
    Integrator part(problem);
    for (int k = 0; k < 4; ++k) part.step();
    std::stringstream stream;
    part.save(stream);
    Integrator rest = Integrator::resume(problem, {}, stream);
    while (rest.step()) {
    }
    for (int j = 0; j < whole.size(); ++j)
      EXPECT_EQ(rest.solution().y_end()[j], whole.y_end()[j]) << j;
  }
}

TEST(Auto, GraphsNeedNoNames) {
  const Solution s = solve(recorded(in_syrup(0.1)), {.method = "dop853"});
  EXPECT_EQ(s.status, Status::success) << s.message.text();
}

}  // namespace
}  // namespace daedalus
