// Coefficients, derived facts and stage transformations against theory [HairerWanner1996, IV.5,
// IV.8] and against 21-digit tables (tests/data/tableaus.json says where they come from).
#include "daedalus/method.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daedalus/error.h"
#include "method/generate.h"
#include "method/inverse.h"
#include "method/nearest.h"
#include "method/transformation.h"

namespace daedalus {
namespace {

using nlohmann::json;

const json& published() {
  static const json data = json::parse(std::ifstream(DAEDALUS_TEST_DATA_DIR "/tableaus.json"));
  return data;
}

long double digits(const json& entry) {
  return std::stold(entry.get<std::string>());
}

struct FamilyTheory {
  std::string name;
  int fewest_stages;
  int b, c, d;  // B(2s - b), C(s - c), D(s - d)
};

const std::vector<FamilyTheory> family_theory = {
    {"gauss", 1, 0, 0, 0},        {"radau_ia", 1, 1, 1, 0},     {"radau_iia", 1, 1, 0, 1},
    {"lobatto_iiia", 2, 2, 0, 2}, {"lobatto_iiib", 2, 2, 2, 0}, {"lobatto_iiic", 2, 2, 1, 1},
};

Tableau rounded(const std::string& family, int stages) {
  const Coefficients exact = generate_coefficients(family, stages);
  Tableau method;
  method.name = family;
  method.family = family;
  method.stages = stages;
  for (int i = 0; i < stages; ++i) {
    method.b[i] = static_cast<double>(exact.b[i]);
    method.c[i] = static_cast<double>(exact.c[i]);
    for (int j = 0; j < stages; ++j) method.a[i][j] = static_cast<double>(exact.a(i, j));
  }
  return method;
}

TEST(Tableaus, MatchTwentyOneDigitTables) {
  ASSERT_FALSE(published()["tableaus"].empty());
  for (const json& table : published()["tableaus"]) {
    const std::string family = table["family"];
    const int stages = table["stages"];
    SCOPED_TRACE(family + " with " + std::to_string(stages) + " stages");
    const Coefficients found = generate_coefficients(family, stages);
    const auto expect_close = [](long double value, const json& entry) {
      // Ten units in the last of the 64 bits of a long double.
      EXPECT_LT(std::abs(value - digits(entry)), 1e-18L) << entry;
    };
    for (int i = 0; i < stages; ++i) {
      expect_close(found.c[i], table["c"][i]);
      expect_close(found.b[i], table["b"][i]);
      for (int j = 0; j < stages; ++j) expect_close(found.a(i, j), table["A"][i][j]);
    }
  }
}

TEST(Tableaus, SatisfyExactlyTheSimplifyingAssumptionsOfTheirFamily) {
  for (const FamilyTheory& theory : family_theory) {
    for (int s = theory.fewest_stages; s <= 9; ++s) {
      SCOPED_TRACE(theory.name + " with " + std::to_string(s) + " stages");
      const Tableau method = rounded(theory.name, s);
      EXPECT_EQ(quadrature_order(method), 2 * s - theory.b);
      EXPECT_EQ(stage_order(method), s - theory.c);
      EXPECT_EQ(adjoint_order(method), s - theory.d);
    }
  }
}

TEST(Tableaus, HaveExactEndsAndTheWeightsAsLastRowIfStifflyAccurate) {
  for (const Tableau& method : runge_kutta_methods()) {
    SCOPED_TRACE(method.name);
    const int last = method.stages - 1;
    if (method.family == "radau_ia" || method.family == "lobatto_iiia" ||
        method.family == "lobatto_iiic") {
      EXPECT_EQ(method.c[0], 0);
    }
    const bool theory = method.family == "radau_iia" || method.family == "lobatto_iiia" ||
                        method.family == "lobatto_iiic" ||
                        (method.family == "sdirk" && method.name != "sdirk_crouzeix_4");
    EXPECT_EQ(is_stiffly_accurate(method), theory);
    if (!theory) continue;
    EXPECT_EQ(method.c[last], 1);
    for (int j = 0; j <= last; ++j) EXPECT_EQ(method.a[last][j], method.b[j]);
  }
}

TEST(Tableaus, SumTheirRowsToTheAbscissae) {
  for (const Tableau& method : runge_kutta_methods()) {
    // Radau IA with one stage is the exception: C(0), c = 0 and A = 1.
    if (method.name == "radau_ia_1") continue;
    for (int i = 0; i < method.stages; ++i) {
      double sum = 0;
      double size = 0;
      for (int j = 0; j < method.stages; ++j) {
        sum += method.a[i][j];
        size += std::abs(method.a[i][j]);
      }
      EXPECT_NEAR(sum, method.c[i], 1e-15 * (1 + size)) << method.name;
    }
  }
}

TEST(Tableaus, ReachTheKnownLimitOfTheStabilityFunction) {
  for (const Tableau& method : runge_kutta_methods()) {
    SCOPED_TRACE(method.name);
    const int s = method.stages;
    double limit = 0;
    if (method.family == "gauss") limit = s % 2 == 0 ? 1 : -1;
    if (method.family == "lobatto_iiia") limit = s % 2 == 0 ? -1 : 1;
    if (method.name == "sdirk_crouzeix_4") limit = -0.63041493819180925460;
    EXPECT_NEAR(stability_at_infinity(method), limit, 1e-14);
  }
  EXPECT_TRUE(std::isnan(stability_at_infinity(rounded("lobatto_iiib", 3))));
  Tableau euler;
  euler.stages = 1;
  euler.b[0] = 1;
  EXPECT_TRUE(std::isinf(stability_at_infinity(euler)));
}

TEST(Tableaus, KnowTheirStructure) {
  EXPECT_TRUE(has_explicit_first_stage(find_method("lobatto_iiia_6")));
  EXPECT_FALSE(has_explicit_first_stage(find_method("lobatto_iiic_6")));
  EXPECT_TRUE(is_diagonally_implicit(find_method("sdirk_hairer_wanner_4")));
  EXPECT_FALSE(is_diagonally_implicit(find_method("radau_iia_5")));
  EXPECT_FALSE(is_explicit(find_method("radau_iia_1")));
}

TEST(Tableaus, ComeOnlyInSizesThatExist) {
  EXPECT_THROW(generate_coefficients("lobatto_iiia", 1), InvalidInput);
  EXPECT_THROW(generate_coefficients("gauss", 0), InvalidInput);
  EXPECT_THROW(generate_coefficients("gauss", max_stages + 1), InvalidInput);
  EXPECT_THROW(generate_coefficients("hermite", 3), InvalidInput);
}

TEST(Catalogue, ListsEveryMethodOnceUnderANameThatEndsInItsOrder) {
  std::set<std::string> names;
  for (const Tableau& method : runge_kutta_methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    const std::size_t underscore = method.name.rfind('_');
    ASSERT_NE(underscore, std::string::npos);
    EXPECT_EQ(method.name.substr(underscore + 1), std::to_string(method.order));
    EXPECT_FALSE(method.reference.empty()) << method.name;
    EXPECT_EQ(&find_method(method.name), &method);
  }
  EXPECT_EQ(names.size(), 9u + 9u + 9u + 8u + 8u + 5u);
}

TEST(Catalogue, NamesTheNearestMethodsForAnUnknownOne) {
  try {
    find_method("radau_iia5");
    FAIL() << "must not be found";
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'radau_iia5'"), std::string::npos) << message;
    EXPECT_NE(message.find("radau_iia_5"), std::string::npos) << message;
  }
}

TEST(NearestNames, CountInsertionsDeletionsReplacementsAndSwaps) {
  const std::vector<std::string> known = {"gauss", "lobatto", "radau", "radius"};
  EXPECT_EQ(nearest_names("Gaus", known, 1), std::vector<std::string>{"gauss"});
  EXPECT_EQ(nearest_names("rdaau", known, 1), std::vector<std::string>{"radau"});
  EXPECT_EQ(nearest_names("radaus", known, 2), (std::vector<std::string>{"radau", "radius"}));
  EXPECT_EQ(nearest_names("x", known, 9).size(), known.size());
  EXPECT_TRUE(nearest_names("x", {}).empty());
}

TEST(Inverse, IsFoundForEveryRegularStageMatrixAndRefusedForSingularOnes) {
  for (int s = 1; s <= 9; ++s) {
    const ExtendedMatrix a = generate_coefficients("radau_iia", s).a;
    const auto w = inverse_if_regular(a);
    ASSERT_TRUE(w.has_value());
    const long double residual = (*w * a - ExtendedMatrix::Identity(s, s)).norm();
    EXPECT_LT(residual, 1e-18L * w->norm() * a.norm());
  }
  EXPECT_FALSE(inverse_if_regular(generate_coefficients("lobatto_iiia", 4).a).has_value());
  EXPECT_FALSE(inverse_if_regular(generate_coefficients("lobatto_iiib", 4).a).has_value());
}

Eigen::MatrixXd block_diagonal(const StageTransformation& stages) {
  Eigen::MatrixXd lambda = Eigen::MatrixXd::Zero(stages.unknowns, stages.unknowns);
  Eigen::Index k = 0;
  for (double gamma : stages.gamma) {
    lambda(k, k) = gamma;
    ++k;
  }
  for (const ComplexPair& pair : stages.pairs) {
    lambda.block<2, 2>(k, k) << pair.alpha, pair.beta, -pair.beta, pair.alpha;
    k += 2;
  }
  return lambda;
}

TEST(StageTransformation, DiagonalisesEveryFullyImplicitMethod) {
  for (const Tableau& method : runge_kutta_methods()) {
    if (method.family == "sdirk") continue;
    SCOPED_TRACE(method.name);
    const StageTransformation stages = transform_stages(method);
    const int n = stages.unknowns;
    EXPECT_EQ(n, method.stages - (method.family == "lobatto_iiia" ? 1 : 0));
    // These families have one real eigenvalue for odd n and none for even n.
    EXPECT_EQ(static_cast<int>(stages.gamma.size()), n % 2);
    EXPECT_EQ(static_cast<int>(stages.pairs.size()), n / 2);
    // Four roundings to double: W, T, Lambda and the products formed here.
    const double eps = 4 * std::numeric_limits<double>::epsilon();
    const Eigen::MatrixXd lambda = block_diagonal(stages);
    EXPECT_LT((stages.w * stages.t - stages.t * lambda).norm(),
              eps * stages.w.norm() * stages.t.norm());
    EXPECT_LT((stages.t * stages.t_inverse - Eigen::MatrixXd::Identity(n, n)).norm(),
              eps * stages.t.norm() * stages.t_inverse.norm());
    for (const ComplexPair& pair : stages.pairs) EXPECT_GT(pair.beta, 0);
  }
}

TEST(StageTransformation, MatchesPublishedNumbersOfRadauIIA) {
  for (const json& table : published()["radau_iia_transformations"]) {
    const int s = table["stages"];
    SCOPED_TRACE(std::to_string(s) + " stages");
    const StageTransformation found =
        transform_stages(find_method("radau_iia_" + std::to_string(2 * s - 1)));
    // Condition of T (1.5e4 for s = 9) times the precision of a long double, and some norm of W.
    const double tolerance = s < 9 ? 5e-15 : 2e-13;
    const auto expect_close = [&](double value, const json& entry) {
      const auto exact = static_cast<double>(digits(entry));
      EXPECT_NEAR(value, exact, tolerance * std::abs(exact));
    };
    ASSERT_EQ(found.gamma.size(), 1u);
    expect_close(found.gamma[0], table["gamma"]);
    ASSERT_EQ(found.pairs.size(), table["alpha"].size());
    for (std::size_t k = 0; k < found.pairs.size(); ++k) {
      expect_close(found.pairs[k].alpha, table["alpha"][k]);
      expect_close(found.pairs[k].beta, table["beta"][k]);
    }
    for (int i = 0; i < s; ++i) {
      for (int j = 0; j < s; ++j) {
        expect_close(found.t(i, j), table["T"][i][j]);
        expect_close(found.t_inverse(i, j), table["T_inverse"][i][j]);
      }
    }
  }
}

TEST(StageTransformation, EndsTheStepOnTheLastStageIfStifflyAccurate) {
  for (const char* name : {"radau_iia_9", "lobatto_iiic_6", "lobatto_iiia_8"}) {
    const StageTransformation stages = transform_stages(find_method(name));
    for (int j = 0; j < stages.unknowns; ++j) {
      EXPECT_EQ(stages.result[j], j == stages.unknowns - 1 ? 1 : 0) << name;
    }
    EXPECT_EQ(stages.result_first, 0) << name;
  }
}

TEST(StageTransformation, IntegratesPolynomialsOfTheStageOrder) {
  // y' = k t^(k-1), y(0) = 0, h = 1: Z_i = c_i^k is exact for k <= q and must end at y1 = 1, and
  // W (Z - a_1 y'(0)) must give back the derivatives k c_i^(k-1).
  for (const Tableau& method : runge_kutta_methods()) {
    if (method.family == "sdirk") continue;
    SCOPED_TRACE(method.name);
    const StageTransformation stages = transform_stages(method);
    for (int k = 1; k <= stage_order(method); ++k) {
      const double first_slope = stages.explicit_first && k == 1 ? 1 : 0;
      const Eigen::VectorXd z = stages.c.array().pow(k);
      const Eigen::VectorXd slopes = stages.w * (z - stages.first_column * first_slope);
      const Eigen::VectorXd exact = k * stages.c.array().pow(k - 1);
      EXPECT_LT((slopes - exact).norm(), 1e-15 * stages.w.norm() * (1 + exact.norm()));
      const double end = stages.result.dot(z) + stages.result_first * first_slope;
      EXPECT_NEAR(end, 1, 1e-15 * (1 + stages.result.norm()) * stages.unknowns);
    }
  }
}

TEST(StageTransformation, RefusesSingularAndDefectiveMatrices) {
  EXPECT_THROW(transform_stages(rounded("lobatto_iiib", 3)), InvalidInput);
  EXPECT_THROW(transform_stages(find_method("sdirk_2")), InvalidInput);
  EXPECT_THROW(transform_stages(find_method("sdirk_hairer_wanner_4")), InvalidInput);
  Tableau euler;
  euler.stages = 1;
  euler.b[0] = 1;
  EXPECT_THROW(transform_stages(euler), InvalidInput);
}

}  // namespace
}  // namespace daedalus
