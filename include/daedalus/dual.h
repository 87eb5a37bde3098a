#pragma once
// Forward-mode automatic differentiation: a value and its derivatives in N directions,
//   f(x + e d) = f(x) + e f'(x) d,   e^2 = 0.
// Dual carries eight directions (Jacobians in chunks); Dual2 nests one more direction around it,
// for second derivatives such as d^2/dt^2 g(q(t)) and the gradient of G(q)^T lambda.
#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include <Eigen/Core>

namespace daedalus {

// The functions below are for duals; beside them the same names serve double, so that an equation
// written once compiles in every scalar wherever it stands.
using std::abs, std::fabs, std::sqrt, std::pow, std::exp, std::log, std::log10, std::hypot;
using std::acos, std::asin, std::atan, std::atan2, std::cos, std::sin, std::tan;
using std::cosh, std::max, std::min, std::sinh, std::tanh;
using std::isfinite, std::isnan;

template <class T, int N>
struct DualNumber {
  // First, so that the halves of a vector register that a copy moves are those that arithmetic
  // wrote: a load across two stores waits for both.
  std::array<T, N> d{};
  T value{};

  DualNumber() = default;
  template <class U>
  requires(std::is_arithmetic_v<U>) DualNumber(U x) : value(static_cast<double>(x)) {}
  DualNumber(const T& x) requires(!std::is_arithmetic_v<T>) : value(x) {}

  DualNumber& operator+=(const DualNumber& x) {
    value += x.value;
    for (int i = 0; i < N; ++i) d[i] += x.d[i];
    return *this;
  }
  DualNumber& operator-=(const DualNumber& x) {
    value -= x.value;
    for (int i = 0; i < N; ++i) d[i] -= x.d[i];
    return *this;
  }
  DualNumber& operator*=(const DualNumber& x) { return *this = *this * x; }
  DualNumber& operator/=(const DualNumber& x) { return *this = *this / x; }

  friend DualNumber operator+(DualNumber x) { return x; }
  friend DualNumber operator-(DualNumber x) {
    x.value = -x.value;
    for (T& e : x.d) e = -e;
    return x;
  }
  friend DualNumber operator+(DualNumber x, const DualNumber& y) { return x += y; }
  friend DualNumber operator-(DualNumber x, const DualNumber& y) { return x -= y; }
  friend DualNumber operator*(const DualNumber& x, const DualNumber& y) {
    DualNumber r;
    r.value = x.value * y.value;
    for (int i = 0; i < N; ++i) r.d[i] = x.d[i] * y.value + x.value * y.d[i];
    return r;
  }
  friend DualNumber operator/(const DualNumber& x, const DualNumber& y) {
    DualNumber r;
    const T inverse = T(1) / y.value;
    r.value = x.value * inverse;
    for (int i = 0; i < N; ++i) r.d[i] = (x.d[i] - r.value * y.d[i]) * inverse;
    return r;
  }

  friend DualNumber operator+(DualNumber x, double y) { return x.value += y, x; }
  friend DualNumber operator+(double y, DualNumber x) { return x.value += y, x; }
  friend DualNumber operator-(DualNumber x, double y) { return x.value -= y, x; }
  friend DualNumber operator-(double y, DualNumber x) { return -x + y; }
  friend DualNumber operator*(DualNumber x, double y) {
    x.value *= y;
    for (T& e : x.d) e *= y;
    return x;
  }
  friend DualNumber operator*(double y, DualNumber x) { return x * y; }
  friend DualNumber operator/(DualNumber x, double y) {
    // Not x * (1 / y): with double the quotient is rounded once, and both must agree.
    x.value /= y;
    for (T& e : x.d) e /= y;
    return x;
  }
  friend DualNumber operator/(double y, const DualNumber& x) { return DualNumber(y) / x; }
};

using Dual = DualNumber<double, 8>;
using Dual2 = DualNumber<Dual, 1>;
inline constexpr int dual_directions = 8;

inline double value_of(double x) {
  return x;
}
template <class T, int N>
double value_of(const DualNumber<T, N>& x) {
  return value_of(x.value);
}

namespace dual_detail {
template <class T>
struct is_dual : std::false_type {};
template <class T, int N>
struct is_dual<DualNumber<T, N>> : std::true_type {};

inline bool is_zero(double x) {
  return x == 0;
}
template <class T, int N>
bool is_zero(const DualNumber<T, N>& x) {
  bool zero = is_zero(x.value);
  for (const T& e : x.d) zero = zero && is_zero(e);
  return zero;
}

/// f(x) given f and f' at x.value.
template <class T, int N>
DualNumber<T, N> chain(const DualNumber<T, N>& x, const T& f, const T& slope) {
  DualNumber<T, N> r;
  r.value = f;
  if (std::isfinite(value_of(slope))) {
    for (int i = 0; i < N; ++i) r.d[i] = slope * x.d[i];
    return r;
  }
  // sqrt(t) at t = 0: what does not move the argument has derivative 0, not 0 * inf.
  for (int i = 0; i < N; ++i) r.d[i] = is_zero(x.d[i]) ? T(0) : T(slope * x.d[i]);
  return r;
}
}  // namespace dual_detail

#define DAEDALUS_COMPARE(op)                                               \
  template <class T, int N>                                                \
  bool operator op(const DualNumber<T, N>& x, const DualNumber<T, N>& y) { \
    return value_of(x) op value_of(y);                                     \
  }                                                                        \
  template <class T, int N>                                                \
  bool operator op(const DualNumber<T, N>& x, double y) {                  \
    return value_of(x) op y;                                               \
  }                                                                        \
  template <class T, int N>                                                \
  bool operator op(double x, const DualNumber<T, N>& y) {                  \
    return x op value_of(y);                                               \
  }
DAEDALUS_COMPARE(<)
DAEDALUS_COMPARE(>)
DAEDALUS_COMPARE(<=)
DAEDALUS_COMPARE(>=)
DAEDALUS_COMPARE(==)
DAEDALUS_COMPARE(!=)
#undef DAEDALUS_COMPARE

/// One elementary function: its value f and its derivative, both at v = x.value.
#define DAEDALUS_ELEMENTARY(name, derivative)        \
  template <class T, int N>                          \
  DualNumber<T, N> name(const DualNumber<T, N>& x) { \
    const T& v = x.value;                            \
    const T f = name(v);                             \
    (void)v;                                         \
    return dual_detail::chain(x, f, T(derivative));  \
  }
DAEDALUS_ELEMENTARY(sin, cos(v))
DAEDALUS_ELEMENTARY(cos, -sin(v))
DAEDALUS_ELEMENTARY(tan, 1.0 + f * f)
DAEDALUS_ELEMENTARY(asin, 1.0 / sqrt(1.0 - v * v))
DAEDALUS_ELEMENTARY(acos, -1.0 / sqrt(1.0 - v * v))
DAEDALUS_ELEMENTARY(atan, 1.0 / (1.0 + v * v))
DAEDALUS_ELEMENTARY(sinh, cosh(v))
DAEDALUS_ELEMENTARY(cosh, sinh(v))
DAEDALUS_ELEMENTARY(tanh, 1.0 - f * f)
DAEDALUS_ELEMENTARY(exp, f)
DAEDALUS_ELEMENTARY(log, 1.0 / v)
DAEDALUS_ELEMENTARY(log10, 0.43429448190325182765 / v)
DAEDALUS_ELEMENTARY(sqrt, 0.5 / f)
#undef DAEDALUS_ELEMENTARY

template <class T, int N>
DualNumber<T, N> abs(const DualNumber<T, N>& x) {
  return value_of(x) < 0 ? -x : x;
}
template <class T, int N>
DualNumber<T, N> fabs(const DualNumber<T, N>& x) {
  return abs(x);
}
template <class T, int N>
DualNumber<T, N> abs2(const DualNumber<T, N>& x) {
  return x * x;
}
template <class T, int N>
DualNumber<T, N> pow(const DualNumber<T, N>& x, double p) {
  const T slope = p == 0 ? T(0) : T(p * pow(x.value, p - 1.0));  // at x = 0 not 0 * inf
  return dual_detail::chain(x, T(pow(x.value, p)), slope);
}
template <class T, int N>
DualNumber<T, N> pow(const DualNumber<T, N>& x, const DualNumber<T, N>& p) {
  return exp(p * log(x));
}
template <class T, int N>
DualNumber<T, N> pow(double x, const DualNumber<T, N>& p) {
  return exp(p * std::log(x));
}
template <class T, int N>
DualNumber<T, N> atan2(const DualNumber<T, N>& y, const DualNumber<T, N>& x) {
  DualNumber<T, N> r;
  r.value = atan2(y.value, x.value);
  const T scale = T(1) / (x.value * x.value + y.value * y.value);
  for (int i = 0; i < N; ++i) r.d[i] = (x.value * y.d[i] - y.value * x.d[i]) * scale;
  return r;
}
template <class T, int N>
DualNumber<T, N> hypot(const DualNumber<T, N>& x, const DualNumber<T, N>& y) {
  return sqrt(x * x + y * y);
}
// By value: the larger of two expressions must outlive them.
template <class T, int N>
DualNumber<T, N> max(const DualNumber<T, N>& x, const DualNumber<T, N>& y) {
  return x < y ? y : x;
}
template <class T, int N>
DualNumber<T, N> min(const DualNumber<T, N>& x, const DualNumber<T, N>& y) {
  return y < x ? y : x;
}

/// The same with a plain number on one side.
#define DAEDALUS_MIXED(name)                                   \
  template <class T, int N>                                    \
  DualNumber<T, N> name(const DualNumber<T, N>& x, double y) { \
    return name(x, DualNumber<T, N>(y));                       \
  }                                                            \
  template <class T, int N>                                    \
  DualNumber<T, N> name(double x, const DualNumber<T, N>& y) { \
    return name(DualNumber<T, N>(x), y);                       \
  }
DAEDALUS_MIXED(atan2)
DAEDALUS_MIXED(hypot)
DAEDALUS_MIXED(max)
DAEDALUS_MIXED(min)
#undef DAEDALUS_MIXED

template <class T, int N>
bool isfinite(const DualNumber<T, N>& x) {
  return std::isfinite(value_of(x));
}
template <class T, int N>
bool isnan(const DualNumber<T, N>& x) {
  return std::isnan(value_of(x));
}

}  // namespace daedalus

namespace Eigen {

template <class T, int N>
struct NumTraits<daedalus::DualNumber<T, N>> : NumTraits<double> {
  using Real = daedalus::DualNumber<T, N>;
  using NonInteger = Real;
  using Nested = Real;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
  enum { ReadCost = N, AddCost = N, MulCost = 2 * N };
};

template <class T, int N, class Op>
struct ScalarBinaryOpTraits<daedalus::DualNumber<T, N>, double, Op> {
  using ReturnType = daedalus::DualNumber<T, N>;
};
template <class T, int N, class Op>
struct ScalarBinaryOpTraits<double, daedalus::DualNumber<T, N>, Op> {
  using ReturnType = daedalus::DualNumber<T, N>;
};

}  // namespace Eigen
