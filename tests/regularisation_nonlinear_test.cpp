// Sequential regularisation of nonlinear problems of index 2 and 3, and the methods beside it.
#include <cmath>

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "daedalus/error.h"
#include "daedalus/regularisation.h"
#include "reproduce/ascher_lin_examples.h"

namespace daedalus {
namespace {

constexpr Weight weights[] = {Weight::identity, Weight::inverse, Weight::transposed,
                              Weight::shifted_inverse};

/// x = (exp(-t), sin t), y = exp(t).
Problem circle() {
  return reproduce::example_6_1().problem;
}

Vector circle_exact(double t) {
  return reproduce::example_6_1().exact(t);
}

/// Two links of a robot, theta = (sin t, -2 sin t), lambda = cos t.
Problem robot() {
  return reproduce::example_6_4().problem;
}

Vector robot_exact(double t) {
  return reproduce::example_6_4().exact(t);
}

double robot_drift(const Vector& x) {
  return std::abs(std::sin(x[0]) + std::sin(x[0] + x[1]));
}

/// Largest error of iterate s over t >= begin.
double error(const RegularisedRun& run, int s, const std::function<Vector(double)>& exact,
             double begin) {
  double worst = 0;
  const Matrix& x = run.iterates[s - 1].x;
  for (std::size_t i = 0; i < run.mesh.size(); ++i) {
    if (run.mesh[i] < begin) continue;
    const Vector solution = exact(run.mesh[i]);
    worst = std::max(worst, (x.col(i).head(solution.size()) - solution).cwiseAbs().maxCoeff());
  }
  return worst;
}

double order(double coarse, double fine) {
  return std::log2(coarse / fine);
}

TEST(NonlinearRegularisation, GainsOnePowerOfEpsPerIterationWithEveryWeight) {
  for (const Weight weight : weights) {
    const auto run = [&](double eps) {
      return regularise(circle(),
                        {.eps = eps,
                         .weight = weight,
                         .delta = 0.1,
                         .carried = Carried::multiplier,
                         .iterations = 3},
                        uniform_mesh({0, 1}, 5000));
    };
    const RegularisedRun coarse = run(0.01), fine = run(0.005);
    for (int s = 1; s <= 3; ++s) {
      // G B = x.x falls to 0.6: with E = (G B)^T the layer decays like exp(-0.4 t / eps).
      const double a = error(coarse, s, circle_exact, 0.8), b = error(fine, s, circle_exact, 0.8);
      EXPECT_NEAR(order(a, b), s, 0.25) << static_cast<int>(weight) << ", s = " << s;
    }
  }
}

TEST(NonlinearRegularisation, ReachesTheFourthPower) {
  const auto run = [](double eps) {
    return regularise(circle(), {.eps = eps, .carried = Carried::multiplier, .iterations = 4},
                      uniform_mesh({0, 1}, 20000));
  };
  const RegularisedRun coarse = run(0.01), fine = run(0.005);
  for (int s = 1; s <= 4; ++s)
    EXPECT_NEAR(order(error(coarse, s, circle_exact, 0.8), error(fine, s, circle_exact, 0.8)), s,
                0.25)
        << s;
}

TEST(NonlinearRegularisation, WithDerivativesOfTheConstraintHasNoLayer) {
  // [AscherLin1997, Theorem 2.1], from the wrong start y_0 = 0.
  for (const Weight weight : weights) {
    const auto run = [&](double eps) {
      return regularise(circle(),
                        {.eps = eps,
                         .alpha_1 = 1,
                         .weight = weight,
                         .delta = 0.1,
                         .carried = Carried::multiplier,
                         .iterations = 3},
                        uniform_mesh({0, 1}, 4000));
    };
    const RegularisedRun coarse = run(0.02), fine = run(0.01);
    for (int s = 1; s <= 3; ++s) {
      const double a = error(coarse, s, circle_exact, 0), b = error(fine, s, circle_exact, 0);
      EXPECT_NEAR(order(a, b), s, 0.25) << static_cast<int>(weight) << ", s = " << s;
    }
  }
}

TEST(NonlinearRegularisation, TendsToBaumgartesStabilisation) {
  // [AscherLin1997, (2.13)]: the difference is of the order of eps.
  const auto mesh = uniform_mesh({0, 1}, 100);
  const RegularisedRun limit = regularise(circle(), baumgarte(3), mesh);
  for (const Weight weight : weights) {
    const RegularisedRun near = regularise(circle(),
                                           {.eps = 1e-12,
                                            .alpha_1 = 1,
                                            .alpha_2 = 3,
                                            .weight = weight,
                                            .carried = Carried::multiplier},
                                           mesh);
    EXPECT_LT((near.last().x - limit.last().x).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(NonlinearRegularisation, CarriesTheProductLikeTheMultiplierWhereBothExist) {
  // The projected update differs from that of y by terms that fall like the error itself.
  Regularisation settings = {.eps = 0.005, .iterations = 3};
  const auto mesh = uniform_mesh({0, 1}, 2000);
  const RegularisedRun product = regularise(circle(), settings, mesh);
  settings.carried = Carried::multiplier;
  const RegularisedRun multiplier = regularise(circle(), settings, mesh);
  EXPECT_LT(error(product, 3, circle_exact, 0.5), 1e-4);
  EXPECT_LT(error(product, 3, circle_exact, 0.5), 3 * error(multiplier, 3, circle_exact, 0.5));
}

TEST(NonlinearRegularisation, PenaltyAndStaggeredStabilisationAreOfFirstOrderInEps) {
  const auto mesh = uniform_mesh({0, 1}, 4000);
  const auto orders = [&](const std::function<Regularisation(double)>& method) {
    const double a = error(regularise(circle(), method(0.01), mesh), 1, circle_exact, 0);
    const double b = error(regularise(circle(), method(0.005), mesh), 1, circle_exact, 0);
    return order(a, b);
  };
  EXPECT_NEAR(orders([](double eps) { return penalty(eps, Weight::identity); }), 1, 0.15);
  EXPECT_NEAR(orders([](double eps) {
                Regularisation settings = staggered_stabilisation(eps);
                settings.guess = [](double, Output y) { y[0] = 1; };
                return settings;
              }),
              1, 0.15);
}

TEST(NonlinearRegularisation, PostStabilisationKeepsTheConstraintAndTheOrder) {
  const auto run = [](int times, int steps) {
    return regularise(circle(), post_stabilisation(times), uniform_mesh({0, 1}, steps));
  };
  const auto drift = [](const RegularisedRun& result) {
    const Vector x = result.last().x.rightCols(1);
    return std::abs(x.squaredNorm() - circle_exact(1).squaredNorm()) / 2;
  };
  const double coarse = error(run(1, 100), 1, circle_exact, 0);
  const double fine = error(run(1, 200), 1, circle_exact, 0);
  EXPECT_NEAR(order(coarse, fine), 2, 0.15);
  // Each application squares the violation, which is O(h^3) after a step.
  EXPECT_GT(drift(run(0, 100)), 1e-6);
  EXPECT_LT(drift(run(1, 100)), 1e-11);
  EXPECT_LT(drift(run(2, 100)), 1e-15);
}

TEST(IndexThreeRegularisation, GainsOnePowerOfEpsPerIteration) {
  // (4.14)-(4.16) with every weight, and combinations (4.4)-(4.5) without and with g''.
  std::vector<Regularisation> cases;
  for (const Weight weight : weights)
    cases.push_back({.weight = weight, .delta = 0.1, .pull = Pull::levels});
  cases.push_back({.alpha_2 = 1, .alpha_3 = 1});
  cases.push_back({.alpha_1 = 1, .alpha_2 = 2, .alpha_3 = 1});
  for (std::size_t k = 0; k < cases.size(); ++k) {
    cases[k].carried = Carried::multiplier;
    cases[k].iterations = 2;
    // lambda = cos t: value and derivative are right at t = 0, which Theorem 4.1 asks for s = 2.
    cases[k].guess = [](double, Output y) { y[0] = 1; };
    const auto run = [&](double eps) {
      cases[k].eps = eps;
      return regularise(robot(), cases[k], uniform_mesh({0, 1}, 5000));
    };
    const RegularisedRun coarse = run(0.02), fine = run(0.01);
    for (int s = 1; s <= 2; ++s)
      EXPECT_NEAR(order(error(coarse, s, robot_exact, 0), error(fine, s, robot_exact, 0)), s, 0.25)
          << k << ", s = " << s;
  }
}

TEST(IndexThreeRegularisation, OfInvariantsIsExactButForTheSteps) {
  // zeta = 0 solves (4.11): the first iterate has the order of the scheme whatever eps.
  for (const Weight weight : {Weight::identity, Weight::inverse}) {
    const auto run = [&](int steps) {
      return regularise(robot(), {.eps = 0.05, .weight = weight, .pull = Pull::invariants},
                        uniform_mesh({0, 1}, steps));
    };
    EXPECT_NEAR(order(error(run(200), 1, robot_exact, 0), error(run(400), 1, robot_exact, 0)), 2,
                0.15);
  }
}

TEST(IndexThreeRegularisation, StabilisedMethodsDriftLessThanDifferentiation) {
  const auto drift = [](const Regularisation& settings) {
    const auto run = regularise(robot(), settings, uniform_mesh({0, 5}, 500));
    return robot_drift(run.last().x.rightCols(1));
  };
  const double plain = drift(baumgarte(0, 0));
  EXPECT_LT(drift(baumgarte(20, 100)), 0.1 * plain);
  EXPECT_LT(drift({.eps = 0.02, .weight = Weight::inverse, .pull = Pull::invariants}), 0.1 * plain);
  EXPECT_LT(drift(post_stabilisation(1)), 1e-3 * plain);
  EXPECT_LT(drift(post_stabilisation(2)), 1e-14);
}

TEST(IndexThreeRegularisation, StaggeredIsOfFirstOrderInEps) {
  const auto run = [](double eps) {
    Regularisation settings = staggered_stabilisation(eps);
    settings.guess = [](double, Output y) { y[0] = 1; };
    return regularise(robot(), settings, uniform_mesh({0, 1}, 4000));
  };
  EXPECT_NEAR(order(error(run(0.02), 1, robot_exact, 0), error(run(0.01), 1, robot_exact, 0)), 1,
              0.2);
}

TEST(NonlinearRegularisation, TakesStepsLongerThanEpsWithRadauPoints) {
  for (const bool is_robot : {false, true}) {
    const auto run = [&](double eps) {
      Regularisation settings = {.eps = eps,
                                 .pull = is_robot ? Pull::levels : Pull::combination,
                                 .carried = Carried::multiplier,
                                 .iterations = 3,
                                 .scheme = "radau_iia_5"};
      settings.guess = [](double, Output y) { y[0] = 1; };
      return regularise(is_robot ? robot() : circle(), settings, uniform_mesh({0, 1}, 25));
    };
    const RegularisedRun coarse = run(0.008), fine = run(0.004);
    ASSERT_TRUE(coarse.succeeded() && fine.succeeded()) << coarse.message << fine.message;
    for (int s = 1; s <= (is_robot ? 2 : 3); ++s) {
      const auto exact = is_robot ? robot_exact : circle_exact;
      EXPECT_NEAR(order(error(coarse, s, exact, 0.8), error(fine, s, exact, 0.8)), s, 0.25)
          << is_robot << ", s = " << s;
    }
  }
}

TEST(NonlinearRegularisation, CollocatesWithTheOrderOfItsPoints) {
  // [AscherLin1996, (4.8)]: x has order 2k - 1, above the floor eps^3.
  const auto run = [](const char* scheme, int steps) {
    return regularise(
        circle(), {.eps = 1e-5, .carried = Carried::multiplier, .iterations = 3, .scheme = scheme},
        uniform_mesh({0, 1}, steps));
  };
  const auto observed = [&](const char* scheme, int steps) {
    return order(error(run(scheme, steps), 3, circle_exact, 0.5),
                 error(run(scheme, 2 * steps), 3, circle_exact, 0.5));
  };
  EXPECT_NEAR(observed("backward_euler", 40), 1, 0.25);
  EXPECT_NEAR(observed("radau_iia_3", 20), 3, 0.25);
  EXPECT_NEAR(observed("radau_iia_5", 5), 5, 0.5);
}

/// A pendulum, as a mechanical system and as the same equations in Hessenberg form.
Problem pendulum(bool is_mechanical) {
  const auto g = [](auto q, auto out) { out[0] = (q[0] * q[0] + q[1] * q[1] - 1.0) / 2.0; };
  const Values start = {1, 0, 0, 0};
  if (is_mechanical) {
    const Mechanical form = {.coordinates = 2,
                             .holonomic = 1,
                             .mass = Mass::diagonal({2, 2}),
                             .force = [](auto, auto, auto f) { f << 0, -2; },
                             .constraint = g};
    return {.form = form, .t_span = {0, 1}, .start = start};
  }
  const HessenbergIndex3 form = {.position = 2,
                                 .velocity = 2,
                                 .algebraic = 1,
                                 .f = [](auto, auto v, auto out) { out << v[0], v[1]; },
                                 .k =
                                     [](auto q, auto, auto u, auto out) {
                                       out[0] = -0.5 * q[0] * u[0];
                                       out[1] = -1.0 - 0.5 * q[1] * u[0];
                                     },
                                 .g = g};
  return {.form = form, .t_span = {0, 1}, .start = start};
}

TEST(IndexThreeRegularisation, TakesMechanicalAndHessenbergForms) {
  for (const Pull pull : {Pull::combination, Pull::levels}) {
    for (const Carried carried : {Carried::multiplier, Carried::product}) {
      const Regularisation settings = {
          .eps = 0.02, .pull = pull, .carried = carried, .iterations = 2};
      const auto mesh = uniform_mesh({0, 1}, 200);
      const RegularisedRun a = regularise(pendulum(true), settings, mesh);
      const RegularisedRun b = regularise(pendulum(false), settings, mesh);
      EXPECT_LT((a.last().x - b.last().x).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((a.last().carried - b.last().carried).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

TEST(NonlinearRegularisation, AllocatesNothingAfterItsFirstSteps) {
  const auto counts_settle = [](const Problem& problem, const Regularisation& settings) {
    long before = -1, after = -1;
    int points = 0;
    regularise(problem, settings, uniform_mesh({0, 0.1}, 100), [&](const RegularisedPoint&) {
      if (++points == 3) before = allocations;
      after = allocations;
    });
    EXPECT_EQ(after, before) << static_cast<int>(settings.pull)
                             << static_cast<int>(settings.weight);
  };
  for (const Weight weight : weights) {
    counts_settle(circle(), {.weight = weight, .delta = 0.1, .iterations = 2});
    counts_settle(circle(), {.alpha_1 = 1, .weight = weight, .delta = 0.1, .iterations = 2});
    for (const Pull pull : {Pull::combination, Pull::levels, Pull::invariants})
      counts_settle(robot(), {.weight = weight, .delta = 0.1, .pull = pull, .iterations = 2});
  }
  counts_settle(circle(), {.iterations = 2, .scheme = "radau_iia_5"});
  counts_settle(circle(), staggered_stabilisation(0.01));
  counts_settle(robot(), staggered_stabilisation(0.01));
  counts_settle(robot(), post_stabilisation(2));
}

TEST(NonlinearRegularisation, SaysUntilWhenValuesAreFinite) {
  // Baumgarte's stabilisation at a singular constraint.  [AscherLin1997, Example 6.3]
  const HessenbergIndex2 form = {
      .differential = 2,
      .algebraic = 1,
      .f =
          [](auto t, auto x, auto y, auto out) {
            out[0] = -x[0] + x[1] - sin(t) - (1 + 2 * t);
            out[1] = -x[0] * y[0];
          },
      .g = [](auto t, auto x, auto out) { out[0] = x[0] * (x[0] + x[1] - sin(t) - 1 + 2 * t); }};
  const Problem problem = {.form = form, .t_span = {0, 1}, .start = {1, 0}};
  const auto mesh = uniform_mesh({0, 1}, 1000);
  const RegularisedRun run = regularise(problem, baumgarte(1000), mesh);
  EXPECT_FALSE(run.succeeded());
  EXPECT_GT(run.finite_until, 0.49);
  EXPECT_LT(run.finite_until, 0.6);
  EXPECT_TRUE(regularise(problem, {.eps = 0.001, .iterations = 3}, mesh).succeeded());
}

TEST(NonlinearRegularisation, RefusesWhatCannotBe) {
  const auto mesh = uniform_mesh({0, 1}, 10);
  EXPECT_THROW(regularise(circle(), {.scheme = "huen"}, mesh), InvalidInput);
  EXPECT_THROW(regularise(circle(), {.pull = Pull::levels}, mesh), InvalidInput);
  EXPECT_THROW(regularise(circle(), {}, uniform_mesh({1, 0}, 10)), InvalidInput);
  const Problem ode = {.form = LinearlyImplicit{.size = 1}, .t_span = {0, 1}, .start = {1}};
  EXPECT_THROW(regularise(ode, {}, mesh), InvalidInput);
}

}  // namespace
}  // namespace daedalus
