// analyze: indices against the literature, hidden constraints against the consistent start,
// contradictions, ranks.
#include "daedalus/analysis.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>

#include <gtest/gtest.h>

#include "analysis/assignment.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::string shipped(const std::string& name) {
  return std::string(embedded("models/" + name + ".mo"));
}

Analysis analyzed(const std::string& text) {
  return analyze(Model::from_text(text));
}

double value(const Analysis& a, const std::string& name) {
  const auto at = std::find(a.variables.begin(), a.variables.end(), name);
  return a.consistent_start.at(static_cast<std::size_t>(at - a.variables.begin()));
}

TEST(Analysis, KnowsThePendulum) {
  const Analysis a = analyzed(shipped("pendulum"));
  EXPECT_EQ(a.equations, 5);
  EXPECT_EQ(a.unknowns, 5);
  EXPECT_EQ(a.structural_index, 3);
  EXPECT_EQ(a.numerical_index, 3);
  EXPECT_EQ(a.degrees_of_freedom, 2);
  EXPECT_EQ(a.problem_class, "mechanical");
  EXPECT_THAT(a.hidden_constraints,
              ElementsAre("x*u + y*v = 0", "u^2 + v^2 - x^2*lambda - y^2*lambda - 9.81*y = 0"));
  EXPECT_THAT(a.fixed, ElementsAre("y", "v"));
  EXPECT_THAT(a.free, ElementsAre("x", "u", "lambda"));
  EXPECT_NEAR(*a.sigma_min, 1, 1e-12);
  EXPECT_THAT(a.contradictions, IsEmpty());
  EXPECT_THAT(a.warnings, IsEmpty());
  EXPECT_TRUE(a.can_be_solved());
}

struct Expected {
  const char* model;
  int index;
  int freedom;
  const char* problem_class;
};

/// models/README.md and the literature it names.
class AnalysisOf : public testing::TestWithParam<Expected> {};

TEST_P(AnalysisOf, FindsIndexFreedomAndClass) {
  const auto& [name, index, freedom, problem_class] = GetParam();
  const Analysis a = analyzed(shipped(name));
  EXPECT_EQ(a.numerical_index, index);
  EXPECT_EQ(a.degrees_of_freedom, freedom);
  EXPECT_EQ(a.problem_class, problem_class);
  EXPECT_TRUE(a.can_be_solved());
}

INSTANTIATE_TEST_SUITE_P(
    Models, AnalysisOf,
    testing::Values(
        Expected{"vdpol", 0, 2, "explicit-ode"}, Expected{"weissinger", 0, 1, "general"},
        Expected{"robertson", 1, 2, "index-1"}, Expected{"chemakzo", 1, 5, "index-1"},
        Expected{"heat2d_10", 1, 64, "index-1"}, Expected{"brenan_index1", 1, 1, "general"},
        // Structure shows neither that the mass matrix is singular ...
        Expected{"transamp", 1, 5, "linearly-implicit"},
        Expected{"amplifier1", 1, 3, "linearly-implicit"},
        // ... nor that these are of index 2.
        Expected{"eta", 2, 0, "general"}, Expected{"ring_modulator_index2", 2, 10, "general"},
        // Capacities of 1e-12 beside numbers of 1 are no rank defect.
        Expected{"pump", 2, 2, "general"}, Expected{"bouncing_ball", 0, 2, "explicit-ode"},
        Expected{"jay_index2", 2, 1, "hessenberg-2"},
        Expected{"pendulum_ggl", 2, 2, "hessenberg-2"},
        Expected{"circuit_index2", 2, 0, "hessenberg-2"}, Expected{"fekete", 2, 80, "hessenberg-2"},
        Expected{"jay_index3", 3, 2, "hessenberg-3"},
        Expected{"arevalo_index3", 3, 2, "mechanical"},
        Expected{"double_pendulum", 3, 4, "mechanical"},
        Expected{"slider_crank", 3, 2, "mechanical"}, Expected{"andrews", 3, 2, "mechanical"},
        Expected{"caraxis", 3, 4, "mechanical"},
        Expected{"pendulum_second_order", 3, 2, "higher-order"},
        Expected{"path_control_index4", 4, 1, "higher-order"},
        Expected{"path_control_index5", 5, 0, "higher-order"}),
    [](const auto& which) { return std::string(which.param.model); });

/// What is printed is true: bound to new variables of the model, every hidden constraint is zero at
/// the consistent start.
class HiddenConstraintsOf : public testing::TestWithParam<const char*> {};

TEST_P(HiddenConstraintsOf, HoldAtTheConsistentStart) {
  std::string text = shipped(GetParam());
  const Analysis a = analyzed(text);
  ASSERT_FALSE(a.hidden_constraints.empty());
  std::string declarations;
  int count = 0;
  for (const std::string& equation : a.hidden_constraints) {
    ASSERT_TRUE(equation.ends_with(" = 0"));
    if (equation.find(", 2)") == std::string::npos)
      declarations += "  Real check" + std::to_string(++count) + " = " +
                      equation.substr(0, equation.size() - 4) + ";\n";
  }
  ASSERT_GT(count, 0);
  text.insert(std::min(text.find("\nequation\n"), text.find("\ninitial equation\n")) + 1,
              declarations);
  const Analysis again = analyzed(text);
  for (int k = 1; k <= count; ++k)
    EXPECT_NEAR(value(again, "check" + std::to_string(k)), 0, 1e-9)
        << a.hidden_constraints[static_cast<std::size_t>(k - 1)];
}

INSTANTIATE_TEST_SUITE_P(Models, HiddenConstraintsOf,
                         testing::Values("pendulum", "pendulum_second_order", "double_pendulum",
                                         "slider_crank", "four_bar", "arevalo_index2",
                                         "arevalo_index3", "jay_index2", "jay_index3", "skate",
                                         "circuit_index2", "dpc_s", "ascher_petzold_index2"),
                         [](const auto& which) { return std::string(which.param); });

constexpr const char* rod = R"(model Rod
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), w(start = 3, fixed = true);
  Real u(start = 0), v(start = 0), lambda;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -x*lambda;
  der(v) = -y*lambda - 9.81;
  der(w) = -w;
  x^2 + y^2 = 1 "rod";
end Rod;
)";

TEST(Analysis, NamesTheSmallestContradiction) {
  const Analysis a = analyzed(rod);
  EXPECT_FALSE(a.can_be_solved());
  EXPECT_TRUE(a.inconsistent);
  ASSERT_EQ(a.contradictions.size(), 1u);
  EXPECT_THAT(a.contradictions[0], ElementsAre("x", "y", "rod"));
  EXPECT_THAT(a.consistent_start, IsEmpty());
  EXPECT_EQ(a.structural_index, 3);
}

TEST(Analysis, NamesContradictionsWithHiddenConstraintsAndInitialEquations) {
  std::string text = rod;
  text.replace(text.find("start = 1, fixed = true), y(start = 1"), 37,
               "start = 1, fixed = true), y(start = 0");
  text.replace(text.find("u(start = 0)"), 12, "u(start = 2, fixed = true)");
  Analysis a = analyzed(text);
  ASSERT_EQ(a.contradictions.size(), 1u);
  // y = 0 leaves x = +-1 on the rod, and there x u + y v = 0 leaves no u, whatever v is.
  EXPECT_THAT(a.contradictions[0], UnorderedElementsAre("y", "u", "line 5", "rod"));
  a = analyzed(R"(model M
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
initial equation
  x + y = 3;
equation
  der(x) = y;
  der(y) = -x;
end M;
)");
  ASSERT_EQ(a.contradictions.size(), 1u);
  EXPECT_THAT(a.contradictions[0], testing::IsSupersetOf({"x", "y"}));
  EXPECT_EQ(a.contradictions[0].size(), 3u);
}

TEST(Analysis, FindsIndependentContradictionsApart) {
  const Analysis a = analyzed(R"(model M
  Real a(start = 1, fixed = true), b(start = 1, fixed = true);
  Real c(start = 1, fixed = true), d(start = 1, fixed = true);
equation
  der(a) = -a;
  a + b = 1 "first";
  der(c) = -c;
  c + d = 1 "second";
end M;
)");
  EXPECT_THAT(a.contradictions, UnorderedElementsAre(ElementsAre("a", "b", "first"),
                                                     ElementsAre("c", "d", "second")));
}

TEST(Analysis, SaysHowFarTheStartIsMoved) {
  const Analysis a = analyzed(R"(model M
  Real x(start = 3), y(start = 4);
equation
  der(x) = -y;
  x^2 + y^2 = 1;
end M;
)");
  ASSERT_EQ(a.initial_shift.size(), 2u);
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_DOUBLE_EQ(a.initial_shift[j], a.consistent_start[j] - (j == 0 ? 3 : 4));
  EXPECT_NEAR(std::hypot(a.consistent_start[0], a.consistent_start[1]), 1, 1e-12);
}

TEST(Analysis, TellsEquationsOfOneLineApart) {
  const Analysis a = analyzed(R"(model M
  Real x(start = 1), y, z;
equation
  der(x) = y + z; x = time; x = 2*time;
end M;
)");
  EXPECT_THAT(a.overdetermined,
              UnorderedElementsAre("line 4, column 19", "line 4, column 29", "x"));
  EXPECT_THAT(a.underdetermined, UnorderedElementsAre("y", "z", "line 4, column 3"));
}

TEST(Analysis, NamesTheSingularParts) {
  const Analysis a = analyzed(R"(model M
  Real x(start = 1), y, z;
equation
  der(x) = y + z;
  x = time "first";
  x = 2*time "second";
end M;
)");
  EXPECT_FALSE(a.can_be_solved());
  EXPECT_EQ(a.problem_class, "singular");
  EXPECT_FALSE(a.structural_index.has_value());
  EXPECT_THAT(a.overdetermined, UnorderedElementsAre("first", "second", "x"));
  EXPECT_THAT(a.underdetermined, UnorderedElementsAre("y", "z", "line 4"));
}

TEST(Analysis, SeesConstraintsThatLoseTheirRank) {
  // Two circles that touch in (1, 0).
  const Analysis a = analyzed(R"(model Touch
  Real x(start = 1, fixed = true), y(start = 0, fixed = true), u, v, a, b;
equation
  der(x) = u;
  der(y) = v;
  der(u) = -x*a - (x - 2)*b;
  der(v) = -y*a - y*b;
  x^2 + y^2 = 1;
  (x - 2)^2 + y^2 = 1;
end Touch;
)");
  ASSERT_TRUE(a.sigma_min.has_value());
  EXPECT_NEAR(*a.sigma_min, 0, 1e-12);
  EXPECT_THAT(a.warnings, testing::Contains(HasSubstr("dependent at the start")));
}

TEST(Analysis, MeasuresTheDistanceFromRankLoss) {
  // Gradients (1, 0) and (cos, sin) of an angle: singular values 1 +- cos under the root.
  const Analysis a = analyzed(R"(model Angle
  parameter Real angle = 0.1;
  Real x(start = 0), y(start = 0), a, b;
equation
  der(x) = a;
  der(y) = b;
  x = 0;
  3*(cos(angle)*x + sin(angle)*y) = 0;
end Angle;
)");
  EXPECT_EQ(a.numerical_index, 2);
  EXPECT_NEAR(*a.sigma_min, std::sqrt(1 - std::cos(0.1)), 1e-12);
}

TEST(Analysis, UsesSparseFactorsForManyConstraints) {
  // 2.5 w[k] - w[k-1] - w[k+1] = v[k]: eigenvalues 2.5 - 2 cos, gradients of length sqrt(9.25).
  std::string text = R"(model Ladder
  parameter Integer N = 2000;
  Real v[N](each start = 0, each fixed = true), w[N];
equation
  for k in 1:N loop
    2.5*w[k] - (if k > 1 then w[max(k - 1, 1)] else 0) - (if k < N then w[min(k + 1, N)] else 0) = v[k];
    der(v[k]) = w[k] - v[k];
  end for;
end Ladder;
)";
  const Analysis a = analyzed(text);
  EXPECT_EQ(a.numerical_index, 1);
  EXPECT_NEAR(*a.sigma_min, 0.5 / std::sqrt(9.25), 1e-3);
}

TEST(Analysis, TakesEquationsThatAreFunctions) {
  Problem problem;
  problem.form = Mechanical{.coordinates = 2,
                            .holonomic = 1,
                            .force = [](auto, auto, auto f) { f << 0, -9.81; },
                            .constraint = [](auto q, auto g) { g[0] = (q.squaredNorm() - 1) / 2; }};
  problem.t_span = {0, 1};
  problem.start = {1.1, 0};
  const Analysis a = analyze(problem);
  EXPECT_EQ(a.problem_class, "mechanical");
  EXPECT_EQ(a.structural_index, 3);
  EXPECT_EQ(a.degrees_of_freedom, 2);
  EXPECT_EQ(a.hidden_constraints.size(), 2u);
  EXPECT_NEAR(a.consistent_start[0], 1, 1e-9);
  EXPECT_FALSE(a.warnings.empty());
}

/// Against all permutations.
TEST(Assignment, HasTheHighestValue) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 5;
    Signature s;
    s.size = n;
    s.row_start = {0};
    std::vector<std::vector<int>> order(n, std::vector<int>(n, -1));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        if (random() % 2) {
          order[i][j] = static_cast<int>(random() % 3);
          s.entries.push_back({j, order[i][j]});
        }
      s.row_start.push_back(static_cast<int>(s.entries.size()));
    }
    std::vector<int> p(n);
    for (int i = 0; i < n; ++i) p[i] = i;
    int best = -1;
    do {
      int sum = 0;
      for (int i = 0; i < n && sum >= 0; ++i) sum = order[i][p[i]] < 0 ? -1 : sum + order[i][p[i]];
      best = std::max(best, sum);
    } while (std::next_permutation(p.begin(), p.end()));
    const Assignment assignment(s);
    EXPECT_EQ(assignment.complete(), best >= 0);
    if (!assignment.complete()) continue;
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += order[i][assignment.match()[i]];
    EXPECT_EQ(sum, best);
  }
}

}  // namespace
}  // namespace daedalus
