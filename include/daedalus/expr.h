#pragma once
// A scalar that records what is done with it. A function run with Expr becomes an expression
// graph, from which structure, exact sparse Jacobians, hidden constraints and generated code
// follow; see recorded() in daedalus/record.h. Values are not known while recording, so a branch
// on them throws; select(condition, a, b) records both sides.
#include <concepts>
#include <type_traits>

#include <Eigen/Core>

namespace daedalus {

class Graph;

class Expr {
 public:
  Expr() = default;
  template <class U>
  requires(std::is_arithmetic_v<U>) Expr(U x) : value_(static_cast<double>(x)) {}
  /// A node of a graph that is being recorded.
  Expr(Graph& graph, int node);

  bool is_constant() const { return graph_ == nullptr; }
  /// Of a constant.
  double value() const { return value_; }
  /// This expression as a node of the graph.
  int node_in(Graph& graph) const;
  /// The operation of this number (Op of the expression graph) on up to three operands.
  static Expr make(int op, const Expr& a, const Expr* b = nullptr, const Expr* c = nullptr);

  Expr& operator+=(const Expr& x) { return *this = *this + x; }
  Expr& operator-=(const Expr& x) { return *this = *this - x; }
  Expr& operator*=(const Expr& x) { return *this = *this * x; }
  Expr& operator/=(const Expr& x) { return *this = *this / x; }

  friend Expr operator+(const Expr& x) { return x; }
  friend Expr operator-(const Expr& x);
  friend Expr operator+(const Expr& x, const Expr& y);
  friend Expr operator-(const Expr& x, const Expr& y);
  friend Expr operator*(const Expr& x, const Expr& y);
  friend Expr operator/(const Expr& x, const Expr& y);

  friend Expr sqrt(const Expr& x);
  friend Expr exp(const Expr& x);
  friend Expr log(const Expr& x);
  friend Expr log10(const Expr& x);
  friend Expr sin(const Expr& x);
  friend Expr cos(const Expr& x);
  friend Expr tan(const Expr& x);
  friend Expr asin(const Expr& x);
  friend Expr acos(const Expr& x);
  friend Expr atan(const Expr& x);
  friend Expr sinh(const Expr& x);
  friend Expr cosh(const Expr& x);
  friend Expr tanh(const Expr& x);
  friend Expr abs(const Expr& x);
  friend Expr fabs(const Expr& x) { return abs(x); }
  friend Expr abs2(const Expr& x) { return x * x; }
  friend Expr pow(const Expr& x, const Expr& p);
  friend Expr atan2(const Expr& y, const Expr& x);
  friend Expr hypot(const Expr& x, const Expr& y) { return sqrt(x * x + y * y); }
  friend Expr max(const Expr& x, const Expr& y);
  friend Expr min(const Expr& x, const Expr& y);
  friend bool isfinite(const Expr& x);
  friend bool isnan(const Expr& x);
  /// Throws unless x is a constant.
  friend double value_of(const Expr& x);

 private:
  Graph* graph_ = nullptr;
  int node_ = -1;
  double value_ = 0;
};

// The friends again, so that they are found in this namespace beside those for double and Dual.
Expr sqrt(const Expr& x);
Expr exp(const Expr& x);
Expr log(const Expr& x);
Expr log10(const Expr& x);
Expr sin(const Expr& x);
Expr cos(const Expr& x);
Expr tan(const Expr& x);
Expr asin(const Expr& x);
Expr acos(const Expr& x);
Expr atan(const Expr& x);
Expr sinh(const Expr& x);
Expr cosh(const Expr& x);
Expr tanh(const Expr& x);
Expr abs(const Expr& x);
Expr pow(const Expr& x, const Expr& p);
Expr atan2(const Expr& y, const Expr& x);
Expr max(const Expr& x, const Expr& y);
Expr min(const Expr& x, const Expr& y);
double value_of(const Expr& x);

/// What a comparison of expressions gives: for `select`, and only there.
class Condition {
 public:
  Condition(bool known) : truth_(known ? 1 : 0) {}
  explicit Condition(const Expr& truth) : truth_(truth) {}
  /// Throws InvalidInput unless both sides were constants.
  operator bool() const;
  const Expr& truth() const { return truth_; }  ///< 1 or 0

 private:
  Expr truth_;
};

Condition operator<(const Expr& x, const Expr& y);
Condition operator<=(const Expr& x, const Expr& y);
Condition operator==(const Expr& x, const Expr& y);
Condition operator&&(const Condition& x, const Condition& y);
Condition operator||(const Condition& x, const Condition& y);
Condition operator!(const Condition& x);
inline Condition operator>(const Expr& x, const Expr& y) {
  return y < x;
}
inline Condition operator>=(const Expr& x, const Expr& y) {
  return y <= x;
}
inline Condition operator!=(const Expr& x, const Expr& y) {
  return !(x == y);
}
// Exact matches: otherwise the built-in operators would do as well, by a conversion that throws.
inline Condition operator&&(const Condition& x, bool y) {
  return x && Condition(y);
}
inline Condition operator&&(bool x, const Condition& y) {
  return Condition(x) && y;
}
inline Condition operator||(const Condition& x, bool y) {
  return x || Condition(y);
}
inline Condition operator||(bool x, const Condition& y) {
  return Condition(x) || y;
}

/// a where the condition holds, b elsewhere; with every scalar, where an `if` cannot be recorded.
Expr select(const Condition& condition, const Expr& a, const Expr& b);
template <std::same_as<bool> Known, class A, class B>
auto select(Known condition, const A& a, const B& b) {
  using Plain = std::conditional_t<std::is_arithmetic_v<B>, double, B>;
  using Result = std::conditional_t<std::is_arithmetic_v<A>, Plain, A>;
  return condition ? Result(a) : Result(b);
}

}  // namespace daedalus

namespace Eigen {

template <>
struct NumTraits<daedalus::Expr> : NumTraits<double> {
  using Real = daedalus::Expr;
  using NonInteger = Real;
  using Nested = Real;
  enum { IsComplex = 0, IsInteger = 0, IsSigned = 1, RequireInitialization = 1 };
  enum { ReadCost = 1, AddCost = 10, MulCost = 10 };
};

template <class Op>
struct ScalarBinaryOpTraits<daedalus::Expr, double, Op> {
  using ReturnType = daedalus::Expr;
};
template <class Op>
struct ScalarBinaryOpTraits<double, daedalus::Expr, Op> {
  using ReturnType = daedalus::Expr;
};

}  // namespace Eigen
