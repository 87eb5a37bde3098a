// Derivatives of the equations: pattern, colours, storages, and what the user supplies.
#include "problem/jacobian.h"

#include <cmath>

#include "daedalus/record.h"
#include "expectations.h"

namespace daedalus {
namespace {

using ::testing::HasSubstr;
using testing::refusal;

constexpr auto diffusion = [](auto y, auto f) {
  const int n = static_cast<int>(y.size());
  for (int i = 0; i < n; ++i) {
    f[i] = -2 * y[i] - y[i] * y[i] * y[i];
    if (i > 0) f[i] += y[i - 1];
    if (i + 1 < n) f[i] += y[i + 1];
  }
};

Problem chain(int n, bool exact) {
  Problem problem;
  if (exact)
    problem.form = LinearlyImplicit{n, {}, diffusion};
  else
    problem.form = LinearlyImplicit{n, {}, plain(diffusion)};
  problem.t_span = {0, 1};
  Vector start(n);
  for (int i = 0; i < n; ++i) start[i] = std::sin(0.1 * i);
  problem.start = start;
  return problem;
}

std::string description(const Problem& problem, const Options& options = {}) {
  return Integrator(problem, options).solution().jacobian;
}

TEST(Jacobian, NeedsThreeColoursForATridiagonalMatrix) {
  EXPECT_EQ(description(chain(200, true)),
            "exact (forward differentiation), 3 colours for 200 columns");
  EXPECT_EQ(description(chain(200, false)), "differences, 3 colours for 200 columns");
}

TEST(Jacobian, FindsEntriesThatVanishAtTheStart) {
  // At y = 0 no derivative of the cubes shows; the probes nearby must find them all.
  const int n = 60;
  Problem problem;
  problem.form = LinearlyImplicit{n, {}, [](auto y, auto f) {
                                    const int size = static_cast<int>(y.size());
                                    for (int i = 0; i < size; ++i) {
                                      const auto& next = y[(i + 1) % size];
                                      f[i] = 1 - next * next * next;
                                    }
                                  }};
  problem.t_span = {0, 1};
  auto system = make_system(problem, Formulation::direct);
  const std::vector<double> zero(n, 0.0);
  Jacobian jacobian(*system, LinearAlgebra::sparse, 0, zero.data(), zero.data());
  EXPECT_EQ(jacobian.make_pencil().pattern.nonzeros(), 2 * n);
}

TEST(Jacobian, HasTheExactEntriesInEveryStorage) {
  const int n = 50;
  for (const bool exact : {true, false})
    for (const LinearAlgebra wish :
         {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse}) {
      const Problem problem = chain(n, exact);
      auto system = make_system(problem, Formulation::direct);
      std::vector<double> y(n, 0.5), yp(n, 0.0);
      Jacobian jacobian(*system, wish, 0, y.data(), yp.data());
      Pencil pencil = jacobian.make_pencil();
      ASSERT_TRUE(jacobian.evaluate(0, y.data(), yp.data(), pencil));
      for (int j = 0; j < n; ++j)
        for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
          const int i = pencil.pattern.row[k];
          const double expected = i == j ? 2.75 : std::abs(i - j) == 1 ? -1 : 0;
          // One-sided differences lose half of the digits.
          EXPECT_NEAR(pencil.a[k], expected, exact ? 1e-15 : 1e-6) << i << ", " << j;
          EXPECT_NEAR(pencil.e[k], i == j, exact ? 0 : 1e-6);
        }
    }
}

TEST(Jacobian, GivesTheSameSolutionInEveryStorage) {
  Options options;
  options.rtol = 1e-8;
  Problem problem = chain(60, true);
  const Vector reference = solve(problem, options).y_end();
  for (const bool exact : {true, false})
    for (const LinearAlgebra wish :
         {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse}) {
      options.linear_algebra = wish;
      const Solution solution = solve(chain(60, exact), options);
      ASSERT_TRUE(solution.succeeded()) << solution.message.text();
      // Newton's iteration ends a little earlier or later: a part of the tolerance.
      EXPECT_LE((solution.y_end() - reference).cwiseAbs().maxCoeff(), 1e-8);
    }
}

TEST(Jacobian, GivesTheSameSolutionWithAGivenPattern) {
  Problem problem = chain(60, false);
  Options options;
  options.rtol = 1e-8;
  const Vector reference = solve(problem, options).y_end();
  Sparsity pattern;
  for (int i = 0; i < 60; ++i)
    for (int j = std::max(0, i - 1); j <= std::min(59, i + 1); ++j) pattern.emplace_back(i, j);
  problem.sparsity = pattern;
  EXPECT_THAT(description(problem), HasSubstr("3 colours"));
  EXPECT_LE((solve(problem, options).y_end() - reference).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Jacobian, RefusesAPatternWithEntriesOutside) {
  for (const int n : {3, 60})
    for (const auto& entry : {std::pair{n, 0}, std::pair{0, n}, std::pair{-1, 0}}) {
      Problem problem = chain(n, true);
      problem.sparsity = Sparsity{entry};
      EXPECT_THAT(refusal(problem), HasSubstr("sparsity"));
      Problem implicit;
      implicit.form = FullyImplicit{n, [](auto y, auto yp, auto r) { r = yp + y; }};
      implicit.t_span = {0, 1};
      implicit.sparsity = Sparsity{entry};
      EXPECT_THAT(refusal(implicit), HasSubstr("sparsity")) << n;
    }
}

// y1' = -y1 y2, 0 = y1 + y2 - 2.
Problem small() {
  Problem problem;
  problem.form = LinearlyImplicit{2, Mass::diagonal({1, 0}),
                                  [](auto y, auto f) { f << -y[0] * y[1], y[0] + y[1] - 2; }};
  problem.t_span = {0, 1}, problem.start = {0.5, 1.5};
  return problem;
}

TEST(SuppliedJacobian, IsUsedWhenItIsRight) {
  Problem problem = small();
  Options options;
  options.rtol = 1e-8;
  const Vector reference = solve(problem, options).y_end();
  int calls = 0;
  problem.jacobian.right_hand_side = [&calls](double, Input y, MatrixOutput df) {
    df << -y[1], -y[0], 1, 1;
    ++calls;
  };
  const Solution solution = solve(problem, options);
  EXPECT_THAT(solution.jacobian, HasSubstr("supplied"));
  EXPECT_GT(calls, 1);
  EXPECT_LE((solution.y_end() - reference).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SuppliedJacobian, OfTheResidualIsUsedWhenItIsRight) {
  Problem problem;
  problem.form =
      FullyImplicit{2, [](auto y, auto yp, auto r) { r << y[1] * yp[0] + y[0], y[0] + y[1] - 2; }};
  problem.t_span = {0, 1}, problem.start = {0.5, 1.5}, problem.start_derivative = {-1. / 3, 1. / 3};
  Options options;
  options.rtol = 1e-8;
  const Vector reference = solve(problem, options).y_end();
  // Summed up, as one does with elements: the matrices must arrive as zeros every time.
  problem.jacobian.residual = [](double, Input y, Input yp, MatrixOutput a, MatrixOutput e) {
    a(0, 0) += 1, a(0, 1) += yp[0], a(1, 0) += 1, a(1, 1) += 1;
    e(0, 0) += y[1];
  };
  const Solution solution = solve(problem, options);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_LE((solution.y_end() - reference).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_EQ(solution.statistics.newton_failures, 0);
}

TEST(SuppliedJacobian, OfTheResidualSpeaksOfTheEquationsAsWritten) {
  // With M of rank one the second equation is replaced by a combination; the user need not know.
  Problem problem;
  problem.form = LinearlyImplicit{2, Matrix(Matrix::Ones(2, 2)),
                                  [](auto y, auto f) { f << -y[0], -y[0] + y[0] - 2 * y[1]; }};
  problem.t_span = {0, 1}, problem.start = {1, 0.5};
  Options options;
  options.rtol = 1e-8;
  const Vector reference = solve(problem, options).y_end();
  problem.jacobian.residual = [](double, Input, Input, MatrixOutput a, MatrixOutput e) {
    a << 1, 0, 0, 2;
    e.setOnes();
  };
  const Solution solution = solve(problem, options);
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  EXPECT_LE((solution.y_end() - reference).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(SuppliedJacobian, IsRefusedWithTheWrongEntryNamed) {
  Problem problem = small();
  problem.variables = {"voltage", "current"}, problem.equations = {"node", "loop"};
  problem.jacobian.right_hand_side = [](double, Input y, MatrixOutput df) {
    df << -y[1], -y[0], 1, -1;
  };
  const std::string message = refusal(problem);
  EXPECT_THAT(message, HasSubstr("loop"));
  EXPECT_THAT(message, HasSubstr("current"));
  EXPECT_THAT(message, HasSubstr("Jacobian"));
}

TEST(SuppliedJacobian, OfTheResidualIsRefusedWithTheWrongEntryNamed) {
  Problem problem;
  problem.form =
      FullyImplicit{2, [](auto y, auto yp, auto r) { r << y[1] * yp[0] + y[0], y[0] + y[1] - 2; }};
  problem.t_span = {0, 1}, problem.start = {0.5, 1.5};
  problem.variables = {"voltage", "current"}, problem.equations = {"node", "loop"};
  problem.jacobian.residual = [](double, Input, Input yp, MatrixOutput a, MatrixOutput e) {
    a << 1, yp[0], 1, 1;
    e(0, 0) = 7;
  };
  const std::string message = refusal(problem);
  EXPECT_THAT(message, HasSubstr("node"));
  EXPECT_THAT(message, HasSubstr("voltage'"));
}

/// dF/dt of y' = sin(t^2) y, t z = y, where the form has it at hand and where it has not.
double worst_time_derivative(const Problem& problem) {
  auto system = make_system(problem, Formulation::direct);
  const double y[] = {2, 3}, yp[] = {5, 7}, t = 0.7;
  Jacobian jacobian(*system, LinearAlgebra::automatic, t, y, yp);
  double r[2];
  jacobian.time_derivative(t, y, yp, r);
  return std::max(std::abs(r[0] + 2 * t * std::cos(t * t) * y[0]), std::abs(r[1] + y[1]));
}

/// Differences of a whole equation have the rounding of f, 1e-16, beside a mass of 1e-12.
TEST(Jacobian, TakesMassesOfPlainFunctionsFromTheStatement) {
  constexpr double mass = 1e-12;
  const auto charge = [](double, Input y, Output f) { f[0] = 1 - y[0], f[1] = 1 - y[1]; };
  const Problem problem{.form = LinearlyImplicit{2, Mass::diagonal({mass, mass}), plain(charge)},
                        .t_span = {0, 3 * mass},
                        .start = {0, 0}};
  const Solution solution = solve(problem, {.method = "radau", .rtol = 1e-9});
  ASSERT_TRUE(solution.succeeded());
  EXPECT_NEAR(solution.y_end()[0], 1 - std::exp(-3), 1e-8);
  EXPECT_LT(solution.statistics.steps, 40);  // 923 with E from differences
}

TEST(Jacobian, DerivesExactlyWithRespectToTime) {
  const auto f = [](auto t, auto y, auto out) {
    using std::sin;
    out[0] = sin(t * t) * y[0];
    out[1] = t * y[1] - y[0];
  };
  const Mass mass = Mass::diagonal({1, 0});
  const Problem generic{.form = LinearlyImplicit{2, mass, f}, .t_span = {0, 1}, .start = {2, 3}};
  EXPECT_LE(worst_time_derivative(generic), 1e-15);
  EXPECT_LE(worst_time_derivative(recorded(generic)), 1e-15);
  // Known as double only, t must not pass for a constant: differences, with errors of s^2 and
  // eps/s.
  const Problem plain_time{.form = LinearlyImplicit{2, mass,
                                                    [](double t, auto y, auto out) {
                                                      out[0] = std::sin(t * t) * y[0];
                                                      out[1] = t * y[1] - y[0];
                                                    }},
                           .t_span = {0, 1},
                           .start = {2, 3}};
  EXPECT_LE(worst_time_derivative(plain_time), 1e-8);
}

TEST(SuppliedJacobian, GoesWithTheFormItIsMadeFor) {
  Problem problem;
  problem.form = FullyImplicit{1, [](auto y, auto yp, auto r) { r = yp + y; }};
  problem.t_span = {0, 1};
  problem.jacobian.right_hand_side = [](double, Input, MatrixOutput) {};
  EXPECT_THAT(refusal(problem), HasSubstr("jacobian.right_hand_side"));
}

TEST(Jacobian, PatternOfAMechanicalSystemCoversTheStabilisingMultipliers) {
  // A chain of twelve links: 24 coordinates, 12 constraints. The user knows nothing of the
  // multipliers that stabilisation adds, so his pattern cannot have them.
  const int n = 12;
  Problem problem;
  problem.form = Mechanical{2 * n,
                            n,
                            0,
                            {},
                            [n](auto, auto, auto f) {
                              for (int i = 0; i < n; ++i) f[2 * i] = 0.0, f[2 * i + 1] = -1.0;
                            },
                            [n](auto q, auto g) {
                              for (int i = 0; i < n; ++i) {
                                auto dx = q[2 * i], dy = q[2 * i + 1];
                                if (i > 0) dx -= q[2 * i - 2], dy -= q[2 * i - 1];
                                g[i] = (dx * dx + dy * dy - 1) / 2;
                              }
                            }};
  problem.t_span = {0, 0.1};
  Vector start = Vector::Zero(5 * n);
  for (int i = 0; i < n; ++i) start[2 * i] = i + 1;
  problem.start = start;
  const Solution free = solve(problem);
  ASSERT_TRUE(free.succeeded());
  // The rows of index 3: q' = v, v' = f - G^T lambda, g(q).
  Sparsity pattern;
  for (int i = 0; i < 2 * n; ++i) {
    pattern.emplace_back(i, 2 * n + i);
    for (int k = 0; k < n; ++k) pattern.emplace_back(2 * n + i, 4 * n + k);
    for (int j = 0; j < 2 * n; ++j) pattern.emplace_back(2 * n + i, j);
    for (int k = 0; k < n; ++k) pattern.emplace_back(4 * n + k, i);
  }
  problem.sparsity = pattern;
  Options options;
  options.linear_algebra = LinearAlgebra::sparse;
  const Solution given = solve(problem, options);
  ASSERT_TRUE(given.succeeded()) << given.message.text();
  EXPECT_LE((given.y_end() - free.y_end()).head(4 * n).cwiseAbs().maxCoeff(), 1e-5);
}

}  // namespace
}  // namespace daedalus
