// Tables 4.1 to 4.4 of Ascher and Petzold (1992).
#include <cmath>

#include <gtest/gtest.h>

#include "reproduce/collocation.h"

namespace daedalus::reproduce {
namespace {

int agreements(const std::vector<CollocationRow>& rows) {
  int count = 0;
  for (const CollocationRow& row : rows) count += row.agrees();
  return count;
}

int with_printed_digits_exactly(const std::vector<CollocationRow>& rows) {
  int count = 0;
  for (const CollocationRow& row : rows) count += row.has_printed_digits(row.recomputed);
  return count;
}

/// Rounding errors that a run amplifies: what double precision did to an independent program is
/// their measure. Projected drifts are zero but for rounding of numbers of size 100 (nu = 50).
void expect_recomputed(const std::vector<CollocationRow>& rows) {
  for (const CollocationRow& row : rows) {
    EXPECT_TRUE(row.agrees() || row.is_known_deviation) << row.key << " " << row.quantity;
    const double amplified = std::abs(row.recomputed_double - row.recomputed);
    EXPECT_NEAR(row.computed, row.recomputed,
                2e-5 * std::abs(row.recomputed) + 5 * row.rounding + 10 * amplified)
        << row.key << " " << row.quantity;
  }
}

TEST(CollocationTables, FirstAgreesWithPrintAndRecomputation) {
  const auto rows = recompute_collocation_table(1);
  EXPECT_EQ(rows.size(), 204u);
  EXPECT_GE(agreements(rows), 191);
  // More would be chance: so many have the printed digits in exact arithmetic.
  EXPECT_EQ(with_printed_digits_exactly(rows), 186);
  expect_recomputed(rows);
}

TEST(CollocationTables, SecondAgreesWithPrintAndRecomputation) {
  const auto rows = recompute_collocation_table(2);
  EXPECT_EQ(rows.size(), 90u);
  EXPECT_GE(agreements(rows), 71);
  // More would be chance: so many have the printed digits in exact arithmetic.
  EXPECT_EQ(with_printed_digits_exactly(rows), 68);
  expect_recomputed(rows);
}

TEST(CollocationTables, ThirdAgreesWithPrintAndRecomputation) {
  const auto rows = recompute_collocation_table(3);
  EXPECT_EQ(rows.size(), 139u);
  EXPECT_GE(agreements(rows), 129);
  // More would be chance: so many have the printed digits in exact arithmetic.
  EXPECT_EQ(with_printed_digits_exactly(rows), 125);
  expect_recomputed(rows);
}

TEST(CollocationTables, FourthAgreesWithTheEquationsOfTheText) {
  const auto rows = recompute_collocation_table(4);
  EXPECT_EQ(rows.size(), 64u);
  expect_recomputed(rows);
  // The derivative with projected invariants of the second kind is as printed, but for a digit.
  int derivatives = 0;
  for (const CollocationRow& row : rows)
    if (row.key.find("PiII") != std::string::npos && row.quantity == "error_x1prime")
      derivatives += row.agrees();
  EXPECT_EQ(derivatives, 7);
}

TEST(CollocationTables, FourthIsTheSameWithTheMultiplierEliminated) {
  // (3.11) in place of (3.13): other equations for Newton's method, the same solution.
  for (const double nu : {1.0, 100.0})
    for (const auto points : {CollocationPoints::gauss, CollocationPoints::radau})
      for (const int elements : {10, 40}) {
        CollocationCase run = {ascher_petzold_example_2(nu), {}};
        run.options.points = points, run.options.stages = 2;
        run.options.elements = elements, run.options.adapt = false;
        run.options.form = ConstraintForm::projected_invariants_ii;
        const CollocationErrors with_y = collocation_errors(run);
        run.options.form = ConstraintForm::projected_invariants_ii_eliminated;
        const CollocationErrors without = collocation_errors(run);
        // Of numbers of size 3, whose slopes are known to rounding times nu^2 and enter times h.
        EXPECT_NEAR(without.position, with_y.position, 1e-14 * nu) << nu << " " << elements;
        EXPECT_NEAR(without.velocity, with_y.velocity, 1e-14 * nu) << nu << " " << elements;
      }
}

}  // namespace
}  // namespace daedalus::reproduce
