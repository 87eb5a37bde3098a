// The same equations as a C++ function with double, interpreted, and as generated code: residual
// F(t, y, y') and Jacobian (the function's by forward differentiation with colours).
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "daedalus/record.h"
#include "expression/code_generation.h"
#include "expression/equation_set.h"
#include "problem/jacobian.h"

namespace {

using namespace daedalus;

constexpr double pi = std::numbers::pi;

struct Pendulum {
  static constexpr int size = 5;
  template <class V, class Out>
  void operator()(auto, const V& y, const V& yp, Out& r) const {
    r[0] = yp[0] - y[2];
    r[1] = yp[1] - y[3];
    r[2] = yp[2] + y[0] * y[4];
    r[3] = yp[3] + y[1] * y[4] + 9.81;
    r[4] = y[0] * y[0] + y[1] * y[1] - 1.0;
  }
};

struct Amplifier {
  static constexpr int size = 8;
  template <class V, class Out>
  void operator()(auto t, const V& y, const V& yp, Out& r) const {
    const double ub = 6, r0 = 1000, r9 = 9000, alpha = 0.99;
    const auto ue = 0.1 * sin(200 * pi * t);
    const auto i1 = 1e-6 * (exp((y[1] - y[2]) / 0.026) - 1.0);
    const auto i2 = 1e-6 * (exp((y[4] - y[5]) / 0.026) - 1.0);
    r[0] = 1e-6 * (yp[1] - yp[0]) - (y[0] - ue) / r0;
    r[1] = 1e-6 * (yp[0] - yp[1]) - (y[1] / r9 + (y[1] - ub) / r9 + (1 - alpha) * i1);
    r[2] = -2e-6 * yp[2] - (y[2] / r9 - i1);
    r[3] = 3e-6 * (yp[4] - yp[3]) - ((y[3] - ub) / r9 + alpha * i1);
    r[4] = 3e-6 * (yp[3] - yp[4]) - (y[4] / r9 + (y[4] - ub) / r9 + (1 - alpha) * i2);
    r[5] = -4e-6 * yp[5] - (y[5] / r9 - i2);
    r[6] = 5e-6 * (yp[7] - yp[6]) - ((y[6] - ub) / r9 + alpha * i2);
    r[7] = 5e-6 * (yp[6] - yp[7]) - y[7] / r9;
  }
};

struct RingModulator {
  static constexpr int size = 15;
  template <class V, class Out>
  void operator()(auto t, const V& y, const V& yp, Out& r) const {
    const double c = 1.6e-8, cp = 1e-8, lh = 4.45, ls1 = 2e-3, ls2 = 5e-4, cs = 2e-12;
    const double rr = 25000, rp = 50, rg1 = 36.3, rg2 = 17.3, ri = 50, rc = 600;
    const auto diode = [](const auto& u) { return 40.67286402e-9 * (exp(17.7493332 * u) - 1.0); };
    const auto uin1 = 0.5 * sin(2000 * pi * t), uin2 = 2.0 * sin(20000 * pi * t);
    const auto q1 = diode(y[2] - y[4] - y[6] - uin2), q2 = diode(-y[3] + y[5] - y[6] - uin2);
    const auto q3 = diode(y[3] + y[4] + y[6] + uin2), q4 = diode(-y[2] - y[5] + y[6] + uin2);
    r[0] = c * yp[0] - (y[7] - y[9] / 2 + y[10] / 2 + y[13] - y[0] / rr);
    r[1] = c * yp[1] - (y[8] - y[11] / 2 + y[12] / 2 + y[14] - y[1] / rr);
    r[2] = cs * yp[2] - (y[9] - q1 + q4);
    r[3] = cs * yp[3] - (-y[10] + q2 - q3);
    r[4] = cs * yp[4] - (y[11] + q1 - q3);
    r[5] = cs * yp[5] - (-y[12] - q2 + q4);
    r[6] = cp * yp[6] - (-y[6] / rp + q1 + q2 - q3 - q4);
    r[7] = lh * yp[7] + y[0];
    r[8] = lh * yp[8] + y[1];
    r[9] = ls2 * yp[9] - (y[0] / 2 - y[2] - rg2 * y[9]);
    r[10] = ls2 * yp[10] - (-y[0] / 2 + y[3] - rg2 * y[10]);
    r[11] = ls2 * yp[11] - (y[1] / 2 - y[4] - rg2 * y[11]);
    r[12] = ls2 * yp[12] - (-y[1] / 2 + y[5] - rg2 * y[12]);
    r[13] = ls1 * yp[13] - (-y[0] + uin1 - (ri + rg1) * y[13]);
    r[14] = ls1 * yp[14] - (-y[1] - (rc + rg1) * y[14]);
  }
};

/// Andrews' squeezing mechanism: q, v, w = v', lambda.
struct Squeezer {
  static constexpr int size = 27;
  template <class V, class Out>
  void operator()(auto, const V& y, const V& yp, Out& r) const {
    const double m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498,
                 m1 = 0.04325;
    const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5,
                 i6 = 5.667e-7, i7 = 1.912e-5;
    const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
    const double c0 = 4530, l0 = 0.07785, d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421,
                 rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018,
                 sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
                 zf = 0.02, zt = 0.04, fa = 0.01421, mom = 0.033;
    const auto q = [&y](int i) { return y[i - 1]; };
    const auto v = [&y](int i) { return y[6 + i]; };
    const auto w = [&y](int i) { return y[13 + i]; };
    const auto lam = [&y](int i) { return y[20 + i]; };
    const auto sibe = sin(q(1)), cobe = cos(q(1)), sith = sin(q(2)), coth = cos(q(2)),
               siga = sin(q(3)), coga = cos(q(3)), siph = sin(q(4)), coph = cos(q(4)),
               side = sin(q(5)), code = cos(q(5)), siom = sin(q(6)), coom = cos(q(6)),
               siep = sin(q(7)), coep = cos(q(7));
    const auto sibeth = sin(q(1) + q(2)), cobeth = cos(q(1) + q(2)), siphde = sin(q(4) + q(5)),
               cophde = cos(q(4) + q(5)), siomep = sin(q(6) + q(7)), coomep = cos(q(6) + q(7));
    const auto m11 = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * coth + da * da) + i1 + i2;
    const auto m21 = m2 * (da * da - da * rr * coth) + i2;
    const auto m54 = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * siph) + i4;
    const auto m55 = m4 * (zt * zt + 2 * zt * (e - ea) * siph + (e - ea) * (e - ea)) +
                     m5 * (ta * ta + tb * tb) + i4 + i5;
    const auto m76 = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * siom) + i6;
    const auto m77 = m6 * ((zf - fa) * (zf - fa) - 2 * u * (zf - fa) * siom + u * u) +
                     m7 * (ua * ua + ub * ub) + i6 + i7;
    const auto xd = sd * coga + sc * siga + xb, yd = sd * siga - sc * coga + yb;
    const auto lg = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc));
    const auto force = -c0 * (lg - l0) / lg;
    const auto fx = force * (xd - xc), fy = force * (yd - yc);
    const auto x = rr * cobe - d * cobeth, z = rr * sibe - d * sibeth;
    const auto lx = lam(1) + lam(3) + lam(5), ly = lam(2) + lam(4) + lam(6);
    for (int i = 0; i < 14; ++i) r[i] = yp[i] - y[i + 7];
    r[14] = m11 * w(1) + m21 * w(2) - z * lx + x * ly -
            (mom - m2 * da * rr * v(2) * (v(2) + 2 * v(1)) * sith);
    r[15] = m21 * w(1) + (m2 * da * da + i2) * w(2) + d * sibeth * lx - d * cobeth * ly -
            m2 * da * rr * v(1) * v(1) * sith;
    r[16] = (m3 * (sa * sa + sb * sb) + i3) * w(3) - ss * coga * lam(1) - ss * siga * lam(2) -
            fx * (sc * coga - sd * siga) - fy * (sd * coga + sc * siga);
    r[17] = (m4 * (e - ea) * (e - ea) + i4) * w(4) + m54 * w(5) - e * cophde * lam(3) -
            e * siphde * lam(4) - m4 * zt * (e - ea) * v(5) * v(5) * coph;
    r[18] = m54 * w(4) + m55 * w(5) + (zt * side - e * cophde) * lam(3) -
            (zt * code + e * siphde) * lam(4) +
            m4 * zt * (e - ea) * v(4) * (v(4) + 2 * v(5)) * coph;
    r[19] = (m6 * (zf - fa) * (zf - fa) + i6) * w(6) + m76 * w(7) + zf * siomep * lam(5) -
            zf * coomep * lam(6) + m6 * u * (zf - fa) * v(7) * v(7) * coom;
    r[20] = m76 * w(6) + m77 * w(7) + (zf * siomep - u * coep) * lam(5) -
            (zf * coomep + u * siep) * lam(6) -
            m6 * u * (zf - fa) * v(6) * (v(6) + 2 * v(7)) * coom;
    r[21] = x - ss * siga - xb;
    r[22] = z + ss * coga - yb;
    r[23] = x - e * siphde - zt * code - xa;
    r[24] = z + e * cophde - zt * side - ya;
    r[25] = x - zf * coomep - u * siep - xa;
    r[26] = z - zf * siomep + u * coep - ya;
  }
};

struct Heat {
  static constexpr int size = 10'000;
  template <class V, class Out>
  void operator()(auto, const V& y, const V& yp, Out& r) const {
    const double h = 1.0 / (size - 1);
    r[0] = y[0];
    for (int i = 1; i + 1 < size; ++i) r[i] = yp[i] - (y[i - 1] - 2 * y[i] + y[i + 1]) / (h * h);
    r[size - 1] = y[size - 1];
  }
};

/// One model, ready to be evaluated in three ways.
template <class Model>
struct Ways {
  Problem problem;
  std::vector<double> y, yp, r;
  std::shared_ptr<System> called;
  std::shared_ptr<System> graph[2];  ///< interpreted, compiled
  std::unique_ptr<Jacobian> jacobian[3];
  Pencil pencil[3];
  EquationSet equations[2];
  std::unique_ptr<CodeGeneration> code;
  double t = 0.01;

  Ways() : y(Model::size), yp(Model::size), r(Model::size) {
    problem.form = FullyImplicit{.size = Model::size, .residual = Model{}};
    problem.t_span = {0, 1};
    for (int i = 0; i < Model::size; ++i) y[i] = 0.1 + 0.01 * (i % 7), yp[i] = 0.02 * (i % 5);
    called = make_system(problem, Formulation::direct);
    const Problem tape = recorded(problem);
    graph[0] = make_system(tape, Formulation::direct);
    graph[1] = make_system(tape, Formulation::direct);
    graph[1]->choose_evaluation(Evaluation::compiled);
    const EquationSet& set = *std::get<ExpressionGraph>(tape.form).equations;
    std::vector<int> rows(Model::size);
    for (int i = 0; i < Model::size; ++i) rows[static_cast<std::size_t>(i)] = i;
    for (EquationSet& own : equations) own = set.restricted(rows);
    code = std::make_unique<CodeGeneration>(ProgramList{equations[1].program().content()},
                                            Evaluation::compiled);
    for (int k = 0; k < 3; ++k) {
      System& system = k == 0 ? *called : *graph[k - 1];
      jacobian[k] =
          std::make_unique<Jacobian>(system, LinearAlgebra::automatic, t, y.data(), yp.data());
      pencil[k] = jacobian[k]->make_pencil();
    }
  }

  void residual(int way) {
    if (way == 0) {
      // As the library holds it: behind one virtual call.
      std::get<FullyImplicit>(problem.form)
          .residual(t, {Input(y.data(), Model::size), Input(yp.data(), Model::size)},
                    Output(r.data(), Model::size));
    } else {
      const double* x[] = {y.data(), yp.data()};
      equations[way - 1].residual({t, x, nullptr}, r.data());
    }
    benchmark::DoNotOptimize(r.data());
    benchmark::ClobberMemory();
  }
  void evaluate_jacobian(int way) {
    benchmark::DoNotOptimize(jacobian[way]->evaluate(t, y.data(), yp.data(), pencil[way]));
  }
};

constexpr const char* way_name[] = {"function", "interpreted", "generated"};

/// Processor seconds of one call of f, the least of several tries.
template <class F>
double seconds(F f) {
  double best = 1e300;
  for (int attempt = 0; attempt < 5; ++attempt)
    for (int calls = 1;; calls *= 2) {
      const std::clock_t begin = std::clock();
      for (int k = 0; k < calls; ++k) f();
      const double spent = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      if (spent < 0.02) continue;
      best = std::min(best, spent / calls);
      break;
    }
  return best;
}

template <class Model>
void compare(const char* name) {
  const auto ways = std::make_shared<Ways<Model>>();
  double residual[3], jacobian[3];
  for (int way = 0; way < 3; ++way) {
    residual[way] = 1e9 * seconds([&] { ways->residual(way); });
    jacobian[way] = 1e9 * seconds([&] { ways->evaluate_jacobian(way); });
    const std::string ending = std::string("/") + way_name[way];
    benchmark::RegisterBenchmark((std::string(name) + "/residual" + ending).c_str(),
                                 [ways, way](benchmark::State& state) {
                                   for (auto _ : state) ways->residual(way);
                                 });
    benchmark::RegisterBenchmark((std::string(name) + "/jacobian" + ending).c_str(),
                                 [ways, way](benchmark::State& state) {
                                   for (auto _ : state) ways->evaluate_jacobian(way);
                                 });
  }
  for (const auto* times : {&residual, &jacobian})
    std::printf("%-14s %-9s %10.1f ns %10.1f ns (%5.2f x) %10.1f ns (%5.2f x)\n", name,
                times == &residual ? "residual" : "jacobian", (*times)[0], (*times)[1],
                (*times)[1] / (*times)[0], (*times)[2], (*times)[2] / (*times)[0]);
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  std::printf("%-24s %13s %23s %23s\n", "", "function", "interpreted", "generated");
  compare<Pendulum>("pendulum"), compare<Amplifier>("amplifier");
  compare<RingModulator>("ring_modulator"), compare<Squeezer>("squeezer");
  compare<Heat>("heat");
  benchmark::RunSpecifiedBenchmarks();
}
