// Nanoseconds of each kernel of a step (s = 3), and its share in a whole run: the amplifier (n =
// 5), 3 to 30 coupled equations, and 20 particles on a sphere (n = 160) after [Fekete].
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numbers>
#include <vector>

#include <benchmark/benchmark.h>

#include "daedalus/daedalus.h"
#include "problem/jacobian.h"
#include "stepper/stage_solver.h"

namespace {

using namespace daedalus;

Problem amplifier() {
  Matrix mass = Matrix::Zero(5, 5);
  const double c1 = 1e-6, c2 = 2e-6, c3 = 3e-6;
  mass(0, 0) = mass(1, 1) = -c1, mass(0, 1) = mass(1, 0) = c1, mass(2, 2) = -c2;
  mass(3, 3) = mass(4, 4) = -c3, mass(3, 4) = mass(4, 3) = c3;
  return {.form = LinearlyImplicit{.size = 5,
                                   .mass = mass,
                                   .f =
                                       [](auto t, auto y, auto& out) {
                                         using std::exp, std::sin;
                                         const double r0 = 1000, r = 9000, ub = 6;
                                         const auto ue = 0.4 * sin(200 * std::numbers::pi * t);
                                         const auto d = 1e-6 * (exp((y[1] - y[2]) / 0.026) - 1.0);
                                         out[0] = (y[0] - ue) / r0;
                                         out[1] = y[1] / r + (y[1] - ub) / r + 0.01 * d;
                                         out[2] = y[2] / r - d;
                                         out[3] = (y[3] - ub) / r + 0.99 * d;
                                         out[4] = y[4] / r;
                                       }},
          .t_span = {0, 0.2},
          .start = {0, 3, 3, 6, 0}};
}

template <int n>
Problem coupled() {
  return {.form = LinearlyImplicit{.size = n,
                                   .f =
                                       [](auto t, auto y, auto& out) {
                                         using std::cos;
                                         auto mean = cos(3.0 * t);
                                         for (int i = 0; i < n; ++i) mean += y[i] * y[i] / n;
                                         for (int i = 0; i < n; ++i)
                                           out[i] = mean * (1.0 + i) / n - 3.0 * y[i] * (1 + i);
                                       }},
          .t_span = {0, 20},
          .start = Values(Vector::Constant(n, 0.1))};
}

/// p' = q + 2 mu p,  q' = -q/2 + 2 lambda p + sum (p_i - p_j)/|p_i - p_j|^2,  |p| = 1,  p q = 0.
Problem particles() {
  constexpr int count = 20;
  Vector start = Vector::Zero(160);
  int i = 0;
  const auto ring = [&](int members, double shift, double b) {
    for (int k = 1; k <= members; ++k, ++i) {
      const double a = 2 * std::numbers::pi * k / members + shift;
      start.segment(3 * i, 3) << std::cos(a) * std::cos(b), std::sin(a) * std::cos(b), std::sin(b);
    }
  };
  constexpr double pi = std::numbers::pi;
  ring(3, pi / 13, 3 * pi / 8), ring(7, pi / 29, pi / 8);
  ring(6, pi / 7, -2 * pi / 15), ring(4, pi / 17, -3 * pi / 10);
  return {.form = HessenbergIndex2{.differential = 6 * count,
                                   .algebraic = 2 * count,
                                   .f =
                                       [](auto y, auto z, auto& out) {
                                         for (int a = 0; a < count; ++a)
                                           for (int c = 0; c < 3; ++c) {
                                             const int p = 3 * a + c, q = 60 + p;
                                             out[p] = y[q] + 2.0 * z[20 + a] * y[p];
                                             out[q] = -0.5 * y[q] + 2.0 * z[a] * y[p];
                                           }
                                         for (int a = 0; a < count; ++a)
                                           for (int b = 0; b < a; ++b) {
                                             const auto x = y[3 * a] - y[3 * b];
                                             const auto u = y[3 * a + 1] - y[3 * b + 1];
                                             const auto w = y[3 * a + 2] - y[3 * b + 2];
                                             const auto r = 1.0 / (x * x + u * u + w * w);
                                             out[60 + 3 * a] += x * r, out[60 + 3 * b] -= x * r;
                                             out[61 + 3 * a] += u * r, out[61 + 3 * b] -= u * r;
                                             out[62 + 3 * a] += w * r, out[62 + 3 * b] -= w * r;
                                           }
                                       },
                                   .g =
                                       [](auto y, auto& out) {
                                         for (int a = 0; a < count; ++a) {
                                           out[a] = -1.0 + 0.0 * y[0];
                                           out[20 + a] = 0.0 * y[0];
                                           for (int c = 0; c < 3; ++c) {
                                             const int p = 3 * a + c;
                                             out[a] += y[p] * y[p];
                                             out[20 + a] += 2.0 * y[p] * y[60 + p];
                                           }
                                         }
                                       }},
          .t_span = {0, 1000},
          .start = Values(start)};
}

/// The pieces of a step, as the stepper puts them together.
struct Pieces {
  Problem problem;
  std::shared_ptr<System> system;
  State state;
  std::unique_ptr<Jacobian> jacobian;
  Pencil pencil;
  std::unique_ptr<StageSolver> stages;
  std::unique_ptr<RealFactors> real;
  std::unique_ptr<ComplexFactors> complex;
  std::vector<double> r, i;
  ErrorNorm norm;
  double h;

  Pieces(const Problem& given, double step) : problem(given), h(step) {
    Integrator run(problem, {.rtol = 1e-6, .record = false});
    for (int k = 0; k < 20; ++k) run.step();
    system = make_system(problem, Formulation::automatic);
    state.t = run.t();
    state.y.assign(run.y().data(), run.y().data() + system->size);
    state.yp.assign(state.y.size(), 0.0), r = i = state.yp;
    jacobian = std::make_unique<Jacobian>(*system, LinearAlgebra::automatic, state.t,
                                          state.y.data(), state.yp.data());
    pencil = jacobian->make_pencil();
    jacobian->evaluate(state.t, state.y.data(), state.yp.data(), pencil);
    stages = make_stage_solver(*system, stage_constants(find_method("radau_iia_5")), pencil);
    stages->factor(pencil, h);
    real = make_real_factors(pencil), complex = make_complex_factors(pencil);
    real->factor(pencil, 3.6 / h), complex->factor(pencil, 2.7 / h, 3.1 / h);
    norm = ErrorNorm(system->variable_index, 1e-6, Vector::Constant(system->size, 1e-6));
    norm.set_reference(state.y.data()), norm.set_step(h);
  }
};

using Maker = Problem (*)();

void residual(benchmark::State& bench, Maker make, double h) {
  Pieces p(make(), h);
  for (auto _ : bench) {
    p.system->residual(p.state.t, p.state.y.data(), p.state.yp.data(), p.r.data());
    benchmark::DoNotOptimize(p.r.data());
  }
}

void jacobian(benchmark::State& bench, Maker make, double h) {
  Pieces p(make(), h);
  for (auto _ : bench)
    benchmark::DoNotOptimize(
        p.jacobian->evaluate(p.state.t, p.state.y.data(), p.state.yp.data(), p.pencil));
}

void factor(benchmark::State& bench, Maker make, double h) {
  Pieces p(make(), h);
  for (auto _ : bench) benchmark::DoNotOptimize(p.stages->factor(p.pencil, h));
}

void solve_blocks(benchmark::State& bench, Maker make, double h) {
  Pieces p(make(), h);
  for (auto _ : bench) {
    std::fill(p.r.begin(), p.r.end(), 1.0), std::fill(p.i.begin(), p.i.end(), 1.0);
    p.real->solve(p.r.data());
    p.complex->solve(p.r.data(), p.i.data());
    benchmark::DoNotOptimize(p.r.data());
  }
}

void newton_iteration(benchmark::State& bench, Maker make, double h) {
  Pieces p(make(), h);
  Statistics statistics;
  // A tolerance that one iteration meets.
  for (auto _ : bench)
    benchmark::DoNotOptimize(
        p.stages->solve(p.state, h, p.norm, {7, 1e300, false}, statistics, {false, nullptr}));
}

void whole_run(benchmark::State& bench, Maker make, double) {
  const Problem problem = make();
  std::int64_t steps = 0;
  for (auto _ : bench) {
    Integrator run(problem, {.method = "radau_iia_5", .rtol = 1e-6, .record = false});
    while (run.step()) {
    }
    steps = run.solution().statistics.steps;
  }
  bench.counters["steps"] = static_cast<double>(steps);
  bench.counters["per_step"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

/// Processor seconds of one call of f, by doubling the number of calls.
template <class F>
double seconds(F f) {
  for (int calls = 1;; calls *= 2) {
    const std::clock_t begin = std::clock();
    for (int k = 0; k < calls; ++k) f();
    const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (spent > 0.05) return spent / calls;
  }
}

void shares(const char* name, Maker make, double h) {
  Pieces p(make(), h);
  Statistics n;
  const double whole = seconds([&] {
    n = solve(p.problem, {.method = "radau_iia_5", .rtol = 1e-6, .record = false}).statistics;
  });
  const double start = seconds([&] { Integrator run(p.problem, {.record = false}); });
  const auto call = [&](auto f) { return seconds(f); };
  const double f =
      call([&] { p.system->residual(p.state.t, p.state.y.data(), p.state.yp.data(), p.r.data()); });
  const double j =
      call([&] { p.jacobian->evaluate(p.state.t, p.state.y.data(), p.state.yp.data(), p.pencil); });
  const double lu = call([&] { p.stages->factor(p.pencil, h); });
  const double back = call([&] {
    std::fill(p.r.begin(), p.r.end(), 1.0), std::fill(p.i.begin(), p.i.end(), 1.0);
    p.real->solve(p.r.data()), p.complex->solve(p.r.data(), p.i.data());
  });
  const double parts[] = {static_cast<double>(n.rhs) * f, static_cast<double>(n.jacobians) * j,
                          static_cast<double>(n.factorizations) * lu,
                          static_cast<double>(n.solves) * back, start};
  double rest = whole;
  for (const double part : parts) rest -= part;
  std::printf("%-10s %4d %7lld %10.3f ms %8.2f us", name, p.system->size,
              static_cast<long long>(n.steps), 1e3 * whole,
              1e6 * (whole - start) / static_cast<double>(n.steps));
  for (const double part : parts) std::printf(" %8.1f%%", 100 * part / whole);
  std::printf(" %6.1f%%\n", 100 * rest / whole);
}

void add(const char* name, Maker make, double h) {
  const auto one = [&](const char* what, auto run) {
    benchmark::RegisterBenchmark((std::string(name) + "/" + what).c_str(), run, make, h);
  };
  one("residual", residual), one("jacobian", jacobian), one("factor", factor);
  one("solve", solve_blocks), one("newton", newton_iteration), one("run", whole_run);
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  std::printf("%-10s %4s %7s %13s %11s %9s %9s %9s %9s %9s %7s\n", "problem", "n", "steps", "run",
              "a step", "residual", "jacobian", "factor", "solve", "start", "rest");
  shares("amplifier", amplifier, 2e-4);
  shares("coupled", coupled<3>, 0.05), shares("coupled", coupled<5>, 0.05);
  shares("coupled", coupled<8>, 0.05), shares("coupled", coupled<12>, 0.05);
  shares("coupled", coupled<16>, 0.05), shares("coupled", coupled<20>, 0.05);
  shares("coupled", coupled<27>, 0.05), shares("coupled", coupled<30>, 0.05);
  shares("particles", particles, 0.05);
  add("amplifier", amplifier, 2e-4), add("coupled", coupled<27>, 0.05);
  add("particles", particles, 0.05);
  benchmark::RunSpecifiedBenchmarks();
}
