// The shipped table, the closed forms and the plots behind `daedalus reproduce`.
#include <cmath>
#include <gmock/gmock.h>
#include <set>

#include <gtest/gtest.h>

#include "daedalus/method.h"
#include "reproduce/problems.h"
#include "reproduce/reproduction.h"
#include "reproduce/rk_orders.h"
#include "reproduce/svg_plot.h"

namespace daedalus::reproduce {
namespace {

using testing::DoubleEq;
using testing::Pointwise;

TEST(OrderTable, NamesOnlyMethodsOfTheCatalogueAndKnownProblems) {
  const std::vector<OrderRow> rows = read_order_table();
  ASSERT_EQ(rows.size(), 742u);
  std::set<std::string> problems;
  for (const OrderRow& row : rows) {
    EXPECT_NO_THROW(find_method(row.method)) << row.text;
    EXPECT_EQ(row.measured_all.size() + 1, row.step_counts.size()) << row.text;
    problems.insert(row.problem);
  }
  EXPECT_EQ(problems.size(), 14u);
  for (const std::string& name : problems) EXPECT_EQ(order_problem(name).name, name);
}

TEST(OrderTable, ReadsTheSpellingsOfTheoryOrders) {
  int exact = 0, bounds = 0, none = 0;
  for (const OrderRow& row : read_order_table()) {
    if (!row.theory) {
      ++none;
    } else {
      ++(row.theory->is_lower_bound ? bounds : exact);
    }
  }
  EXPECT_EQ(exact, 374);  // 369 integers and five times "1(0)"
  EXPECT_EQ(bounds, 20);
  EXPECT_EQ(none, 348);
}

TEST(ReferenceProblems, PendulumInClosedFormHasTheDigitsOfTwoIntegrations) {
  const Vector end = pendulum(Formulation::direct).at_end();
  const Vector expected = Values{-0.811586446191304, -0.584232351345396, -0.631529149065018,
                                 0.877288798841069, 1.75269705403619};
  // All printed digits; the last of lambda is the fourteenth.
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(end[i], expected[i], 6e-15) << i;
}

TEST(ReferenceProblems, ReducedVanDerPolHasTheDigitsOfTheClosedForm) {
  const ReferenceProblem reduced = van_der_pol_reduced();
  EXPECT_NEAR(reduced.exact(0.5)[1], 1.596768394457374478, 1e-15);
  EXPECT_NEAR(reduced.exact(0.5)[0], -0.2396912733236639357, 1e-15);
  // Near the singularity z = 1 rounding in x is amplified by 1 / (z^2 - 1) = 6.
  EXPECT_NEAR(reduced.exact(0.8)[1], 1.083892946519084024, 5e-15);
}

TEST(ReferenceProblems, EveryOrderProblemStartsOnItsExactSolution) {
  for (const char* name : {"idx1", "idx2a", "idx2b", "idx3a", "idx3c", "pend3", "spp6"}) {
    const ReferenceProblem problem = order_problem(name);
    const Vector start = problem.exact(problem.problem.t_span.begin);
    EXPECT_LT((start - problem.problem.start.vector()).cwiseAbs().maxCoeff(), 1e-15) << name;
    std::set<int> grouped;
    for (const Group& group : problem.groups) {
      grouped.insert(group.variables.begin(), group.variables.end());
    }
    EXPECT_EQ(static_cast<int>(grouped.size()), size_of(problem.problem.form)) << name;
  }
}

TEST(Reproductions, HaveDistinctNames) {
  std::set<std::string> names;
  for (const Reproduction& entry : reproductions()) names.insert(entry.name);
  EXPECT_EQ(names.size(), reproductions().size());
  for (const char* name : {"rk-orders", "amplifier", "van-der-pol", "eta", "perturbation-index",
                           "collocation-4.1", "collocation-4.4"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(SvgPlot, TicksAreRoundNumbersInsideTheRange) {
  const auto expect = [](Interval range, int count, const std::vector<double>& expected) {
    EXPECT_THAT(ticks(range, count), Pointwise(DoubleEq(), expected));
  };
  expect({0, 1}, 5, {0, 0.2, 0.4, 0.6, 0.8, 1});
  expect({-2.6, 2.6}, 6, {-2, -1, 0, 1, 2});
  expect({0.13, 0.17}, 4, {0.13, 0.14, 0.15, 0.16, 0.17});
}

TEST(SvgPlot, DrawsEveryCurveAndEscapesText) {
  const std::vector<Plot> plots = {
      {.title = "a < b & c",
       .curves = {{.label = "one", .x = {0, 1}, .y = {0, 1}}, {.x = {0, 1}, .y = {1, 0}}}}};
  const std::string text = svg(plots);
  EXPECT_NE(text.find("a &lt; b &amp; c"), std::string::npos);
  std::size_t curves = 0;
  for (std::size_t at = text.find("class=\"curve\""); at != std::string::npos;
       at = text.find("class=\"curve\"", at + 1)) {
    ++curves;
  }
  EXPECT_EQ(curves, 3u);  // two curves and one line of the legend
  EXPECT_EQ(curves_csv(plots).substr(0, 10), "curve,x,y\n");
}

}  // namespace
}  // namespace daedalus::reproduce
