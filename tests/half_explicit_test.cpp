// Half-explicit methods: their conditions of order for index 2, tree by tree, of the weights, the
// estimate and the polynomial; orders seen; mechanisms; points where constraints lose rank.
#include "method/half_explicit.h"

#include <cmath>

#include <Eigen/LU>

#include "daedalus/model.h"
#include "exact_problems.h"
#include "expectations.h"
#include "io/embedded.h"
#include "method/trees.h"
#include "reproduce/problems.h"
#include "reproduce/singular_mechanisms.h"

namespace daedalus {
namespace {

/// Weights of the slopes of a table in the trees of index 2: a slope that is constrained has
/// phi([t.., u..]) = prod (A phi(t)) prod psi(u), and W = (rows of the constraints)^-1 gives
/// psi([t..]_z) = W prod (rows phi(t)). Slopes that have multipliers of their own, at the start,
/// the end and inside, know the derivative of the exact solution, rho c^(rho-1) / gamma.
class Weights {
 public:
  Weights(const ExplicitTable& table, int order)
      : table_(table), forest_(grow_trees(TreeKind::index_2, order)) {
    const int n = table.stages - 1;
    Matrix rows(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        rows(i, j) =
            table.constrained->a[static_cast<std::size_t>(i + 1)][static_cast<std::size_t>(j + 1)];
    inverse_ = rows.inverse();
    phi_.resize(forest_.trees.size());
    for (std::size_t t = 0; t < forest_.trees.size(); ++t) phi_[t] = of(forest_.trees[t]);
  }

  /// Of all trees of an order: how far sum_j weights_j phi_j is from theta^order / gamma.
  double defect(const Vector& weights, int order, double theta = 1) const {
    double worst = 0;
    for (const int t : forest_.y[static_cast<std::size_t>(order)]) {
      const double exact =
          std::pow(theta, order) / double(forest_.trees[static_cast<std::size_t>(t)].gamma);
      worst = std::max(worst, std::abs(weights.dot(phi_[static_cast<std::size_t>(t)]) - exact));
    }
    return worst;
  }

 private:
  Vector of(const Tree& tree) const {
    const int n = table_.all_stages;
    Vector weights = Vector::Ones(n);
    const auto sum = [&](const auto& row, int branch, int count) {
      double total = 0;
      for (int j = 0; j < count; ++j)
        total += row[static_cast<std::size_t>(j)] * phi_[static_cast<std::size_t>(branch)][j];
      return total;
    };
    const auto is_z = [&](int branch) {
      return forest_.trees[static_cast<std::size_t>(branch)].root == Colour::z;
    };
    for (int i = 0; i < n; ++i) {
      const bool own = i == 0 || i >= table_.stages;
      const std::size_t k = static_cast<std::size_t>(i);
      if (own) {
        weights[i] = tree.root == Colour::z
                         ? 0
                         : tree.order * std::pow(table_.c[k], tree.order - 1) / double(tree.gamma);
      } else {
        for (const int branch : tree.branches)
          weights[i] *= tree.root == Colour::z ? sum(table_.constrained->a[k], branch, i + 1)
                        : is_z(branch)         ? phi_[static_cast<std::size_t>(branch)][i]
                                               : sum(table_.a[k], branch, i);
      }
    }
    if (tree.root == Colour::z)
      weights.segment(1, table_.stages - 1) =
          inverse_ * weights.segment(1, table_.stages - 1).eval();
    return weights;
  }

  const ExplicitTable& table_;
  Forest forest_;
  Matrix inverse_;
  std::vector<Vector> phi_;
};

Vector slopes(const ExplicitTable& table, const std::array<double, max_stages>& weights) {
  return Eigen::Map<const Vector>(weights.data(), table.all_stages);
}

TEST(HalfExplicit, TablesMeetTheConditionsOfIndexTwo) {
  for (const ExplicitTable* table : half_explicit_tables) {
    const Weights weights(*table, 5);
    const Vector b = slopes(*table, table->b), e = slopes(*table, table->e[0]);
    for (int p = 1; p <= 5; ++p) {
      // Coefficients up to 10 multiply each other, in double precision.
      if (p <= table->order) {
        EXPECT_LE(weights.defect(b, p), 1e-11) << table->name << " " << p;
      }
      if (p < table->order) {
        EXPECT_LE(weights.defect(b - e, p), 1e-11) << table->name << " " << p;
      }
    }
    if (table->order < 5) {
      EXPECT_GT(weights.defect(b, table->order + 1), 1e-3) << table->name;
    }
    EXPECT_GT(weights.defect(b - e, table->order), 1e-3) << table->name;
  }
}

TEST(HalfExplicit, PolynomialsMeetTheConditionsOfTheirOrder) {
  for (const ExplicitTable* table : half_explicit_tables) {
    const Weights weights(*table, 5);
    const Vector b = slopes(*table, table->b);
    Vector start = Vector::Zero(b.size()), end = start;
    start[0] = 1, end[table->stages] = 1;
    for (const double x : {0.2, 0.5, 0.7}) {
      Vector inner = 2 * b - start - end;
      if (table->dense_rows > 0) inner += (1 - x) * slopes(*table, table->d[0]);
      const Vector at = x * (b + (1 - x) * (start - b + x * inner));
      for (int p = 1; p <= table->dense_order; ++p)
        EXPECT_LE(weights.defect(at, p, x), 1e-11) << table->name << " " << p;
      EXPECT_GT(weights.defect(at, table->dense_order + 1, x), 1e-4) << table->name;
    }
  }
}

TEST(HalfExplicit, PublishedEstimateOfPhem56HasOrderThreeOnly) {
  const Weights weights(phem_56, 4);
  Vector published = Vector::Zero(phem_56.all_stages);
  published.head(7) << 5179.0 / 57600, 0, 7571.0 / 16695, 393.0 / 640, -92097.0 / 339200,
      187.0 / 2100, 1.0 / 40;
  for (int p = 1; p <= 3; ++p) EXPECT_LE(weights.defect(published, p), 1e-13);
  EXPECT_GT(weights.defect(published, 4), 1e-3);
}

struct Case {
  const char* method;
  int order;
};
constexpr Case cases[] = {{"herk_3", 3}, {"hem_4", 4}, {"phem_56", 5}};

TEST(HalfExplicit, HasItsOrderInEveryVariableOfAMechanism) {
  const Problem p = exact::pendulum(3);
  const Vector exact = solve(p, {.method = "dop853", .rtol = 1e-13}).y_end();
  for (const auto& [method, order] : cases) {
    double before = 0, before_u = 0;
    for (const int steps : {64, 128}) {
      const Solution s = solve(p, {.method = method, .fixed_step = 3.0 / steps});
      ASSERT_TRUE(s.succeeded()) << s.message.text();
      const double error = (s.y_end() - exact).head(4).lpNorm<Eigen::Infinity>();
      const double of_u = std::abs(s.y_end()[4] - exact[4]);
      if (before > 0) {
        EXPECT_NEAR(std::log2(before / error), order, 0.2) << method;
        EXPECT_GE(std::log2(before_u / of_u), order - 0.2) << method;
      }
      before = error, before_u = of_u;
      for (const ConstraintResidual& level : s.constraint_residual)
        EXPECT_LE(level.maximum, 1e-13) << method << " " << level.level;
    }
  }
}

TEST(HalfExplicit, SolvesMechanismsFormulatedAsModelsToTheTolerance) {
  for (const char* name : {"pendulum_index3", "double_pendulum", "four_bar"}) {
    const Problem p =
        Model::from_text(std::string(embedded("models/" + std::string(name) + ".mo"))).problem();
    const Vector exact = solve(p, {.method = "dop853", .rtol = 1e-11}).y_end();
    for (const auto& [method, order] : cases) {
      const double rtol = order == 3 ? 1e-4 : 1e-6;
      const Solution s = solve(p, {.method = method, .rtol = rtol});
      ASSERT_TRUE(s.succeeded()) << name << ": " << s.message.text();
      for (int k = 0; k < s.size(); ++k)
        EXPECT_LE(std::abs(s.y_end()[k] - exact[k]), 100 * rtol * (1 + std::abs(exact[k])))
            << name << " " << method << " " << s.variables[static_cast<std::size_t>(k)];
    }
  }
}

TEST(HalfExplicit, RollsWithoutSlipping) {
  // A skate on a slope: it moves only along its edge, and turns at a constant rate.
  const Problem skate{.form = Mechanical{.coordinates = 3,
                                         .nonholonomic = 1,
                                         .force =
                                             [](auto, auto, auto& out) {
                                               out[0] = 1.0;
                                               out[1] = 0.0;
                                               out[2] = 0.0;
                                             },
                                         .velocity_constraint =
                                             [](auto q, auto v, auto& out) {
                                               using std::cos, std::sin;
                                               out[0] = sin(q[2]) * v[0] - cos(q[2]) * v[1];
                                             }},
                      .t_span = {0, 3},
                      .start = {0, 0, 0, 0, 0, 1}};
  for (const auto& [method, order] : cases) {
    const Solution s = solve(skate, {.method = method, .rtol = 1e-6});
    ASSERT_TRUE(s.succeeded()) << s.message.text();
    // Speed sin t along the edge: x = sin^2(t)/2, y = t/2 - sin(2 t)/4.
    EXPECT_NEAR(s.y_end()[0], 0.5 * std::pow(std::sin(3.0), 2), 1e-5) << method;
    EXPECT_NEAR(s.y_end()[1], 1.5 - std::sin(6.0) / 4, 1e-5) << method;
  }
}

TEST(HalfExplicit, PassesPointsWhereTheConstraintsLoseRank) {
  const Problem p = reproduce::four_bar().problem(0.3, 8, 5);
  const Vector exact = solve(p, {.method = "dop853", .rtol = 1e-11}).y_end();
  const Solution s = solve(p, {.method = "phem_56", .rtol = 1e-7});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_FALSE(s.singularities.empty());
  EXPECT_LE((s.y_end() - exact).head(2).lpNorm<Eigen::Infinity>(), 1e-4);
}

}  // namespace
}  // namespace daedalus
