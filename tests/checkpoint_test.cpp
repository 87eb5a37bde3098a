// A resumed run has the bits of the uninterrupted one, for every kind of stages, storage and form,
// in this process and in another one.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "checkpoints.h"
#include "daedalus/daedalus.h"
#include "exact_problems.h"
#include "io/embedded.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

/// Every accepted step as raw bytes: time, size, state, interpolated state, counters.
std::string trace_of_step(Integrator& run) {
  std::string bytes;
  const auto append = [&bytes](const void* data, std::size_t count) {
    bytes.append(static_cast<const char*>(data), count);
  };
  const double t = run.t(), h = run.step_size();
  append(&t, sizeof t), append(&h, sizeof h);
  append(run.y().data(), sizeof(double) * static_cast<std::size_t>(run.y().size()));
  const Statistics& s = run.solution().statistics;
  for (const std::int64_t x : {s.steps, s.rejected, s.newton_failures, s.rhs, s.jacobians,
                               s.factorizations, s.solves, s.newton})
    append(&x, sizeof x);
  return bytes;
}

std::string trace_to_the_end(Integrator& run) {
  std::string bytes;
  while (run.step()) bytes += trace_of_step(run);
  return bytes + name_of(run.solution().status) + name_of(run.solution().reason);
}

/// What the recorded solution has from the step number `after` on.
std::string rows_after(const Solution& s, double t) {
  std::string bytes;
  for (int i = 0; i < s.rows(); ++i) {
    if (s.t[i] <= t) continue;
    bytes.append(reinterpret_cast<const char*>(&s.t[i]), sizeof(double));
    bytes.append(reinterpret_cast<const char*>(s.y(i).data()),
                 sizeof(double) * static_cast<std::size_t>(s.size()));
  }
  for (const EventRecord& e : s.events)
    if (e.t > t) bytes.append(reinterpret_cast<const char*>(&e.t), sizeof e.t);
  for (const StepRecord& r : s.steps)
    if (r.t > t) bytes.append(reinterpret_cast<const char*>(&r.h), sizeof r.h);
  return bytes;
}

/// Saves after each of the steps listed and compares everything that follows.
void expect_same_bits(const Problem& problem, const Options& options, const std::string& name,
                      const std::vector<int>& at = {0, 1, 2, 3, 7, 20, 35}) {
  Integrator whole(problem, options);
  std::vector<std::string> checkpoints, traces = {""};
  std::vector<double> times;
  const auto keep = [&] {
    checkpoints.push_back(saved(whole));
    times.push_back(whole.t());
  };
  for (keep(); whole.step(); keep()) traces.push_back(trace_of_step(whole));
  const Solution& expected = whole.solution();
  ASSERT_TRUE(expected.succeeded()) << name << ": " << expected.message.text();
  for (const int step : at) {
    if (step >= int(checkpoints.size())) break;
    std::string rest;
    for (std::size_t i = static_cast<std::size_t>(step) + 1; i < traces.size(); ++i)
      rest += traces[i];
    rest += name_of(expected.status) + std::string(name_of(expected.reason));
    Integrator run = resumed(problem, options, checkpoints[step]);
    EXPECT_EQ(run.t(), times[step]);
    ASSERT_TRUE(trace_to_the_end(run) == rest) << name << ": steps differ after step " << step;
    EXPECT_TRUE(rows_after(run.solution(), times[step]) == rows_after(expected, times[step]))
        << name << ": output differs after step " << step;
    for (std::size_t k = 0; k < expected.constraint_residual.size(); ++k) {
      EXPECT_EQ(run.solution().constraint_residual[k].maximum,
                expected.constraint_residual[k].maximum);
      EXPECT_EQ(run.solution().constraint_residual[k].t, expected.constraint_residual[k].t);
      EXPECT_EQ(run.solution().constraint_residual[k].equation,
                expected.constraint_residual[k].equation);
    }
    EXPECT_EQ(run.solution().start_shift, expected.start_shift);
  }
}

/// Index 1 until t = 10; the variable order code changes its order in it.
Problem long_index_1() {
  Problem p = exact::index_1().problem;
  p.t_span.end = 5;
  return p;
}

TEST(Checkpoint, ResumesEveryKindOfMethodToTheSameBits) {
  for (const char* method :
       {"radau", "radau_iia_1", "radau_iia_5", "gauss_4", "lobatto_iiia_4", "lobatto_iiic_4",
        "sdirk_hairer_wanner_4", "rodas_3", "rodas_4", "rodas_5p", "bdf"}) {
    expect_same_bits(long_index_1(), {.method = method, .rtol = 1e-5}, method);
    expect_same_bits(exact::oscillator().problem, {.method = method, .rtol = 1e-5}, method);
  }
}

TEST(Checkpoint, ResumesImplicitStepsOnTheManifold) {
  const Options o{.formulation = Formulation::manifold, .rtol = 1e-6};
  expect_same_bits(exact::pendulum(2), o, "manifold");
  expect_same_bits(exact::index_2().problem, o, "manifold");
  expect_same_bits(reproduce::four_bar().problem(0.3, 8, 2), o, "manifold", {0, 1, 2, 5, 11, 17});
}

TEST(Checkpoint, ResumesExplicitMethodsAlsoAcrossSingularPoints) {
  for (const char* method : {"dop853", "dormand_prince_5", "srm"}) {
    const Options o{.method = method, .rtol = 1e-6};
    expect_same_bits(exact::oscillator().problem, o, method);
    expect_same_bits(exact::pendulum(2), o, method);
    expect_same_bits(exact::index_2().problem, o, method);
    const Options often{.method = method, .rtol = 1e-6, .points = 33};
    expect_same_bits(reproduce::four_bar().problem(0.3, 8, 2), often, method,
                     {0, 1, 2, 3, 5, 8, 11, 14, 17, 20});
  }
}

TEST(Checkpoint, ResumesAfterAChangeOfOrder) {
  const Options o{.rtol = 1e-10};
  const Problem p = exact::chain(10, 20);
  const Solution s = solve(p, o);
  std::vector<int> changes;
  for (std::size_t i = 1; i < s.steps.size(); ++i)
    if (s.steps[i].order != s.steps[i - 1].order) changes.push_back(int(i));
  ASSERT_FALSE(changes.empty()) << "the test needs a run that changes its order";
  std::vector<int> at;
  for (const int step : changes) at.insert(at.end(), {step - 1, step, step + 1, step + 2});
  expect_same_bits(p, o, "change of order", at);
}

TEST(Checkpoint, ResumesEveryIndexAndFormulation) {
  for (const exact::Exact& e : exact::problems_of_every_index()) {
    expect_same_bits(e.problem, {.rtol = 1e-6}, e.name);
    expect_same_bits(e.problem, {.rtol = 1e-6, .points = 33}, e.name + " with output times");
    expect_same_bits(e.problem, {.rtol = 1e-6, .project_output = false}, e.name + ", raw");
  }
  for (const Formulation f : {Formulation::stabilized_index_2, Formulation::direct,
                              Formulation::index_2, Formulation::index_1}) {
    expect_same_bits(exact::pendulum(2), {.formulation = f, .rtol = 1e-6, .points = 50},
                     name_of(f));
    expect_same_bits(exact::pendulum(2), {.formulation = f, .rtol = 1e-6}, name_of(f));
  }
}

/// As they stand: output is put onto constraints with derivatives among their unknowns.
TEST(Checkpoint, ResumesModelsOfIndex3AsTheyStand) {
  for (const char* name : {"pendulum_index3", "jay_index3", "caraxis"}) {
    const Model m = Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo")));
    Options o = m.scaled({.method = "radau", .formulation = Formulation::direct});
    expect_same_bits(m.problem(), o, name);
    o.points = 200;
    expect_same_bits(m.problem(), o, name + std::string(" with output times"));
  }
}

/// The linearisation of the constraints serves several steps: a dense one, and sparse ones.
TEST(Checkpoint, ResumesProjectedSteps) {
  const auto ring = [](int cells, const std::string& more) {
    const std::string n = std::to_string(cells);
    return Model::from_text(
        "model M parameter Integer N = " + n +
            "; Real x[N](each start = 0.5), y[N], z[N]; equation for i in 1:N loop "
            "der(x[i]) = sin(time + i) - x[i] + z[i]; der(y[i]) = -y[i] - z[i]*(1 + x[i]^2); "
            "x[i] + x[i]^3 + 0.1*y[if i < N then i + 1 else 1] = 2*y[i]" +
            more + "; end for; annotation(experiment(StopTime = 5)); end M;",
        "m.mo");
  };
  for (const auto& [name, model] :
       {std::pair{"3 cells", ring(3, "")}, std::pair{"30 cells", ring(30, "")},
        std::pair{"30 cells with events", ring(30, " + (if x[i] > 0.7 then x[i] - 0.7 else 0)")}}) {
    const Options options = model.scaled(
        {.method = "radau", .formulation = Formulation::projected, .rtol = 1e-6, .points = 20});
    expect_same_bits(model.problem(), options, name, {0, 1, 2, 3, 5, 8, 13, 20, 35});
  }
}

/// How exact unknowns have to be, for the sake of logarithms of them, must not depend on the length
/// of a step that is not known any more.
TEST(Checkpoint, ResumesModelsOfIndex2WithLogarithms) {
  Problem problem = Model::from_text(R"(model m
  Real x(start = 1, fixed = true), y(start = 0.5), z, lambda, p;
equation
  der(x) = 2*x*lambda + 0.1*sin(5*time);
  der(y) = lambda - y;
  x + y = 1.5 + 0.2*sin(time);
  der(z) = x*log(y + 2) - z;
  p = -log10(y*y + 1e-9 + 1e-7*lambda*lambda);
end m;)",
                                     "m.mo")
                        .problem();
  problem.t_span = {0, 20};
  for (const char* method : {"radau", "radau_iia_5"})
    for (const double rtol : {1e-3, 1e-6})
      expect_same_bits(problem,
                       {.method = method, .formulation = Formulation::direct, .rtol = rtol}, method,
                       {1, 4, 8, 12, 16, 20, 24});
}

TEST(Checkpoint, ResumesEveryStorage) {
  for (const LinearAlgebra storage :
       {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse})
    for (const char* method :
         {"radau", "radau_iia_5", "sdirk_hairer_wanner_4", "gauss_4", "rodas_4", "bdf"}) {
      const Options o{.method = method, .rtol = 1e-5, .linear_algebra = storage};
      expect_same_bits(exact::chain(40, 3), o, method, {0, 1, 5, 12});
    }
}

TEST(Checkpoint, ResumesFixedSteps) {
  expect_same_bits(exact::index_2().problem, {.fixed_step = 0.03}, "fixed step");
  for (const char* method : {"gauss_6", "rodas_4", "bdf"})
    expect_same_bits(long_index_1(), {.method = method, .fixed_step = 0.1}, "fixed step");
}

TEST(Checkpoint, ResumesAcrossEvents) {
  const Problem ball{.form = LinearlyImplicit{.size = 2,
                                              .f =
                                                  [](auto y, auto& out) {
                                                    out[0] = y[1];
                                                    out[1] = -1.0 - 0.1 * y[1];
                                                  }},
                     .t_span = {0, 4},
                     .start = {1, 0}};
  std::vector<int> all;
  for (int i = 0; i < 60; ++i) all.push_back(i);
  for (const char* method : {"radau", "rodas_5p", "bdf"}) {
    Options o{.method = method, .rtol = 1e-7};
    o.events.push_back({.value = [](double, Input y) { return y[0]; },
                        .direction = Direction::falling,
                        .reset = [](double, Output y) { y[0] = 0, y[1] *= -0.8; }});
    o.events.push_back({.value = [](double, Input y) { return y[1]; }});
    expect_same_bits(ball, o, "events", all);
  }
}

TEST(Checkpoint, OfAFinishedRunSaysHowItEnded) {
  Options o{.rtol = 1e-6};
  o.events.push_back({.value = [](double t, Input) { return t - 0.5; }, .terminal = true});
  Integrator run(exact::oscillator().problem, o);
  while (run.step()) {
  }
  Integrator again = resumed(exact::oscillator().problem, o, saved(run));
  EXPECT_FALSE(again.step());
  EXPECT_EQ(again.solution().status, Status::event);
  EXPECT_EQ(again.solution().reason, Reason::terminal_event);
  EXPECT_EQ(again.t(), 0.5);
}

TEST(Checkpoint, ContinuesARunThatReachedItsLimit) {
  const Problem p = exact::index_2().problem;
  Integrator whole(p, {.rtol = 1e-7});
  const std::string end = trace_to_the_end(whole);
  Integrator part(p, {.rtol = 1e-7, .max_steps = 10});
  while (part.step()) {
  }
  ASSERT_EQ(part.solution().reason, Reason::max_steps);
  Integrator rest = resumed(p, {.rtol = 1e-7}, saved(part));
  const std::string tail = trace_to_the_end(rest);
  EXPECT_TRUE(end.ends_with(tail));
  EXPECT_EQ(rest.t(), p.t_span.end);
  EXPECT_EQ(rest.solution().status, Status::success);
}

constexpr const char* request = "DAEDALUS_TEST_CHECKPOINT";

/// Runs this program again, for the one test below, with the file to continue from.
int continue_in_another_process(const std::string& stem) {
  const pid_t child = fork();
  if (child == 0) {
    setenv(request, stem.c_str(), 1);
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    const char* filter = "--gtest_filter=CheckpointProcess.ContinuesFromTheFileItIsGiven";
    execl("/proc/self/exe", "daedalus_unit_tests", "--gtest_brief=1", filter, nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

Options in_another_process() {
  return {.rtol = 1e-6, .linear_algebra = LinearAlgebra::sparse};
}

/// Does something only in the process that the next test starts.
TEST(CheckpointProcess, ContinuesFromTheFileItIsGiven) {
  const char* stem = std::getenv(request);
  if (stem == nullptr) return;
  std::ifstream in(std::string(stem) + ".checkpoint", std::ios::binary);
  Integrator rest = Integrator::resume(exact::chain(40, 3), in_another_process(), in);
  std::ofstream(std::string(stem) + ".trace", std::ios::binary) << trace_to_the_end(rest);
}

TEST(Checkpoint, ResumesInAnotherProcess) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const std::string stem = (folder / ("daedalus_checkpoint_" + std::to_string(getpid()))).string();
  Integrator run(exact::chain(40, 3), in_another_process());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run.step());
  std::ofstream(stem + ".checkpoint", std::ios::binary) << saved(run);
  ASSERT_EQ(continue_in_another_process(stem), 0);
  std::stringstream found;
  found << std::ifstream(stem + ".trace", std::ios::binary).rdbuf();
  EXPECT_TRUE(found.str() == trace_to_the_end(run));
  std::remove((stem + ".checkpoint").c_str());
  std::remove((stem + ".trace").c_str());
}

}  // namespace
}  // namespace daedalus
