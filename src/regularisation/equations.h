#pragma once
// What regularisations need of a problem at one point: the free rate f, B, the constraint and its
// derivatives. Exact for equations generic in their scalar, differences otherwise.
#include <memory>

#include "daedalus/problem.h"

namespace daedalus {

/// x' = f(t, x) - B(t, x) y,  0 = g(t, x).
class FirstOrderEquations {
 public:
  virtual ~FirstOrderEquations() = default;
  virtual void evaluate(double t, const Vector& x) = 0;

  Vector f, g, g_t;
  Matrix B, G;

 protected:
  FirstOrderEquations(int n, int m) : f(n), g(m), g_t(m), B(n, m), G(m, n) {}
};

/// q'' = f(t, q, q') - B(t, q) y,  0 = g(t, q), with g' = G v + g_t and g'' = G q'' + curvature.
class SecondOrderEquations {
 public:
  virtual ~SecondOrderEquations() = default;
  virtual void evaluate(double t, const Vector& q, const Vector& v, bool with_curvature) = 0;

  Vector f, g, g_dot, curvature;
  Matrix B, G;

 protected:
  SecondOrderEquations(int n, int m) : f(n), g(m), g_dot(m), curvature(m), B(n, m), G(m, n) {}
};

/// Throw InvalidInput for what they cannot take.
std::unique_ptr<FirstOrderEquations> first_order_equations(const HessenbergIndex2& form);
std::unique_ptr<SecondOrderEquations> second_order_equations(const HessenbergIndex3& form);
std::unique_ptr<SecondOrderEquations> second_order_equations(const Mechanical& form);

}  // namespace daedalus
