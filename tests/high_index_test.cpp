// Hessenberg forms of index 2 and 3 and systems of higher order against exact solutions.
#include <cmath>

#include "expectations.h"

namespace daedalus {
namespace {

using testing::worst_error;

constexpr double rtol = 1e-8;
constexpr double bound = 30 * rtol;  // errors of single steps add up

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

// In index 3 errors of velocities count times h, and what is left of them cannot be projected away.
constexpr double bound_of_index_3 = 300 * rtol;

void expect_exact(Problem problem, void (*exact)(double, Vector&), const char* what, double bound) {
  SCOPED_TRACE(what);
  for (const bool forward : {true, false}) {
    SCOPED_TRACE(forward ? "forwards" : "backwards");
    if (!forward) std::swap(problem.t_span.begin, problem.t_span.end);
    Vector start(size_of(problem.form));
    exact(problem.t_span.begin, start);
    problem.start = start;
    Options options;
    options.rtol = rtol;
    EXPECT_LE(worst_error(solve(problem, options), exact), bound) << "at the steps";
    options.points = 37;
    const Solution grid = solve(problem, options);
    EXPECT_LE(worst_error(grid, exact), bound) << "at output times";
    for (double shift : grid.start_shift) EXPECT_NEAR(shift, 0, bound);
  }
}

template <class MakeForm>
void expect_exact_both_ways(MakeForm form, double end, void (*exact)(double, Vector&),
                            double allowed = bound) {
  Problem problem;
  problem.t_span = {0, end};
  problem.form = form(Exactly{});
  expect_exact(problem, exact, "exact derivatives", allowed);
  problem.form = form(ByDifferences{});
  expect_exact(problem, exact, "differences", allowed);
}

TEST(HessenbergIndex2Form, FollowsAProblemWithProductsOfTheAlgebraicVariables) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HessenbergIndex2{
            3, 2, wrap([](auto t, auto y, auto z, auto f) {
              const auto a = 1 + sin(2 * t) / 2, b = 1 + cos(t) / 2, e = exp(-t / 2);
              f[0] = -y[1] + y[0] * (z[0] * z[0] - a * a) + y[1] * y[2] * (z[1] - b);
              f[1] = y[0] + y[1] * (z[0] - a) + 0.3 * (y[2] - e) * z[0];
              f[2] = -y[2] / 2 + (1 + y[0] * y[0]) * (z[0] * z[1] - a * b) + y[0] * (y[2] - e);
            }),
            wrap([](auto t, auto y, auto g) {
              g[0] = y[0] * y[0] + y[1] * y[1] - 1;
              g[1] = y[2] * (1 + y[0] * y[0]) - exp(-t / 2) * (1 + cos(t) * cos(t));
            })};
      },
      1,
      [](double t, Vector& y) {
        y << std::cos(t), std::sin(t), std::exp(-t / 2), 1 + std::sin(2 * t) / 2,
            1 + std::cos(t) / 2;
      });
}

TEST(HessenbergIndex2Form, FollowsAnAutonomousProblem) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HessenbergIndex2{2, 1, wrap([](auto y, auto z, auto f) {
                                  f[0] = y[0] * y[1] * y[1] * z[0] * z[0];
                                  f[1] = y[0] * y[0] * y[1] * y[1] - 3 * y[1] * y[1] * z[0];
                                }),
                                wrap([](auto y, auto g) { g[0] = y[0] * y[0] * y[1] - 1; })};
      },
      0.5, [](double t, Vector& y) { y << std::exp(t), std::exp(-2 * t), std::exp(2 * t); });
}

TEST(HessenbergIndex3Form, FollowsAProblemNonlinearInTheMultiplier) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HessenbergIndex3{
            3,
            2,
            1,
            wrap([](auto t, auto y, auto z, auto f) {
              const auto a = exp(t) / 2, c = cos(t), Z1 = cosh(t / 2) + 1, Z2 = exp(-t);
              f[0] = a + (y[0] - a) / 2 + (z[0] * z[0] - Z1 * Z1) / 4 + y[1] * (z[1] - Z2);
              f[1] = -sin(t) + (z[0] * z[1] - Z1 * Z2) / 2 + (y[0] - a) * y[2];
              f[2] = cos(2 * t) + y[0] * (z[1] - Z2) + (y[1] - c) * z[0];
            }),
            wrap([](auto t, auto y, auto z, auto u, auto k) {
              const auto Z1 = cosh(t / 2) + 1, U = 1 + sin(t);
              k[0] = sinh(t / 2) / 2 + (u[0] * u[0] - U * U) / 2 * (1 + y[1] * y[1]) +
                     (y[2] - sin(2 * t) / 2) * z[0];
              k[1] = -exp(-t) + y[0] * (u[0] - U) * z[1] + (z[0] - Z1) * y[1];
            }),
            wrap([](auto t, auto y, auto g) {
              const auto a = exp(t) / 2;
              g[0] = y[0] * y[0] + y[0] * sin(y[1]) + y[2] -
                     (a * a + a * sin(cos(t)) + sin(2 * t) / 2);
            })};
      },
      1,
      [](double t, Vector& y) {
        y << std::exp(t) / 2, std::cos(t), std::sin(2 * t) / 2, std::cosh(t / 2) + 1, std::exp(-t),
            1 + std::sin(t);
      },
      bound_of_index_3);
}

TEST(HessenbergIndex3Form, FollowsTheProblemOfJay) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HessenbergIndex3{2,
                                2,
                                1,
                                wrap([](auto y, auto z, auto f) {
                                  f << 2 * y[0] * y[1] * z[0] * z[1], -y[0] * y[1] * z[1] * z[1];
                                }),
                                wrap([](auto y, auto z, auto u, auto k) {
                                  k << (y[0] * y[1] + z[0] * z[1]) * u[0],
                                      -y[0] * y[1] * y[1] * z[1] * z[1] * u[0];
                                }),
                                wrap([](auto y, auto g) { g[0] = y[0] * y[1] * y[1] - 1; })};
      },
      0.5,
      [](double t, Vector& y) {
        y << std::exp(2 * t), std::exp(-t), std::exp(2 * t), std::exp(-t), std::exp(t);
      },
      bound_of_index_3);
}

TEST(HigherOrderForm, OfOrderOneIsSemiExplicitOrOfIndexTwo) {
  const auto f = [](auto X, auto y, auto out) { out << -y[0] * X[1], y[0] * X[0]; };
  const auto exact = [](double t, Vector& y) { y << std::cos(t), std::sin(t), 1; };
  expect_exact_both_ways(
      [&](auto wrap) {
        return HigherOrder{1,
                           2,
                           1,
                           wrap(f),
                           wrap([](auto X, auto y, auto g) {
                             g[0] = y[0] * y[0] * y[0] - X.dot(X); }),
                           1};
      },
      2, exact);
  // With a multiplier along the radius the circle is a constraint of index 2.
  expect_exact_both_ways(
      [&](auto wrap) {
        return HigherOrder{1,
                           2,
                           1,
                           wrap([](auto X, auto y, auto out) {
                             out << -X[1] + X[0] * (y[0] - 1), X[0] + X[1] * (y[0] - 1);
                           }),
                           wrap([](auto X, auto, auto g) { g[0] = X.squaredNorm() - 1; }),
                           2};
      },
      2, exact);
}

// A particle on the unit circle, angle t + t^2/4: x'' = -y x + (-x2, x1)/2, y = (1 + t/2)^2.
constexpr auto on_the_circle = [](auto X, auto y, auto f) {
  f << -y[0] * X[0] - 0.5 * X[1], -y[0] * X[1] + 0.5 * X[0];
};
void particle(double t, Vector& y) {
  const double angle = t + t * t / 4, rate = 1 + t / 2;
  y << std::cos(angle), std::sin(angle), -rate * std::sin(angle), rate * std::cos(angle),
      rate * rate;
}

TEST(HigherOrderForm, OfOrderTwoTakesConstraintsOfIndexOneTwoAndThree) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HigherOrder{2,
                           2,
                           1,
                           wrap(on_the_circle),
                           wrap([](auto X, auto y, auto g) {
                             const auto square = X[2] * X[2] + X[3] * X[3];
                             g[0] = y[0] + y[0] * y[0] * y[0] - square - square * square * square;
                           }),
                           1};
      },
      1, particle);
  expect_exact_both_ways(
      [](auto wrap) {
        return HigherOrder{2,
                           2,
                           1,
                           wrap(on_the_circle),
                           wrap([](auto X, auto, auto g) {
                             g[0] = X[0] * X[2] + X[1] * X[3]; }),
                           2};
      },
      1, particle);
  expect_exact_both_ways(
      [](auto wrap) {
        return HigherOrder{2,
                           2,
                           1,
                           wrap(on_the_circle),
                           wrap([](auto X, auto, auto g) { g[0] = X[0] * X[0] + X[1] * X[1] - 1; }),
                           3};
      },
      1, particle, bound_of_index_3);
}

TEST(HigherOrderForm, OfOrderThreeTakesConstraintsOfIndexOneTwoAndThree) {
  const auto exact = [](double t, Vector& y) {
    y << std::sin(t), std::cos(t), -std::sin(t), -std::cos(t);
  };
  const auto f = [](auto, auto y, auto out) { out[0] = y[0]; };
  const auto cubic = [](auto a, auto b) { return a + a * a * a - b - b * b * b; };
  expect_exact_both_ways(
      [&](auto wrap) {
        return HigherOrder{
            3, 1, 1, wrap(f), wrap([cubic](auto X, auto y, auto g) {
                             g[0] = cubic(y[0], -X[1]); }),
            1};
      },
      2, exact);
  expect_exact_both_ways(
      [&](auto wrap) {
        return HigherOrder{3,
                           1,
                           1,
                           wrap(f),
                           wrap([cubic](auto t, auto X, auto, auto g) {
                             g[0] = cubic(X[2], -sin(t)); }),
                           2};
      },
      2, exact);
  expect_exact_both_ways(
      [&](auto wrap) {
        return HigherOrder{3,
                           1,
                           1,
                           wrap(f),
                           wrap([cubic](auto t, auto X, auto, auto g) {
                             g[0] = cubic(X[1], cos(t)); }),
                           3};
      },
      2, exact, bound_of_index_3);
}

TEST(HigherOrderForm, MayHaveNoConstraint) {
  expect_exact_both_ways(
      [](auto wrap) {
        return HigherOrder{3, 1, 0, wrap([](auto X, auto, auto f) { f[0] = -X[1]; }), {}, 1};
      },
      3, [](double t, Vector& y) { y << std::sin(t), std::cos(t), -std::sin(t); });
}

TEST(Names, FollowTheLettersOfTheFormUnlessGiven) {
  const auto nothing2 = [](auto, auto, auto) {};
  const auto zero1 = [](auto, auto out) { out.setZero(); };
  const auto names = [](Form form) {
    Problem problem;
    problem.form = std::move(form), problem.t_span = {0, 1};
    return Integrator(problem).solution().variables;
  };
  EXPECT_EQ(names(LinearlyImplicit{2, {}, zero1}), (Names{"y1", "y2"}));
  EXPECT_EQ(names(LinearlyImplicit{1, {}, zero1}), (Names{"y"}));
  EXPECT_EQ(names(SemiExplicit{2, 0, nothing2, {}}), (Names{"x1", "x2"}));
  EXPECT_EQ(names(HigherOrder{3, 1, 0, [](auto, auto, auto out) { out.setZero(); }, {}, 1}),
            (Names{"x", "x'", "x''"}));
  EXPECT_EQ(names(SingularlyPerturbed{1, 1, 1.0, [](auto, auto, auto out) { out.setZero(); },
                                      [](auto, auto, auto out) { out.setZero(); }}),
            (Names{"y", "z"}));
  Problem problem;
  problem.form = LinearlyImplicit{2, {}, zero1};
  problem.t_span = {0, 1}, problem.variables = {"voltage", "current"}, problem.start = {3, 4};
  const Solution solution = solve(problem);
  EXPECT_EQ(solution.variables, problem.variables);
  EXPECT_EQ(solution.value(-1, "current"), 4);
}

}  // namespace
}  // namespace daedalus
