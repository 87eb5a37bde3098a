// Solutions that Newton's iteration, damped, does not reach from the guess.
#include "nonlinear/homotopy.h"

#include <cmath>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace daedalus {
namespace {

using Residual = std::function<void(const double* x, double* r)>;

/// As many equations as unknowns, derivatives by central differences.
class Equations final : public PointEquations {
 public:
  Equations(int size, Residual residual) : size_(size), residual_(std::move(residual)) {}
  void evaluate(const double* x, double* r) const override { residual_(x, r); }
  void linearize(const double* x, double* jacobian) const override {
    constexpr double s = 1e-6;
    std::vector<double> at(x, x + size_);
    Vector plus(size_), minus(size_);
    for (int j = 0; j < size_; ++j) {
      at[j] = x[j] + s, residual_(at.data(), plus.data());
      at[j] = x[j] - s, residual_(at.data(), minus.data());
      at[j] = x[j];
      Eigen::Map<Vector>(jacobian + j * size_, size_) = (plus - minus) / (2 * s);
    }
  }

 private:
  int size_;
  Residual residual_;
};

NearestPoint newton(int size) {
  const std::vector<double> ones(static_cast<std::size_t>(size), 1.0);
  return {size, ones, ones, 1e-12};
}

constexpr int iterations = 60;  // as for consistent starts

TEST(Homotopy, FollowsACurveThatTurnsBack) {
  // From 0 the residual has a minimum in the way, and the curve arrives by its other end.
  const Equations cubic(
      1, [](const double* x, double* r) { r[0] = x[0] * x[0] * x[0] - 2 * x[0] + 2; });
  NearestPoint solver = newton(1);
  double x = 0;
  EXPECT_FALSE(solver.solve(cubic, &x, iterations));
  x = 0;
  ASSERT_TRUE(follow_residual(cubic, solver, &x));
  EXPECT_NEAR(x * x * x - 2 * x + 2, 0, 1e-12);
}

TEST(Homotopy, LeavesTheGuessWhereNothingSolves) {
  const Equations positive(1, [](const double* x, double* r) { r[0] = x[0] * x[0] + 1; });
  NearestPoint solver = newton(1);
  double x = 0.5;
  EXPECT_FALSE(follow_residual(positive, solver, &x));
  EXPECT_EQ(x, 0.5);
}

/// Cubic with waves on it: odd in each unknown far out, so that solutions exist.
Equations random_system(int size, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> c(static_cast<std::size_t>(size * (1 + 2 * size + size * size)));
  for (double& x : c) x = normal(random);
  return Equations(size, [size, c](const double* x, double* r) {
    const double* p = c.data();
    for (int i = 0; i < size; ++i) {
      r[i] = x[i] * x[i] * x[i] + *p++;
      for (int j = 0; j < size; ++j) {
        r[i] += *p++ * x[j];
        r[i] += 3 * *p++ * std::sin(2 * x[j]);
        for (int k = 0; k < size; ++k) r[i] += *p++ * x[j] * x[k];
      }
    }
  });
}

TEST(Homotopy, SolvesManySystemsThatNewtonDoesNot) {
  constexpr int size = 6, systems = 60;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  int by_newton = 0, by_either = 0;
  for (int k = 0; k < systems; ++k) {
    const Equations equations = random_system(size, random);
    std::vector<double> guess(size);
    for (double& x : guess) x = 3 * normal(random);
    NearestPoint solver = newton(size);
    std::vector<double> x = guess;
    const bool simple = solver.solve(equations, x.data(), iterations);
    x = guess;
    by_newton += simple;
    by_either += simple || follow_residual(equations, solver, x.data());
  }
  std::printf("%d systems: %d by Newton's iteration, %d with the homotopy\n", systems, by_newton,
              by_either);
  EXPECT_GE(by_either, by_newton + systems / 4);
}

}  // namespace
}  // namespace daedalus
