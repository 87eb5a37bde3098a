// The shapes of callables that Function takes, and how each of them is differentiated.
#include "daedalus/function.h"

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/problem.h"

namespace daedalus {
namespace {

template <class S>
S call(const Function<1>& f, const S& t, const S& y) {
  S out(0);
  f(t, {InputOf<S>(&y, 1)}, OutputOf<S>(&out, 1));
  return out;
}

Dual seeded(double value) {
  Dual x(value);
  x.d[0] = 1;
  return x;
}

TEST(Function, EvaluatesManyPointsAsItDoesSingleOnes) {
  const Function<2> f = [](auto t, auto x, auto z, auto out) {
    out[0] = t * x[0] + z[0], out[1] = x[1] / z[0];
  };
  constexpr int apart = 5;
  const std::vector<double> t = {0.1, 0.2, 0.3};
  std::vector<double> x(3 * apart, 0.7), z(3 * apart, 0.9), out(3 * apart, -1), alone(2);
  for (int k = 0; k < 3; ++k) x[k * apart] = 1.1 * k, z[k * apart] = 1.3 + k;
  f.at_points(3, apart, t.data(), {Input(x.data(), 2), Input(z.data(), 1)}, Output(out.data(), 2));
  for (int k = 0; k < 3; ++k) {
    f(t[k], {Input(&x[k * apart], 2), Input(&z[k * apart], 1)}, Output(alone.data(), 2));
    EXPECT_EQ(out[k * apart], alone[0]);
    EXPECT_EQ(out[k * apart + 1], alone[1]);
    EXPECT_EQ(out[k * apart + 2], -1);  // what lies between the vectors is not touched
  }
}

TEST(Function, KeepsAGenericCallableInAllScalars) {
  const Function<1> f = [](auto t, auto y, auto out) { out[0] = t * y[0] * y[0]; };
  EXPECT_TRUE(f.is_differentiable());
  EXPECT_TRUE(f.is_time_differentiable());
  EXPECT_EQ(call(f, 2.0, 3.0), 18);
  EXPECT_EQ(call(f, Dual(2.0), seeded(3)).d[0], 12);
  EXPECT_EQ(call(f, seeded(2), Dual(3.0)).d[0], 9);
  Dual2 y(3.0);
  y.value.d[0] = 1, y.d[0] = Dual(1.0);
  EXPECT_EQ(call(f, Dual2(2.0), y).d[0].d[0], 4);
}

TEST(Function, GivesDualsTheBitsOfTheCallableItself) {
  // Which is compiled for wide registers once more, where products must not be fused into sums.
  const auto pull = [](auto y, auto out) { out[0] = y[0] / (y[0] * y[0] + 0.1 * y[0] + 1.0 / 3); };
  const Function<1> f = pull;
  for (int k = 1; k <= 1000; ++k) {
    Dual y(0.1 * k), direct(0);
    for (int i = 0; i < dual_directions; ++i) y.d[i] = std::sin(k + i);
    pull(InputOf<Dual>(&y, 1), OutputOf<Dual>(&direct, 1));
    const Dual called = call(f, Dual(0.0), y);
    EXPECT_EQ(called.value, direct.value);
    EXPECT_EQ(called.d, direct.d);
  }
}

TEST(Function, GivesManyUnknownsTheBitsOfTheCallableItself) {
  constexpr int n = 100;
  const auto pull = [](auto y, auto out) {
    for (int i = 0; i < n; ++i) out[i] = y[i] / (y[i] * y[i] + 0.1 * y[i] + 1.0 / 3);
  };
  const Function<1> f = pull;
  Vector y(n), direct(n), called(n);
  for (int i = 0; i < n; ++i) y[i] = std::sin(i);
  pull(Input(y.data(), n), Output(direct.data(), n));
  f(0.0, {Input(y.data(), n)}, Output(called.data(), n));
  EXPECT_EQ(called, direct);
}

TEST(Function, LetsTimeBeLeftOut) {
  const Function<1> generic = [](auto y, auto out) { out[0] = -y[0]; };
  EXPECT_TRUE(generic.is_time_differentiable());
  EXPECT_EQ(call(generic, 5.0, 3.0), -3);
  EXPECT_EQ(call(generic, seeded(5), Dual(3.0)).d[0], 0);
  const Function<1> doubles = [](Input y, Output out) { out[0] = -y[0]; };
  EXPECT_FALSE(doubles.is_differentiable());
  EXPECT_EQ(call(doubles, 5.0, 3.0), -3);
}

TEST(Function, TellsVectorsFromTimeByTheNumberOfArguments) {
  const Function<2> timeless = [](auto x, auto z, auto out) { out[0] = x[0] - z[0]; };
  const Function<2> timed = [](auto t, auto x, auto z, auto out) { out[0] = t + x[0] - z[0]; };
  const Function<3> three = [](auto y, auto z, auto u, auto out) { out[0] = y[0] + z[0] + u[0]; };
  const double x = 5, z = 3, u = 1;
  double out = 0;
  timeless(10.0, {Input(&x, 1), Input(&z, 1)}, Output(&out, 1));
  EXPECT_EQ(out, 2);
  timed(10.0, {Input(&x, 1), Input(&z, 1)}, Output(&out, 1));
  EXPECT_EQ(out, 12);
  three(10.0, {Input(&x, 1), Input(&z, 1), Input(&u, 1)}, Output(&out, 1));
  EXPECT_EQ(out, 9);
}

TEST(Function, TakesAPlainTimeBesideGenericVectors) {
  const Function<1> f = [](double t, auto y, auto out) { out[0] = std::floor(t) * y[0]; };
  EXPECT_TRUE(f.is_differentiable());
  EXPECT_FALSE(f.is_time_differentiable());
  EXPECT_EQ(call(f, 2.5, 3.0), 6);
  EXPECT_EQ(call(f, Dual(2.5), seeded(3)).d[0], 2);
}

TEST(Function, CompilesAGenericCallableWithOneScalarOnly) {
  // A body that takes its scalar from t must not be compiled with double t and dual vectors.
  const Function<1> f = [](auto t, auto y, auto out) {
    const Eigen::Matrix<decltype(t), 1, 1> copy = y;
    out[0] = t * copy[0];
  };
  EXPECT_EQ(call(f, Dual(2.0), seeded(3)).d[0], 2);
}

TEST(Function, KeepsACallableOfDoublesAsItIs) {
  const Function<1> f = [](double t, Input y, Output out) { out[0] = t * y[0]; };
  EXPECT_FALSE(f.is_differentiable());
  EXPECT_FALSE(f.is_time_differentiable());
  EXPECT_EQ(call(f, 2.0, 3.0), 6);
}

TEST(Function, TakesReferencesFunctionsAndFunctionObjects) {
  const Function<1> by_reference = [](double, const Input& y, Output& out) { out[0] = 2 * y[0]; };
  const std::function<void(double, Input, Output)> stored = [](double, Input y, Output out) {
    out[0] = 3 * y[0];
  };
  const Function<1> from_stored = stored;
  struct Quadruple {
    static void apply(double, Input y, Output out) { out[0] = 4 * y[0]; }
  };
  const Function<1> from_pointer = &Quadruple::apply;
  const Function<1> generic_reference = [](const auto& t, const auto& y, auto& out) {
    out[0] = t + 5 * y[0];
  };
  EXPECT_EQ(call(by_reference, 0.0, 1.0), 2);
  EXPECT_EQ(call(from_stored, 0.0, 1.0), 3);
  EXPECT_EQ(call(from_pointer, 0.0, 1.0), 4);
  EXPECT_EQ(call(generic_reference, 0.0, 1.0), 5);
  EXPECT_TRUE(generic_reference.is_time_differentiable());
}

TEST(Function, PlainHidesAGenericCallableFromDifferentiation) {
  // std::sin does not know Dual: without plain this would not compile.
  const Function<1> f = plain([](auto t, auto y, auto out) { out[0] = t * std::sin(y[0]); });
  EXPECT_FALSE(f.is_differentiable());
  EXPECT_EQ(call(f, 2.0, 3.0), 2 * std::sin(3.0));
  const Function<1> timeless = plain([](auto y, auto out) { out[0] = std::sin(y[0]); });
  EXPECT_FALSE(timeless.is_differentiable());
  EXPECT_EQ(call(timeless, 2.0, 3.0), std::sin(3.0));
}

TEST(Function, IsFalseOnlyWhenEmpty) {
  EXPECT_FALSE(Function<1>());
  EXPECT_FALSE(Function<1>().is_differentiable());
  EXPECT_TRUE(Function<1>([](auto, auto) {}));
}

TEST(Function, AnEmptyStandardFunctionIsEmptyToo) {
  const std::function<void(double, Input, Output)> nothing;
  EXPECT_FALSE(Function<1>(nothing));
  void (*const nowhere)(double, Input, Output) = nullptr;
  EXPECT_FALSE(Function<1>(nowhere));
}

TEST(Function, SharesItsCallableBetweenCopies) {
  auto calls = std::make_shared<int>(0);
  const Function<1> f = [calls](double, Input, Output) { ++*calls; };
  const Function<1> copy = f;
  call(f, 0.0, 1.0), call(copy, 0.0, 1.0);
  EXPECT_EQ(*calls, 2);
}

TEST(Mass, IsTheIdentityUnlessSaidOtherwise) {
  const Mass mass;
  EXPECT_TRUE(mass.is_identity() && mass.is_constant());
  ASSERT_EQ(mass.entries(2).size(), 2u);
  EXPECT_EQ(mass.entries(2)[1].value, 1);
}

TEST(Mass, ListsTheEntriesOfEveryConstantKind) {
  Matrix dense(2, 2);
  dense << 1, 2, 0, 4;
  EXPECT_EQ(Mass(dense).entries(2).size(), 3u);
  EXPECT_EQ(Mass::diagonal({1, 0, 3}).entries(3).size(), 3u);
  EXPECT_EQ(Mass::sparse({{1, 0, 7.0}}).entries(2)[0].value, 7);
  EXPECT_FALSE(Mass(dense).is_identity());
}

TEST(Mass, TakesMatricesThatDependOnTheState) {
  const Mass of_state = [](auto y, auto out) { out(0, 0) = y[0]; };
  const Mass of_both = [](auto t, auto y, auto out) { out(0, 0) = t + y[0]; };
  const Mass doubles = [](double t, Input, MatrixOutput out) { out(0, 0) = t; };
  EXPECT_FALSE(of_state.is_constant() || of_both.is_constant() || doubles.is_constant());
  EXPECT_TRUE(of_state.function().is_differentiable() && of_both.function().is_differentiable());
  EXPECT_FALSE(doubles.function().is_differentiable());
}

}  // namespace
}  // namespace daedalus
