// Every form of problem.h but mechanics, against solutions known in closed form: with exact and
// with difference Jacobians, forwards and backwards, at steps, output times and in between.
#include <cmath>

#include "expectations.h"
#include "problem/system.h"

namespace daedalus {
namespace {

using testing::worst_error;

constexpr double rtol = 1e-8;
// Errors of single steps add up over the run; thirty tolerances is what a user would accept.
constexpr double bound = 30 * rtol;

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

Vector start_of(const Problem& problem, double t, void (*exact)(double, Vector&)) {
  Vector y(size_of(problem.form));
  exact(t, y);
  return y;
}

// Errors of variables of index 2 count times h, here h = 0.01 to 0.1: no method does better, and a
// form that does not tell its hidden constraints gives nothing to project onto.
constexpr double bound_of_index_2 = 3000 * rtol;

void expect_exact(Problem problem, void (*exact)(double, Vector&), const char* what) {
  SCOPED_TRACE(what);
  const double bound = problem.variable_index.empty() ? daedalus::bound : bound_of_index_2;
  for (const bool forward : {true, false}) {
    SCOPED_TRACE(forward ? "forwards" : "backwards");
    if (!forward) std::swap(problem.t_span.begin, problem.t_span.end);
    problem.start = start_of(problem, problem.t_span.begin, exact);
    Options options;
    options.rtol = rtol;
    const Solution steps = solve(problem, options);
    EXPECT_LE(worst_error(steps, exact), bound) << "at the steps";
    options.points = 37;
    const Solution grid = solve(problem, options);
    EXPECT_LE(worst_error(grid, exact), bound) << "at output times";
    ASSERT_EQ(grid.rows(), 37);
    EXPECT_EQ(grid.t.back(), problem.t_span.end);
    if (!steps.dense) continue;
    Vector expected(steps.size());
    const double t = 0.37 * problem.t_span.begin + 0.63 * problem.t_span.end;
    exact(t, expected);
    EXPECT_LE((steps(t) - expected).cwiseAbs().maxCoeff(), bound) << "dense output";
  }
}

/// `form` builds the form from callables passed through its argument.
template <class MakeForm>
void expect_exact_both_ways(MakeForm form, double end, void (*exact)(double, Vector&),
                            const Problem& settings = {}) {
  Problem problem = settings;
  problem.t_span = {0, end};
  problem.form = form(Exactly{});
  expect_exact(problem, exact, "exact Jacobians");
  problem.form = form(ByDifferences{});
  expect_exact(problem, exact, "Jacobians by differences");
}

TEST(FullyImplicitForm, FollowsAnEquationNonlinearInTheDerivative) {
  const auto form = [](auto wrap) {
    return FullyImplicit{3, wrap([](auto t, auto y, auto yp, auto r) {
                           r[0] = yp[0] + yp[0] * yp[0] * yp[0] + y[0] + y[0] * y[0] * y[0];
                           r[1] = y[1] + y[1] * y[1] * y[1] - sin(t) - sin(t) * sin(t) * sin(t) +
                                  y[0] - exp(-t);
                           r[2] = y[0] * (yp[2] + y[1]);
                         })};
  };
  expect_exact_both_ways(form, 2,
                         [](double t, Vector& y) { y << std::exp(-t), std::sin(t), std::cos(t); });
}

TEST(FullyImplicitForm, IntegratesIndexTwoWhenToldTheIndex) {
  // y1' = z, 0 = y1 - sin t: the form cannot know that z is of index 2.
  const auto form = [](auto wrap) {
    return FullyImplicit{3, wrap([](auto t, auto y, auto yp, auto r) {
                           r[0] = yp[0] - y[2];
                           r[1] = yp[1] + y[1] * y[2] - y[1] * cos(t);
                           r[2] = y[0] - sin(t);
                         })};
  };
  Problem settings;
  settings.variable_index = {1, 1, 2};
  expect_exact_both_ways(
      form, 1, [](double t, Vector& y) { y << std::sin(t), 1, std::cos(t); }, settings);
}

void circle(double t, Vector& y) {
  y << std::cos(t), std::sin(t);
}

TEST(LinearlyImplicitForm, WithoutMassIsAnOrdinaryDifferentialEquation) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{2, {}, wrap([](auto y, auto f) { f << -y[1], y[0]; })};
      },
      3, circle);
}

TEST(LinearlyImplicitForm, TakesARegularConstantMass) {
  expect_exact_both_ways(
      [](auto wrap) {
        Matrix m(2, 2);
        m << 2, 1, 1, 3;
        return LinearlyImplicit{
            2, m, wrap([](auto y, auto f) { f << -2 * y[1] + y[0], -y[1] + 3 * y[0]; })};
      },
      3, circle);
}

void decay_and_sine(double t, Vector& y) {
  y << std::exp(-t), std::sin(t);
}

constexpr auto sum_and_constraint = [](auto t, auto y, auto f) {
  // (y1 + y2)' and the same plus 0 = -(y1 - e^-t) + (y2 - sin t) + (y2^3 - sin^3 t).
  const auto s = sin(t);
  f[0] = -y[0] + cos(t);
  f[1] = f[0] - (y[0] - exp(-t)) + (y[1] - s) + (y[1] * y[1] * y[1] - s * s * s);
};

TEST(LinearlyImplicitForm, TakesASingularConstantMassWithoutZeroColumn) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{2, Matrix(Matrix::Ones(2, 2)), wrap(sum_and_constraint)};
      },
      2, decay_and_sine);
}

TEST(LinearlyImplicitForm, TakesMassByDiagonalAndByEntries) {
  const auto f = [](auto t, auto y, auto r) {
    r[0] = -y[0];
    r[1] = y[1] + y[1] * y[1] * y[1] - sin(t) - sin(t) * sin(t) * sin(t) + y[0] - exp(-t);
  };
  expect_exact_both_ways(
      [&](auto wrap) {
        return LinearlyImplicit{2, Mass::diagonal({1, 0}), wrap(f)};
      },
      2, decay_and_sine);
  expect_exact_both_ways(
      [&](auto wrap) {
        return LinearlyImplicit{2, Mass::sparse({{0, 0, 1.0}}), wrap(f)};
      },
      2, decay_and_sine);
}

TEST(LinearlyImplicitForm, IntegratesIndexTwoWhenToldTheIndex) {
  const auto form = [](auto wrap) {
    return LinearlyImplicit{3, Mass::diagonal({1, 1, 0}), wrap([](auto t, auto y, auto f) {
                              f << y[2], y[1] * (cos(t) - y[2]), y[0] - sin(t);
                            })};
  };
  Problem settings;
  settings.variable_index = {1, 1, 2};
  expect_exact_both_ways(
      form, 1, [](double t, Vector& y) { y << std::sin(t), 1, std::cos(t); }, settings);
}

TEST(LinearlyImplicitForm, TakesAMassThatDependsOnTime) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{
            2, Mass(wrap([](auto t, auto, auto m) { m(0, 0) = 1 + t, m(0, 1) = t, m(1, 1) = 2; })),
            wrap([](auto t, auto y, auto f) { f << -(1 + t) * y[1] + t * y[0], 2 * y[0]; })};
      },
      3, circle);
}

TEST(LinearlyImplicitForm, TakesAMassThatVanishesAtTheStartOnly) {
  // t y' = -y + t cos t + sin t has the one smooth solution y = sin t. At t = 0 the row looks
  // algebraic, and methods that are not stiffly accurate would be put onto a false constraint.
  const auto form = [](auto wrap) {
    return LinearlyImplicit{
        1, Mass(wrap([](auto t, auto, auto m) { m(0, 0) = t; })),
        wrap([](auto t, auto y, auto f) { f[0] = -y[0] + t * cos(t) + sin(t); })};
  };
  for (const bool exact : {true, false}) {
    Problem problem;
    if (exact)
      problem.form = form(Exactly{});
    else
      problem.form = form(ByDifferences{});
    problem.t_span = {0, 1};
    problem.start = {0};
    Options options;
    options.rtol = rtol, options.points = 11;
    for (const char* method : {"radau", "gauss_6"}) {
      SCOPED_TRACE(method);
      options.method = method;
      const Solution solution = solve(problem, options);
      EXPECT_LE(worst_error(solution, [](double t, Vector& y) { y[0] = std::sin(t); }), bound);
      EXPECT_TRUE(solution.constraint_residual.empty());
    }
  }
}

TEST(LinearlyImplicitForm, TakesAMassThatDependsOnTheState) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{
            2, Mass(wrap([](auto y, auto m) {
              m(0, 0) = 1 + y[0] * y[0], m(0, 1) = y[1], m(1, 1) = 1;
            })),
            wrap([](auto y, auto f) { f << -(1 + y[0] * y[0]) * y[1] + y[1] * y[0], y[0]; })};
      },
      3, circle);
}

TEST(LinearlyImplicitForm, TakesASingularMassThatDependsOnTheState) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{2, Mass(wrap([](auto y, auto m) { m(0, 0) = 1, m(0, 1) = y[1]; })),
                                wrap([](auto t, auto y, auto f) {
                                  f[0] = -y[0] + sin(t) * cos(t);
                                  f[1] = y[1] + y[1] * y[1] * y[1] + y[0] -
                                         (sin(t) + sin(t) * sin(t) * sin(t)) - exp(-t);
                                })};
      },
      1.2, decay_and_sine);
}

TEST(LinearlyImplicitForm, TakesAStateDependentMassOfLowRankWithoutZeroRow) {
  expect_exact_both_ways(
      [](auto wrap) {
        return LinearlyImplicit{2, Mass(wrap([](auto y, auto m) {
                                  m(0, 0) = 1, m(0, 1) = 1, m(1, 0) = y[0], m(1, 1) = y[0];
                                })),
                                wrap([](auto t, auto y, auto f) {
                                  const auto s = sin(t);
                                  f[0] = -y[0] + cos(t);
                                  f[1] = y[0] * f[0] - (y[0] - exp(-t)) + (y[1] - s) +
                                         (y[1] * y[1] * y[1] - s * s * s);
                                })};
      },
      2, decay_and_sine);
}

TEST(SemiExplicitForm, FollowsANonlinearProblemOfIndexOne) {
  expect_exact_both_ways(
      [](auto wrap) {
        return SemiExplicit{2, 1, wrap([](auto t, auto x, auto z, auto f) {
                              f[0] = -x[0] + x[1] * z[0] - sin(t) * (2 + cos(t));
                              f[1] = z[0] - 2 + x[0] * x[0] - exp(-2 * t);
                            }),
                            wrap([](auto t, auto x, auto z, auto g) {
                              const auto c = 2 + cos(t);
                              g[0] = z[0] * z[0] * z[0] + x[0] * z[0] + x[1] -
                                     (c * c * c + exp(-t) * c + sin(t));
                            })};
      },
      1, [](double t, Vector& y) { y << std::exp(-t), std::sin(t), 2 + std::cos(t); });
}

TEST(SemiExplicitForm, MayHaveNoDifferentialOrNoAlgebraicPart) {
  const auto f = [](auto x, auto, auto out) { out << -x[1], x[0]; };
  expect_exact_both_ways([&](auto wrap) { return SemiExplicit{2, 0, wrap(f), {}}; }, 3, circle);
  const auto g = [](auto t, auto, auto z, auto out) {
    out << z[0] - cos(t), z[0] * z[1] - sin(t) * cos(t) + z[1] - sin(t);
  };
  expect_exact_both_ways([&](auto wrap) { return SemiExplicit{0, 2, {}, wrap(g)}; }, 1, circle);
}

TEST(SingularlyPerturbedForm, IsAccurateForEveryEpsilonAndForZero) {
  for (const double epsilon : {1.0, 1e-3, 1e-8, 0.0}) {
    SCOPED_TRACE(epsilon);
    // Backwards the fast variable would explode, so this one runs forwards only.
    const auto form = [epsilon](auto wrap) {
      return SingularlyPerturbed{1, 1, epsilon, wrap([](auto t, auto y, auto z, auto f) {
                                   const auto Y = 2 + sin(t), Z = 1 + cos(t);
                                   f[0] = cos(t) - (y[0] - Y) + y[0] * (z[0] * z[0] - Z * Z) / 4;
                                 }),
                                 wrap([epsilon](auto t, auto y, auto z, auto g) {
                                   const auto Y = 2 + sin(t), Z = 1 + cos(t);
                                   g[0] = -epsilon * sin(t) -
                                          (z[0] * z[0] * z[0] + z[0] - Z * Z * Z - Z) +
                                          (y[0] * y[0] - Y * Y) / 3;
                                 })};
    };
    const auto exact = [](double t, Vector& y) { y << 2 + std::sin(t), 1 + std::cos(t); };
    Problem problem;
    problem.t_span = {0, 1}, problem.start = {2, 2};
    Options options;
    options.rtol = rtol, options.points = 17;
    problem.form = form(Exactly{});
    EXPECT_LE(worst_error(solve(problem, options), exact), bound);
    problem.form = form(ByDifferences{});
    EXPECT_LE(worst_error(solve(problem, options), exact), bound);
  }
}

TEST(Forms, EvaluateAllStagesWithTheBitsOfSingleOnes) {
  const auto two = [](auto t, auto y, auto out) {
    out[0] = sin(t) * y[1], out[1] = y[0] / (1 + y[1] * y[1]);
  };
  const auto of_both = [](auto t, auto y, auto z, auto out) { out[0] = t * y[0] - z[0] / 3; };
  const auto alone = [](auto t, auto y, auto out) { out[0] = y[0] * y[0] - t; };
  const auto residual = [](auto t, auto y, auto yp, auto out) {
    out[0] = yp[0] * y[1] - t, out[1] = y[0] - y[1] / 7;
  };
  const Form forms[] = {
      LinearlyImplicit{2, Mass::diagonal({0.3, 0}), two},
      LinearlyImplicit{2, Mass::sparse({{0, 0, 0.3}, {0, 1, 0.7}, {1, 1, 1.0}}), two},
      SemiExplicit{1, 1, of_both, of_both}, HessenbergIndex2{1, 1, of_both, alone},
      FullyImplicit{2, residual}};
  for (const Form& form : forms) {
    SCOPED_TRACE(form.index());
    Problem problem;
    problem.form = form, problem.t_span = {0, 1}, problem.start = {1, 1};
    const auto system = make_system(problem, Formulation::direct);
    constexpr int stages = 3, apart = 8;
    std::vector<double> t(stages), y(stages * apart), yp(y), all(y), one(2);
    for (int k = 0; k < stages; ++k) {
      t[k] = 0.1 * (k + 1);
      for (int i = 0; i < 2; ++i) y[k * apart + i] = 0.3 * (k + i + 1), yp[k * apart + i] = 1.7 * k;
    }
    system->residuals(stages, apart, t.data(), y.data(), yp.data(), all.data());
    for (int k = 0; k < stages; ++k) {
      system->residual(t[k], &y[k * apart], &yp[k * apart], one.data());
      for (int i = 0; i < 2; ++i) EXPECT_EQ(all[k * apart + i], one[i]);
    }
  }
}

}  // namespace
}  // namespace daedalus
