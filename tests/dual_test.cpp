// Forward differentiation against derivatives known in closed form.
#include "daedalus/dual.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace daedalus {
namespace {

// One rounding for each of the few operations in a derivative.
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();

Dual seeded(double value, int direction = 0) {
  Dual x(value);
  x.d[direction] = 1;
  return x;
}

/// x with x' = 1 in both levels: value.d[0] and d[0] are f', d[0].d[0] is f''.
Dual2 seeded_twice(double value) {
  Dual2 x(value);
  x.value.d[0] = 1;
  x.d[0] = Dual(1.0);
  return x;
}

struct Elementary {
  const char* name;
  double at;
  std::function<Dual(const Dual&)> dual;
  std::function<Dual2(const Dual2&)> nested;
  double value, first, second;
};

#define DAEDALUS_ROW(expression, at, value, first, second)                                       \
  {                                                                                              \
#expression, at,                                                                             \
        [](const Dual& x) { return expression; }, [](const Dual2& x) { return expression; },     \
                                                                                          value, \
                                                                                          first, \
                                                                                          second \
  }

std::vector<Elementary> elementary_functions() {
  const double s = 0.3;
  const double root = std::sqrt(1 - s * s), tangent = std::tan(s), hyperbolic = std::tanh(s);
  return {
      DAEDALUS_ROW(sin(x), s, std::sin(s), std::cos(s), -std::sin(s)),
      DAEDALUS_ROW(cos(x), s, std::cos(s), -std::sin(s), -std::cos(s)),
      DAEDALUS_ROW(tan(x), s, tangent, 1 + tangent * tangent,
                   2 * tangent * (1 + tangent * tangent)),
      DAEDALUS_ROW(asin(x), s, std::asin(s), 1 / root, s / std::pow(root, 3)),
      DAEDALUS_ROW(acos(x), s, std::acos(s), -1 / root, -s / std::pow(root, 3)),
      DAEDALUS_ROW(atan(x), s, std::atan(s), 1 / (1 + s * s), -2 * s / std::pow(1 + s * s, 2)),
      DAEDALUS_ROW(sinh(x), s, std::sinh(s), std::cosh(s), std::sinh(s)),
      DAEDALUS_ROW(cosh(x), s, std::cosh(s), std::sinh(s), std::cosh(s)),
      DAEDALUS_ROW(tanh(x), s, hyperbolic, 1 - hyperbolic * hyperbolic,
                   -2 * hyperbolic * (1 - hyperbolic * hyperbolic)),
      DAEDALUS_ROW(exp(x), s, std::exp(s), std::exp(s), std::exp(s)),
      DAEDALUS_ROW(log(x), s, std::log(s), 1 / s, -1 / (s * s)),
      DAEDALUS_ROW(log10(x), s, std::log10(s), 1 / (s * std::log(10.0)),
                   -1 / (s * s * std::log(10.0))),
      DAEDALUS_ROW(sqrt(x), s, std::sqrt(s), 0.5 / std::sqrt(s), -0.25 / (s * std::sqrt(s))),
      DAEDALUS_ROW(abs(x), -s, s, -1, 0),
      DAEDALUS_ROW(fabs(x), s, s, 1, 0),
      DAEDALUS_ROW(abs2(x), s, s * s, 2 * s, 2),
      DAEDALUS_ROW(pow(x, 3), s, s * s * s, 3 * s * s, 6 * s),
      DAEDALUS_ROW(pow(x, 2.5), s, std::pow(s, 2.5), 2.5 * std::pow(s, 1.5), 3.75 * std::sqrt(s)),
      DAEDALUS_ROW(pow(x, 2), -s, s * s, -2 * s, 2),
      DAEDALUS_ROW(pow(x, 0), s, 1, 0, 0),
      DAEDALUS_ROW(pow(x, x), s, std::pow(s, s), std::pow(s, s) * (1 + std::log(s)),
                   std::pow(s, s) * (std::pow(1 + std::log(s), 2) + 1 / s)),
      DAEDALUS_ROW(pow(2.0, x), s, std::pow(2, s), std::log(2.0) * std::pow(2, s),
                   std::pow(std::log(2.0), 2) * std::pow(2, s)),
      DAEDALUS_ROW(atan2(sin(x), cos(x)), s, s, 1, 0),
      DAEDALUS_ROW(atan2(x, x * x), s, std::atan(1 / s), -1 / (1 + s * s),
                   2 * s / std::pow(1 + s * s, 2)),
      DAEDALUS_ROW(hypot(x, 2.0 * x), s, std::sqrt(5.0) * s, std::sqrt(5.0), 0),
      DAEDALUS_ROW(max(x, x * x), s, s, 1, 0),
      DAEDALUS_ROW(min(x, x * x), s, s * s, 2 * s, 2),
      DAEDALUS_ROW(1.0 / x, s, 1 / s, -1 / (s * s), 2 / (s * s * s)),
      DAEDALUS_ROW(x / (1 + x), s, s / (1 + s), 1 / std::pow(1 + s, 2), -2 / std::pow(1 + s, 3)),
      DAEDALUS_ROW((3 - x) * (x - 3) / 2, s, -0.5 * std::pow(s - 3, 2), 3 - s, -1),
      DAEDALUS_ROW(+x - 1 + (-x) * 2, s, -s - 1, -1, 0),
  };
}
#undef DAEDALUS_ROW

TEST(Dual, GivesTheExactFirstDerivativeOfEveryFunction) {
  for (const Elementary& f : elementary_functions()) {
    const Dual y = f.dual(seeded(f.at, 5));
    EXPECT_NEAR(y.value, f.value, rounding * (1 + std::abs(f.value))) << f.name;
    EXPECT_NEAR(y.d[5], f.first, rounding * (1 + std::abs(f.first))) << f.name;
    for (int i : {0, 1, 2, 3, 4, 6, 7}) EXPECT_EQ(y.d[i], 0) << f.name << " in direction " << i;
  }
}

TEST(Dual, GivesTheExactSecondDerivativeWhenNested) {
  for (const Elementary& f : elementary_functions()) {
    const Dual2 y = f.nested(seeded_twice(f.at));
    EXPECT_NEAR(value_of(y), f.value, rounding * (1 + std::abs(f.value))) << f.name;
    EXPECT_NEAR(y.value.d[0], f.first, rounding * (1 + std::abs(f.first))) << f.name;
    EXPECT_NEAR(y.d[0].value, f.first, rounding * (1 + std::abs(f.first))) << f.name;
    EXPECT_NEAR(y.d[0].d[0], f.second, rounding * (1 + std::abs(f.second))) << f.name;
  }
}

TEST(Dual, KeepsEightDirectionsApart) {
  Dual sum(0);
  for (int i = 0; i < dual_directions; ++i) sum += seeded(i + 1.0, i) * seeded(i + 1.0, i);
  EXPECT_EQ(sum.value, 204);
  for (int i = 0; i < dual_directions; ++i) EXPECT_EQ(sum.d[i], 2.0 * (i + 1));
}

TEST(Dual, UpdatesInPlaceLikeItsOperators) {
  Dual x = seeded(3);
  x += 2, x -= seeded(1, 1), x *= x, x /= 4;  // ((y + 2 - z)^2) / 4 at y = 3, z = 1
  EXPECT_EQ(x.value, 4);
  EXPECT_EQ(x.d[0], 2);
  EXPECT_EQ(x.d[1], -2);
}

TEST(Dual, MixesWithIntegersAndDoublesOnEitherSide) {
  const Dual x = seeded(4);
  EXPECT_EQ((1 + x).value, 5);
  EXPECT_EQ((x - 1).value, 3);
  EXPECT_EQ((1 - x).d[0], -1);
  EXPECT_EQ((2 * x).d[0], 2);
  EXPECT_EQ((x * 0.5f).d[0], 0.5);
  EXPECT_EQ((x / 2).d[0], 0.5);
  EXPECT_EQ((8 / x).d[0], -0.5);
  const Dual2 y(x);
  EXPECT_EQ((y * x).value.d[0], 8);
  EXPECT_EQ((y + 1).value.value, 5);
}

TEST(Dual, RoundsQuotientsByDoublesAsDoubleDoes) {
  // A residual must have the same value in both scalars, or Newton's iteration sees two equations.
  for (double divisor : {3.0, 7.0, 49.0, 1e-3}) EXPECT_EQ((seeded(2) / divisor).value, 2 / divisor);
}

TEST(Dual, ComparesByValueAlone) {
  const Dual x = seeded(1), same(1.0), larger = seeded(2);
  EXPECT_TRUE(x == same && x <= same && x >= same && !(x != same) && !(x < same) && !(x > same));
  EXPECT_TRUE(x < larger && x < 2 && 2 > x && 1 == x && x != 2.5 && 0.5 <= x && x >= 1);
  EXPECT_TRUE(Dual2(x) < Dual2(larger));
  EXPECT_TRUE(isfinite(x) && !isnan(x));
  EXPECT_FALSE(isfinite(log(Dual(0.0))));
  EXPECT_TRUE(isnan(sqrt(Dual(-1.0))));
}

TEST(Dual, AConstantHasDerivativeZeroEvenWhereTheSlopeIsInfinite) {
  // y' = sqrt(t) y at t = 0: the slope of the root is infinite, but t is not a variable.
  const Dual root = sqrt(Dual(0.0)) * seeded(2);
  EXPECT_EQ(root.value, 0);
  EXPECT_EQ(root.d[0], 0);
  EXPECT_EQ((pow(Dual(0.0), 0.5) * seeded(2)).d[0], 0);
  EXPECT_EQ(asin(Dual(1.0)).d[0], 0);
  const Dual2 nested = sqrt(Dual2(0.0)) * seeded_twice(2);
  EXPECT_EQ(nested.d[0].d[0], 0);
}

TEST(Dual, PowersHaveTheirDerivativesAtZero) {
  const Dual2 zero = seeded_twice(0);
  EXPECT_EQ(pow(zero, 0.0).d[0].value, 0);
  EXPECT_EQ(pow(zero, 1.0).d[0].value, 1);
  EXPECT_EQ(pow(zero, 1.0).d[0].d[0], 0);
  EXPECT_EQ(pow(zero, 2.0).d[0].value, 0);
  EXPECT_EQ(pow(zero, 2.0).d[0].d[0], 2);
  EXPECT_EQ(pow(zero, 3.0).d[0].d[0], 0);
}

TEST(Dual, TwoArgumentFunctionsAcceptAPlainNumberOnEitherSide) {
  const Dual x = seeded(0.5);
  EXPECT_EQ(max(x, 0.0).d[0], 1);
  EXPECT_EQ(max(0.0, -x).d[0], 0);
  EXPECT_EQ(min(x, 0.0).d[0], 0);
  EXPECT_EQ(min(1.0, x).d[0], 1);
  EXPECT_NEAR(atan2(x, 2.0).d[0], 2 / 4.25, rounding);
  EXPECT_NEAR(atan2(2.0, x).d[0], -2 / 4.25, rounding);
  EXPECT_NEAR(hypot(x, 2.0).d[0], 0.5 / std::sqrt(4.25), rounding);
  EXPECT_NEAR(hypot(2.0, x).d[0], 0.5 / std::sqrt(4.25), rounding);
}

template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;

TEST(DualInEigen, FormsDotProductsNormsAndSums) {
  VectorOf<Dual> x(3);
  for (int i = 0; i < 3; ++i) x[i] = seeded(i + 1.0, i);
  const Eigen::Vector3d weights(2, 3, 5);
  const Dual dot = x.dot(x), square = x.squaredNorm(), norm = x.norm(), sum = x.sum();
  const Dual weighted = weights.dot(x), product = x.prod(), largest = x.maxCoeff();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(dot.d[i], 2 * (i + 1.0));
    EXPECT_EQ(square.d[i], 2 * (i + 1.0));
    EXPECT_NEAR(norm.d[i], (i + 1) / std::sqrt(14.0), rounding);
    EXPECT_EQ(sum.d[i], 1);
    EXPECT_EQ(weighted.d[i], weights[i]);
    EXPECT_EQ(product.d[i], 6 / (i + 1.0));
    EXPECT_EQ(largest.d[i], i == 2);
  }
}

TEST(DualInEigen, TakesCommaListsOfMixedScalars) {
  const Dual x = seeded(2);
  VectorOf<Dual> list(4);
  list << x * x, 1.5, -x, 0;
  EXPECT_EQ(list[0].d[0], 4);
  EXPECT_EQ(list[1].value, 1.5);
  EXPECT_EQ(list[1].d[0], 0);
  EXPECT_EQ(list[2].d[0], -1);
}

TEST(DualInEigen, MultipliesMatricesOfDoublesWithDuals) {
  VectorOf<Dual> x(2);
  x << seeded(3, 0), seeded(4, 1);
  Eigen::Matrix2d a;
  a << 1, 2, 3, 4;
  const VectorOf<Dual> y = a * x, scaled = 2.0 * x - x / 2.0 + 3 * x,
                       dynamic = Eigen::MatrixXd(a) * x;
  EXPECT_EQ(y[0].value, 11);
  EXPECT_EQ(y[1].d[0], 3);
  EXPECT_EQ(dynamic[1].d[1], 4);
  EXPECT_EQ(scaled[1].d[1], 4.5);
  const Dual form = x.dot(a * x);  // (A + A^T) x
  EXPECT_EQ(form.d[0], 2 * 3 + 5 * 4);
  EXPECT_EQ(form.d[1], 5 * 3 + 8 * 4);
  const Eigen::Matrix<Dual, 2, 2> outer = x * x.transpose();
  EXPECT_EQ(outer(0, 1).d[0], 4);
}

TEST(DualInEigen, SolvesSmallSystems) {
  // A(x) = [x 1; 1 2], b = (1, 0): the first unknown is 2 / (2 x - 1), derivative -4 / (2 x - 1)^2.
  Eigen::Matrix<Dual, 2, 2> a;
  a << seeded(3), 1, 1, 2;
  const Eigen::Matrix<Dual, 2, 1> b(1.0, 0.0);
  const Eigen::Matrix<Dual, 2, 1> by_inverse = a.inverse() * b,
                                  by_factors = a.partialPivLu().solve(b);
  for (const auto& solution : {by_inverse, by_factors}) {
    EXPECT_NEAR(solution[0].value, 0.4, rounding);
    EXPECT_NEAR(solution[0].d[0], -4.0 / 25, rounding);
  }
  EXPECT_NEAR(a.determinant().d[0], 2, rounding);
}

TEST(DualInEigen, TakesCrossProductsAndSegments) {
  VectorOf<Dual> x(6);
  for (int i = 0; i < 6; ++i) x[i] = seeded(i + 1.0, i);
  const Eigen::Matrix<Dual, 3, 1> cross = x.head<3>().cross(x.tail<3>());
  EXPECT_EQ(cross[0].value, 2 * 6 - 3 * 5);
  EXPECT_EQ(cross[0].d[1], 6);
  EXPECT_EQ(cross[0].d[4], -3);
}

}  // namespace
}  // namespace daedalus
