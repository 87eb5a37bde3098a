// Projection onto many constraints, each of few unknowns: sparse, and the same as dense.
#include <random>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "daedalus/analysis.h"
#include "nonlinear/sparse_linearization.h"

namespace daedalus {
namespace {

/// A band of three, and the same with some rows twice.
TEST(SparseLinearization, GivesTheShortestStepAlsoOfRedundantEquations) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  constexpr int rows = 40, columns = 60;
  for (const bool redundant : {false, true}) {
    std::vector<std::pair<int, int>> places;
    Matrix j = Matrix::Zero(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int k = 0; k < 3; ++k) {
        const int from = redundant && i % 10 == 9 ? i - 1 : i;  // the row before, twice as long
        const double value = i == from ? uniform(random) : 2 * j(from, from + 7 * k);
        places.emplace_back(i, from + 7 * k), j(i, from + 7 * k) = value;
      }
    SparseLinearization sparse(places, rows, columns);
    for (std::size_t k = 0; k < places.size(); ++k)
      sparse.values()[k] = j(places[k].first, places[k].second);
    std::vector<double> scale(columns);
    for (double& s : scale) s = std::exp(3 * uniform(random));
    ASSERT_TRUE(sparse.factor(scale));
    const Eigen::Map<const Vector> d(scale.data(), columns);
    const Vector r = j * Vector::Random(columns);
    Vector step(columns);
    sparse.apply_inverse(r, step);
    const Vector expected =
        Eigen::CompleteOrthogonalDecomposition<Matrix>(j * d.asDiagonal()).solve(r);
    EXPECT_LE((step - expected).norm(), 1e-9 * expected.norm()) << redundant;
  }
}

/// A row that no unknown reaches takes no part, and one unknown may be in all rows.
TEST(SparseLinearization, TakesEmptyRowsAndFullColumns) {
  constexpr int rows = 60, columns = 90;
  std::vector<std::pair<int, int>> places;
  Matrix j = Matrix::Zero(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (const int k : {0, i + 1, i + 20}) {
      places.emplace_back(i, k);
      if (i != 7) j(i, k) += std::cos(i + 3.0 * k);
    }
  SparseLinearization sparse(places, rows, columns);
  for (std::size_t k = 0; k < places.size(); ++k)
    sparse.values()[k] = j(places[k].first, places[k].second);
  ASSERT_TRUE(sparse.factor(std::vector<double>(columns, 1.0)));
  Vector r = j * Vector::Random(columns), step(columns);
  const Vector expected = Eigen::CompleteOrthogonalDecomposition<Matrix>(j).solve(r);
  r[7] = 1;
  sparse.apply_inverse(r, step);
  EXPECT_LE((step - expected).norm(), 1e-9 * expected.norm());
}

/// Factors of one copy serve another later on; what it gets must not depend on whose they were.
TEST(SparseLinearization, CopiesLendFactorsToEachOtherWithTheSameBits) {
  constexpr int rows = 30, columns = 40;
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < 3; ++k) places.emplace_back(i, i + 5 * k);
  const auto solved = [&](SparseLinearization& sparse, double shift) {
    for (std::size_t k = 0; k < places.size(); ++k)
      sparse.values()[k] = std::cos(static_cast<double>(k) + shift);
    EXPECT_TRUE(sparse.factor(std::vector<double>(columns, 1.0)));
    Vector step(columns);
    sparse.apply_inverse(Vector::Ones(rows), step);
    return step;
  };
  SparseLinearization kept(places, rows, columns);
  const Vector first = solved(kept, 0);
  for (const double shift : {0.3, 1.1, 2.0}) {
    SparseLinearization copy = kept, fresh(places, rows, columns);
    EXPECT_EQ(solved(copy, shift), solved(fresh, shift)) << shift;
  }
  Vector again(columns);
  kept.apply_inverse(Vector::Ones(rows), again);
  EXPECT_EQ(again, first);  // copies factor beside, not in place
}

/// Two diffusing fields, tied to each other in every cell: index 2.
Model tied_fields(int cells) {
  const std::string n = std::to_string(cells);
  return Model::from_text(
      "model M parameter Integer N = " + n +
          "; Real x[N](each start = 0), y[N](each start = 0), z[N]; equation "
          "for i in 2:N - 1 loop der(x[i]) = x[i - 1] - 2*x[i] + x[i + 1] + z[i]; "
          "der(y[i]) = y[i - 1] - 2*y[i] + y[i + 1] - z[i]*(1 + x[i]^2); end for; "
          "der(x[1]) = sin(time) - x[1] + z[1]; der(y[1]) = -y[1] - z[1]; "
          "der(x[N]) = x[N - 1] - x[N] + z[N]; der(y[N]) = y[N - 1] - y[N] - z[N]; "
          "for i in 1:N loop x[i] + x[i]^3 = y[i] \"tie\"; end for; "
          "annotation(experiment(StopTime = 1)); end M;",
      "m.mo");
}

TEST(SparseProjection, LargeModelsOfHigherIndexKeepTheirConstraints) {
  const Model few = tied_fields(20), many = tied_fields(2000);
  const Solution small = solve(few.problem(), few.scaled({.rtol = 1e-8}));
  const Solution s = solve(many.problem(), many.scaled({.rtol = 1e-8}));
  ASSERT_EQ(s.status, Status::success) << s.message.text();
  EXPECT_EQ(s.formulation, "projected");
  for (const ConstraintResidual& level : s.constraint_residual)
    EXPECT_LE(level.maximum, 1e-13) << level.level;
  // What happens at one end does not reach cell 20 in this time.
  for (const char* name : {"x[1]", "x[2]", "y[3]"})
    EXPECT_NEAR(s.value(-1, name), small.value(-1, name), 1e-6) << name;
}

TEST(SparseProjection, StartsOfLargeModelsAreFound) {
  const Analysis a = analyze(tied_fields(2000));
  EXPECT_EQ(a.numerical_index, 2);
  EXPECT_EQ(a.degrees_of_freedom, 2000);
  EXPECT_EQ(a.consistent_start.size(), 6000u);
}

}  // namespace
}  // namespace daedalus
