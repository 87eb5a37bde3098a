// Orders found by trees against the orders that theory gives each method
// [HairerLubichRoche1989, 4-6; HairerWanner1996, VII.4].
#include "daedalus/order_check.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "daedalus/error.h"
#include "method/generate.h"
#include "method/inverse.h"
#include "method/trees.h"

namespace daedalus {
namespace {

std::vector<std::size_t> counts(const std::vector<std::vector<int>>& by_order) {
  std::vector<std::size_t> result;
  for (std::size_t k = 1; k < by_order.size(); ++k) result.push_back(by_order[k].size());
  return result;
}

TEST(Trees, AreAsManyAsRootedTrees) {
  // OEIS A000081
  const std::vector<std::size_t> known = {1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
  EXPECT_EQ(counts(grow_trees(TreeKind::classical, 10).y), known);
}

TEST(Trees, OfIndexTwoStartAsCountedByHand) {
  const Forest all = grow_trees(TreeKind::index_2, 3);
  EXPECT_EQ(counts(all.y), (std::vector<std::size_t>{1, 3, 22}));
  EXPECT_EQ(all.z[1].size(), 2u);
  EXPECT_EQ(all.z[2].size(), 13u);
  std::set<std::string> names;
  for (int u : all.z[1]) names.insert(tree_name(all, u, true));
  EXPECT_EQ(names, (std::set<std::string>{"[tau,tau]_z", "[[tau]_y]_z"}));
}

using Condition = std::pair<double, double>;  // weight, 1/gamma

// Straight from the definition, tree by tree, without what the checker shares between trees.
ExtendedVector weight(const Forest& forest, int index, const ExtendedMatrix& a,
                      const ExtendedMatrix& w) {
  const Tree& tree = forest.trees[static_cast<std::size_t>(index)];
  ExtendedVector phi = ExtendedVector::Ones(a.rows());
  for (int branch : tree.branches) {
    ExtendedVector factor = weight(forest, branch, a, w);
    if (forest.trees[static_cast<std::size_t>(branch)].root == Colour::y) factor = a * factor;
    phi = phi.cwiseProduct(factor).eval();
  }
  return tree.root == Colour::y ? phi : ExtendedVector(w * phi);
}

std::vector<Condition> conditions(const Forest& forest, const std::vector<int>& trees,
                                  const ExtendedVector& b, const ExtendedMatrix& a,
                                  const ExtendedMatrix& w) {
  std::vector<Condition> found;
  for (int tree : trees) {
    const long double gamma = forest.trees[static_cast<std::size_t>(tree)].gamma;
    const auto value = static_cast<double>(b.dot(weight(forest, tree, a, w)));
    found.emplace_back(value, static_cast<double>(1 / gamma));
  }
  return found;
}

bool contains(const std::vector<Condition>& set, const Condition& wanted) {
  return std::any_of(set.begin(), set.end(), [&](const Condition& one) {
    return std::abs(one.first - wanted.first) < 1e-12 &&
           std::abs(one.second - wanted.second) < 1e-12;
  });
}

TEST(Trees, LeaveOutOnlyRepeatedConditions) {
  // A method without any structure, so that different conditions have different values.
  ExtendedMatrix a(3, 3);
  a << 0.31L, -0.12L, 0.07L, 0.22L, 0.43L, -0.18L, 0.15L, 0.27L, 0.61L;
  ExtendedVector b(3);
  b << 0.37L, 0.19L, 0.53L;
  const ExtendedMatrix w = inverse_if_regular(a).value();
  const ExtendedVector z_weights = w.transpose() * b;
  const Forest all = grow_trees(TreeKind::index_2, 4);
  const Forest essential = grow_trees(TreeKind::index_2_essential, 4);
  for (std::size_t order = 1; order <= 4; ++order) {
    const auto few_y = conditions(essential, essential.y[order], b, a, w);
    for (const Condition& one : conditions(all, all.y[order], b, a, w)) {
      EXPECT_TRUE(contains(few_y, one)) << one.first << " order " << order;
    }
    if (order == 4) break;
    const auto few_z = conditions(essential, essential.z[order], z_weights, a, w);
    for (const Condition& one : conditions(all, all.z[order], z_weights, a, w)) {
      EXPECT_TRUE(contains(few_z, one)) << one.first << " order " << order;
    }
  }
}

TEST(Trees, ContainThePublishedConditionsOfOrderThreeAndFour) {
  // With C(4) the weight W c^k is k c^(k-1), and each condition reduces to a quadrature; the
  // right-hand sides are those listed for index 2 beyond the classical ones.
  const Forest forest = grow_trees(TreeKind::index_2_essential, 4);
  std::vector<std::pair<std::string, double>> known = {
      {"[tau,[tau,tau]_z]_y", 2. / 3},
      {"[[tau,tau]_z,[tau,tau]_z]_y", 4. / 3},
      {"[tau,tau,[tau,tau]_z]_y", 1. / 2},
      {"[tau,[tau,tau]_z,[tau,tau]_z]_y", 1},
      {"[[tau,tau]_z,[tau,tau]_z,[tau,tau]_z]_y", 2},
      {"[tau,[tau,tau,tau]_z]_y", 3. / 4},
      {"[[tau,tau]_z,[tau,tau,tau]_z]_y", 3. / 2},
      {"[[tau,[tau,tau]_z]_y]_y", 1. / 6},
      {"[[[tau,tau]_z,[tau,tau]_z]_y]_y", 1. / 3},
      {"[[tau,tau]_z,[tau]_y]_y", 1. / 4},
      // Two that such lists tend to forget: b c W(c Ac) and b Wc^2 W(c Ac).
      {"[tau,[tau,[tau]_y]_z]_y", 3. / 8},
      {"[[tau,tau]_z,[tau,[tau]_y]_z]_y", 3. / 4},
  };
  for (std::size_t order = 3; order <= 4; ++order) {
    for (int tree : forest.y[order]) {
      const std::string name = tree_name(forest, tree, true);
      const auto found = std::find_if(known.begin(), known.end(),
                                      [&](const auto& one) { return one.first == name; });
      if (found == known.end()) {
        // Everything else is classical or of the form [u]_y.
        EXPECT_TRUE(is_single_z(forest, tree) || name.find("_z") == std::string::npos) << name;
        continue;
      }
      const long double gamma = forest.trees[static_cast<std::size_t>(tree)].gamma;
      EXPECT_NEAR(static_cast<double>(1 / gamma), found->second, 1e-15) << name;
      known.erase(found);
    }
  }
  EXPECT_TRUE(known.empty());
}

TEST(OrderCheck, FindsTheDeclaredOrderOfEveryMethod) {
  for (const Tableau& method : runge_kutta_methods()) {
    SCOPED_TRACE(method.name);
    const OrderReport report = check_orders(method);
    EXPECT_EQ(report.classical, std::min(method.order, report.limit)) << report.first_failure;
    EXPECT_EQ(report.first_failure.empty(), method.order >= report.limit);
    EXPECT_LT(report.largest_defect_below, 1e-13);
    if (method.embedded_order == 0) continue;
    Tableau embedded = method;
    embedded.b = method.b_hat;
    EXPECT_EQ(check_orders(embedded).classical, method.embedded_order);
  }
}

TEST(OrderCheck, NoticesOneWrongDigit) {
  Tableau method = find_method("radau_iia_9");
  method.a[1][2] += 1e-11;
  const OrderReport report = check_orders(method);
  // b_2 a_23 enters sum b_i a_ij = 1/2 with b_2 = 0.2814.
  EXPECT_EQ(report.classical, 1);
  EXPECT_EQ(report.first_failure, "[tau]: 0.5 instead of 0.5, residual 2.81e-12");
}

TEST(OrderCheck, FindsTheLocalOrdersOfIndexTwo) {
  // Local errors O(h^(k+1)) of [HairerWanner1996, Table VII.4.1].
  for (const Tableau& method : runge_kutta_methods()) {
    SCOPED_TRACE(method.name);
    const OrderReport report = check_orders(method);
    const int s = method.stages;
    const auto up_to_limit = [&](int order) { return std::min(order, report.limit); };
    const auto z_up_to_limit = [&](int order) { return std::min(order, report.limit - 1); };
    if (method.family == "gauss") {
      EXPECT_EQ(report.index2_y, up_to_limit(s));
      EXPECT_EQ(report.index2_y_tangential, up_to_limit(s + 1));
      EXPECT_EQ(report.index2_z, z_up_to_limit(s - 1));
    } else if (method.family == "radau_ia" && s > 1) {
      EXPECT_EQ(report.index2_y, up_to_limit(s - 1));
      EXPECT_EQ(report.index2_y_tangential, up_to_limit(s));
      EXPECT_EQ(report.index2_z, z_up_to_limit(s - 2));
    } else if (method.family == "radau_iia") {
      EXPECT_EQ(report.index2_y, up_to_limit(2 * s - 1));
      EXPECT_EQ(report.index2_z, z_up_to_limit(s - 1));
    } else if (method.family == "lobatto_iiia") {
      EXPECT_EQ(report.index2_y, up_to_limit(2 * s - 2));
      EXPECT_EQ(report.index2_z, z_up_to_limit(s - 1));
    } else if (method.family == "lobatto_iiic") {
      EXPECT_EQ(report.index2_y, up_to_limit(2 * s - 2));
      EXPECT_EQ(report.index2_z, z_up_to_limit(s - 2));
    } else if (method.family == "sdirk") {
      EXPECT_EQ(report.index2_y_tangential, 2);
      EXPECT_EQ(report.index2_z, 0);
    }
    if (report.stiffly_accurate) {
      EXPECT_EQ(report.index2_y, report.index2_y_tangential);
    }
  }
}

TEST(OrderCheck, ShowsWhyAlexanderLosesOrderThreeOnIndexTwo) {
  const Tableau& method = find_method("sdirk_alexander_3");
  const OrderReport report = check_orders(method);
  EXPECT_EQ(report.classical, 3);
  EXPECT_EQ(report.index2_y, 2);
  EXPECT_EQ(report.index2_y_failure.rfind("[tau,[tau,tau]_z]_y: 0.8665", 0), 0u)
      << report.index2_y_failure;
  // Both conditions of order 3 fail: b c Wc^2 - 2/3 = 0.20 and b (Wc^2)^2 - 4/3 = 0.92.
  const Coefficients k = extended_coefficients(method);
  const ExtendedVector wc2 = inverse_if_regular(k.a).value() * k.c.cwiseAbs2();
  EXPECT_NEAR(static_cast<double>(k.b.dot(k.c.cwiseProduct(wc2))) - 2. / 3, 0.20, 0.005);
  EXPECT_NEAR(static_cast<double>(k.b.dot(wc2.cwiseAbs2())) - 4. / 3, 0.92, 0.005);
}

Tableau explicit_method(const std::vector<std::vector<double>>& rows,
                        const std::vector<double>& b) {
  Tableau method;
  method.stages = static_cast<int>(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    method.b[i] = b[i];
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      method.a[i][j] = rows[i][j];
      method.c[i] += rows[i][j];
    }
  }
  return method;
}

TEST(OrderCheck, TakesExplicitMethodsAsHalfExplicit) {
  // The third-order method of [HairerLubichRoche1989, 2] keeps its order; the classical method of
  // order 4 keeps only 2.
  const Tableau herk3 = explicit_method({{}, {1. / 3}, {-1, 2}}, {0, 3. / 4, 1. / 4});
  EXPECT_EQ(check_orders(herk3).index2_y, 3);
  EXPECT_FALSE(check_orders(herk3).index2_z.has_value());
  EXPECT_EQ(convergence_orders(herk3).index2_y, 3);
  const Tableau kutta4 =
      explicit_method({{}, {0.5}, {0, 0.5}, {0, 0, 1}}, {1. / 6, 1. / 3, 1. / 3, 1. / 6});
  EXPECT_EQ(check_orders(kutta4).classical, 4);
  EXPECT_EQ(check_orders(kutta4).index2_y, 2);
  // Brasey and Hairer's method of order 4 with five stages, r = sqrt(6).
  const double r = std::sqrt(6.);
  const Tableau hem4 =
      explicit_method({{},
                       {0.3},
                       {(1 + r) / 30, (11 - 4 * r) / 30},
                       {(-79 - 31 * r) / 150, (-1 - 4 * r) / 30, (24 + 11 * r) / 25},
                       {(14 + 5 * r) / 6, (-8 + 7 * r) / 6, (-9 - 7 * r) / 4, (9 - r) / 4}},
                      {0, 0, (16 - r) / 36, (16 + r) / 36, 1. / 9});
  EXPECT_EQ(check_orders(hem4).index2_y, 4) << check_orders(hem4).index2_y_failure;
}

TEST(OrderCheck, SaysWhyIndexTwoDoesNotApply) {
  const Tableau skips_a_stage = explicit_method({{}, {0}}, {0.5, 0.5});
  EXPECT_FALSE(check_orders(skips_a_stage).index2_y.has_value());
  EXPECT_NE(check_orders(skips_a_stage).index2_obstacle.find("not applicable"), std::string::npos);
  EXPECT_THROW(check_orders(find_method("gauss_4"), 0), InvalidInput);
  EXPECT_THROW(check_orders(Tableau{}), InvalidInput);
}

TEST(ConvergenceOrders, AreThoseOfTheTheoryTable) {
  using Order = std::optional<int>;
  for (const Tableau& method : runge_kutta_methods()) {
    SCOPED_TRACE(method.name);
    const ConvergenceOrders found = convergence_orders(method);
    const int s = method.stages;
    EXPECT_EQ(found.index1_y, method.order);
    if (method.family == "gauss") {
      const bool odd = s % 2 == 1;
      EXPECT_EQ(found.index1_z, odd ? s + 1 : s);
      EXPECT_EQ(found.index2_y, odd ? s + 1 : s);
      EXPECT_EQ(found.index2_z, odd ? s - 1 : s - 2);
      EXPECT_EQ(found.index3_y, Order());
    } else if (method.family == "radau_ia") {
      EXPECT_EQ(found.index1_z, s);
      EXPECT_EQ(found.index2_y, s);
      EXPECT_EQ(found.index2_z, s - 1);
      EXPECT_EQ(found.index3_y, s >= 3 ? Order(s - 1) : Order());
      EXPECT_EQ(found.index3_u, s >= 3 ? Order(s - 2) : Order());
    } else if (method.family == "radau_iia") {
      EXPECT_EQ(found.index1_z, 2 * s - 1);
      EXPECT_EQ(found.index2_y, 2 * s - 1);
      EXPECT_EQ(found.index2_z, s);
      EXPECT_EQ(found.index3_y, s >= 2 ? Order(2 * s - 2) : Order());
      EXPECT_EQ(found.index3_z, s >= 2 ? Order(s) : Order());
      EXPECT_EQ(found.index3_u, s >= 2 ? Order(s - 1) : Order());
    } else if (method.family == "lobatto_iiia") {
      EXPECT_EQ(found.index1_z, 2 * s - 2);
      EXPECT_EQ(found.index2_y, 2 * s - 2);
      EXPECT_EQ(found.index2_z, s % 2 == 1 ? s - 1 : s);
      EXPECT_EQ(found.index3_y, Order());
    } else if (method.family == "lobatto_iiic") {
      EXPECT_EQ(found.index1_z, 2 * s - 2);
      EXPECT_EQ(found.index2_y, 2 * s - 2);
      EXPECT_EQ(found.index2_z, s - 1);
      EXPECT_EQ(found.index3_y, s >= 3 ? Order(2 * s - 4) : Order());
      EXPECT_EQ(found.index3_z, s >= 3 ? Order(s - 1) : Order());
      EXPECT_EQ(found.index3_u, s >= 3 ? Order(s - 2) : Order());
    } else {
      EXPECT_EQ(found.index1_z, method.name == "sdirk_crouzeix_4" ? 2 : method.order);
      EXPECT_EQ(found.index2_y, 2);
      EXPECT_EQ(found.index2_z, 1);
      EXPECT_EQ(found.index3_y, Order());
    }
  }
}

class ReadTableau : public testing::Test {
 protected:
  std::string write(const std::string& content) {
    std::ofstream(path_) << content;
    return path_;
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string message(const std::string& content) {
    try {
      read_tableau(write(content));
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  }
  void expect_message(const std::string& content, const std::string& part) {
    const std::string found = message(content);
    EXPECT_NE(found.find(part), std::string::npos) << found;
    EXPECT_NE(found.find(path_), std::string::npos) << "must name the file: " << found;
  }

  std::string path_ =
      testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(ReadTableau, TakesNumbersDecimalsAndFractions) {
  const Tableau method = read_tableau(write(R"({"name": "radau_2",
      "A": [["5/12", "-1/12"], [0.75, "0.25"]], "b": ["3/4", "1/4"], "c": ["1/3", 1]})"));
  EXPECT_EQ(method.name, "radau_2");
  EXPECT_EQ(method.order, 3);
  EXPECT_EQ(method.embedded_order, 0);
  EXPECT_EQ(method.a[0][0], 5. / 12);
  EXPECT_TRUE(is_stiffly_accurate(method));
  EXPECT_EQ(check_orders(method).index2_y, 3);
}

TEST_F(ReadTableau, TakesTriangularRowsAndFindsTheEmbeddedOrder) {
  const Tableau method =
      read_tableau(write(R"({"A": [[], [1]], "b": ["1/2", "1/2"], "c": [0, 1], "b_hat": [1, 0]})"));
  EXPECT_EQ(method.name, "TakesTriangularRowsAndFindsTheEmbeddedOrder");
  EXPECT_TRUE(is_explicit(method));
  EXPECT_EQ(method.order, 2);
  EXPECT_EQ(method.embedded_order, 1);
}

TEST_F(ReadTableau, NamesFileFieldAndRequirement) {
  EXPECT_THROW(read_tableau(path_ + ".missing"), InvalidInput);
  expect_message("{", "is not JSON");
  expect_message("[1]", "must hold one object");
  expect_message(R"({"A": [[1]], "c": [1]})", "b is missing");
  expect_message(R"({"A": [[1]], "b": [1]})", "c is missing");
  expect_message(R"({"A": 1, "b": [1], "c": [1]})", "A must be a list");
  expect_message(R"({"A": [1], "b": [1], "c": [1]})", "A[0] must be a list");
  expect_message(R"({"A": [[1]], "b": [], "c": []})", "b has 0 entries; must have from 1 to 16");
  expect_message(R"({"A": [[1]], "b": [1], "c": [0, 1]})", "c has 2 entries; must have 1");
  expect_message(R"({"A": [[1], [1]], "b": [1], "c": [1]})", "A has 2 rows; must have 1");
  expect_message(R"({"A": [[1, 0, 0], [1, 0]], "b": [1, 0], "c": [0, 1]})", "A[0] has 3 entries");
  expect_message(R"({"A": [["x"]], "b": [1], "c": [1]})", "A[0][0] is \"x\"; must be a number");
  expect_message(R"({"A": [[1]], "b": ["1/0"], "c": [1]})", "b[0] is \"1/0\"");
  expect_message(R"({"A": [[1]], "b": [0.5], "c": [1]})", "b must have the sum 1");
  expect_message(R"({"A": [[1]], "b": [1], "c": [1], "name": 3})", "name must be a string");
}

}  // namespace
}  // namespace daedalus
