// Mechanical systems: constant and configuration-dependent mass, moving and nonholonomic
// constraints, each in every formulation, against motions known in closed form.
#include <cmath>
#include <type_traits>

#include "expectations.h"

namespace daedalus {
namespace {

using testing::expect_failure;
using testing::worst_error;

constexpr double rtol = 1e-8;
constexpr double bound = 30 * rtol;  // errors of single steps add up
// Index 3 weighs errors of velocities with h and those of multipliers with h^2.
constexpr double bound_of_index_3 = 1000 * rtol;

constexpr Formulation formulations[] = {Formulation::automatic,
                                        Formulation::direct,
                                        Formulation::index_2,
                                        Formulation::index_1,
                                        Formulation::stabilized_index_2,
                                        Formulation::baumgarte};

struct Exactly {
  template <class F>
  F operator()(F f) const {
    return f;
  }
};
struct ByDifferences {
  template <class F>
  Plain<F> operator()(F f) const {
    return plain(f);
  }
};

void expect_motion(const Problem& problem, void (*exact)(double, Vector&), bool nonholonomic) {
  for (const Formulation formulation : formulations) {
    SCOPED_TRACE(name_of(formulation));
    Options options;
    options.rtol = rtol, options.points = 13, options.formulation = formulation;
    const bool direct = formulation == Formulation::direct && !nonholonomic;
    EXPECT_LE(worst_error(solve(problem, options), exact), direct ? bound_of_index_3 : bound);
  }
  for (const char* method : {"dop853", "dormand_prince_5"}) {
    SCOPED_TRACE(method);
    Options options;
    options.method = method, options.rtol = rtol, options.points = 13;
    EXPECT_LE(worst_error(solve(problem, options), exact), bound);
  }
}

template <class MakeForm>
void expect_motion_both_ways(MakeForm form, double end, void (*exact)(double, Vector&),
                             bool nonholonomic = false) {
  Problem problem;
  problem.form = form(Exactly{});
  problem.t_span = {0, end};
  Vector start(size_of(problem.form));
  exact(0, start);
  problem.start = start;
  {
    SCOPED_TRACE("exact derivatives");
    expect_motion(problem, exact, nonholonomic);
  }
  problem.form = form(ByDifferences{});
  SCOPED_TRACE("differences");
  expect_motion(problem, exact, nonholonomic);
}

TEST(Mechanics, WithoutConstraintsIsAnOrdinaryDifferentialEquation) {
  Matrix mass(2, 2);
  mass << 2, 1, 1, 3;
  Problem problem;
  problem.form = Mechanical{
      2, 0, 0, mass, [](auto q, auto, auto f) { f << -(2 * q[0] + q[1]), -(q[0] + 3 * q[1]); }};
  problem.t_span = {0, 2}, problem.start = {1, 0, 0, 1};
  Options options;
  options.rtol = rtol;
  EXPECT_LE(worst_error(solve(problem, options),
                        [](double t, Vector& y) {
                          y << std::cos(t), std::sin(t), -std::sin(t), std::cos(t);
                        }),
            bound);
}

// A particle on a circle of radius R = 1 + t/4 at the angle t, lambda = 1 + t. The force is made so
// that this is the motion: f = M a + G^T lambda - (v - v(t)) - (q - q(t)), with G = 2 q^T.
void on_growing_circle(double t, Vector& y) {
  const double r = 1 + t / 4, c = std::cos(t), s = std::sin(t);
  y << r * c, r * s, c / 4 - r * s, s / 4 + r * c, 1 + t;
}

template <class S>
Eigen::Matrix<S, 2, 2> varying_mass(const S& q1, const S& q2) {
  Eigen::Matrix<S, 2, 2> m;
  m << 2 + q1 * q1, q1 * q2 / 2, q1 * q2 / 2, S(3);
  return m;
}

template <class S, class In, class Out>
void force_on_circle(const S& t, const In& q, const In& v, Out& f,
                     const Eigen::Matrix<S, 2, 2>& mass) {
  const S r = 1 + t / 4, c = cos(t), s = sin(t);
  Eigen::Matrix<S, 2, 1> a, v_exact, q_exact;
  a << -s / 2 - r * c, c / 2 - r * s;
  v_exact << c / 4 - r * s, s / 4 + r * c;
  q_exact << r * c, r * s;
  f = mass * a + 2 * q * (1 + t) - (v - v_exact) - (q - q_exact);
}

constexpr auto growing_circle = [](auto t, auto q, auto g) {
  g[0] = q.squaredNorm() - (1 + t / 4) * (1 + t / 4);
};

TEST(Mechanics, FollowsAMovingConstraintWithConstantMass) {
  expect_motion_both_ways(
      [](auto wrap) {
        Matrix mass(2, 2);
        mass << 2, 0.5, 0.5, 3;
        return Mechanical{2,
                          1,
                          0,
                          mass,
                          wrap([](auto t, auto q, auto v, auto f) {
                            Eigen::Matrix<decltype(t), 2, 2> m;
                            m << 2, 0.5, 0.5, 3;
                            force_on_circle(t, q, v, f, m);
                          }),
                          wrap(growing_circle)};
      },
      1, on_growing_circle);
}

TEST(Mechanics, FollowsAMovingConstraintWithMassThatDependsOnTheConfiguration) {
  expect_motion_both_ways(
      [](auto wrap) {
        return Mechanical{2,
                          1,
                          0,
                          Mass(wrap([](auto q, auto m) {
                            m(0, 0) = 2 + q[0] * q[0], m(1, 1) = 3;
                            m(0, 1) = m(1, 0) = q[0] * q[1] / 2;
                          })),
                          wrap([](auto t, auto q, auto v, auto f) {
                            force_on_circle(t, q, v, f, varying_mass(q[0], q[1]));
                          }),
                          wrap(growing_circle)};
      },
      1, on_growing_circle);
}

TEST(Mechanics, LetsAKnifeEdgeRunDownAnIncline) {
  // x' sin theta = y' cos theta, unit masses, g sin alpha = 1, theta = w t:
  // x = sin^2(w t) / (2 w^2), y = (w t - sin(2 w t) / 2) / (2 w^2), mu = 2 sin(w t), w = 2.
  const auto exact = [](double t, Vector& y) {
    const double a = 2 * t;
    y << std::sin(a) * std::sin(a) / 8, (a - std::sin(2 * a) / 2) / 8, a,
        std::sin(a) * std::cos(a) / 2, std::sin(a) * std::sin(a) / 2, 2, 2 * std::sin(a);
  };
  expect_motion_both_ways(
      [](auto wrap) {
        return Mechanical{
            3,
            0,
            1,
            {},
            wrap([](auto, auto, auto f) { f << 1.0, 0.0, 0.0; }),
            {},
            wrap([](auto q, auto v, auto k) { k[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]); })};
      },
      1, exact, true);
}

TEST(Mechanics, TakesHolonomicAndNonholonomicConstraintsTogether) {
  // The knife edge above with a fourth coordinate tied to the first: z = x + sin t, lambda = -z''.
  const auto exact = [](double t, Vector& y) {
    const double a = 2 * t, x = std::sin(a) * std::sin(a) / 8, dx = std::sin(a) * std::cos(a) / 2;
    const double ddx = std::cos(2 * a);
    y << x, (a - std::sin(2 * a) / 2) / 8, a, x + std::sin(t), dx, std::sin(a) * std::sin(a) / 2, 2,
        dx + std::cos(t), -(ddx - std::sin(t)), 2 * std::sin(a);
  };
  expect_motion_both_ways(
      [](auto wrap) {
        return Mechanical{
            4,
            1,
            1,
            {},
            wrap([](auto t, auto, auto, auto f) {
              // What the link to z takes from x is given back.
              f << 1 + (cos(4 * t) - sin(t)), 0.0, 0.0, 0.0;
            }),
            wrap([](auto t, auto q, auto g) { g[0] = q[3] - q[0] - sin(t); }),
            wrap([](auto q, auto v, auto k) { k[0] = v[0] * sin(q[2]) - v[1] * cos(q[2]); })};
      },
      1, exact);
}

Problem pendulum() {
  Problem problem;
  problem.form = Mechanical{2,
                            1,
                            0,
                            {},
                            [](auto, auto, auto f) { f << 0.0, -1.0; },
                            [](auto q, auto g) { g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; }};
  problem.t_span = {0, 10}, problem.start = {1, 0, 0, 0, 0};
  return problem;
}

TEST(Mechanics, SwingsThePendulumToItsReferenceInEveryFormulation) {
  // Two computations in 80-bit arithmetic agree in these digits.
  Vector reference(5);
  reference << -0.811586446191304, -0.584232351345396, -0.631529149065018, 0.877288798841069,
      1.75269705403619;
  for (const Formulation formulation : formulations) {
    SCOPED_TRACE(name_of(formulation));
    Options options;
    options.rtol = rtol, options.formulation = formulation, options.points = 5;
    const Solution solution = solve(pendulum(), options);
    ASSERT_TRUE(solution.succeeded()) << solution.message.text();
    const Vector error = (solution.y_end() - reference).cwiseAbs();
    EXPECT_LE(error.maxCoeff(), formulation == Formulation::direct ? bound_of_index_3 : 2 * bound);
    // Output lies on the constraints whatever the formulation: rounding, some operations deep.
    for (int i = 0; i < solution.rows(); ++i) {
      const Input y = solution.y(i);
      EXPECT_NEAR(y.head<2>().squaredNorm(), 1, 1e-11);
      EXPECT_NEAR(y[0] * y[2] + y[1] * y[3], 0, 1e-11);
    }
  }
}

TEST(Mechanics, RunsBackwardsAlongTheSamePath) {
  Problem problem = pendulum();
  problem.t_span = {0, 2};
  Options options;
  options.rtol = rtol;
  const Solution there = solve(problem, options);
  ASSERT_TRUE(there.succeeded());
  problem.start = Vector(there.y_end()), problem.t_span = {2, 0};
  const Solution back = solve(problem, options);
  ASSERT_TRUE(back.succeeded()) << back.message.text();
  EXPECT_LE((back.y_end() - there.y(0)).cwiseAbs().maxCoeff(), 2 * bound);
  EXPECT_LE((back(1.234) - there(1.234)).cwiseAbs().maxCoeff(), 2 * bound);
}

TEST(Mechanics, NamesItsVariablesAndHidesTheStabilisingMultiplier) {
  const Solution solution = solve(pendulum(), {.method = "radau"});
  EXPECT_EQ(solution.variables, (Names{"q1", "q2", "v1", "v2", "lambda"}));
  EXPECT_EQ(solution.formulation, "stabilized_index_2");
  EXPECT_EQ(solution.size(), 5);
  EXPECT_EQ(solution.start_shift.size(), 5u);
}

TEST(Mechanics, AcceptsAMasslessCoordinateThatTheConstraintCarries) {
  // q2 has no mass and hangs on q1: q1'' = -q1 - q2, q2 = q1, the link pulls with lambda = q2.
  Problem problem;
  Matrix mass = Matrix::Zero(2, 2);
  mass(0, 0) = 1;
  problem.form = Mechanical{2,
                            1,
                            0,
                            mass,
                            [](auto q, auto, auto f) { f << -q[0], -q[1]; },
                            [](auto q, auto g) { g[0] = q[0] - q[1]; }};
  problem.t_span = {0, 1}, problem.start = {1, 1, 0, 0, 1};
  const double w = std::sqrt(2.0);
  Options options;
  options.rtol = rtol, options.points = 7;
  const Solution solution = solve(problem, options);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  for (int i = 0; i < solution.rows(); ++i) {
    EXPECT_NEAR(solution.y(i)[0], std::cos(w * solution.t[i]), bound);
    EXPECT_NEAR(solution.y(i)[4], std::cos(w * solution.t[i]), bound) << solution.t[i];
  }
}

/// A coordinate that only springs hold: with a mass that is a function, too, no acceleration level.
TEST(Mechanics, TakesMasslessCoordinatesWhoseMassIsAFunction) {
  const auto force = [](auto t, auto q, auto v, auto f) {
    f << sin(t) - 3.0 * q[0] - 0.5 * v[0], 0, -9.81;
  };
  const auto constraint = [](auto q, auto g) {
    g[0] = q[0] - q[1] - 0.1 * q[2];
    g[1] = q[1] * q[1] + q[2] * q[2] - 1.0;
  };
  const auto mass = [](auto, auto m) { m(1, 1) = 1.0, m(2, 2) = 1.0; };
  const Problem problem = {.form = Mechanical{.coordinates = 3,
                                              .holonomic = 2,
                                              .mass = Mass(mass),
                                              .force = force,
                                              .constraint = constraint},
                           .t_span = {0, 2},
                           .start = {0.74, 0.8, -0.6}};
  for (const char* method : {"auto", "radau", "bdf"}) {
    const Solution s = solve(problem, {.method = method, .rtol = rtol});
    ASSERT_TRUE(s.succeeded()) << method << s.message.text();
    const Input y = s.y_end();
    EXPECT_NEAR(y[6], std::sin(2.0) - 3 * y[0] - 0.5 * y[3], bound_of_index_3) << method;
  }
}

/// Of Euler parameters the mass 4 G^T J G is singular along p, and regular on p^T p = 1. With p p^T
/// added to it, which moves nothing, explicit methods can take it.
Problem spinning_body(double added) {
  const auto rows_of = [](auto p, auto& rows) {  // of G
    rows(0, 0) = -p[1], rows(0, 1) = p[0], rows(0, 2) = p[3], rows(0, 3) = -p[2];
    rows(1, 0) = -p[2], rows(1, 1) = -p[3], rows(1, 2) = p[0], rows(1, 3) = p[1];
    rows(2, 0) = -p[3], rows(2, 1) = p[2], rows(2, 2) = -p[1], rows(2, 3) = p[0];
  };
  const auto mass = [=](auto p, auto m) {
    using S = std::decay_t<decltype(p[0] + p[0])>;
    Eigen::Matrix<S, 3, 4> g;
    rows_of(p, g);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < 4; ++b) {
        S sum = added * p[a] * p[b];
        for (int i = 0; i < 3; ++i) sum = sum + 4.0 * (i + 1) * g(i, a) * g(i, b);
        m(a, b) = sum;
      }
  };
  const auto force = [=](auto, auto p, auto v, auto f) {
    using S = std::decay_t<decltype(p[0] + v[0])>;
    Eigen::Matrix<S, 3, 4> g, moving;
    rows_of(p, g), rows_of(v, moving);
    S momentum[3];
    for (int i = 0; i < 3; ++i) {
      momentum[i] = S(0);
      for (int a = 0; a < 4; ++a) momentum[i] = momentum[i] + 8.0 * (i + 1) * g(i, a) * v[a];
    }
    for (int a = 0; a < 4; ++a) {
      S sum = S(0);
      for (int i = 0; i < 3; ++i) sum = sum - moving(i, a) * momentum[i];
      f[a] = sum;
    }
  };
  return {.form = Mechanical{.coordinates = 4,
                             .holonomic = 1,
                             .mass = Mass(mass),
                             .force = force,
                             .constraint =
                                 [](auto p, auto g) {
                                   g[0] =
                                       p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] - 1.0;
                                 }},
          .t_span = {0, 10},
          .start = {std::cos(0.3), 0, 0, std::sin(0.3), 0, 0.3, 0.5, 0.1}};
}

TEST(Mechanics, TakesMassesThatAreSingularButForTheConstraints) {
  const Solution explicit_one = solve(spinning_body(1), {.rtol = 1e-10});
  ASSERT_EQ(explicit_one.method, "dop853");
  for (const double tolerance : {1e-4, 1e-8}) {
    const Solution s = solve(spinning_body(0), {.rtol = tolerance});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    for (int j = 0; j < 8; ++j)
      EXPECT_NEAR(s.y_end()[j], explicit_one.y_end()[j], 30 * tolerance) << j;
  }
}

}  // namespace
}  // namespace daedalus
