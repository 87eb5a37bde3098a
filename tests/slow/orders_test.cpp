// Observed orders of convergence of every method on every problem of the table, against theory.
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reproduce/family_orders.h"
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

/// Runs of the table that end here because Newton's iteration does not converge. In all of them
/// some algebraic variable does not converge with h either; likely it leaves the Jacobian of the
/// start of the step behind.
bool is_known_not_to_be_solved(const OrderRow& row) {
  static const std::set<std::string> known = {"idx2a gauss_2", "idx3a gauss_2", "idx3c gauss_2",
                                              "idx3c gauss_4", "idx3d gauss_2", "idx3d gauss_8",
                                              "pend3 gauss_4"};
  return known.contains(row.problem + " " + row.method);
}

/// Counts rows below rounding; everything else has to agree.
int expect_agreement(const std::vector<OrderResult>& results) {
  int below_rounding = 0;
  for (const OrderResult& result : results) {
    if (result.verdict == Verdict::below_rounding) {
      ++below_rounding;
    } else if (result.verdict == Verdict::not_solved) {
      EXPECT_TRUE(is_known_not_to_be_solved(result.row)) << description(result);
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

/// Methods with |R(inf)| = 1 keep every error of u that rounding and Newton's iteration make.
bool accumulates(const OrderRow& row) {
  const std::string& family = find_method(row.method).family;
  return row.component == "u" && (family == "gauss" || family == "lobatto_iiia");
}

TEST_P(Orders, ComeFromTheErrorsThatQuadruplePrecisionGives) {
  std::string before;
  std::unique_ptr<FixedStepRuns> runs;
  int compared = 0;
  for (const OrderRow& row : read_order_table()) {
    if (row.problem != GetParam() || !(row.finest_error > 2e-7)) continue;
    if (is_known_not_to_be_solved(row) || accumulates(row)) continue;
    // The table counts the second multiplier of this formulation, which no solution holds.
    if (row.problem == "pendGGL" && row.component == "z") continue;
    if (row.method != before) {
      runs = std::make_unique<FixedStepRuns>(order_problem(row.problem), row.method);
    }
    before = row.method;
    const int group = row.component == "y" ? 0 : row.component == "z" ? 1 : 2;
    // Three digits are printed.
    EXPECT_NEAR(runs->error(row.step_counts.back(), group) / row.finest_error, 1, 0.01) << row.text;
    ++compared;
  }
  EXPECT_GT(compared, 5);
}

INSTANTIATE_TEST_SUITE_P(Problem, Orders,
                         testing::Values("idx1", "pend1", "idx2a", "idx2b", "pend2", "pendGGL",
                                         "idx3a", "idx3b", "idx3c", "idx3d", "pend3", "spp4",
                                         "spp6", "spp10"),
                         [](const auto& test) { return std::string(test.param); });

TEST(FamilyOrders, AreThoseOfTheTable) {
  const std::vector<FamilyResult> results = recompute_family_orders(read_family_orders());
  int agree = 0;
  for (const FamilyResult& result : results) {
    const FamilyOrder& row = result.expected;
    agree += result.agrees;
    if (result.agrees) continue;
    EXPECT_TRUE(is_below_rounding(result))
        << row.method << " " << row.max_order << " " << row.problem << " " << row.component << ": "
        << result.observed.order << ", expected " << row.order;
  }
  EXPECT_EQ(results.size(), 143u);
  EXPECT_GE(agree, 132);
}

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
  EXPECT_NEAR(runs.error(16, 2) / runs.error(8, 2), 4, 0.2);
}

TEST(Jay, RadauIIAHasTheOrdersOfIndexThree) {
  // k is linear in u: y of order 2s - 1 = 5, z of order s, u of order s - 1. [Jay1995]
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 0).order, 5, 0.25);
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 1).order, 3, 0.25);
  EXPECT_NEAR(observed(jay(), "radau_iia_5", 2).order, 2, 0.25);
}

}  // namespace
}  // namespace daedalus::reproduce
