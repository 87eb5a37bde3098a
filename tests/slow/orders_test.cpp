// Observed orders of convergence of every method on every problem of the table, against theory.
#include <cmath>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reproduce/rk_orders.h"

namespace daedalus::reproduce {
namespace {

std::vector<OrderRow> rows_of(const std::string& problem, bool with_theory) {
  std::vector<OrderRow> rows;
  for (const OrderRow& row : read_order_table()) {
    if (row.problem == problem && row.theory.has_value() == with_theory) rows.push_back(row);
  }
  return rows;
}

std::string description(const OrderResult& result) {
  std::string text = result.row.text + "\n";
  for (const OrderPair& pair : result.pairs) {
    text += fmt::format("  N = {:>4}: {:.3e} -> {:.3e}, order {:.3f}\n", pair.steps,
                        pair.coarse_error, pair.fine_error, pair.order);
  }
  return text;
}

/// Counts rows below rounding; everything else has to agree.
int expect_agreement(const std::vector<OrderResult>& results) {
  int below_rounding = 0;
  for (const OrderResult& result : results) {
    if (result.verdict == Verdict::below_rounding) {
      ++below_rounding;
    } else {
      EXPECT_TRUE(is_agreement(result.verdict)) << description(result);
    }
  }
  return below_rounding;
}

class Orders : public testing::TestWithParam<const char*> {};

TEST_P(Orders, AreWhatTheoryPredictsWithinAQuarter) {
  const std::vector<OrderResult> results = recompute_orders(rows_of(GetParam(), true));
  const int below_rounding = expect_agreement(results);
  // One row in ten may have no two errors between asymptotics and rounding in double precision.
  EXPECT_LE(10 * below_rounding, static_cast<int>(results.size()));
}

TEST_P(Orders, AreWhatWasMeasuredInQuadruplePrecisionWhereNoTheoremIsKnown) {
  expect_agreement(recompute_orders(rows_of(GetParam(), false)));
}

INSTANTIATE_TEST_SUITE_P(Problem, Orders,
                         testing::Values("idx1", "pend1", "idx2a", "idx2b", "pend2", "pendGGL",
                                         "idx3a", "idx3b", "idx3c", "idx3d", "pend3", "spp4",
                                         "spp6", "spp10"),
                         [](const auto& info) { return std::string(info.param); });

ObservedOrder observed(const ReferenceProblem& problem, const std::string& method, int group) {
  return FixedStepRuns(problem, method).observe(group);
}

TEST(FailingMethods, DiagonallyImplicitMethodsGiveNoMultipliersOfIndexThree) {
  for (const char* method : {"sdirk_2", "sdirk_alexander_3", "sdirk_hairer_wanner_4"}) {
    const ObservedOrder u = observed(order_problem("pend3"), method, 2);
    EXPECT_TRUE(u.diverges || u.order < 0.25) << method << " " << u.order;
  }
}

TEST(FailingMethods, GaussWithTwoStagesLosesTheMultipliersOfIndexTwo) {
  const ObservedOrder z = observed(order_problem("pend2"), "gauss_4", 1);
  EXPECT_TRUE(z.diverges || z.order < 0.25) << z.order;
}

TEST(FailingMethods, GaussWithTwoStagesDivergesOnIndexThree) {
  FixedStepRuns runs(order_problem("pend3"), "gauss_4");
  // The error of u grows like 1/h^2.
  const double growth = runs.error(80, 2) / runs.error(40, 2);
  EXPECT_GT(growth, 3);
}

TEST(Jay, RadauIIAHasTheOrdersOfIndexThree) {
  // k is linear in u: y of order 2s - 1 = 5, z of order s, u of order s - 1. [Jay1995]
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 0).order, 5, 0.25);
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 1).order, 3, 0.25);
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 2).order, 2, 0.25);
}

}  // namespace
}  // namespace daedalus::reproduce
