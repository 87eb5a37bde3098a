// Sparse factors made of fronts, and the orders in which they fill little.
#include "linear/sparse_fronts.h"

#include "linear/dissection.h"
#include "linear/sparse_plan.h"
#include "random_pencils.h"

namespace daedalus {
namespace {

TEST(SparseFronts, SolveRandomSystemsToRoundingError) {
  const Pattern large = grid_pattern(60, 2);
  EXPECT_TRUE(SparsePlan(large).has_fronts());
  expect_rounding_error(random_pencil(Storage::sparse, large, 3));
}

TEST(SparseFronts, GiveWayToKluWherePivotsLieOutsideOfFronts) {
  Pencil pencil = random_pencil(Storage::sparse, grid_pattern(60, 2), 5);
  // Nothing on the diagonal: pivots must come from other rows.
  for (int j = 0; j < pencil.size(); ++j) {
    const std::size_t k = pencil.position(j, j);
    pencil.a[k] = pencil.e[k] = 0;
  }
  expect_rounding_error(pencil);
}

TEST(SparseFronts, AgreeForEveryInstructionSet) {
  const Pencil pencil = random_pencil(Storage::sparse, grid_pattern(40, 2), 7);
  std::vector<double> values = pencil.a;
  for (int j = 0; j < pencil.size(); ++j) values[pencil.position(j, j)] += 20;  // dominant
  const std::vector<int> order = dissection_order(pencil.pattern);
  const std::vector<double> right = random_vector(pencil.size(), 3);
  for (InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    SparseFronts fronts(std::make_shared<FrontTree>(pencil.pattern, order), set);
    for (int repeat = 0; repeat < 2; ++repeat) {
      ASSERT_TRUE(fronts.factor(values.data()));
      std::vector<double> x = right, residual = right;
      fronts.solve(x.data());
      for (int j = 0; j < pencil.size(); ++j)
        for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k)
          residual[pencil.pattern.row[k]] -= values[k] * x[j];
      for (const double r : residual) EXPECT_NEAR(r, 0, 1e-13);  // solutions of size 0.1
    }
  }
}

/// Fitted to factors of grids: below, entries one by one are faster.
TEST(SparsePlan, TakesFrontsWhereThereAreManyOperationsForEachUnknown) {
  EXPECT_FALSE(SparsePlan(grid_pattern(16, 1)).has_fronts());
  const Pattern grid = grid_pattern(32, 1);
  EXPECT_TRUE(SparsePlan(grid).has_fronts());
  // By minimum degree: dissection takes more.
  EXPECT_LT(sparse_work(grid).flops, ordered_work(grid, dissection_order(grid)).flops);
  // Blocks that are solved one after the other need no common front.
  std::vector<std::pair<int, int>> blocks;
  for (int first = 0; first < 3000; first += 60)
    for (int i = first; i < first + 60; ++i)
      for (int j = first; j < first + 60; ++j) blocks.emplace_back(i, j);
  EXPECT_FALSE(SparsePlan(make_pattern(3000, blocks)).has_fronts());
}

TEST(SparsePlan, IsSharedByFactorsWithTheSameBits) {
  Pencil own = random_pencil(Storage::sparse, grid_pattern(32, 2), 11);
  for (int j = 0; j < own.size(); ++j) own.a[own.position(j, j)] += 20;  // dominant
  Pencil shared = own;
  shared.work = sparse_work(shared.pattern);
  const auto alone = make_real_factors(own), one = make_real_factors(shared),
             other = make_real_factors(shared);
  std::vector<double> expected = random_vector(own.size(), 5), x = expected, y = expected;
  ASSERT_TRUE(alone->factor(own, 1) && one->factor(shared, 1) && other->factor(shared, 2));
  alone->solve(expected.data()), one->solve(x.data()), other->solve(y.data());
  EXPECT_EQ(x, expected);
  EXPECT_NE(y, expected);
}

TEST(Dissection, IsAPermutationOfWhateverGraph) {
  std::vector<Pattern> patterns = {grid_pattern(30, 2),       band_pattern(700, 1, 1),
                                   band_pattern(500, 0, 0),   random_pattern(600, 1, 3),
                                   random_pattern(400, 5, 4), dense_pattern(150)};
  std::vector<std::pair<int, int>> star;
  for (int i = 1; i < 300; ++i) star.emplace_back(i, 0);
  patterns.push_back(make_pattern(300, star));
  for (const Pattern& pattern : patterns) {
    std::vector<int> order = dissection_order(pattern);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(std::ssize(order), pattern.size);
    for (int k = 0; k < pattern.size; ++k) EXPECT_EQ(order[k], k);
  }
}

TEST(Dissection, CountsTheWorkOfFactors) {
  const Pattern chain = band_pattern(10, 1, 1);
  std::vector<int> given(10);
  for (int k = 0; k < 10; ++k) given[k] = k;
  // One entry below each of nine pivots: a division, a product and a difference.
  EXPECT_EQ(ordered_work(chain, given).flops, 9 * 3);
  EXPECT_EQ(ordered_work(chain, given).entries, 2 * (9 + 10));
}

TEST(Dissection, TakesFewerOperationsOnLargeGridsThanMinimumDegree) {
  const Pattern small = grid_pattern(50, 2), large = grid_pattern(200, 2);
  const double few = ordered_work(small, dissection_order(small)).flops;
  const double many = ordered_work(large, dissection_order(large)).flops;
  // n^1.5 in the limit [George1973]: 64 for 16 times the unknowns. Terms of lower order make it 81,
  // minimum degree takes 139.
  EXPECT_LT(many / few, 64 * 1.4);
  EXPECT_EQ(sparse_work(large).flops, many);  // taken where it is less than by minimum degree
}

}  // namespace
}  // namespace daedalus
