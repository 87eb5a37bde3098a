// Formulation::manifold: implicit methods on the manifold of the constraints, for stiff motions
// through points where these lose rank. References are motions in the one coordinate of the
// mechanism.
#include <cmath>

#include <fmt/format.h>

#include "daedalus/model.h"
#include "exact_problems.h"
#include "expectations.h"
#include "reproduce/stiff_mechanisms.h"

namespace daedalus {
namespace {

using reproduce::DrivenMechanism;
using testing::refusal;

constexpr double end = 2;

std::vector<DrivenMechanism> driven(double stiffness) {
  return {{reproduce::four_bar(), stiffness},
          {reproduce::slider_crank(), stiffness},
          {reproduce::parallelogram(), stiffness},
          {reproduce::double_slider_crank(), stiffness}};
}

double error_at(const DrivenMechanism& m, const Solution& reference, const Solution& s, double t) {
  Vector q, first, second;
  m.mechanism.kinematics(reference(t)[0], q, first, second);
  return (s(t).head(q.size()) - q).lpNorm<Eigen::Infinity>();
}

TEST(Manifold, TakesStiffMotionsThroughSingularPoints) {
  for (const double stiffness : {1e1, 1e3, 1e5})
    for (const DrivenMechanism& m : driven(stiffness)) {
      const Solution reference = solve(m.minimal(0.3, 7, end), {.rtol = 1e-12});
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        SCOPED_TRACE(m.mechanism.name + fmt::format(", {}, rtol {}", stiffness, rtol));
        const Solution s =
            solve(m.problem(0.3, 7, end), {.formulation = Formulation::manifold, .rtol = rtol});
        ASSERT_TRUE(s.succeeded()) << s.message.text();
        EXPECT_GE(s.singularities.size(), 2u);
        // Between the steps too, where the polynomial is of lower order.
        for (const double t : {0.31 * end, 0.77 * end, end})
          EXPECT_LE(error_at(m, reference, s, t), 20 * rtol) << t;
        // Next to a singular point velocities may be left alone within ten tolerances, those of
        // components being up to ten times rtol. Whether a step ends there is chance: with
        // tolerances around 1e-8 every third run of the four-bar does.
        for (const ConstraintResidual& level : s.constraint_residual)
          EXPECT_LE(level.maximum, level.level == "velocity" ? 100 * rtol : 1e-11) << level.level;
      }
    }
}

TEST(Manifold, NeedsFarFewerStepsThanExplicitMethods) {
  const DrivenMechanism m{reproduce::four_bar(), 1e5};
  const Solution s =
      solve(m.problem(0.3, 7, 0.5), {.formulation = Formulation::manifold, .rtol = 1e-4});
  const Solution other = solve(m.problem(0.3, 7, 0.5), {.method = "dop853", .rtol = 1e-4});
  ASSERT_TRUE(s.succeeded() && other.succeeded());
  EXPECT_LE(10 * s.statistics.steps, other.statistics.steps);
}

TEST(Manifold, AgreesWithOtherFormulations) {
  const Solution expected = solve(exact::pendulum(3), {.rtol = 1e-11, .points = 41});
  for (const char* method : {"radau", "radau_iia_5", "sdirk_hairer_wanner_4"}) {
    const Solution s =
        solve(exact::pendulum(3),
              {.method = method, .formulation = Formulation::manifold, .rtol = 1e-7, .points = 41});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_EQ(s.formulation, "manifold");
    for (int i = 0; i < s.rows(); ++i)  // the multiplier is about 30
      EXPECT_LE((s.y(i) - expected.y(i)).lpNorm<Eigen::Infinity>(), 300 * 1e-7) << method;
  }
}

TEST(Manifold, TakesIndex2AndOrdinaryEquations) {
  for (const exact::Exact& e : {exact::index_2(), exact::oscillator()}) {
    const Solution s = solve(e.problem, {.formulation = Formulation::manifold, .rtol = 1e-8});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    for (const double share : {0.4, 1.0}) {
      const double t = share * e.problem.t_span.end;
      EXPECT_LE((s(t) - e.solution(t)).lpNorm<Eigen::Infinity>(), 20 * 1e-8) << e.name;
    }
  }
}

TEST(Manifold, FindsEvents) {
  Options options{.rtol = 1e-11};
  options.events.push_back({.value = [](double, Input y) { return y[0]; }});
  const Solution expected = solve(exact::pendulum(6), options);
  options.formulation = Formulation::manifold, options.rtol = 1e-8;
  const Solution s = solve(exact::pendulum(6), options);
  ASSERT_EQ(s.events.size(), expected.events.size());
  for (std::size_t k = 0; k < s.events.size(); ++k)
    EXPECT_NEAR(s.events[k].t, expected.events[k].t, 1e-6);
}

TEST(Manifold, TakesModels) {
  const Model model = Model::from_text(
      "model m Real x(start = 1, fixed = true), y, u(start = 0, fixed = true), v, F; equation "
      "der(x) = u; der(y) = v; der(u) = -F*x - 1000*u; der(v) = -F*y - 9.81 - 1000*v; x^2 + y^2 = "
      "1; end m;",
      "m.mo");
  Problem p = model.problem();
  p.t_span = {0, 1};
  const Solution s = solve(p, {.formulation = Formulation::manifold, .rtol = 1e-7});
  const Solution expected = solve(p, {.rtol = 1e-10});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_LE(s.statistics.steps, 100);
  EXPECT_LE((s.y_end() - expected.y_end()).head(4).lpNorm<Eigen::Infinity>(), 1e-6);
}

TEST(Manifold, RefusesFormsWithoutAField) {
  EXPECT_THAT(refusal(exact::index_1().problem, {.formulation = Formulation::manifold}),
              ::testing::HasSubstr("Hessenberg systems of index 2 and mechanical"));
}

}  // namespace
}  // namespace daedalus
