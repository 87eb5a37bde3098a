// Nodes are zeros of combinations of the shifted Legendre polynomials P_k(2x - 1):
//
//   Gauss P_s,  Radau IA P_s + P_{s-1},  Radau IIA P_s - P_{s-1},  Lobatto P_s - P_{s-2}
//
// Integrals of Lagrange polynomials use Gauss quadrature on their product form: no Vandermonde
// system, whose condition would cost all digits beyond s = 9.
#include "method/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

using Real = long double;

enum class Nodes { gauss, radau_left, radau_right, lobatto };
enum class Rule { collocation, adjoint, lobatto_iiic };

struct Family {
  std::string_view name;
  Nodes nodes;
  Rule rule;
  int fewest_stages;
};

constexpr std::array<Family, 6> families = {{
    {"gauss", Nodes::gauss, Rule::collocation, 1},
    {"radau_ia", Nodes::radau_left, Rule::adjoint, 1},
    {"radau_iia", Nodes::radau_right, Rule::collocation, 1},
    {"lobatto_iiia", Nodes::lobatto, Rule::collocation, 2},
    {"lobatto_iiib", Nodes::lobatto, Rule::adjoint, 2},
    {"lobatto_iiic", Nodes::lobatto, Rule::lobatto_iiic, 2},
}};

struct ValueAndSlope {
  Real value;
  Real slope;
};

// The node polynomial and its derivative with respect to xi = 2x - 1.
ValueAndSlope node_polynomial(Nodes kind, int degree, Real xi) {
  std::array<ValueAndSlope, max_stages + 2> p = {};
  p[0] = {1, 0};
  p[1] = {xi, 1};
  for (int k = 1; k < degree; ++k) {
    p[k + 1].value = ((2 * k + 1) * xi * p[k].value - k * p[k - 1].value) / (k + 1);
    p[k + 1].slope = p[k - 1].slope + (2 * k + 1) * p[k].value;
  }
  Real weight = 0;
  int lower = degree - 1;
  if (kind == Nodes::radau_left) weight = 1;
  if (kind == Nodes::radau_right) weight = -1;
  if (kind == Nodes::lobatto) weight = -1, lower = degree - 2;
  if (weight == 0) return p[degree];
  return {p[degree].value + weight * p[lower].value, p[degree].slope + weight * p[lower].slope};
}

// All zeros are real and simple, so Newton from the right of all of them falls monotonically onto
// the largest one that has not yet been divided out.
ExtendedVector zeros(Nodes kind, int count) {
  ExtendedVector xi(count);
  for (int found = 0; found < count; ++found) {
    Real x = 1.1L;
    for (int iteration = 0; iteration < 200; ++iteration) {
      const auto [value, slope] = node_polynomial(kind, count, x);
      if (value == 0) break;
      Real logarithmic_slope = slope / value;
      for (int k = 0; k < found; ++k) logarithmic_slope -= 1 / (x - xi[count - 1 - k]);
      const Real change = 1 / logarithmic_slope;
      x -= change;
      if (std::abs(change) < 1e-12L) break;
    }
    for (int polish = 0; polish < 3; ++polish) {
      const auto [value, slope] = node_polynomial(kind, count, x);
      x -= value / slope;
    }
    xi[count - 1 - found] = x;
  }
  return xi;
}

ExtendedVector abscissae(Nodes kind, int stages) {
  ExtendedVector xi = zeros(kind, stages);
  if (kind == Nodes::gauss || kind == Nodes::lobatto) {
    xi = ((xi - xi.reverse()) / 2).eval();
  }
  ExtendedVector c = (xi.array() + 1) / 2;
  if (kind == Nodes::radau_left || kind == Nodes::lobatto) c[0] = 0;
  if (kind == Nodes::radau_right || kind == Nodes::lobatto) c[stages - 1] = 1;
  return c;
}

struct Quadrature {
  ExtendedVector nodes;    // on [0, 1]
  ExtendedVector weights;  // 1 / ((1 - xi^2) P'(xi)^2)
};

// Exact for every Lagrange polynomial on at most max_stages nodes.
const Quadrature& gauss_quadrature() {
  static const Quadrature rule = [] {
    constexpr int points = (max_stages + 1) / 2;
    Quadrature q{abscissae(Nodes::gauss, points), ExtendedVector(points)};
    for (int i = 0; i < points; ++i) {
      const Real xi = 2 * q.nodes[i] - 1;
      const Real slope = node_polynomial(Nodes::gauss, points, xi).slope;
      q.weights[i] = 1 / ((1 - xi) * (1 + xi) * slope * slope);
    }
    return q;
  }();
  return rule;
}

Real lagrange(const ExtendedVector& nodes, int j, Real x) {
  Real value = 1;
  for (int k = 0; k < nodes.size(); ++k) {
    if (k != j) value *= (x - nodes[k]) / (nodes[j] - nodes[k]);
  }
  return value;
}

Real lagrange_integral(const ExtendedVector& nodes, int j, Real from, Real to) {
  const Quadrature& rule = gauss_quadrature();
  Real sum = 0;
  for (int k = 0; k < rule.nodes.size(); ++k) {
    sum += rule.weights[k] * lagrange(nodes, j, from + (to - from) * rule.nodes[k]);
  }
  return (to - from) * sum;
}

ExtendedMatrix collocation_matrix(const ExtendedVector& c) {
  const auto s = static_cast<int>(c.size());
  ExtendedMatrix a(s, s);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) a(i, j) = lagrange_integral(c, j, 0, c[i]);
  }
  return a;
}

ExtendedMatrix adjoint_matrix(const ExtendedVector& c, const ExtendedVector& b) {
  const auto s = static_cast<int>(c.size());
  ExtendedMatrix a(s, s);
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) a(i, j) = b[j] / b[i] * lagrange_integral(c, i, c[j], 1);
  }
  // int_0^1 l_i = b_i by definition, so the column of c = 0 is b_1 without the rounding.
  if (c[0] == 0) a.col(0).setConstant(b[0]);
  return a;
}

ExtendedMatrix lobatto_iiic_matrix(const ExtendedVector& c, const ExtendedVector& b) {
  const auto s = static_cast<int>(c.size());
  const ExtendedVector later = c.tail(s - 1);
  ExtendedMatrix a(s, s);
  a.col(0).setConstant(b[0]);
  for (int i = 0; i < s; ++i) {
    for (int j = 1; j < s; ++j) {
      // C(s-1) for polynomials of degree s-2, after the share b_1 p(0) of the first stage.
      a(i, j) = lagrange_integral(later, j - 1, 0, c[i]) - b[0] * lagrange(later, j - 1, 0);
    }
  }
  a.row(s - 1) = b.transpose();
  return a;
}

}  // namespace

Coefficients generate_coefficients(std::string_view family, int stages) {
  const auto* const known = std::find_if(families.begin(), families.end(),
                                         [&](const Family& f) { return f.name == family; });
  if (known == families.end()) {
    throw InvalidInput(fmt::format("family: '{}' has no generator", family));
  }
  if (stages < known->fewest_stages || stages > max_stages) {
    throw InvalidInput(fmt::format("stages: {} for family {}; must be from {} to {}", stages,
                                   family, known->fewest_stages, max_stages));
  }
  Coefficients result;
  result.c = abscissae(known->nodes, stages);
  result.b.resize(stages);
  for (int j = 0; j < stages; ++j) result.b[j] = lagrange_integral(result.c, j, 0, 1);
  switch (known->rule) {
    case Rule::collocation:
      result.a = collocation_matrix(result.c);
      break;
    case Rule::adjoint:
      result.a = adjoint_matrix(result.c, result.b);
      break;
    case Rule::lobatto_iiic:
      result.a = lobatto_iiic_matrix(result.c, result.b);
      break;
  }
  return result;
}

Coefficients extended_coefficients(const Tableau& method) {
  const int s = method.stages;
  Coefficients given{ExtendedMatrix(s, s), ExtendedVector(s), ExtendedVector(s)};
  for (int i = 0; i < s; ++i) {
    for (int j = 0; j < s; ++j) given.a(i, j) = method.a[i][j];
    given.b[i] = method.b[i];
    given.c[i] = method.c[i];
  }
  const bool is_generated = std::any_of(families.begin(), families.end(), [&](const Family& f) {
    return f.name == method.family && s >= f.fewest_stages;
  });
  if (!is_generated) return given;
  Coefficients exact = generate_coefficients(method.family, s);
  const auto rounds_to = [](const auto& digits, const auto& doubles) {
    return digits.template cast<double>() == doubles.template cast<double>();
  };
  const bool same =
      rounds_to(exact.a, given.a) && rounds_to(exact.b, given.b) && rounds_to(exact.c, given.c);
  return same ? exact : given;
}

}  // namespace daedalus
