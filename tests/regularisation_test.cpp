// Sequential regularisation of linear problems: orders in eps and in h, initial layers, weights.
#include "daedalus/regularisation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// [AscherLin1996, Example 1] with w = 1 - 2t, singular at t = 1/2, or w = 1 + t, regular:
/// x = (exp(-t), sin t), B y = (0, cos t).
LinearIndex2 example(bool is_singular = true) {
  LinearIndex2 problem;
  problem.differential = 2;
  problem.algebraic = 1;
  const double slope = is_singular ? -2 : 1;
  problem.A = [](auto, auto a) { a << -1, 1, 0, 0; };
  problem.B = [=](auto t, auto b) {
    b(0, 0) = 0;
    b(1, 0) = 1 + slope * t;
  };
  problem.C = [=](auto t, auto c) {
    c(0, 0) = 1 + slope * t;
    c(0, 1) = 1 + slope * t;
  };
  problem.q = [](auto t, auto q) {
    q[0] = -sin(t);
    q[1] = 0;
  };
  problem.r = [=](auto t, auto r) { r[0] = -(1 + slope * t) * (exp(-t) + sin(t)); };
  problem.at_begin = Matrix::Identity(2, 2);
  problem.values = Values{1, 0};
  return problem;
}

LinearIndex2 boundary_example() {
  LinearIndex2 problem = example();
  problem.at_begin = Matrix{{0.0, 1.0}};
  problem.at_end = Matrix{{1.0, 0.0}};
  problem.values = Vector::Constant(1, std::exp(-1.0));
  return problem;
}

/// Largest errors of an iterate over t in [begin, end].
struct Errors {
  double x = 0;
  double product = 0;
};

Errors errors(const RegularisedRun& run, int s, double begin, double end) {
  Errors result;
  const RegularisedIterate& iterate = run.iterates[s - 1];
  const auto inside = [&](double t) { return begin <= t && t <= end; };
  for (std::size_t i = 0; i < run.mesh.size(); ++i) {
    const double t = run.mesh[i];
    if (!inside(t)) continue;
    const Vector exact = Values{std::exp(-t), std::sin(t)};
    result.x = std::max(result.x, (iterate.x.col(i) - exact).cwiseAbs().maxCoeff());
  }
  for (std::size_t k = 0; k < run.nodes.size(); ++k) {
    const double t = run.nodes[k];
    if (!inside(t) || iterate.carried.rows() < 2) continue;
    const Vector exact = Values{0, std::cos(t)};
    result.product =
        std::max(result.product, (iterate.carried.col(k) - exact).cwiseAbs().maxCoeff());
  }
  return result;
}

double order(double coarse, double fine) {
  return std::log2(coarse / fine);
}

/// B y_0 = (0, cos t) up to its derivative of order M at t = 0: M = -1, 0, 1.
std::function<void(double, Output)> guess_of_order(int M) {
  return [M](double t, Output z) {
    z[0] = 0;
    z[1] = M < 0 ? 0.0 : M == 0 ? 1 + t : 1.0;
  };
}

/// Steps much shorter than eps, so that only eps counts: Gauss with four points has order 8.
RegularisedRun resolved_run(double eps, int M, double end = 1) {
  return regularise(example(),
                    {.eps = eps, .iterations = 4, .scheme = "gauss_8", .guess = guess_of_order(M)},
                    uniform_mesh({0, end}, static_cast<int>(400 * end / (100 * eps))));
}

TEST(Regularisation, GainsOnePowerOfEpsPerIterationAwayFromTheLayer) {
  // exp(-t/eps) is nothing at t = 0.4; the singular time 0.5 lies inside the interval.
  const RegularisedRun coarse = resolved_run(0.005, -1), fine = resolved_run(0.0025, -1);
  for (int s = 1; s <= 4; ++s) {
    const Errors a = errors(coarse, s, 0.4, 1), b = errors(fine, s, 0.4, 1);
    // The next power of eps disturbs the quotient by s eps.
    EXPECT_NEAR(order(a.x, b.x), s, 0.15) << s;
    EXPECT_NEAR(order(a.product, b.product), s, 0.15) << s;
  }
}

TEST(Regularisation, HasTheInitialLayerOfTheoremThreeOne) {
  // x_s - x = O(eps^(M+2) p(t/eps) exp(-t/eps)), B y_s - B y = O(eps^(M+1) ...) for s > M + 1.
  for (const int M : {-1, 0, 1}) {
    const RegularisedRun coarse = resolved_run(0.02, M, 0.2), fine = resolved_run(0.01, M, 0.1);
    for (int s = M + 3; s <= 4; ++s) {
      const Errors a = errors(coarse, s, 0, 0.2), b = errors(fine, s, 0, 0.1);
      EXPECT_NEAR(order(a.x, b.x), M + 2, 0.15) << "M = " << M << ", s = " << s;
      EXPECT_NEAR(order(a.product, b.product), M + 1, 0.15) << "M = " << M << ", s = " << s;
    }
  }
}

TEST(Regularisation, HasNoLayerWhileTheGuessIsSmoothEnough) {
  const RegularisedRun coarse = resolved_run(0.02, 1), fine = resolved_run(0.01, 1);
  for (int s = 1; s <= 2; ++s) {
    const Errors a = errors(coarse, s, 0, 1), b = errors(fine, s, 0, 1);
    EXPECT_NEAR(order(a.x, b.x), s, 0.15) << s;
    EXPECT_NEAR(order(a.product, b.product), s, 0.15) << s;
  }
}

TEST(Regularisation, NeverCorrectsTheProductAtTheStart) {
  // 0 = C x + r holds there for every iterate: p_s(0) is the error of the guess.
  const RegularisedRun run =
      regularise(example(), {.eps = 0.01, .iterations = 4}, uniform_mesh({0, 0.4}, 400));
  for (const RegularisedIterate& iterate : run.iterates)
    EXPECT_NEAR(iterate.carried(1, 0), 0, 1e-12);  // rounding of C x + r, divided by eps
}

TEST(Regularisation, WithDerivativesOfTheConstraintHasNoLayer) {
  // [AscherLin1996, Theorem 3.2], from the wrong start B y_0 = 0.
  const auto run = [](double eps) {
    return regularise(example(false),
                      {.eps = eps, .alpha_1 = 1, .iterations = 4, .scheme = "gauss_8"},
                      uniform_mesh({0, 1}, 100));
  };
  const RegularisedRun coarse = run(0.02), fine = run(0.01);
  for (int s = 1; s <= 4; ++s) {
    const Errors a = errors(coarse, s, 0, 1), b = errors(fine, s, 0, 1);
    EXPECT_NEAR(order(a.x, b.x), s, 0.15) << s;
    EXPECT_NEAR(order(a.product, b.product), s, 0.15) << s;
  }
}

TEST(Regularisation, ConvergesWithEveryWeight) {
  for (const Weight weight :
       {Weight::identity, Weight::inverse, Weight::transposed, Weight::shifted_inverse}) {
    const auto run = [&](double eps) {
      return regularise(
          example(false),
          {.eps = eps, .weight = weight, .delta = 0.1, .iterations = 3, .scheme = "gauss_8"},
          uniform_mesh({0, 1}, 800));
    };
    const RegularisedRun coarse = run(0.01), fine = run(0.005);
    for (int s = 1; s <= 3; ++s) {
      const Errors a = errors(coarse, s, 0.5, 1), b = errors(fine, s, 0.5, 1);
      // E C B up to 1.4 divides eps, or below 1 multiplies it, in the next power.
      EXPECT_NEAR(order(a.x, b.x), s, 0.25) << static_cast<int>(weight) << ", s = " << s;
    }
  }
}

TEST(Regularisation, OfTheProductIsThatOfTheMultiplierWhereBothExist) {
  for (const double alpha_1 : {0.0, 0.5}) {
    for (const Weight weight : {Weight::identity, Weight::transposed, Weight::shifted_inverse}) {
      Regularisation settings = {.eps = 0.05,
                                 .alpha_1 = alpha_1,
                                 .weight = weight,
                                 .delta = 0.1,
                                 .iterations = 3,
                                 .scheme = "radau_iia_5"};
      const auto mesh = uniform_mesh({0, 1}, 20);
      const RegularisedRun product = regularise(example(false), settings, mesh);
      settings.carried = Carried::multiplier;
      const RegularisedRun multiplier = regularise(example(false), settings, mesh);
      EXPECT_LT((product.last().x - multiplier.last().x).cwiseAbs().maxCoeff(), 1e-12);
      for (std::size_t k = 0; k < product.nodes.size(); ++k)
        EXPECT_NEAR(product.last().carried(1, k),
                    (1 + product.nodes[k]) * multiplier.last().carried(0, k), 1e-11);
    }
  }
}

/// Error at t = 1 against the same iterate with many Gauss points.
double discretisation_error(const LinearIndex2& problem, const std::string& scheme, int steps) {
  const auto end = [&](const std::string& method, int count) {
    return Vector(regularise(problem, {.eps = 0.5, .iterations = 3, .scheme = method},
                             uniform_mesh({0, 1}, count))
                      .last()
                      .x.rightCols(1));
  };
  return (end(scheme, steps) - end("gauss_12", 40)).cwiseAbs().maxCoeff();
}

TEST(Regularisation, CollocatesWithTheOrderOfItsPoints) {
  const struct {
    const char* scheme;
    int order, steps;
    bool boundary;
  } cases[] = {{"midpoint", 2, 40, true},       {"gauss_4", 4, 20, true},
               {"gauss_6", 6, 10, true},        {"backward_euler", 1, 80, false},
               {"radau_iia_3", 3, 40, false},   {"radau_iia_5", 5, 16, false},
               {"forward_euler", 1, 80, false}, {"heun", 2, 80, false}};
  for (const auto& item : cases) {
    const LinearIndex2 problem = item.boundary ? boundary_example() : example();
    // No point on the singular time: steps that meet there where all points are inside, a step
    // around it where an end is a point.
    const int steps = item.boundary ? item.steps : item.steps + 1;
    const int more = item.boundary ? 2 * steps : 2 * steps + 1;
    const double a = discretisation_error(problem, item.scheme, steps);
    const double b = discretisation_error(problem, item.scheme, more);
    const double ratio = static_cast<double>(more) / steps;
    EXPECT_NEAR(std::log(a / b) / std::log(ratio), item.order, 0.25) << item.scheme;
  }
}

TEST(Regularisation, SolvesBoundaryValuesThatGrowInBothDirections) {
  // x1' = x2, x2' = 400 x1 + y, x3' = x1 + y, 0 = x3 - x1: on the constraint y = x2 - x1 - ..., a
  // problem with modes exp(+-20 t) that no shooting over [0, 2] survives.
  LinearIndex2 problem;
  problem.differential = 3;
  problem.algebraic = 1;
  problem.A = [](auto, auto a) { a << 0, 1, 0, 400, 0, 0, 0, 1, 0; };
  problem.B = [](auto, auto b) { b << 0, 0, 1; };
  problem.C = [](auto, auto c) { c << -1, 0, 1; };
  problem.at_begin = Matrix{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  problem.at_end = Matrix{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
  problem.values = Values{1, 1};
  const RegularisedRun run = regularise(problem, {.eps = 0.1, .iterations = 1, .scheme = "gauss_8"},
                                        uniform_mesh({0, 2}, 200));
  for (std::size_t i = 0; i < run.mesh.size(); ++i) {
    const double t = run.mesh[i];
    const double exact = (std::sinh(20 * t) + std::sinh(20 * (2 - t))) / std::sinh(40.0);
    EXPECT_NEAR(run.last().x(0, i), exact, 1e-10) << t;  // (h 20)^8 / 8! per unit of exp
  }
}

TEST(Regularisation, BackwardsIsStableWithTheSignOfEpsTurned) {
  LinearIndex2 problem = example();
  problem.at_begin = Matrix{{0.0, 1.0}};
  problem.values = Vector::Constant(1, std::sin(1.0));
  const auto run = [&](double eps) {
    return regularise(problem,
                      {.eps = eps,
                       .iterations = 4,
                       .scheme = "gauss_6",
                       .guess = [](double, Output z) { z << 0, std::cos(1.0); }},
                      uniform_mesh({1, 0}, 2000));
  };
  const RegularisedRun coarse = run(0.005), fine = run(0.0025);
  for (int s = 1; s <= 4; ++s) {
    // No layer at t = 0, only one at t = 1.
    const Errors a = errors(coarse, s, 0, 0.5), b = errors(fine, s, 0, 0.5);
    EXPECT_NEAR(order(a.x, b.x), s, 0.15) << s;
    EXPECT_NEAR(order(a.product, b.product), s, 0.15) << s;
  }
}

TEST(Regularisation, HasBaumgarteAndPenaltyAsSettings) {
  const auto mesh = uniform_mesh({0, 1}, 400);
  const auto error_with = [&](Regularisation settings) {
    settings.scheme = "gauss_8";
    return errors(regularise(example(false), settings, mesh), 1, 0, 1).x;
  };
  // [AscherLin1996, (2.10)] has the exact solution, whatever its parameter.
  EXPECT_LT(error_with(baumgarte(0)), 1e-12);
  EXPECT_LT(error_with(baumgarte(10)), 1e-12);
  // (3.5): first order in eps.
  const double coarse = error_with(penalty(0.02, Weight::inverse));
  EXPECT_NEAR(order(coarse, error_with(penalty(0.01, Weight::inverse))), 1, 0.15);
}

TEST(Regularisation, FindsMultipliersFromProductsAndFromTheHiddenConstraint) {
  for (const double t : {0.0, 0.2, 0.7}) {
    const double y = std::cos(t) / (1 - 2 * t);
    EXPECT_NEAR(hidden_multiplier(example(), t, Values{std::exp(-t), std::sin(t)})[0], y, 1e-13);
    EXPECT_NEAR(multiplier(example(), t, Values{0, std::cos(t)})[0], y, 1e-13);
  }
}

TEST(Regularisation, MovesMeshPointsOffSingularTimes) {
  const std::vector<double> mesh = uniform_mesh({0, 1}, 10);
  const std::vector<double> moved = off_singularities(mesh, example());
  for (std::size_t i = 0; i < mesh.size(); ++i)
    EXPECT_DOUBLE_EQ(moved[i], i == 5 ? 0.55 : mesh[i]) << i;
  EXPECT_EQ(off_singularities(mesh, example(false)), mesh);
}

TEST(Regularisation, SaysWhereASystemIsSingular) {
  // Backward Euler with a mesh point on the singular time: E = (C B)^-1 does not exist there.
  const RegularisedRun run =
      regularise(example(), {.scheme = "backward_euler"}, uniform_mesh({0, 1}, 10));
  EXPECT_FALSE(run.succeeded());
  EXPECT_FALSE(run.message.empty());
}

TEST(Regularisation, RefusesWhatCannotBe) {
  const std::vector<double> mesh = uniform_mesh({0, 1}, 10);
  const auto refuses = [&](const Regularisation& settings) {
    EXPECT_THROW(regularise(example(), settings, mesh), InvalidInput);
  };
  refuses({.eps = -1});
  refuses({.eps = 0});
  refuses({.iterations = 0});
  refuses({.scheme = "gauss_3"});
  refuses({.pull = Pull::levels});
  EXPECT_THROW(regularise(example(), {}, {0, 1, 0.5}), InvalidInput);
  EXPECT_THROW(regularise(boundary_example(), {.scheme = "heun"}, mesh), InvalidInput);
  LinearIndex2 short_of_conditions = example();
  short_of_conditions.values = Vector();
  EXPECT_THROW(regularise(short_of_conditions, {}, mesh), InvalidInput);
}

}  // namespace
}  // namespace daedalus
