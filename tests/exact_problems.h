#pragma once
// Problems with known solutions for tests of stepping: an ODE, index 1, 2, 3, a pendulum, and a
// chain whose Jacobian is banded or sparse.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "daedalus/daedalus.h"

namespace daedalus::exact {

struct Exact {
  std::string name;
  Problem problem;
  std::function<Vector(double)> solution;
  /// Residuals of the constraints at any level.
  std::function<double(double, const Vector&)> violation;
  int algebraic_from = 0;  ///< variables from here on are algebraic
};

/// y1' = y2, y2' = -y1: sine and cosine.
inline Exact oscillator() {
  Problem p{.form = LinearlyImplicit{.size = 2,
                                     .f =
                                         [](auto y, auto& out) {
                                           out[0] = y[1];
                                           out[1] = -y[0];
                                         }},
            .t_span = {0, 1},
            .start = {0, 1}};
  return {"ode", p,
          [](double t) {
            return Vector{{std::sin(t), std::cos(t)}};
          },
          [](double, const Vector&) { return 0.0; }, 2};
}

/// y' = -rate (y - cos t) - sin t, off by `off` at the start. [ProtheroRobinson1974]
inline Problem follows_a_cosine(double rate, double off) {
  return {.form = LinearlyImplicit{.size = 1,
                                   .f =
                                       [rate](auto t, auto y, auto& out) {
                                         using std::cos, std::sin;
                                         out[0] = -rate * (y[0] - cos(t)) - sin(t);
                                       }},
          .t_span = {0, 10},
          .start = {1 + off}};
}

/// Index 1: y1 = exp(-t), y2 = sin t, z = 2 + cos t.
inline Exact index_1() {
  const auto g = [](auto t, auto x, auto z, auto& out) {
    using std::cos, std::exp, std::sin;
    const auto c = 2.0 + cos(t);
    out[0] = z[0] * z[0] * z[0] + x[0] * z[0] + x[1] - (c * c * c + exp(-t) * c + sin(t));
  };
  Problem p{.form = SemiExplicit{.differential = 2,
                                 .algebraic = 1,
                                 .f =
                                     [](auto t, auto x, auto z, auto& out) {
                                       using std::cos, std::exp, std::sin;
                                       out[0] = -x[0] + x[1] * z[0] - sin(t) * (2.0 + cos(t));
                                       out[1] = z[0] - 2.0 + x[0] * x[0] - exp(-2.0 * t);
                                     },
                                 .g = g},
            .t_span = {0, 1},
            .start = {1, 0, 3}};
  return {"index 1", p,
          [](double t) {
            return Vector{{std::exp(-t), std::sin(t), 2 + std::cos(t)}};
          },
          [g](double t, const Vector& y) {
            Vector r(1);
            Output out(r.data(), 1);
            g(t, Input(y.data(), 2), Input(y.data() + 2, 1), out);
            return std::abs(r[0]);
          },
          2};
}

/// Index 2, z quadratic: y1 = exp(t), y2 = exp(-2 t), z = exp(2 t).
inline Exact index_2() {
  Problem p{
      .form = HessenbergIndex2{.differential = 2,
                               .algebraic = 1,
                               .f =
                                   [](auto y, auto z, auto& out) {
                                     out[0] = y[0] * y[1] * y[1] * z[0] * z[0];
                                     out[1] = y[0] * y[0] * y[1] * y[1] - 3.0 * y[1] * y[1] * z[0];
                                   },
                               .g = [](auto y, auto& out) { out[0] = y[0] * y[0] * y[1] - 1.0; }},
      .t_span = {0, 0.5},
      .start = {1, 1, 1}};
  return {"index 2", p,
          [](double t) {
            return Vector{{std::exp(t), std::exp(-2 * t), std::exp(2 * t)}};
          },
          [](double, const Vector& y) {
            const double f1 = y[0] * y[1] * y[1] * y[2] * y[2];
            const double f2 = y[0] * y[0] * y[1] * y[1] - 3 * y[1] * y[1] * y[2];
            return std::max(std::abs(y[0] * y[0] * y[1] - 1),
                            std::abs(2 * y[0] * y[1] * f1 + y[0] * y[0] * f2));
          },
          2};
}

/// Index 3 of [Jay1995]: y1 = z1 = exp(2 t), y2 = z2 = exp(-t), u = exp(t).
inline Exact index_3() {
  Problem p{
      .form = HessenbergIndex3{.position = 2,
                               .velocity = 2,
                               .algebraic = 1,
                               .f =
                                   [](auto y, auto z, auto& out) {
                                     out[0] = 2.0 * y[0] * y[1] * z[0] * z[1];
                                     out[1] = -y[0] * y[1] * z[1] * z[1];
                                   },
                               .k =
                                   [](auto y, auto z, auto u, auto& out) {
                                     out[0] = (y[0] * y[1] + z[0] * z[1]) * u[0];
                                     out[1] = -y[0] * y[1] * y[1] * z[1] * z[1] * u[0];
                                   },
                               .g = [](auto y, auto& out) { out[0] = y[0] * y[1] * y[1] - 1.0; }},
      .t_span = {0, 0.5},
      .start = {1, 1, 1, 1, 1}};
  return {"index 3", p,
          [](double t) {
            const double a = std::exp(2 * t), b = std::exp(-t);
            return Vector{{a, b, a, b, std::exp(t)}};
          },
          [](double, const Vector& y) {
            const double f1 = 2 * y[0] * y[1] * y[2] * y[3], f2 = -y[0] * y[1] * y[3] * y[3];
            return std::max(std::abs(y[0] * y[1] * y[1] - 1),
                            std::abs(y[1] * y[1] * f1 + 2 * y[0] * y[1] * f2));
          },
          4};
}

inline std::vector<Exact> problems_of_every_index() {
  return {oscillator(), index_1(), index_2(), index_3()};
}

/// Pendulum of unit length, mass and gravity, from rest at (1, 0).
inline Problem pendulum(double end) {
  return {.form = Mechanical{
              .coordinates = 2,
              .holonomic = 1,
              .force =
                  [](auto, auto, auto& out) {
                    out[0] = 0.0;
                    out[1] = -1.0;
                  },
              .constraint = [](auto q,
                               auto& out) { out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); }},
          .t_span = {0, end},
          .start = {1, 0, 0, 0, 0}};
}

/// A point on the unit circle under a force along it: angle t + sin(t)/2.
inline Exact motion() {
  Problem p{.form = Mechanical{
                .coordinates = 2,
                .holonomic = 1,
                .force =
                    [](auto t, auto q, auto, auto& out) {
                      using std::sin;
                      out[0] = 0.5 * sin(t) * q[1];
                      out[1] = -0.5 * sin(t) * q[0];
                    },
                .constraint = [](auto q,
                                 auto& out) { out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0); }},
            .t_span = {0, 1},
            .start = {1, 0, 0, 1.5, 2.25}};
  return {"motion", p,
          [](double t) {
            const double angle = t + 0.5 * std::sin(t), rate = 1 + 0.5 * std::cos(t);
            return Vector{{std::cos(angle), std::sin(angle), -rate * std::sin(angle),
                           rate * std::cos(angle), rate * rate}};
          },
          [](double, const Vector& y) {
            return std::max(std::abs(y[0] * y[0] + y[1] * y[1] - 1),
                            std::abs(y[0] * y[2] + y[1] * y[3]));
          },
          4};
}

/// The oscillator as a motion without constraints.
inline Exact swing() {
  Exact e = oscillator();
  e.name = "swing";
  e.problem.form =
      Mechanical{.coordinates = 1, .force = [](auto q, auto, auto& out) { out[0] = -q[0]; }};
  return e;
}

/// u' = second difference of u + cos t on `cells` cells, u = 0 at both ends; the last variable is
/// algebraic: the sum of three values, so that the matrix is banded and singular in y'.
inline Problem chain(int cells, double end) {
  std::vector<Mass::Entry> mass;
  for (int i = 0; i < cells; ++i) mass.push_back({i, i, 1.0});
  return {.form = LinearlyImplicit{.size = cells + 1,
                                   .mass = Mass::sparse(mass),
                                   .f =
                                       [cells](auto t, auto y, auto& out) {
                                         using std::cos;
                                         for (int i = 0; i < cells; ++i) {
                                           out[i] = -2.0 * y[i] + cos(t) - y[i] * y[i] * y[i];
                                           if (i > 0) out[i] += y[i - 1];
                                           if (i + 1 < cells) out[i] += y[i + 1];
                                         }
                                         out[cells] =
                                             y[cells] - y[cells - 1] - y[cells - 2] * y[cells - 2];
                                       }},
          .t_span = {0, end},
          .start = Values(Vector::Zero(cells + 1))};
}

}  // namespace daedalus::exact
