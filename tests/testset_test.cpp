// The problems of the benchmarks: the forms in which codes are given them state the same problem,
// and the reference values belong to it.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "bench/suite/suites.h"
#include "expression/equation_set.h"

namespace daedalus::reproduce {
namespace {

double digits_reached(const TestProblem& test, const Statement& statement, double tolerance) {
  Options options = test.suggested;
  options.rtol = tolerance;
  options.atol = {tolerance * test.atol_factor};
  options.at = {statement.problem.t_span.end};
  options.dense = false;
  const Solution solution = solve(statement.problem, options);
  EXPECT_TRUE(solution.succeeded()) << test.name << ": " << solution.message.text();
  if (!solution.succeeded()) return 0;
  return significant_digits(test, test.differential, [&](int i) {
    return solution.y_end()[statement.place[static_cast<std::size_t>(i)]];
  });
}

TEST(TestSet, EveryFormReachesTheReference) {
  for (const char* name : {"ivp", "mechanics"}) {
    for (const bench::SuiteProblem& entry : bench::find_suite(name).problems) {
      const TestProblem test = entry.make();
      ASSERT_TRUE(test.first_order) << entry.name << ": nobody to be compared with";
      if (size_of(test.statement.problem.form) == 0) continue;
      // Errors of 1000 tolerances are those of runs that lose phase, not of wrong equations; the
      // chain of a hundred links loses most, in the index 1 form that others are given.
      EXPECT_GT(digits_reached(test, test.statement, 1e-7), 4) << entry.name;
      const double fewest = test.name == "chain100" ? 3.5 : 4;
      EXPECT_GT(digits_reached(test, *test.first_order, 1e-7), fewest) << entry.name;
      if (!test.for_bdf) continue;
      EXPECT_GT(digits_reached(test, *test.for_bdf, 1e-7), fewest) << entry.name;
    }
  }
}

TEST(TestSet, SmallCircuitsReachTheReference) {
  for (const TestProblem& test : {series_circuit(), circuit_index_2(), diode_bridge()})
    EXPECT_GT(digits_reached(test, test.statement, 1e-7), 6) << test.name;
}

TEST(TestSet, ModelsBecomeFirstOrderSystemsInThePublishedVariables) {
  const auto form_of = [](const TestProblem& test) {
    return std::get<ExpressionGraph>(test.first_order->problem.form);
  };
  const TestProblem pump = text_only("pump", {"I"});
  EXPECT_EQ(form_of(pump).variables, pump.names) << "auxiliary variables are replaced";
  EXPECT_FALSE(form_of(pump).switching);
  EXPECT_EQ(form_of(pump).equations->discrete_values(), 0) << "relations say what holds now";
  EXPECT_EQ(pump.first_order->problem.variable_index,
            std::vector<int>({1, 1, 1, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(pump.nominal[0], 1e-12) << "charges";

  const TestProblem water = text_only("water");
  EXPECT_EQ(size_of(water.first_order->problem.form), 49);
  const std::vector<int>& index = water.first_order->problem.variable_index;
  EXPECT_TRUE(std::is_sorted(index.begin(), index.end())) << "as RADAU5 counts them";
  EXPECT_EQ(std::count(index.begin(), index.end(), 2), 11) << "pressures but for two buffers";

  const TestProblem heat = text_only("heat2d_10");
  EXPECT_EQ(size_of(heat.first_order->problem.form), 100);
  EXPECT_EQ(heat.first_order->lower, 10);
  EXPECT_EQ(heat.first_order->upper, 10);
}

TEST(TestSet, RelationsOfModelsSayWhatHoldsWhereTheyAreEvaluated) {
  // Without events: four diodes whose laws have a corner each.
  const TestProblem test = text_only("diode_bridge");
  EXPECT_GT(digits_reached(test, *test.first_order, 1e-7), 6);
}

TEST(TestSet, FieldsReachTheReference) {
  for (const TestProblem& test : {food_web(500, 1), food_web(24, 24), heat(500, 1), heat(20, 30)}) {
    ASSERT_FALSE(test.differential.empty()) << test.name;
    EXPECT_GT(digits_reached(test, test.statement, 1e-7), 6) << test.name;
  }
}

TEST(TestSet, DigitsAreThoseOfTheWorstValue) {
  TestProblem test;
  test.reference = Values{1, 100, std::nan("")};
  const auto digits = [&](const Values& found, const std::vector<int>& chosen) {
    return significant_digits(test, chosen, [&](int i) { return found[i]; });
  };
  EXPECT_NEAR(digits({1 + 2e-5, 100 + 101e-3, 7}, {0, 1, 2}), 3, 1e-9);  // 0.101 / (1 + 100)
  EXPECT_NEAR(digits({1 + 2e-5, 100 + 101e-3, 7}, {0}), 5, 1e-9);        // 2e-5 / (1 + 1)
  EXPECT_TRUE(std::isnan(digits({1, 100, 7}, {2}))) << "nothing is known of it";
  EXPECT_EQ(digits({std::nan(""), 100, 7}, {0, 1}), -std::numeric_limits<double>::infinity());
  test.nominal = {1, 9900, 1};
  EXPECT_NEAR(digits({1, 110, 7}, {0, 1}), 3, 1e-9) << "10 / (9900 + 100)";
}

}  // namespace
}  // namespace daedalus::reproduce
