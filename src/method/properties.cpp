// What follows from the coefficients alone. [HairerWanner1996, IV.5]
//
//   B(p): sum_i b_i c_i^(k-1) = 1/k                          k = 1..p
//   C(q): sum_j a_ij c_j^(k-1) = c_i^k / k                   k = 1..q, all i
//   D(r): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k     k = 1..r, all j
#include <algorithm>
#include <cmath>
#include <limits>

#include "daedalus/method.h"
#include "method/generate.h"
#include "method/inverse.h"

namespace daedalus {
namespace {

// Coefficients are rounded to double, so a condition that holds leaves a few units of 1e-16 per
// term; the smallest genuine failure in the catalogue, B(19) of gauss_18, is 2e-11.
constexpr long double tolerance = 1e-13L;

struct Sum {
  long double value = 0;
  long double size = 1;
  void add(long double term) {
    value += term;
    size += std::abs(term);
  }
  bool equals(long double exact) const { return std::abs(value - exact) <= tolerance * size; }
};

long double power(double x, int k) {
  long double result = 1;
  for (int i = 0; i < k; ++i) result *= x;
  return result;
}

bool satisfies_b(const Tableau& method, int k) {
  Sum sum;
  for (int i = 0; i < method.stages; ++i) sum.add(method.b[i] * power(method.c[i], k - 1));
  return sum.equals(1.0L / k);
}

bool satisfies_c(const Tableau& method, int k) {
  for (int i = 0; i < method.stages; ++i) {
    Sum sum;
    for (int j = 0; j < method.stages; ++j) sum.add(method.a[i][j] * power(method.c[j], k - 1));
    if (!sum.equals(power(method.c[i], k) / k)) return false;
  }
  return true;
}

bool satisfies_d(const Tableau& method, int k) {
  for (int j = 0; j < method.stages; ++j) {
    Sum sum;
    for (int i = 0; i < method.stages; ++i) {
      sum.add(method.b[i] * power(method.c[i], k - 1) * method.a[i][j]);
    }
    if (!sum.equals(method.b[j] * (1 - power(method.c[j], k)) / k)) return false;
  }
  return true;
}

// Theory asks whether R(inf) is exactly 0 or of modulus 1; rounding must not decide that.
double without_rounding(long double limit) {
  const long double whole = std::round(limit);
  return static_cast<double>(std::abs(limit - whole) < tolerance ? whole + 0.0L : limit);
}

template <class Condition>
int largest(const Tableau& method, int limit, Condition holds) {
  int k = 0;
  while (k < limit && holds(method, k + 1)) ++k;
  return k;
}

}  // namespace

bool is_stiffly_accurate(const Tableau& method) {
  // Tableaus read from files may carry one rounding too many.
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const int last = method.stages - 1;
  // Radau IA with one stage has a_ss = b_s, but its constraint holds at the start of the step.
  if (last < 0 || std::abs(method.c[last] - 1) > rounding) return false;
  for (int j = 0; j <= last; ++j) {
    const double b = method.b[j];
    if (std::abs(method.a[last][j] - b) > rounding * std::max(1.0, std::abs(b))) return false;
  }
  return true;
}

bool is_explicit(const Tableau& method) {
  for (int i = 0; i < method.stages; ++i) {
    for (int j = i; j < method.stages; ++j) {
      if (method.a[i][j] != 0) return false;
    }
  }
  return true;
}

bool is_diagonally_implicit(const Tableau& method) {
  for (int i = 0; i < method.stages; ++i) {
    for (int j = i + 1; j < method.stages; ++j) {
      if (method.a[i][j] != 0) return false;
    }
  }
  return !is_explicit(method);
}

bool has_explicit_first_stage(const Tableau& method) {
  for (int j = 0; j < method.stages; ++j) {
    if (method.a[0][j] != 0) return false;
  }
  return method.stages > 0;
}

// No s-stage method exceeds B(2s), C(s) or D(s) unless nodes coincide, and then more means nothing.
int quadrature_order(const Tableau& method) {
  return largest(method, 2 * method.stages, satisfies_b);
}

int stage_order(const Tableau& method) {
  return largest(method, method.stages, satisfies_c);
}

int adjoint_order(const Tableau& method) {
  return largest(method, method.stages, satisfies_d);
}

double stability_at_infinity(const Tableau& method) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_explicit(method)) return infinity;
  const Coefficients digits = extended_coefficients(method);
  const int first = has_explicit_first_stage(method) ? 1 : 0;
  const int s = method.stages - first;
  const auto w = inverse_if_regular(digits.a.bottomRightCorner(s, s));
  if (!w) return std::numeric_limits<double>::quiet_NaN();
  // Stages (I - z A~) Y = 1 + z a_1 have Y = -W a_1 - (W 1 + W^2 a_1) / z + ..., and
  // R = 1 + z b_1 + z b~^T Y. Without an explicit first stage a_1 = 0 and b_1 = 0.
  const ExtendedVector b = digits.b.tail(s);
  const ExtendedVector ones = ExtendedVector::Ones(s);
  if (first == 0) {
    return is_stiffly_accurate(method) ? 0 : without_rounding(1 - b.dot(*w * ones));
  }
  const ExtendedVector stage_limit = -(*w * digits.a.col(0).tail(s));
  if (is_stiffly_accurate(method)) return without_rounding(stage_limit[s - 1]);
  const long double growth = digits.b[0] + b.dot(stage_limit);
  if (std::abs(growth) > tolerance) return infinity;
  return without_rounding(1 - b.dot(*w * (ones - stage_limit)));
}

}  // namespace daedalus
