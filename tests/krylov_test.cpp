// Iterations in place of factors: GMRES, incomplete factors, who takes over when, and runs.
#include <cmath>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "daedalus/solve.h"
#include "linear/factors.h"
#include "linear/gmres.h"
#include "linear/incomplete_factors.h"
#include "reproduce/testset.h"

namespace daedalus {
namespace {

Matrix random_matrix(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Matrix a(n, n);
  for (double& x : a.reshaped()) x = number(generator);
  return a + 2 * Matrix::Identity(n, n);
}

TEST(Gmres, IsExactInTheWholeSpace) {
  for (const int n : {1, 2, 5, 17}) {
    const Matrix a = random_matrix(n, static_cast<unsigned>(n));
    const Vector r = Vector::LinSpaced(n, 1, 2);
    Vector x(n);
    Gmres gmres(n);
    const auto outcome = gmres.solve(
        [&](const double* v, double* out) {
          Eigen::Map<Vector>(out, n) = a * Eigen::Map<const Vector>(v, n);
        },
        r.data(), 1e-13, x.data());
    EXPECT_LE(outcome.iterations, n);
    // Rounding errors of n products, with a condition of a few hundred at most.
    EXPECT_LE((a * x - r).norm(), 1e-11 * r.norm()) << n;
  }
}

TEST(Gmres, StopsWhenTheResidualIsSmallEnough) {
  const int n = 30;
  const Matrix a = random_matrix(n, 7) + 8 * Matrix::Identity(n, n);
  const Vector r = Vector::Ones(n);
  Vector x(n);
  Gmres gmres(n);
  const auto product = [&](const double* v, double* out) {
    Eigen::Map<Vector>(out, n) = a * Eigen::Map<const Vector>(v, n);
  };
  const auto rough = gmres.solve(product, r.data(), 1e-2, x.data());
  EXPECT_LE((a * x - r).norm(), 1.0001e-2 * r.norm());
  const auto fine = gmres.solve(product, r.data(), 1e-8, x.data());
  EXPECT_LT(rough.iterations, fine.iterations);
  EXPECT_EQ(gmres.solve(product, r.data(), 0, x.data(), 2 * r.norm()).iterations, 0);
}

/// -Laplace on a square of points, times `stiffness`, with two species that react.
Pencil grid_pencil(Storage storage, int side, double stiffness) {
  std::vector<std::pair<int, int>> places;
  std::vector<double> values;
  const auto add = [&](int row, int column, double value) {
    places.emplace_back(row, column);
    values.push_back(value);
  };
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i)
      for (int s = 0; s < 2; ++s) {
        const int p = 2 * (j * side + i);
        add(p + s, p + s, (4 + s) * stiffness + 1);
        add(p + s, p + 1 - s, s == 0 ? 0.5 : -3);
        for (const auto& [k, l] : {std::pair{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}})
          if (k >= 0 && k < side && l >= 0 && l < side)
            add(p + s, 2 * (l * side + k) + s, -stiffness);
      }
  Pencil pencil(storage, make_pattern(2 * side * side, places));
  for (std::size_t k = 0; k < places.size(); ++k)
    pencil.a[pencil.position(places[k].first, places[k].second)] += values[k];
  for (int i = 0; i < pencil.size(); i += 2) pencil.e[pencil.position(i, i)] = 1;
  return pencil;
}

Vector waves(int n) {
  Vector x(n);
  for (int i = 0; i < n; ++i) x[i] = std::sin(0.3 * i) + 0.1 * std::cos(1.7 * i);
  return x;
}

TEST(IncompleteFactors, AreCompleteWhereEliminationFillsNothing) {
  const int n = 50;
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i + 1 < n; ++i) places.emplace_back(i, i + 1), places.emplace_back(i + 1, i);
  const Pattern pattern = make_pattern(n, places);
  std::vector<double> values;
  for (int j = 0; j < n; ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
      values.push_back(pattern.row[k] == j ? 3 + 0.01 * j : pattern.row[k] < j ? -1 : -1.5);
  IncompleteFactors factors(pattern);
  ASSERT_TRUE(factors.factor(values));
  const Vector x = waves(n);
  Vector b(n);
  factors.multiply(x.data(), b.data());
  factors.solve(b.data());
  EXPECT_LE((b - x).cwiseAbs().maxCoeff(), 1e-14);  // well conditioned: rounding alone
}

TEST(IncompleteFactors, RefuseAZeroPivot) {
  const Pattern pattern = make_pattern(2, {{0, 1}, {1, 0}});
  IncompleteFactors factors(pattern);
  EXPECT_FALSE(factors.factor({0, 1, 1, 0}));
  EXPECT_TRUE(factors.factor({1, 1, 1, 0}));
}

TEST(KrylovFactors, AgreeWithFactorsProper) {
  for (const double stiffness : {0.1, 10.0, 1000.0}) {
    const Pencil iterated = grid_pencil(Storage::krylov, 20, stiffness);
    const Pencil direct = grid_pencil(Storage::sparse, 20, stiffness);
    const auto a = make_real_factors(iterated), b = make_real_factors(direct);
    ASSERT_TRUE(a->factor(iterated, 2));
    ASSERT_TRUE(b->factor(direct, 2));
    Vector x = waves(iterated.size()), y = x;
    a->solve(x.data()), b->solve(y.data());
    // 1e-11 of the preconditioned residual, which the incomplete factors make to about the error.
    EXPECT_LE((x - y).norm(), 1e-9 * y.norm()) << stiffness;
  }
}

TEST(KrylovFactors, AreAsAccurateAsTheyAreAskedToBe) {
  const Pencil iterated = grid_pencil(Storage::krylov, 20, 10);
  const Pencil direct = grid_pencil(Storage::sparse, 20, 10);
  const auto a = make_real_factors(iterated), b = make_real_factors(direct);
  const std::vector<double> weight(static_cast<std::size_t>(iterated.size()), 100.0);
  a->set_accuracy(weight.data(), 1e-3);
  ASSERT_TRUE(a->factor(iterated, 2));
  ASSERT_TRUE(b->factor(direct, 2));
  Vector x = waves(iterated.size()), y = x;
  a->solve(x.data()), b->solve(y.data());
  const double size = 100 * y.norm() / std::sqrt(y.size());
  const double error = 100 * (x - y).norm() / std::sqrt(y.size());
  EXPECT_GT(error, 0);
  EXPECT_LE(error, 3 * std::max(0.02 * size, 1e-3));
}

TEST(KrylovFactors, GiveWayToFactorsProper) {
  // Without a diagonal there are no incomplete factors.
  std::vector<std::pair<int, int>> places;
  const int n = 100;
  for (int i = 0; i < n; ++i) places.emplace_back(i, (i + 37) % n), places.emplace_back(i, i);
  Pencil pencil(Storage::krylov, make_pattern(n, places));
  for (int i = 0; i < n; ++i) pencil.a[pencil.position(i, (i + 37) % n)] = 2;
  const auto factors = make_real_factors(pencil);
  ASSERT_TRUE(factors->factor(pencil, 0));
  Vector x = waves(n);
  const Vector b = x;
  factors->solve(x.data());
  for (int i = 0; i < n; ++i) EXPECT_NEAR(2 * x[(i + 37) % n], b[i], 1e-14);

  // These exist, but grow like 2^n.
  for (int i = 0; i < n; ++i) {
    pencil.a[pencil.position(i, (i + 37) % n)] = 1e3;
    pencil.a[pencil.position(i, i)] = 1;
  }
  const auto others = make_real_factors(pencil);
  ASSERT_TRUE(others->factor(pencil, 0));
  x = b;
  others->solve(x.data());
  for (int i = 0; i < n; ++i) EXPECT_NEAR(1e3 * x[(i + 37) % n] + x[i], b[i], 1e-9);
}

TEST(KrylovRuns, FindTheSolutionOfFactorsProper) {
  const reproduce::TestProblem test = reproduce::food_web(24, 24);
  const auto end_of = [&](const char* method, LinearAlgebra how) {
    const Solution s =
        solve(test.statement.problem,
              {.method = method, .rtol = 1e-6, .dense = false, .linear_algebra = how});
    EXPECT_TRUE(s.succeeded()) << s.message.text();
    return Vector(s.y_end());
  };
  const auto digits = [&](const Vector& y) {
    return significant_digits(test, test.differential, [&](int i) {
      return y[test.statement.place[static_cast<std::size_t>(i)]];
    });
  };
  for (const char* method : {"bdf", "mebdf", "rodas_4", "seulex"}) {
    const double direct = digits(end_of(method, LinearAlgebra::sparse));
    const double iterated = digits(end_of(method, LinearAlgebra::krylov));
    EXPECT_GE(iterated, 5.5) << method;  // what rtol = 1e-6 promises, with a factor of 3 to spare
    EXPECT_GE(iterated, direct - 0.7) << method;
  }
}

TEST(KrylovRuns, RefuseComplexMatrices) {
  const reproduce::TestProblem test = reproduce::heat(30, 30);
  try {
    (void)solve(test.statement.problem,
                {.method = "radau", .linear_algebra = LinearAlgebra::krylov});
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("krylov"), std::string::npos);
  }
}

TEST(KrylovRuns, AreChosenWhereFactorsWouldTakeMostOfTheTime) {
  const auto choice = [](const reproduce::TestProblem& test, double rtol = 1e-4) {
    Integrator run(test.statement.problem, {.rtol = rtol});
    return run.solution().choice;
  };
  EXPECT_EQ(choice(reproduce::food_web(60, 60)).substr(0, 3), "bdf");
  EXPECT_EQ(choice(reproduce::food_web(8, 8)).substr(0, 5), "radau");
  EXPECT_EQ(choice(reproduce::food_web(2000, 1)).substr(0, 5), "radau");
  EXPECT_EQ(choice(reproduce::food_web(24, 24)).substr(0, 8), "rodas_5p");
  EXPECT_EQ(choice(reproduce::food_web(24, 24), 1e-9).substr(0, 5), "radau");  // order counts more
  EXPECT_EQ(choice(reproduce::heat_between_cold_walls()).substr(0, 8), "rodas_5p");  // linear
}

TEST(SparseRuns, ResumeToTheSameBits) {
  const reproduce::TestProblem test = reproduce::food_web(24, 24);
  const Options options{.rtol = 1e-4};
  Integrator whole(test.statement.problem, options);
  for (int k = 0; k < 5; ++k) whole.step();
  std::stringstream file;
  whole.save(file);
  Integrator second = Integrator::resume(test.statement.problem, options, file);
  for (int k = 0; k < 4; ++k) whole.step(), second.step();
  ASSERT_EQ(whole.t(), second.t());
  EXPECT_EQ(Vector(whole.y()), Vector(second.y()));
}

TEST(KrylovRuns, ResumeToTheSameBits) {
  const reproduce::TestProblem test = reproduce::food_web(16, 16);
  const Options options{.method = "bdf", .rtol = 1e-5, .linear_algebra = LinearAlgebra::krylov};
  Integrator whole(test.statement.problem, options);
  for (int k = 0; k < 20; ++k) whole.step();
  std::stringstream file;
  whole.save(file);
  Integrator second = Integrator::resume(test.statement.problem, options, file);
  for (int k = 0; k < 15; ++k) whole.step(), second.step();
  ASSERT_EQ(whole.t(), second.t());
  EXPECT_EQ(Vector(whole.y()), Vector(second.y()));
}

}  // namespace
}  // namespace daedalus
