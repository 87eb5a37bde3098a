// Sequential regularisation of nonlinear problems with conditions at both ends.
#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/error.h"
#include "daedalus/regularisation.h"
#include "reproduce/ascher_lin_examples.h"

namespace daedalus {
namespace {

/// x = (exp(-t), sin t), y = exp(t), from x1(1) = 1/e: the start of the problem is not used.
Problem circle() {
  return reproduce::example_6_1().problem;
}

EndValues circle_ends() {
  return {.at_begin = Matrix{{0.0, 0.0}},
          .at_end = Matrix{{1.0, 0.0}},
          .values = Vector::Constant(1, std::exp(-1.0)),
          .guess = [](double t, Output x) { x << 1 - 0.95 * t + 0.32 * t * t, t - 0.16 * t * t; }};
}

/// Largest error for t >= 0.5.
double error(const RegularisedRun& run, int s, const std::function<Vector(double)>& exact) {
  double worst = 0;
  for (std::size_t i = 0; i < run.mesh.size(); ++i) {
    if (run.mesh[i] < 0.5) continue;
    const Vector difference = run.iterates[s - 1].x.col(i) - exact(run.mesh[i]);
    worst = std::max(worst, difference.cwiseAbs().maxCoeff());
  }
  return worst;
}

Vector circle_exact(double t) {
  return reproduce::example_6_1().exact(t);
}

TEST(BoundaryRegularisation, GainsOnePowerOfEpsPerIteration) {
  const auto run = [](double eps) {
    return regularise(
        circle(), circle_ends(),
        {.eps = eps, .carried = Carried::multiplier, .iterations = 3, .scheme = "gauss_4"},
        uniform_mesh({0, 1}, 400));
  };
  const RegularisedRun coarse = run(0.01), fine = run(0.005);
  ASSERT_TRUE(coarse.succeeded() && fine.succeeded()) << coarse.message << fine.message;
  for (int s = 1; s <= 3; ++s) {
    const double order = std::log2(error(coarse, s, circle_exact) / error(fine, s, circle_exact));
    EXPECT_NEAR(order, s, 0.25) << s;
  }
}

TEST(BoundaryRegularisation, WithInitialConditionsIsTheMarch) {
  Problem problem = circle();
  problem.start = {1, 0};
  const Regularisation settings = {.eps = 0.02, .iterations = 3, .scheme = "radau_iia_5"};
  const auto mesh = uniform_mesh({0, 1}, 50);
  const EndValues ends = {.at_begin = Matrix::Identity(2, 2),
                          .at_end = Matrix::Zero(2, 2),
                          .values = Values{1, 0},
                          .guess = circle_ends().guess};
  const RegularisedRun a = regularise(problem, settings, mesh);
  const RegularisedRun b = regularise(problem, ends, settings, mesh);
  ASSERT_TRUE(a.succeeded() && b.succeeded()) << a.message << b.message;
  // Newton's iterations stop above rounding, amplified by 1/eps in what is carried.
  EXPECT_LT((a.last().x - b.last().x).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((a.last().carried - b.last().carried).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(BoundaryRegularisation, FindsTheThrowOfAPendulum) {
  // A pendulum from (cos a, sin a), a = -1, that has to be at a = -2 when t = 1: index 3, one
  // condition at each end. Its motion in one coordinate, a'' = -cos a, is the measure.
  const Mechanical form = {
      .coordinates = 2,
      .holonomic = 1,
      .force = [](auto, auto, auto f) { f << 0, -1; },
      .constraint = [](auto q, auto g) { g[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0; }};
  const Problem problem = {.form = form, .t_span = {0, 1}};
  const EndValues ends = {.at_begin = Matrix{{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}},
                          .at_end = Matrix{{0.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                          .values = Values{std::cos(-1.0), std::cos(-2.0)},
                          .guess = [](double t, Output x) {
                            x << std::cos(-1 - t), std::sin(-1 - t), std::sin(-1 - t),
                                -std::cos(-1 - t);
                          }};
  const RegularisedRun run = regularise(
      problem, ends, {.eps = 0.001, .pull = Pull::levels, .iterations = 3, .scheme = "radau_iia_5"},
      uniform_mesh({0, 1}, 100));
  ASSERT_TRUE(run.succeeded()) << run.message;
  const Vector start = run.last().x.col(0), end = run.last().x.rightCols(1);
  EXPECT_NEAR(std::atan2(end[1], end[0]), -2, 1e-5);
  // Energy of the motion without regularisation: v^2/2 + sin a.
  const auto energy = [](const Vector& x) { return x.tail(2).squaredNorm() / 2 + x[1]; };
  EXPECT_NEAR(energy(end), energy(start), 1e-4);
}

TEST(BoundaryRegularisation, SaysWhichIterateWasNotFound) {
  EndValues ends = circle_ends();
  ends.guess = [](double, Output x) { x << 0, 0; };  // G = 0: no direction to go
  const RegularisedRun run =
      regularise(circle(), ends, {.scheme = "midpoint"}, uniform_mesh({0, 1}, 10));
  EXPECT_FALSE(run.succeeded());
  EXPECT_EQ(run.message, "quasilinearisation of iterate 1 did not converge");
}

TEST(BoundaryRegularisation, RefusesWhatCannotBe) {
  const auto mesh = uniform_mesh({0, 1}, 10);
  EXPECT_THROW(regularise(circle(), circle_ends(), {.scheme = "heun"}, mesh), InvalidInput);
  EndValues ends = circle_ends();
  ends.guess = {};
  EXPECT_THROW(regularise(circle(), ends, {.scheme = "midpoint"}, mesh), InvalidInput);
  ends = circle_ends();
  ends.values = Values{1, 2, 3};
  EXPECT_THROW(regularise(circle(), ends, {.scheme = "midpoint"}, mesh), InvalidInput);
}

}  // namespace
}  // namespace daedalus
