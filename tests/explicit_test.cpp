// Explicit Runge-Kutta methods on the manifold of the constraints: orders, dense output, events,
// forms they refuse.
#include <fmt/format.h>

#include "daedalus/model.h"
#include "exact_problems.h"
#include "expectations.h"

namespace daedalus {
namespace {

using testing::refusal;

struct Method {
  const char* name;
  int order, dense_order;
};
constexpr Method methods[] = {{"dormand_prince_5", 5, 4}, {"dop853", 8, 7}};

double error_at(const exact::Exact& e, const Solution& s, double t) {
  const Vector difference = s(t) - e.solution(t);
  return difference.head(e.algebraic_from).lpNorm<Eigen::Infinity>();
}

/// log2 of the ratio of the errors with n and 2n steps.
double observed_order(const exact::Exact& e, const char* method, int steps, bool inside) {
  double error[2];
  for (int k = 0; k < 2; ++k) {
    const double end = e.problem.t_span.end, h = end / (steps << k);
    const Solution s = solve(e.problem, {.method = method, .fixed_step = h});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    error[k] = 0;
    if (!inside) error[k] = error_at(e, s, end);
    // Against the start of its own step, so that the error of the steps does not hide it.
    for (int i = 0; inside && i < 12; ++i)
      error[k] = std::max(error[k], error_at(e, s, h * (0.13 + 0.07 * i)));
  }
  return std::log2(error[0] / error[1]);
}

TEST(Explicit, HasItsOrderOnEveryForm) {
  for (const Method& m : methods)
    for (const exact::Exact& e : {exact::oscillator(), exact::index_2()})
      // Rounding ends the observation at 1e-15; steps of 1/8 are above it.
      EXPECT_GE(observed_order(e, m.name, m.order == 8 ? 4 : 8, false), m.order - 0.7)
          << m.name << ", " << e.name;
}

TEST(Explicit, HasItsOrderBetweenTheSteps) {
  for (const Method& m : methods)
    EXPECT_GE(observed_order(exact::oscillator(), m.name, 3, true), m.dense_order + 0.7) << m.name;
}

TEST(Explicit, AgreesWithImplicitMethodsOnThePendulum) {
  const Solution expected = solve(exact::pendulum(3), {.rtol = 1e-11, .points = 41});
  for (const Method& m : methods) {
    const Solution s = solve(exact::pendulum(3), {.method = m.name, .rtol = 1e-9, .points = 41});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_EQ(s.formulation, "projected");
    EXPECT_NEAR(s.y(0)[4], expected.y(0)[4], 1e-9) << "the first row has its multiplier";
    for (int i = 0; i < s.rows(); ++i)
      // Errors of single steps add up; the multiplier is about 30.
      EXPECT_LE((s.y(i) - expected.y(i)).lpNorm<Eigen::Infinity>(), 300 * 1e-9) << m.name;
    for (const ConstraintResidual& level : s.constraint_residual)
      EXPECT_LE(level.maximum, 1e-14) << m.name << ", " << level.level;
  }
}

TEST(Explicit, PutsAStartThatIsOffOntoTheConstraints) {
  Problem p = exact::pendulum(1);
  Vector start = p.start;
  start[0] += 0.1, start[3] += 0.05;
  p.start = start;
  const Solution s = solve(p, {.method = "dop853", .rtol = 1e-8});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_GT(std::abs(s.start_shift[0]), 0.001);
  EXPECT_LE(s.constraint_residual[0].maximum, 1e-14);
}

TEST(Explicit, FindsEvents) {
  Options implicit{.rtol = 1e-11};
  implicit.events.push_back({.value = [](double, Input y) { return y[0]; }});
  const Solution expected = solve(exact::pendulum(6), implicit);
  ASSERT_GE(expected.events.size(), 2u);
  for (const Method& m : methods) {
    Options options = implicit;
    options.method = m.name, options.rtol = 1e-9;
    const Solution s = solve(exact::pendulum(6), options);
    ASSERT_EQ(s.events.size(), expected.events.size());
    for (std::size_t k = 0; k < s.events.size(); ++k)
      EXPECT_NEAR(s.events[k].t, expected.events[k].t, 1e-7) << m.name;
    options.events[0].terminal = true;
    const Solution stopped = solve(exact::pendulum(6), options);
    EXPECT_EQ(stopped.status, Status::event);
    EXPECT_NEAR(stopped.t.back(), expected.events[0].t, 1e-7) << m.name;
    EXPECT_NEAR(stopped.y_end()[0], 0, 1e-12) << m.name;
  }
}

TEST(Explicit, NeedsNoOutputToStep) {
  Integrator run(exact::pendulum(2), {.method = "dop853", .rtol = 1e-6, .record = false});
  const Solution whole = solve(exact::pendulum(2), {.method = "dop853", .rtol = 1e-6});
  while (run.step()) {
    const double middle = run.t() - run.step_size() / 2;
    Vector y(5);
    run.interpolate(middle, Output(y.data(), 5));
    EXPECT_LE((y - whole(middle)).lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

TEST(Explicit, RefusesWhatItCannotIntegrate) {
  const Options dop853{.method = "dop853"};
  EXPECT_THAT(refusal(exact::index_1().problem, dop853), ::testing::HasSubstr("use radau"));
  EXPECT_THAT(refusal(exact::pendulum(1), {.method = "dop853", .formulation = Formulation::direct}),
              ::testing::HasSubstr("projected"));
  const Problem massless{
      .form = Mechanical{.coordinates = 2,
                         .holonomic = 1,
                         .mass = Mass::diagonal({1, 0}),
                         .force = [](auto, auto, auto f) { f[0] = f[1] = 0.0; },
                         .constraint = [](auto q, auto g) { g[0] = q[1] - q[0]; }},
      .t_span = {0, 1},
      .start = {0, 0, 1, 1}};
  EXPECT_THAT(refusal(massless, dop853), ::testing::HasSubstr("positive definite"));
}

TEST(Explicit, SaysWhyAModelIsNoMotion) {
  const Options dop853{.method = "dop853"};
  const auto refused = [&](const char* equations) {
    const Model model = Model::from_text(std::string("model m ") + equations + " end m;", "m.mo");
    return refusal(model.problem(), dop853);
  };
  EXPECT_THAT(refused("Real x(start = 1); Real z; equation der(x) = z; x + z^3 + z = 0;"),
              ::testing::HasSubstr("is different"));
  EXPECT_THAT(refused("Real x(start = 1), y, u, v, F; equation der(x) = u; der(y) = v; der(u) = "
                      "-F*x; 2*der(v) = -F*y*der(u); x^2 + y^2 = 1;"),
              ::testing::HasSubstr("not linear"));
  EXPECT_THAT(refused("Real x(start = 1), y, u, v, F; equation der(x) = u; der(y) = v; der(u) = "
                      "-F*x; der(v) = -F*(y + 1); x^2 + y^2 = 1;"),
              ::testing::HasSubstr("not normal to the constraints"));
  // Dense matrices of thousands of unknowns would only seem to hang.
  EXPECT_THAT(refused("Real x[300](each start = 1), z[300]; equation for i in 1:300 loop der(x[i]) "
                      "= z[i]; x[i]^3 = 1 + time; end for;"),
              ::testing::HasSubstr("600 variables are too many"));
}

TEST(Explicit, BeginsOnConstraintsThatHaveNoDirectionAtTheGuess) {
  // At the centre of a circle dg/dq = 0: nothing tells which way, and nothing that all is well.
  for (const char* rest :
       {"der(x) = u; der(y) = v;", "der(x) = u + x*mu; der(y) = v + y*mu; x*u + y*v = 0;"}) {
    const bool stabilised = std::string_view(rest).find("mu") != std::string_view::npos;
    const Model model = Model::from_text(
        fmt::format("model m Real x, y, u, v, F{}; equation {} der(u) = x*F; der(v) = y*F - 10; "
                    "x^2 + y^2 = 1; end m;",
                    stabilised ? ", mu" : "", rest),
        "m.mo");
    Problem problem = model.problem();
    problem.t_span = {0, 1};
    const Solution s = solve(problem, {.rtol = 1e-6});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_NEAR(std::hypot(s.value(-1, "x"), s.value(-1, "y")), 1, 1e-9) << rest;
  }
  const Problem functions = {
      .form =
          Mechanical{.coordinates = 2,
                     .holonomic = 1,
                     .force = [](auto, auto, auto f) { f[0] = 0.0, f[1] = -10.0; },
                     .constraint = [](auto q, auto g) { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }},
      .t_span = {0, 1},
      .start = {0, 0, 1, 2}};
  const Solution s = solve(functions, {.rtol = 1e-6});
  // On the circle, or told that no start was found: never in free fall.
  EXPECT_TRUE(!s.succeeded() || std::abs(s.y_end().head(2).norm() - 1) < 1e-9);
}

TEST(Explicit, SaysWhenConstraintsContradictEachOther) {
  const Model model = Model::from_text(
      "model m Real x(start = 1), y(start = 0, fixed = true), u, v(start = 1, fixed = true), F, G; "
      "equation der(x) = u; der(y) = v; der(u) = x*(F + G); der(v) = y*(F + G) - 10; x^2 + y^2 = "
      "1 \"rod\"; x^2 + y^2 = 1 + 0.1*time^3 \"longer rod\"; end m;",
      "m.mo");
  Problem problem = model.problem();
  problem.t_span = {0, 1};
  const Solution s = solve(problem, {.method = "dop853", .rtol = 1e-6});
  testing::expect_failure(s, Reason::singular_matrix);
  EXPECT_THAT(s.message.text(), ::testing::HasSubstr("contradict"));
  EXPECT_LT(s.t.back(), 0.5);
}

TEST(Explicit, TakesMultipliersOfModelsAsTheyAreDefined) {
  // The multiplier of the second model is -2/3 of that of the first one.
  const auto end = [](const char* force) {
    const Model model = Model::from_text(
        fmt::format("model m Real F; Real x(start = 1, fixed = true), y(start = 0), v(start = 0), "
                    "u(start = 0, fixed = true); equation 0 = {0}*x - 2*der(u); x^2 + y^2 = 1; "
                    "der(x) = u; der(y) = v; 2*der(v) = {0}*y - 2*9.81; end m;",
                    force),
        "m.mo");
    Options options{.method = "dop853", .rtol = 1e-10, .points = 3};
    Problem problem = model.problem();
    problem.t_span = {0, 1};
    const Solution s = solve(problem, options);
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    return s;
  };
  const Solution one = end("(-F)"), other = end("(1.5*F)");
  for (const char* name : {"x", "y", "u", "v"})
    EXPECT_NEAR(one.value(-1, name), other.value(-1, name), 1e-12) << name;
  EXPECT_NEAR(one.value(-1, "F"), -1.5 * other.value(-1, "F"), 1e-10);
  EXPECT_GT(one.value(-1, "F"), 1);
}

TEST(Explicit, ForgetsWhereStagesWereThatAreGivenUp) {
  // With friction of 1000 the first steps on trial lead far away, where dg/dq is large: beside it
  // that of the circle would look as if it vanished.
  const Problem in_syrup = {
      .form = Mechanical{
          .coordinates = 2,
          .holonomic = 1,
          .force = [](auto, auto v, auto f) { f[0] = -1000.0 * v[0], f[1] = -1.0 - 1000.0 * v[1]; },
          .constraint = [](auto q, auto g) { g[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }},
      .t_span = {0, 10},
      .start = {1, 0}};
  const Solution exact = solve(in_syrup, {.method = "radau", .rtol = 1e-11});
  for (const char* method : {"dormand_prince_5", "dop853"})
    for (const double rtol : {1e-3, 1e-4, 1e-6}) {
      const Solution s = solve(in_syrup, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      EXPECT_LE((s.y_end() - exact.y_end()).lpNorm<Eigen::Infinity>(), 10 * rtol) << method << rtol;
    }
}

TEST(Explicit, SaysWhenASlopeIsNotFinite) {
  const Problem p{
      .form = LinearlyImplicit{.size = 1,
                               .f = [](auto y, auto& out) { out[0] = sqrt(1.0 - y[0]) + 1.0; }},
      .t_span = {0, 2},
      .start = {0}};
  testing::expect_failure(solve(p, {.method = "dop853"}), Reason::step_too_small);
}

TEST(Projected, KeepsEveryLevelWithImplicitMethodsToo) {
  const Solution s =
      solve(exact::pendulum(3), {.formulation = Formulation::projected, .rtol = 1e-7});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  for (const ConstraintResidual& level : s.constraint_residual)
    EXPECT_LE(level.maximum, 1e-10) << level.level;  // output is put onto them to 1e-12 of its size
}

}  // namespace
}  // namespace daedalus
