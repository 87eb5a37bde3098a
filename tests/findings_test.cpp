// What a problem remembers of earlier runs: the same bits in less time, and nothing that no longer
// holds.
#include <thread>

#include <gtest/gtest.h>

#include "daedalus/daedalus.h"
#include "daedalus/model.h"
#include "formulation/prepared_graph.h"
#include "formulation/recorded_motion.h"
#include "io/embedded.h"
#include "problem/graph_parts.h"

namespace daedalus {
namespace {

void expect_same_bits(const Solution& a, const Solution& b) {
  ASSERT_TRUE(a.succeeded()) << a.message.text();
  EXPECT_EQ(a.t, b.t);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.choice, b.choice);
  EXPECT_EQ(a.start_shift, b.start_shift);
  EXPECT_EQ(a.statistics.rhs, b.statistics.rhs);
}

/// A pendulum of which a caller may change everything, from rest.
struct Values4 {
  double mass = 1, gravity = 9.81, friction = 0, length = 1;
};
Problem pendulum(const Values4& held) {
  return {.form = Mechanical{
              .coordinates = 2,
              .holonomic = 1,
              .mass = [&held](auto, auto m) { m(0, 0) = m(1, 1) = held.mass; },
              .force =
                  [&held](auto, auto v, auto f) {
                    f[0] = -held.friction * v[0];
                    f[1] = -held.gravity * held.mass - held.friction * v[1];
                  },
              .constraint =
                  [&held](auto q, auto g) { g[0] = q.squaredNorm() - held.length * held.length; }},
          .t_span = {0, 2},
          .start = {1, 0, 0, 0}};
}

/// The same as M y' = f of index 3.
Problem pendulum_as_dae(const double& gravity) {
  return {.form = LinearlyImplicit{.size = 5,
                                   .mass = Mass::diagonal({1, 1, 1, 1, 0}),
                                   .f =
                                       [&gravity](auto y, auto f) {
                                         f[0] = y[2], f[1] = y[3];
                                         f[2] = -y[0] * y[4];
                                         f[3] = -y[1] * y[4] - gravity;
                                         f[4] = (y[0] * y[0] + y[1] * y[1] - 1) / 2;
                                       }},
          .t_span = {0, 2},
          .start = {1, 0, 0, 0, 0},
          .variable_index = {1, 1, 2, 2, 3}};
}

const char* const swinging = R"(
model Swinging
  parameter Real L = 1;
  Real x(start = 0.6, fixed = true), y(start = -0.7), vx(start = 0), vy(start = 0), F, s;
equation
  der(x) = vx;
  der(y) = vy;
  s = F / L;
  der(vx) = -s * x;
  der(vy) = -s * y - 9.81;
  x * x + y * y = L * L;
annotation(experiment(StopTime = 2));
end Swinging;
)";

TEST(Findings, LeaveNoTraceInTheBits) {
  const Values4 values;
  const double gravity = 9.81;
  const Model model = Model::from_text(swinging);
  for (const Problem& problem : {pendulum(values), pendulum_as_dae(gravity), model.problem()}) {
    Problem forgetful = problem;
    forgetful.findings = Findings::none();
    for (const char* method : {"auto", "radau"}) {
      const Options options{.method = method, .rtol = 1e-7};
      const Solution alone = solve(forgetful, options);
      for (int round = 0; round < 3; ++round) expect_same_bits(alone, solve(problem, options));
    }
  }
}

/// Starts are kept, and that there is no field of constraints to be watched.
TEST(Findings, OfModelsLeaveNoTraceEither) {
  for (const std::string name :
       {"chemakzo", "transamp", "circuit_index2", "jay_index2", "dpc_s", "path_control_index5"}) {
    const Model model =
        Model::from_text(std::string(embedded("models/" + name + ".mo")), name + ".mo");
    Problem problem = model.problem(), forgetful = problem;
    forgetful.findings = Findings::none();
    for (const double rtol : {1e-4, 1e-7, 1e-4}) {
      const Options options = model.scaled({.rtol = rtol});
      const Solution alone = solve(forgetful, options);
      ASSERT_TRUE(alone.succeeded()) << name;
      for (int round = 0; round < 2; ++round) expect_same_bits(alone, solve(problem, options));
    }
  }
}

TEST(Findings, AreUsedAgain) {
  const Values4 values;
  const Problem problem = pendulum(values), copy = problem;
  const auto& form = std::get<Mechanical>(problem.form);
  const auto first = RecordedMotion::of(form, true, problem.findings);
  EXPECT_EQ(RecordedMotion::of(form, true, copy.findings), first);
  EXPECT_NE(RecordedMotion::of(form, true, Findings::none()), first);
  EXPECT_NE(RecordedMotion::of(form, true, Findings()), first);

  const Model model = Model::from_text(swinging);
  const auto prepared = prepared_graph(model.problem(), true, true);
  EXPECT_EQ(prepared_graph(model.problem(), true, true), prepared);
  EXPECT_NE(prepared_graph(model.problem(), false, true), prepared);
  Problem moved = model.problem();
  moved.start = {0.5, -0.8, 0, 0, 0, 0};
  EXPECT_NE(prepared_graph(moved, true, true), prepared);
}

/// Friction does nothing at rest, where the run begins, and a change in the last digit is one too.
TEST(Findings, SeeWhatFunctionsHold) {
  Values4 values;
  const Problem problem = pendulum(values);
  const auto check = [&](const char* what) {
    SCOPED_TRACE(what);
    Problem fresh = pendulum(values);
    for (const char* method : {"auto", "radau"})
      expect_same_bits(solve(fresh, {.method = method}), solve(problem, {.method = method}));
  };
  check("as it was");
  values.friction = 0.3, check("friction");
  values.gravity = 9.80665, check("gravity");
  values.mass = 2, check("mass");
  values.length = 1 + 1e-9, check("length");
  values.friction = std::nextafter(0.3, 1.0), check("last digit");

  double gravity = 9.81;
  const Problem dae = pendulum_as_dae(gravity);
  for (const double g : {9.81, 9.82, 9.81}) {
    gravity = g;
    expect_same_bits(solve(pendulum_as_dae(gravity)), solve(dae));
  }
}

TEST(Findings, FollowTheStatementOfTheProblem) {
  const Model model = Model::from_text(swinging);
  Problem problem = model.problem();
  const auto fresh = [&] {
    Problem forgetful = problem;
    forgetful.findings = Findings::none();
    return solve(forgetful, {.rtol = 1e-6});
  };
  const auto check = [&] { expect_same_bits(fresh(), solve(problem, {.rtol = 1e-6})); };
  check();
  problem.start = {0.8, -0.6, 0, 0, 0, 0}, check();
  problem.t_span = {0, 3}, check();
  problem.fixed = {"y"}, check();
  problem.form = Model::from_text(swinging, "", {.parameters = {{"L", 1.2}}}).problem().form;
  check();
}

/// A fixed value stays, whether the start has to be found or is there already.
TEST(Findings, LeaveFixedValuesAlone) {
  const Model model = Model::from_text(swinging);
  for (const double off : {0.0, 1e-11, 1e-3}) {
    Problem problem = model.problem();
    problem.start = {0.6, -0.8 - off, 0, 0, 0, 0};
    for (int round = 0; round < 2; ++round) {
      const Solution s = solve(problem);
      ASSERT_TRUE(s.succeeded());
      EXPECT_NEAR(s.value(0, "x"), 0.6, 1e-15) << off;
      EXPECT_NEAR(s.value(0, "y"), -0.8, 1e-14) << off;
    }
  }
}

/// A force may solve a problem that shares the findings; nobody waits for himself.
TEST(Findings, FollowTheFormulation) {
  Problem problem = Model::from_text(swinging).problem(), forgetful = problem;
  forgetful.findings = Findings::none();
  // The rate at which Baumgarte's constraints decay follows the interval.
  for (const double end : {1.0, 0.5, 1.0})
    for (const Formulation formulation : {Formulation::projected, Formulation::baumgarte,
                                          Formulation::stabilized_index_2, Formulation::index_1}) {
      problem.t_span.end = forgetful.t_span.end = end;
      const Options options{.method = "radau", .formulation = formulation};
      const Solution alone = solve(forgetful, options);
      for (int round = 0; round < 2; ++round) expect_same_bits(alone, solve(problem, options));
    }
}

TEST(Findings, HoldWhatGraphsTellOfTheirSystems) {
  const Model model = Model::from_text(swinging);
  const auto form = std::get<ExpressionGraph>(model.problem().form);
  const Findings findings;
  const auto parts = graph_parts(form, findings);
  EXPECT_EQ(graph_parts(form, findings), parts);
  EXPECT_NE(graph_parts(form, Findings::none()), parts);
  ExpressionGraph another = form;
  another.equations = std::make_shared<EquationSet>(*form.equations);
  EXPECT_NE(graph_parts(another, findings), parts) << "perhaps with other parameters";
}

TEST(Findings, KnowWhatExplicitMethodsCannotTake) {
  // No state is left where a source says what x is, and z is its derivative.
  double size = 1;
  const Problem driven = {.form = LinearlyImplicit{.size = 2,
                                                   .mass = Mass::diagonal({1, 0}),
                                                   .f =
                                                       [&size](auto t, auto y, auto f) {
                                                         f[0] = y[1];
                                                         f[1] = y[0] - size * sin(t);
                                                       }},
                          .t_span = {0, 20},
                          .start = {0, 1},
                          .variable_index = {1, 2}};
  EXPECT_THROW((void)solve(driven, {.rtol = -1}), InvalidInput) << "says nothing of the equations";
  Problem forgetful = driven;
  forgetful.findings = Findings::none();
  for (const double now : {1.0, 1.0, 2.0, 1.0}) {
    size = now;
    expect_same_bits(solve(forgetful), solve(driven));
  }
}

TEST(Findings, MayBeAskedWhileTheyAreAsked) {
  const Values4 values;
  const Problem inner = pendulum(values);
  Problem outer = inner;
  std::get<Mechanical>(outer.form).force = [&inner](auto, auto, auto f) {
    f[0] = 0.0, f[1] = -9.81 - solve(inner, {.rtol = 1e-3}).y_end()[0];
  };
  outer.t_span = {0, 1e-3};
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(solve(inner).succeeded());
    EXPECT_TRUE(solve(outer, {.rtol = 1e-3}).succeeded());
  }
}

TEST(Findings, MayBeSharedByThreads) {
  const Values4 values;
  const Model model = Model::from_text(swinging);
  for (const Problem& problem : {pendulum(values), model.problem()}) {
    const Solution alone = solve(problem);
    std::vector<Solution> found(4);
    std::vector<std::thread> threads;
    for (Solution& s : found)
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) s = solve(problem);
      });
    for (std::thread& thread : threads) thread.join();
    for (const Solution& s : found) expect_same_bits(alone, s);
  }
}

/// What is recorded to be compared is forgotten again.
TEST(Findings, KeepNoNodesOfOtherFunctions) {
  Graph graph;
  const NodeId x = graph.input(0), root = graph.make(Op::exp, x);
  const int count = graph.size();
  for (int k = 0; k < 1000; ++k) {
    const PassingNodes passing(graph);
    EXPECT_EQ(graph.make(Op::exp, graph.input(0)), root);
    graph.mul(root, graph.constant(0.5 + k));
    EXPECT_GT(graph.size(), count);
  }
  EXPECT_EQ(graph.size(), count);
  EXPECT_EQ(graph.make(Op::exp, x), root) << "what was there before is found again";
  EXPECT_EQ(graph.size(), count);
}

}  // namespace
}  // namespace daedalus
