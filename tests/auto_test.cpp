// Method "auto": what it chooses, that it says why, and that a resumed run chooses the same.
#include <cmath>
#include <gmock/gmock.h>
#include <sstream>
#include <vector>

#include "daedalus/model.h"
#include "daedalus/record.h"
#include "exact_problems.h"
#include "io/embedded.h"
#include "reproduce/link_chain.h"
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
}

TEST(Auto, TurnsAtOnceWhereForcesAreStiff) {
  for (const double friction : {1e3, 1e5, 1e7})
    for (const double rtol : {1e-3, 1e-6, 1e-9}) {
      const Solution s = solve(in_syrup(friction), {.rtol = rtol});
      EXPECT_EQ(s.status, Status::success) << s.message.text();
      EXPECT_THAT(s.choice, HasSubstr("; rodas")) << friction;
      EXPECT_LE(s.statistics.steps, 50) << friction << " " << rtol;
      const Solution exact = solve(in_syrup(friction), {.method = "radau", .rtol = 1e-12});
      EXPECT_LE((s.y_end() - exact.y_end()).head(4).norm(), 10 * rtol) << friction << " " << rtol;
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

/// A pendulum in a bearing that seizes for a while: friction as `in_syrup` between t = 3 and 6.
Problem seized_for_a_while() {
  Problem p = in_syrup(0);
  auto& form = std::get<Mechanical>(p.form);
  form.force = [](auto t, auto, auto v, auto f) {
    const auto grip =
        1e4 * (0.5 + 0.5 * tanh(10.0 * (t - 3.0))) * (0.5 - 0.5 * tanh(10.0 * (t - 6.0)));
    f[0] = -grip * v[0], f[1] = -9.81 - grip * v[1];
  };
  p.t_span = {0, 9};
  return p;
}

TEST(Auto, TakesTurnsWhereTheCharacterChanges) {
  const Problem p = seized_for_a_while();
  const double rtol = 1e-6;
  const Solution s = solve(p, {.rtol = rtol, .dense = true});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_THAT(s.choice, HasSubstr("dop853: on constraints"));
  EXPECT_THAT(s.choice, HasSubstr("; rodas_5p from t = "));
  EXPECT_THAT(s.choice, HasSubstr("; dop853 from t = "));
  const Solution one_way = solve(p, {.method = "dop853", .rtol = rtol});
  EXPECT_LT(10 * s.statistics.steps, one_way.statistics.steps);
  const Solution reference = solve(p, {.method = "radau", .rtol = 1e-11, .dense = true});
  // The motion after the grip is the one it had when it seized, a thousandth of its speed: errors
  // of both parts and of the passage between them.
  for (const double t : {1.0, 2.9, 3.1, 4.0, 5.5, 6.2, 7.0, 9.0})
    EXPECT_LE((s(t) - reference(t)).head(4).lpNorm<Eigen::Infinity>(), 300 * rtol) << t;
}

TEST(Auto, ResumesInEveryTurn) {
  const Problem p = seized_for_a_while();
  const Solution whole = solve(p);
  Integrator part(p);
  for (bool more = true; more;) {
    for (int k = 0; more && k < 40; ++k) more = part.step();
    if (!more) break;
    std::stringstream stream;
    part.save(stream);
    part = Integrator::resume(p, {}, stream);
  }
  for (int j = 0; j < whole.size(); ++j)
    EXPECT_EQ(part.solution().y_end()[j], whole.y_end()[j]) << j;
}

TEST(Auto, TakesLongChainsByExplicitSteps) {
  // Steps as long as stability allows, but implicit ones would cost more.
  for (const double rtol : {1e-2, 1e-3, 1e-4, 1e-6}) {
    Options options = {.rtol = rtol};
    options.max_steps = 30;
    const Solution s = solve(reproduce::link_chain(100, 1), options);
    EXPECT_EQ(s.method, "dop853") << s.choice;
  }
}

/// A particle on the unit circle as M y' = f, index 3: the angle is t^2. [Arevalo1995]
template <class F>
Problem circling(F f) {
  Vector masses = Vector::Ones(5);
  masses[4] = 0;
  return {.form = LinearlyImplicit{.size = 5, .mass = Mass::diagonal(masses), .f = f},
          .t_span = {1, 3},
          .start = {std::sin(1.0), std::cos(1.0), 2 * std::cos(1.0), -2 * std::sin(1.0), -4},
          .variable_index = {1, 1, 2, 2, 3}};
}

constexpr auto on_circle = [](auto y, auto out) {
  out[0] = y[2], out[1] = y[3];
  out[2] = 2.0 * y[1] + y[0] * y[4];
  out[3] = -2.0 * y[0] + y[1] * y[4];
  out[4] = y[0] * y[0] + y[1] * y[1] - 1.0;
};

double error_on_circle(const Solution& s) {
  const Input y = s.y_end();
  return std::hypot(y[0] - std::sin(9.0), y[1] - std::cos(9.0));
}

TEST(Auto, RecordsFunctionsOfHigherIndex) {
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    const Solution s = solve(circling(on_circle), {.rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_EQ(s.method, "dop853");
    EXPECT_THAT(s.choice, HasSubstr("recorded"));
    EXPECT_LE(error_on_circle(s), 30 * rtol);
    // The multiplier is -4 t^2.
    EXPECT_NEAR(s.y_end()[4], -36, 36 * 30 * rtol);
    ASSERT_EQ(s.constraint_residual.size(), 2u);
    EXPECT_EQ(s.constraint_residual[1].level, "velocity");
    for (const ConstraintResidual& level : s.constraint_residual) EXPECT_LE(level.maximum, 1e-12);
  }
}

TEST(Auto, RecordsEveryFormOfHigherIndex) {
  const double rtol = 1e-8;
  const Problem given = circling(on_circle);
  std::vector<Problem> same(4, given);
  same[0].form = LinearlyImplicit{.size = 5,
                                  .mass =
                                      [](auto y, auto m) {
                                        for (int i = 0; i < 4; ++i) m(i, i) = 1.0 + 0.0 * y[0];
                                      },
                                  .f = on_circle};
  same[1].form = FullyImplicit{.size = 5, .residual = [](auto y, auto yp, auto r) {
                                 on_circle(y, r);
                                 for (int i = 0; i < 4; ++i) r[i] = yp[i] - r[i];
                               }};
  // With the constraint of velocities, index 2: positions may drift, here by rounding.
  same[2].form = LinearlyImplicit{
      .size = 5, .mass = std::get<LinearlyImplicit>(given.form).mass, .f = [](auto y, auto out) {
        on_circle(y, out);
        out[4] = y[0] * y[2] + y[1] * y[3];
      }};
  same[2].variable_index = {1, 1, 1, 1, 2};
  same[3].form =
      HessenbergIndex3{.position = 2,
                       .velocity = 2,
                       .algebraic = 1,
                       .f = [](auto, auto v, auto out) { out[0] = v[0], out[1] = v[1]; },
                       .k =
                           [](auto q, auto, auto u, auto out) {
                             out[0] = 2.0 * q[1] + q[0] * u[0];
                             out[1] = -2.0 * q[0] + q[1] * u[0];
                           },
                       .g = [](auto q, auto out) { out[0] = q[0] * q[0] + q[1] * q[1] - 1.0; }};
  same[3].variable_index.clear();
  for (const Problem& problem : same) {
    const Solution s = solve(problem, {.rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_THAT(s.choice, HasSubstr("recorded"));
    EXPECT_LE(error_on_circle(s), 30 * rtol) << problem.form.index() << ' ' << s.choice;
  }
}

/// y' = -y + z, 0 = y - exp(-t / 10), as index 2; `square`: with z^2.
Problem decay(double end, bool square) {
  return {.form = LinearlyImplicit{.size = 2,
                                   .mass = Mass::diagonal({1, 0}),
                                   .f =
                                       [square](auto t, auto y, auto out) {
                                         using std::exp;
                                         out[0] = (square ? y[1] * y[1] : y[1]) - y[0];
                                         out[1] = y[0] - exp(-0.1 * t);
                                       }},
          .t_span = {0, end},
          .start = {1, square ? std::sqrt(0.9) : 0.9},
          .variable_index = {1, 2}};
}

TEST(Auto, RecordsNothingWhereItCannotPay) {
  const Solution brief = solve(decay(10, false), {.rtol = 1e-6});
  EXPECT_EQ(brief.method, "radau");
  EXPECT_THAT(brief.choice, HasSubstr("too little happens"));
  EXPECT_NEAR(brief.y_end()[0], std::exp(-1), 1e-6);
  const Solution lengthy = solve(decay(100, false), {.rtol = 1e-6});
  EXPECT_THAT(lengthy.choice, HasSubstr("recorded"));
  EXPECT_NEAR(lengthy.y_end()[0], std::exp(-10), 1e-6);
  const Solution nonlinear = solve(decay(100, true), {.rtol = 1e-6});
  EXPECT_EQ(nonlinear.method, "radau");
  EXPECT_THAT(nonlinear.choice, HasSubstr("nonlinearly"));
  EXPECT_NEAR(nonlinear.y_end()[0], std::exp(-10), 1e-6);
}

TEST(Auto, SolvesFunctionsThatCannotBeRecordedAsTheyStand) {
  const auto branching = [](auto y, auto out) {
    on_circle(y, out);
    if (y[0] > 2.0) out[0] = 0.0 * y[0];
  };
  const auto plain_doubles = [](double, Input y, Output out) { on_circle(y, out); };
  for (const Problem& problem : {circling(branching), circling(plain_doubles)}) {
    const Solution s = solve(problem, {.rtol = 1e-5});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    EXPECT_EQ(s.method, "radau");
    EXPECT_THAT(s.choice, testing::Not(HasSubstr("recorded")));
    // In the index as it stands errors of velocities count times h.
    EXPECT_LE(error_on_circle(s), 1e-2);
  }
}

TEST(Auto, FindsTheStartOfRecordedFunctions) {
  Problem p = circling(on_circle);
  p.start = {0.9, 0.5, 1, 0, 0};
  const Solution s = solve(p, {.rtol = 1e-6});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  for (const ConstraintResidual& level : s.constraint_residual) EXPECT_LE(level.maximum, 1e-12);
  EXPECT_NEAR(s.y(0).head(2).norm(), 1, 1e-13);
}

TEST(Auto, GraphsNeedNoNames) {
  const Solution s = solve(recorded(in_syrup(0.1)), {.method = "dop853"});
  EXPECT_EQ(s.status, Status::success) << s.message.text();
}

/// Waves run to and fro on a line of N coils and capacitors, v = 0 at one end and open at the
/// other: v_k = sum_j c_j cos(w_j t) sin(a_j k) with a_j = (2 j - 1) pi/(2 N + 1) and w_j = 2
/// sin(a_j/2). Nothing damps what steps leave.
/// Something stiff beside it leaves no explicit method the choice.
void expect_waves_kept(const std::string& beside, const char* method) {
  constexpr int n = 45;
  constexpr double end = 100, pi = 3.14159265358979323846;
  Problem problem = Model::from_text(R"(model line
  parameter Integer N = 45;
  Real v[N](start = {exp(-((k - 12)/3)^2) for k in 1:N}, each fixed = true);
  Real i[N](each start = 0, each fixed = true);
  Real z(start = 0, fixed = true);
equation
  der(i[1]) = -v[1];
  for k in 2:N loop
    der(i[k]) = v[k - 1] - v[k];
  end for;
  for k in 1:N - 1 loop
    der(v[k]) = i[k] - i[k + 1];
  end for;
  der(v[N]) = i[N];
  der(z) = )" + beside + R"(;
end line;)",
                                     "line.mo")
                        .problem();
  problem.t_span = {0, end};
  std::vector<double> exact(n, 0.0);
  for (int j = 1; j <= n; ++j) {
    const double a = (2 * j - 1) * pi / (2 * n + 1);
    double c = 0;
    for (int k = 1; k <= n; ++k)
      c += 4.0 / (2 * n + 1) * std::exp(-(k - 12) * (k - 12) / 9.0) * std::sin(a * k);
    for (int k = 1; k <= n; ++k)
      exact[k - 1] += c * std::cos(2 * std::sin(a / 2) * end) * std::sin(a * k);
  }
  for (const double rtol : {1e-3, 1e-4, 1e-6, 1e-8}) {
    const Solution s = solve(problem, {.rtol = rtol});
    ASSERT_TRUE(s.succeeded());
    EXPECT_EQ(s.method, method) << s.choice;
    for (int k = 0; k < n; ++k) EXPECT_NEAR(s.y_end()[k], exact[k], 30 * rtol) << rtol << " " << k;
  }
}

TEST(Auto, KeepsWavesOnALineToTheTolerance) {
  expect_waves_kept("1e4*(sin(time) - z)", "radau");
}

TEST(Auto, IsExplicitWhereStabilityAsksLittle) {
  expect_waves_kept("sin(time)", "dop853");
}

TEST(Auto, TurnsFromExplicitStepsWhereEquationsBecomeStiff) {
  // Thirty cells whose exchange grows by 1e6 within the interval.
  const Problem problem = Model::from_text(R"(model cells
  parameter Integer N = 30;
  Real u[N](start = {k/N for k in 1:N}, each fixed = true);
equation
  for k in 1:N loop
    der(u[k]) = 1 + exp(14*(time - 1))*(u[max(k - 1, 1)] - 2*u[k] + u[min(k + 1, N)]);
  end for;
  annotation(experiment(StopTime = 2));
end cells;)",
                                           "cells.mo")
                              .problem();
  const Solution exact = solve(problem, {.method = "radau", .rtol = 1e-10});
  for (const double rtol : {1e-3, 1e-6}) {
    const Solution s = solve(problem, {.rtol = rtol});
    ASSERT_TRUE(s.succeeded());
    EXPECT_THAT(s.choice, testing::StartsWith("dop853"));
    EXPECT_LT(s.statistics.steps, 500) << s.choice;
    for (int k = 0; k < s.y_end().size(); ++k)
      EXPECT_NEAR(s.y_end()[k], exact.y_end()[k], 30 * rtol * (1 + std::abs(exact.y_end()[k])));
  }
}

}  // namespace
}  // namespace daedalus
