#pragma once
// Boundary value problems with known solutions. Where a solution is manufactured, the equations
// get the forcing x^(m) - f(x) and the constraints -g(x), both at the solution.
#include <array>
#include <cmath>

#include "daedalus/bvp.h"

namespace daedalus::boundary_problems {

struct Known {
  BoundaryProblem problem = {};
  std::function<Vector(double t)> exact = {};  ///< z, y
};

/// Sets f and g from bare functions and the solution: exact(t, out) gives z, y, then x^(m).
template <class F, class G, class Exact>
void manufacture(Known& known, F bare_f, G bare_g, Exact exact) {
  BoundaryProblem& p = known.problem;
  const int states = p.states(), n = static_cast<int>(p.orders.size()), d = p.algebraic;
  const auto values = [exact, states, n, d](auto t) {
    std::vector<decltype(t)> all(static_cast<std::size_t>(states + d + n));
    exact(t, all.data());
    return all;
  };
  p.f = [bare_f, values, states, n, d](auto t, auto z, auto y, auto out) {
    using T = std::decay_t<decltype(t)>;
    const std::vector<T> all = values(t);
    std::vector<T> own(static_cast<std::size_t>(n)), there(static_cast<std::size_t>(n));
    bare_f(t, z.data(), y.data(), own.data());
    bare_f(t, all.data(), all.data() + states, there.data());
    for (int c = 0; c < n; ++c)
      out[c] = own[static_cast<std::size_t>(c)] - there[static_cast<std::size_t>(c)] +
               all[static_cast<std::size_t>(states + d + c)];
  };
  p.g = [bare_g, values, states, d](auto t, auto z, auto y, auto out) {
    using T = std::decay_t<decltype(t)>;
    const std::vector<T> all = values(t);
    std::vector<T> own(static_cast<std::size_t>(d)), there(static_cast<std::size_t>(d));
    bare_g(t, z.data(), y.data(), own.data());
    bare_g(t, all.data(), all.data() + states, there.data());
    for (int c = 0; c < d; ++c)
      out[c] = own[static_cast<std::size_t>(c)] - there[static_cast<std::size_t>(c)];
  };
  known.exact = [values, states, d](double t) {
    const std::vector<double> all = values(t);
    return Vector(Input(all.data(), states + d));
  };
}

/// Linear, m = 1, index 2.
inline Known l1() {
  Known k;
  k.problem.orders = {1, 1, 1}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  manufacture(
      k,
      [](auto t, const auto* x, const auto* y, auto* out) {
        out[0] = (t - 8) * x[0] + x[1] + t * x[2] + y[0];
        out[1] = x[0] + 8 * x[1] + sin(t) * x[2] + t * y[0];
        out[2] = t * x[0] + x[1] + (1 + t) * x[2] + (2 + cos(t)) * y[0];
      },
      [](auto t, const auto* x, const auto*, auto* out) {
        out[0] = sin(t) * x[0] + (1 - t) * x[1] + 2 * x[2];
      },
      [](auto t, auto* v) {
        v[0] = exp(t), v[1] = 1 + sin(2 * t), v[2] = t + cos(t), v[3] = exp(-t);
        v[4] = exp(t), v[5] = 2 * cos(2 * t), v[6] = 1 - sin(t);
      });
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[0] - 1;
    out[1] = z[4] - (1 + std::sin(2.0));
  };
  return k;
}

/// Linear, m = 2, index 2. z = (x1, x1', x2, x2').
inline Known l2() {
  Known k;
  k.problem.orders = {2, 2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  manufacture(
      k,
      [](auto t, const auto* z, const auto* y, auto* out) {
        out[0] = 4 * z[0] + t * z[2] + z[1] + cos(t) * z[3] + (2 + t) * y[0];
        out[1] = z[0] + 9 * z[2] + t * z[1] - z[3] + y[0];
      },
      [](auto t, const auto* z, const auto*, auto* out) {
        out[0] = z[0] - t * z[2] + z[1] + 0.5 * sin(t) * z[3];
      },
      [](auto t, auto* v) {
        v[0] = v[1] = v[5] = exp(t);
        v[2] = t + sin(2 * t), v[3] = 1 + 2 * cos(2 * t), v[6] = -4 * sin(2 * t);
        v[4] = cos(3 * t);
      });
  k.problem.conditions = 3;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[2];
    out[1] = z[4] - std::exp(1.0);
    out[2] = z[6] - (1 + std::sin(2.0));
  };
  return k;
}

/// Nonlinear, m = 1, index 2; linear in y for square = 0.
inline Known n1(double square = 0.2) {
  Known k;
  k.problem.orders = {1, 1, 1}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  manufacture(
      k,
      [square](auto, const auto* x, const auto* y, auto* out) {
        out[0] = -3 * x[0] + x[1] * x[2] + y[0];
        out[1] = sin(x[0]) + 4 * x[1] + 0.25 * x[1] * y[0];
        out[2] = x[0] * x[1] + (2 + x[0] * x[0]) * y[0] + square * y[0] * y[0];
      },
      [](auto, const auto* x, const auto*, auto* out) {
        out[0] = 0.5 * x[0] * x[0] + 0.25 * x[1] * x[2] + 3 * x[2];
      },
      [](auto t, auto* v) {
        v[0] = cos(t), v[1] = 0.5 * exp(t), v[2] = 1 + sin(2 * t), v[3] = exp(-t);
        v[4] = -sin(t), v[5] = 0.5 * exp(t), v[6] = 2 * cos(2 * t);
      });
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[0] + 0.1 * z[0] * z[0] * z[0] - 1.1;
    out[1] = z[4] - 0.5 * std::exp(1.0);
  };
  return k;
}

/// Nonlinear, m = 2, index 2.
inline Known n2() {
  Known k;
  k.problem.orders = {2, 2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  manufacture(
      k,
      [](auto, const auto* z, const auto* y, auto* out) {
        out[0] = z[0] * z[2] + sin(z[3]) + (1 + z[0] * z[0]) * y[0];
        out[1] =
            5 * sinh(0.5 * z[2]) + 0.25 * z[1] * z[1] + y[0] * (1 + 0.2 * z[3]) + 0.1 * y[0] * y[0];
      },
      [](auto, const auto* z, const auto*, auto* out) {
        out[0] = z[1] + 0.5 * z[3] * z[0] + z[2] * z[2] / 3 + z[1] * z[1] * z[1] / 20;
      },
      [](auto t, auto* v) {
        v[0] = exp(0.5 * t), v[1] = 0.5 * exp(0.5 * t), v[5] = 0.25 * exp(0.5 * t);
        v[2] = t + 0.5 * sin(2 * t), v[3] = 1 + cos(2 * t), v[6] = -2 * sin(2 * t);
        v[4] = cos(2 * t);
      });
  k.problem.conditions = 3;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[2];
    out[1] = z[4] - std::exp(0.5);
    out[2] = z[6] - (1 + 0.5 * std::sin(2.0));
  };
  return k;
}

/// Index 3 on the unit circle, m = 2.
inline Known i3() {
  Known k;
  k.problem.orders = {2, 2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  manufacture(
      k,
      [](auto, const auto* z, const auto* y, auto* out) {
        out[0] = 0.5 * z[3] * z[0] - 2 * z[0] * y[0] - z[2];
        out[1] = sin(z[0]) + z[1] / 3 - 2 * z[2] * y[0];
      },
      [](auto, const auto* z, const auto*, auto* out) { out[0] = z[0] * z[0] + z[2] * z[2] - 1; },
      [](auto t, auto* v) {
        auto angle = t + 0.5 * sin(t), rate = 1 + 0.5 * cos(t), turn = -0.5 * sin(t);
        v[0] = cos(angle), v[1] = -rate * sin(angle);
        v[2] = sin(angle), v[3] = rate * cos(angle);
        v[4] = exp(-t);
        v[5] = -turn * sin(angle) - rate * rate * cos(angle);
        v[6] = turn * cos(angle) - rate * rate * sin(angle);
      });
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[2];
    out[1] = z[6] - std::sin(1 + 0.5 * std::sin(1.0));
  };
  return k;
}

/// Begins at the solution itself plus `shift`.
inline Known guessed_near(Known k, double shift) {
  const int states = k.problem.states();
  k.problem.guess = [exact = k.exact, states, shift](double t, Output z, Output y) {
    const Vector v = exact(t);
    for (int j = 0; j < z.size(); ++j) z[j] = v[j] + shift * std::cos(3.0 * j + t);
    for (int j = 0; j < y.size(); ++j) y[j] = v[states + j] + shift;
  };
  return k;
}

}  // namespace daedalus::boundary_problems
