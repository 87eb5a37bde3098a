#pragma once
// Boundary value problems with closed solutions beyond those of bvp_problems.h: layers, control,
// semiconductors, conditions of every kind.
#include "bvp_problems.h"

namespace daedalus::boundary_problems {

inline const double pi = std::acos(-1.0);

inline Vector vector_of(std::initializer_list<double> values) {
  return Values(values).vector();
}

/// eps u'' = u - (1 + eps pi^2) cos(pi t), layers of width sqrt(eps) at both ends; index 1.
inline Known reaction_layers(double eps) {
  Known k;
  k.problem.orders = {2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [eps](auto, auto, auto y, auto out) { out[0] = y[0] / eps; };
  k.problem.g = [eps](auto t, auto z, auto y, auto out) {
    out[0] = y[0] - z[0] + (1 + eps * pi * pi) * cos(pi * t);
  };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0] - 2, out[1] = z[2] - 1; };
  k.exact = [eps](double t) {
    const double w = std::sqrt(eps), b = std::exp(-1 / w);
    const double left = (1 - 2 * b) / (1 - b * b) * std::exp(-t / w);
    const double right = (2 - b) / (1 - b * b) * std::exp(-(1 - t) / w);
    return vector_of({std::cos(pi * t) + left + right, -pi * std::sin(pi * t) + (right - left) / w,
                      left + right - eps * pi * pi * std::cos(pi * t)});
  };
  return k;
}

/// eps u'' = u', a layer of width eps at the right end.
inline Known convection_layer(double eps) {
  Known k;
  k.problem.orders = {2};
  k.problem.t_span = {0, 1};
  k.problem.f = [eps](auto, auto z, auto, auto out) { out[0] = z[1] / eps; };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[2] - 1; };
  k.exact = [eps](double t) {
    const double e = std::exp((t - 1) / eps), b = std::exp(-1 / eps);
    return vector_of({(e - b) / (1 - b), e / eps / (1 - b)});
  };
  return k;
}

/// eps u'' + t u' = forcing on [-1, 1], a layer of width sqrt(eps) inside.
inline Known interior_layer(double eps) {
  Known k;
  k.problem.orders = {2};
  k.problem.t_span = {-1, 1};
  k.problem.f = [eps](auto t, auto z, auto, auto out) {
    out[0] = (-t * z[1] - pi * t * sin(pi * t)) / eps - pi * pi * cos(pi * t);
  };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0] + 2, out[1] = z[2]; };
  k.exact = [eps](double t) {
    const double w = std::sqrt(2 * eps), s = std::erf(1 / w);
    return vector_of(
        {std::cos(pi * t) + std::erf(t / w) / s,
         -pi * std::sin(pi * t) + 2 / std::sqrt(pi) / w * std::exp(-t * t / (w * w)) / s});
  };
  return k;
}

/// u'' = -w, w = exp(u): the lower solution of Bratu's problem; index 1.
inline Known bratu() {
  Known k;
  k.problem.orders = {2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto, auto, auto y, auto out) { out[0] = -y[0]; };
  k.problem.g = [](auto, auto z, auto y, auto out) { out[0] = y[0] - exp(z[0]); };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[2]; };
  double theta = 1.5;
  for (int i = 0; i < 200; ++i) theta = std::sqrt(2.0) * std::cosh(theta / 4);
  k.exact = [theta](double t) {
    const double u = -2 * std::log(std::cosh((t - 0.5) * theta / 2) / std::cosh(theta / 4));
    return vector_of({u, -theta * std::tanh((t - 0.5) * theta / 2), std::exp(u)});
  };
  return k;
}

/// State, adjoint and control of min x^2 + u^2, x' = u; index 1.
inline Known linear_quadratic() {
  Known k;
  k.problem.orders = {1, 1}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto, auto z, auto y, auto out) { out[0] = y[0], out[1] = -z[0]; };
  k.problem.g = [](auto, auto z, auto y, auto out) { out[0] = y[0] + z[1]; };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0] - 1, out[1] = z[3]; };
  k.exact = [](double t) {
    const double c = std::cosh(1.0), s = std::sinh(1 - t) / c;
    return vector_of({std::cosh(1 - t) / c, s, -s});
  };
  return k;
}

/// min int x2^2 + u^2 for x1' = u + x2, x2' = -x1 with the state held on x1 = sin t: states,
/// adjoints and the multiplier of the path; index 3.
inline Known state_constrained_control() {
  Known k;
  k.problem.orders = {1, 1, 1, 1}, k.problem.algebraic = 2;  // x1, x2, l1, l2; u, mu
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto, auto z, auto y, auto out) {
    out[0] = y[0] + z[1], out[1] = -z[0];
    out[2] = z[3] - y[1], out[3] = -z[1] - z[2];
  };
  k.problem.g = [](auto t, auto z, auto y, auto out) {
    out[0] = y[0] + z[2];
    out[1] = z[0] - sin(t);
  };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[1] - 2, out[1] = z[7]; };
  k.exact = [](double t) {
    const double l2 = -std::sin(t) - 2 * t + std::sin(1.0) + 2;
    return vector_of({std::sin(t), std::cos(t) + 1, 1, l2, -1, l2});
  };
  return k;
}

/// Potential and carriers of a pn junction in equilibrium, lambda^2 psi'' = n - p - doping;
/// index 1.
inline Known junction() {
  Known k;
  k.problem.orders = {2}, k.problem.algebraic = 2;
  k.problem.t_span = {0, 1};
  const double lambda2 = 1e-3, width = 0.05, height = 5;
  k.exact = [=](double t) {
    const double s = (t - 0.5) / width, c = std::cosh(s), psi = height * std::tanh(s);
    return vector_of({psi, height / width / (c * c), std::exp(psi), std::exp(-psi)});
  };
  k.problem.f = [=](auto t, auto, auto y, auto out) {
    auto s = (t - 0.5) / width;
    auto psi = height * tanh(s), c = cosh(s);
    auto curvature = -2 * height / (width * width) * tanh(s) / (c * c);
    auto doping = exp(psi) - exp(-psi) - lambda2 * curvature;
    out[0] = (y[0] - y[1] - doping) / lambda2;
  };
  k.problem.g = [](auto, auto z, auto y, auto out) {
    out[0] = y[0] - exp(z[0]), out[1] = y[1] - exp(-z[0]);
  };
  k.problem.conditions = 2;
  const double end = height * std::tanh(0.5 / width);
  k.problem.condition = [end](auto z, auto out) { out[0] = z[0] + end, out[1] = z[2] - end; };
  k.problem.guess = [end](double t, Output z, Output y) {
    z[0] = end * (2 * t - 1), z[1] = 2 * end, y[0] = std::exp(z[0]), y[1] = std::exp(-z[0]);
  };
  return k;
}

/// A beam of fourth order on four supports: conditions at four points.
inline Known beam() {
  Known k;
  k.problem.orders = {4};
  k.problem.t_span = {0, 1};
  k.problem.points = {0, 0.3, 0.7, 1};
  manufacture(
      k, [](auto t, const auto* z, const auto*, auto* out) { out[0] = z[2] - 3 * t * z[0]; },
      [](auto, const auto*, const auto*, auto*) {},
      [](auto t, auto* v) {
        v[0] = sin(3 * t), v[1] = 3 * cos(3 * t), v[2] = -9 * sin(3 * t), v[3] = -27 * cos(3 * t);
        v[4] = 81 * sin(3 * t);
      });
  k.problem.conditions = 4;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[0], out[1] = z[4] - std::sin(0.9);
    out[2] = z[8] - std::sin(2.1), out[3] = z[12] - std::sin(3.0);
  };
  return k;
}

/// x'' = F + cos(3 t / 2), F = -x - x'/5, periodic: conditions tie both ends.
inline Known periodic() {
  Known k;
  k.problem.orders = {2}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 4 * pi / 3};
  k.problem.f = [](auto t, auto, auto y, auto out) { out[0] = y[0] + cos(1.5 * t); };
  k.problem.g = [](auto, auto z, auto y, auto out) { out[0] = y[0] + z[0] + 0.2 * z[1]; };
  k.problem.conditions = 2;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0] - z[2], out[1] = z[1] - z[3]; };
  k.exact = [](double t) {
    // x = a cos + b sin with (1 - 9/4) a + 0.3 b = 1, (1 - 9/4) b - 0.3 a = 0.
    const double d = 1.25 * 1.25 + 0.09, a = -1.25 / d, b = 0.3 / d;
    const double c = std::cos(1.5 * t), s = std::sin(1.5 * t);
    const double x = a * c + b * s, v = 1.5 * (b * c - a * s);
    return vector_of({x, v, -x - 0.2 * v});
  };
  return k;
}

/// u'' = -p u, u(0) = u(1) = 0, u'(0) = 1: the eigenvalue p = pi^2.
inline Known eigenvalue() {
  Known k;
  k.problem.orders = {2}, k.problem.parameters = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto, auto z, auto, auto out) { out[0] = -z[2] * z[0]; };
  k.problem.conditions = 3;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0], out[1] = z[1] - 1, out[2] = z[3]; };
  k.problem.guess = [](double t, Output z, Output) { z[0] = t * (1 - t), z[1] = 1 - 2 * t; };
  k.problem.parameter_guess = {8};
  k.exact = [](double t) { return vector_of({std::sin(pi * t) / pi, std::cos(pi * t), pi * pi}); };
  return k;
}

/// x1' = (k + x2 - sin t) y + cos t, x2' = cos t, x3' = y, 0 = (x1 - sin t)(y - e^t): of index 2 on
/// the branch x1 = sin t, where y drops out of the constraint. [AscherSpiteri1994]
inline Known product_constraint() {
  Known k;
  k.problem.orders = {1, 1, 1}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto t, auto z, auto y, auto out) {
    out[0] = (1 + z[1] - sin(t)) * y[0] + cos(t), out[1] = cos(t), out[2] = y[0];
  };
  k.problem.g = [](auto t, auto z, auto y, auto out) {
    out[0] = (z[0] - sin(t)) * (y[0] - exp(t));
  };
  k.problem.conditions = 3;
  k.problem.condition = [](auto z, auto out) {
    out[0] = z[0], out[1] = z[2] - 1, out[2] = z[4] - std::sin(1.0);
  };
  k.exact = [](double t) { return vector_of({std::sin(t), std::sin(t), 1, 0}); };
  k.problem.guess = [](double t, Output z, Output) { z[0] = std::sin(t), z[1] = t, z[2] = 1; };
  return k;
}

/// Index 2 with a stiff mode and B badly balanced, nu = 50. [AscherPetzold1992]
inline Known stiff_index_two() {
  Known k;
  k.problem.orders = {1, 1}, k.problem.algebraic = 1;
  k.problem.t_span = {0, 1};
  k.problem.f = [](auto t, auto z, auto y, auto out) {
    const double a = 50;
    out[0] = (a - 1 / (2 - t)) * z[0] + (2 - t) * a * y[0] + (3 - t) / (2 - t) * exp(t);
    out[1] = (1 - a) / (t - 2) * z[0] - z[1] + (a - 1) * y[0] + 2 * exp(t);
  };
  k.problem.g = [](auto t, auto z, auto, auto out) {
    out[0] = (t + 2) * z[0] + (t * t - 4) * z[1] - (t * t + t - 2) * exp(t);
  };
  k.problem.conditions = 1;
  k.problem.condition = [](auto z, auto out) { out[0] = z[0] - 1; };
  k.exact = [](double t) { return vector_of({std::exp(t), std::exp(t), -std::exp(t) / (2 - t)}); };
  return k;
}

inline std::vector<std::pair<std::string, Known>> known_problems() {
  return {{"L1, linear, index 2", l1()},
          {"L2, linear, order 2, index 2", l2()},
          {"N1, nonlinear, index 2", guessed_near(n1(), 0.1)},
          {"N2, nonlinear, order 2, index 2", guessed_near(n2(), 0.1)},
          {"I3, circle, index 3", guessed_near(i3(), 0.1)},
          {"product constraint, index 2", product_constraint()},
          {"stiff index 2, nu = 50", stiff_index_two()},
          {"two layers, eps = 1e-4", reaction_layers(1e-4)},
          {"two layers, eps = 1e-6", reaction_layers(1e-6)},
          {"two layers, eps = 1e-8", reaction_layers(1e-8)},
          {"convection layer, eps = 1e-4", convection_layer(1e-4)},
          {"convection layer, eps = 1e-6", convection_layer(1e-6)},
          {"interior layer, eps = 1e-6", interior_layer(1e-6)},
          {"Bratu, index 1", bratu()},
          {"junction, index 1", junction()},
          {"control, index 1", linear_quadratic()},
          {"control on a path, index 3", state_constrained_control()},
          {"beam on four supports", beam()},
          {"periodic, index 1", periodic()},
          {"eigenvalue", eigenvalue()}};
}

}  // namespace daedalus::boundary_problems
