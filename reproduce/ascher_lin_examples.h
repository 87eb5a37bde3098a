#pragma once
// The examples of [AscherLin1997, section 6] with known solutions.
#include <cmath>
#include <functional>

#include "daedalus/problem.h"

namespace daedalus::reproduce {

/// A problem with its exact solution: x, or positions above velocities.
struct AscherLinExample {
  Problem problem = {};
  std::function<Vector(double)> exact = {};
};

/// Example 6.1: regular. x = (exp(-t), sin t), y = exp(t).
inline AscherLinExample example_6_1() {
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto x, auto y, auto out) {
            out[0] = 1 - exp(-t) - x[0] * y[0];
            out[1] = cos(t) + exp(t) * sin(t) - x[1] * y[0];
          },
      .g =
          [](auto t, auto x, auto out) {
            out[0] = (x[0] * x[0] + x[1] * x[1] - exp(-2 * t) - sin(t) * sin(t)) / 2.0;
          },
  };
  return {{.form = form, .t_span = {0, 1}, .start = {1, 0}}, [](double t) {
            return Vector(Values{std::exp(-t), std::sin(t)});
          }};
}

/// Example 6.2: B = x vanishes at t = 1/2. x = (t - 1/2, t^2 - 1/4), y = exp(t).
inline AscherLinExample example_6_2() {
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto x, auto y, auto out) {
            out[0] = 1 + (t - 0.5) * exp(t) - x[0] * y[0];
            out[1] = 2 * t + (t * t - 0.25) * exp(t) - x[1] * y[0];
          },
      .g =
          [](auto t, auto x, auto out) {
            const auto a = t - 0.5, b = t * t - 0.25;
            out[0] = (x[0] * x[0] + x[1] * x[1] - a * a - b * b) / 2.0;
          },
  };
  return {{.form = form, .t_span = {0, 1}, .start = {-0.5, -0.25}}, [](double t) {
            return Vector(Values{t - 0.5, t * t - 0.25});
          }};
}

/// Example 6.3: y = -cos t / (1 - 2t) is unbounded at t = 1/2. x = (1 - 2t, sin t).
inline AscherLinExample example_6_3() {
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto x, auto y, auto out) {
            out[0] = -x[0] + x[1] - sin(t) - (1 + 2 * t);
            out[1] = -x[0] * y[0];
          },
      .g = [](auto t, auto x, auto out) { out[0] = x[0] * (x[0] + x[1] - sin(t) - 1 + 2 * t); },
  };
  return {{.form = form, .t_span = {0, 1}, .start = {1, 0}}, [](double t) {
            return Vector(Values{1 - 2 * t, std::sin(t)});
          }};
}

/// Example 6.4: two links of a planar robot, the end on a line. theta = (sin t, -2 sin t).
inline AscherLinExample example_6_4() {
  const Mechanical form = {
      .coordinates = 2,
      .holonomic = 1,
      .mass =
          [](auto q, auto m) {
            const auto c = cos(q[1]);
            m(0, 0) = 5 + 3 * c;
            m(0, 1) = 1 + 1.5 * c;
            m(1, 0) = 1 + 1.5 * c;
            m(1, 1) = 1;
          },
      .force =
          [](auto t, auto q, auto, auto f) {
            const auto second = cos(q[0] + q[1]);
            f[0] = (cos(q[0]) + second) * cos(t) - 3 * sin(t);
            f[1] = second * cos(t) + (1 - 1.5 * cos(q[1])) * sin(t);
          },
      .constraint = [](auto q, auto g) { g[0] = sin(q[0]) + sin(q[0] + q[1]); },
  };
  return {{.form = form, .t_span = {0, 1}, .start = {0, 0, 1, -2}}, [](double t) {
            return Vector(Values{std::sin(t), -2 * std::sin(t), std::cos(t), -2 * std::cos(t)});
          }};
}

}  // namespace daedalus::reproduce
