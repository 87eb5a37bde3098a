// Variables that an equation gives explicitly are no unknowns of a step, and nothing else changes.
#include <cmath>
#include <gmock/gmock.h>
#include <sstream>

#include "daedalus/analysis.h"
#include "expression/equation_set.h"
#include "formulation/lean_problem.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

Model model(const std::string& declarations, const std::string& equations, double stop = 1) {
  return Model::from_text("model M\n" + declarations + "\nequation\n" + equations +
                              "\nannotation(experiment(StopTime = " + std::to_string(stop) +
                              "));\nend M;\n",
                          "m.mo");
}

Solution solved(const Model& m, double rtol = 1e-8) {
  Solution s = solve(m.problem(), m.scaled({.rtol = rtol}));
  EXPECT_EQ(s.status, Status::success) << s.message.text();
  return s;
}

/// Seventeen oscillators in a ring, once as they are and once through 76 auxiliary variables.
constexpr const char* ring = "Real x[17](start = {sin(i) for i in 1:17}, each fixed = true);";
constexpr const char* bare_ring =
    "for i in 1:17 loop der(x[i]) = sin(x[mod(i, 17) + 1]) - sin(x[mod(i + 15, 17) + 1])*x[i]"
    " - 0.1*x[i] + cos(time); end for;";
constexpr const char* laden_ring =
    "for i in 1:17 loop s[i] = sin(x[i]); n[i] = s[mod(i, 17) + 1]; "
    "p[i] = -s[mod(i + 15, 17) + 1]*x[i]; r[i] = n[i] + p[i] - 0.1*x[i] + w[1]; "
    "der(x[i]) = r[i]; end for;"
    "w[1] = cos(time); w[2] = 2*w[1]; w[3] = w[2]; w[4] = -w[3]; w[5] = s[1]; w[6] = s[2] + w[5];"
    "w[7] = w[6]^2; w[8] = 1;";
constexpr const char* auxiliary = "Real s[17], n[17], p[17], r[17], w[8];";

TEST(Lean, SeventySixAuxiliaryVariablesBesideSeventeenCostLikeSeventeen) {
  const Solution bare = solved(model(ring, bare_ring, 5));
  const Solution laden = solved(model(std::string(ring) + auxiliary, laden_ring, 5));
  EXPECT_EQ(bare.unknowns, 17);
  EXPECT_EQ(laden.unknowns, 17);
  ASSERT_EQ(laden.size(), 17 + 76);
  // Errors of what is shown count too: steps may be a little shorter.
  EXPECT_LE(laden.statistics.steps, 1.25 * static_cast<double>(bare.statistics.steps));
  for (int j = 0; j < 17; ++j) {
    EXPECT_NEAR(laden.y_end()[j], bare.y_end()[j], 1e-6);
    const std::string i = std::to_string(j + 1);
    for (int row = 0; row < laden.rows(); ++row)
      EXPECT_EQ(laden.value(row, "s[" + i + "]"), std::sin(laden.value(row, "x[" + i + "]")));
  }
  EXPECT_NEAR(laden.value(-1, "w[4]"), -2 * std::cos(5), 1e-14);
}

TEST(Lean, AliasesOfAnySignAndFactorAreOne) {
  const Solution s = solved(model("Real x(start = 1, fixed = true), a, b, c, d;",
                                  "der(x) = -d; a = x; b = -a; 2*c = b; c + d/4 = 0;"));
  EXPECT_EQ(s.unknowns, 1);
  EXPECT_NEAR(s.value(-1, "x"), std::exp(-2), 1e-7);
  EXPECT_NEAR(s.value(-1, "d"), 2 * std::exp(-2), 1e-7);
}

TEST(Lean, TheDerivativeOfAnAliasIsThatOfTheOtherOne) {
  const Solution s =
      solved(model("Real x(start = 1, fixed = true), y;", "y = -2*x; der(y) = 2*x;"));
  EXPECT_EQ(s.unknowns, 1);
  EXPECT_NEAR(s.value(-1, "y"), -2 * std::exp(-1), 1e-7);
}

TEST(Lean, AlgebraicLoopsKeepOneUnknown) {
  const Solution s =
      solved(model("Real x(start = 0, fixed = true), u, v;", "der(x) = u; u = cos(v); v = u + x;"));
  EXPECT_EQ(s.unknowns, 2);
  for (int i = 0; i < s.rows(); ++i) EXPECT_NEAR(s.value(i, "u"), std::cos(s.value(i, "v")), 1e-12);
}

TEST(Lean, FixedAuxiliaryVariablesDetermineTheStart) {
  const Solution s =
      solved(model("Real x(start = 1), v(start = 6, fixed = true);", "der(x) = -x; v = x^2 + x;"));
  EXPECT_NEAR(s.value(0, "x"), 2, 1e-10);
  EXPECT_NEAR(s.value(0, "v"), 6, 1e-10);
  EXPECT_NEAR(s.start_shift[0], 1, 1e-10);
}

TEST(Lean, InitialEquationsSpeakOfEliminatedVariablesAndTheirDerivatives) {
  const Model m = Model::from_text(
      "model M Real x(start = 1), v, w; equation der(x) = w; v = 3*x; w = 2 - v;"
      "initial equation der(v) = -3; end M;",
      "m.mo");
  const Solution s = solved(m);
  EXPECT_EQ(s.unknowns, 1);
  EXPECT_NEAR(s.value(0, "x"), 1, 1e-10);  // 3 (2 - 3 x) = -3
}

TEST(Lean, AGuessForWhatHasToBeFoundIsNotForgotten) {
  // z^2 = 4: the start of v, not that of z, tells which root is meant.
  const Solution s = solved(
      model("Real x(start = 0, fixed = true), z, v(start = -6);", "der(x) = z; z^2 = 4; v = 3*z;"));
  EXPECT_NEAR(s.value(0, "z"), -2, 1e-10);
}

TEST(Lean, EventsSeeEliminatedVariables) {
  const Model m = model("Real x(start = 0, fixed = true), v; discrete Real n(start = 0);",
                        "der(x) = 1; v = 2*x - 1; when v > 0 then n = pre(n) + 1; end when;");
  const Solution s = solved(m);
  ASSERT_EQ(s.events.size(), 1u);
  EXPECT_NEAR(s.events[0].t, 0.5, 1e-12);
  EXPECT_EQ(s.value(-1, "n"), 1);
  Options options = m.scaled({.rtol = 1e-8});
  options.events = {{.value = [](double, Input y) { return y[1] - 0.5; }, .terminal = true}};
  const Solution ended = solve(m.problem(), options);
  EXPECT_EQ(ended.reason, Reason::terminal_event);
  EXPECT_NEAR(ended.t.back(), 0.75, 1e-10);
}

TEST(Lean, DefinitionsSwitchWithTheirModesAtEventsAndBetween) {
  const Solution s = solved(model("Real x(start = 0, fixed = true), v, w;",
                                  "der(x) = w; v = if x < 0.5 then 1 else 3; w = v - 0.5;", 2));
  EXPECT_EQ(s.unknowns, 1);
  EXPECT_EQ(s(0.3)[1], 1);
  EXPECT_EQ(s(1.5)[1], 3);
  EXPECT_NEAR(s.value(-1, "x"), 0.5 + 2.5, 1e-9);
}

TEST(Lean, ResetsOfTheUserReachTheUnknowns) {
  const Model m = model("Real v, x(start = 0, fixed = true);", "der(x) = 1; v = 2*x;");
  Options options = m.scaled({.rtol = 1e-8});
  options.events = {{.value = [](double, Input y) { return y[0] - 1; },
                     .reset = [](double, Output y) { y[1] = -1; }}};
  const Solution s = solve(m.problem(), options);
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_NEAR(s.value(-1, "x"), -0.5, 1e-10);
  EXPECT_NEAR(s.value(-1, "v"), -1, 1e-10);
}

TEST(Lean, RunsResumeToTheSameBits) {
  const Model m = model(std::string(ring) + auxiliary, laden_ring, 2);
  const Options options = m.scaled({.rtol = 1e-6});
  const Solution whole = solve(m.problem(), options);
  Integrator first(m.problem(), options);
  for (int k = 0; k < 5; ++k) first.step();
  EXPECT_EQ(first.y().size(), 93);
  std::stringstream stream;
  first.save(stream);
  Integrator second = Integrator::resume(m.problem(), options, stream);
  while (second.step()) {
  }
  for (int j = 0; j < whole.size(); ++j)
    EXPECT_EQ(whole.y_end()[j], second.solution().y_end()[j]) << whole.variables[j];
}

TEST(Lean, LoopsStayLoops) {
  // Fluxes between a thousand cells: their elimination fills nothing and keeps the shapes.
  const Model m = model("Real u[1000](each start = 1), q[1001];",
                        "q[1] = 0; q[1001] = 0; for i in 2:1000 loop q[i] = u[i - 1]^2 - u[i]^2; "
                        "end for; for i in 1:1000 loop der(u[i]) = q[i] - q[i + 1]; end for;");
  const LeanProblem lean = lean_problem(m.problem(), false);
  const auto& form = std::get<ExpressionGraph>(lean.problem.form);
  EXPECT_EQ(form.size, 1000);
  EXPECT_LE(form.equations->kernels().size(), 4u);
}

TEST(Lean, WhatWouldFillTheMatrixStays) {
  // A mean that every one of many equations uses: an arrow is sparse, a full matrix is not.
  const Model m = model("Real u[500](start = {i for i in 1:500}, each fixed = true), mean;",
                        "mean = sum(u)/500; for i in 1:500 loop der(u[i]) = mean - u[i]; end for;");
  const LeanProblem lean = lean_problem(m.problem(), false);
  EXPECT_EQ(size_of(lean.problem.form), 501);
  EXPECT_EQ(lean.expansion, nullptr);
}

/// Inverse squares of distances, each pair once: they fill the matrix of all unknowns, which
/// explicit steps do not have. The first of the sums is the negative of one.
TEST(Lean, MotionsAreSeenThroughAuxiliaryVariablesOfAllPairs) {
  const Model m = model(
      "constant Integer n = 24; Real p[n, 2](start = {{i, 0} for i in 1:n}, each fixed = true),"
      "v[n, 2](each start = 0, each fixed = true), lambda[n], w[n, n], f[n, 2];",
      "for i in 1:n loop"
      "  for j in 1:i loop w[i, j] = if j < i then 1/((p[i, 1] - p[j, 1])^2 + "
      "(p[i, 2] - p[j, 2])^2) else 0; end for;"
      "  for j in i + 1:n loop w[i, j] = 0; end for;"
      "  for c in 1:2 loop"
      "    f[i, c] = sum((p[i, c] - p[j, c])*w[i, j] for j in 1:i - 1)"
      "      - sum((p[j, c] - p[i, c])*w[j, i] for j in i + 1:n);"
      "    der(p[i, c]) = v[i, c]; der(v[i, c]) = f[i, c] - lambda[i]*p[i, c] + c - 1;"
      "  end for;"
      "  p[i, 1]^2 + p[i, 2]^2 = i^2;"
      "end for;");
  const Solution s = solved(m);
  EXPECT_THAT(s.choice, ::testing::StartsWith("dop853"));
  const Solution other = solve(m.problem(), {.method = "radau", .rtol = 1e-8});
  ASSERT_EQ(other.status, Status::success) << other.message.text();
  for (const char* name : {"p[1,1]", "p[24,2]", "w[24,23]"})
    EXPECT_NEAR(s.value(-1, name), other.value(-1, name), 1e-6) << name;
}

TEST(Lean, LongChainsOfDefinitionsAreNoTrouble) {
  const Solution s = solved(model("Real x(start = 1, fixed = true), v[3000];",
                                  "der(x) = -v[3000]; v[1] = x; for i in 2:3000 loop "
                                  "v[i] = v[i - 1]; end for;"));
  EXPECT_LE(s.unknowns, 1 + 64);
  EXPECT_NEAR(s.value(-1, "v[3000]"), std::exp(-1), 1e-7);
}

TEST(Lean, EliminatedVariablesMeetTheToleranceToo) {
  // An error of x is a thousand times larger in v.
  const Solution s = solved(model("Real x(start = 1, fixed = true), y(start = 0, fixed = true), v;",
                                  "der(x) = -y; der(y) = x; v = 1000*(x^2 + y^2 - 1);", 20),
                            1e-6);
  for (int i = 0; i < s.rows(); ++i) EXPECT_NEAR(s.value(i, "v"), 0, 1e-4);
}

TEST(Lean, ClassesAreSeenThroughAuxiliaryVariables) {
  for (const char* name : {"andrews", "caraxis", "chain", "pendulum"})
    EXPECT_EQ(
        analyze(Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo"))))
            .problem_class,
        "mechanical")
        << name;
  // y' = z, 0 = y - sin t with another name for y in between.
  EXPECT_EQ(analyze(model("Real y, z, v;", "der(y) = z; v = 2*y; v = sin(time);")).problem_class,
            "hessenberg-2");
}

}  // namespace
}  // namespace daedalus
