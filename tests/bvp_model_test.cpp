// Models with a constraint section: the shipped ones against their references, and what is said
// about wrong ones.
#include <cmath>
#include <fstream>
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daedalus/analysis.h"
#include "daedalus/bvp.h"
#include "daedalus/error.h"

namespace daedalus {
namespace {

using testing::HasSubstr;

const std::string models = std::string(DAEDALUS_DATA_DIR) + "/../models/";

void expect_values(const BoundarySolution& s, double t, const nlohmann::json& reference,
                   double tolerance) {
  const Vector row = s(t);
  for (std::size_t i = 0; i < reference["variables"].size(); ++i) {
    if (reference["values"][i].is_null()) continue;
    const std::string name = reference["variables"][i];
    const double expected = std::stod(reference["values"][i].get<std::string>());
    const auto at = std::find(s.variables.begin(), s.variables.end(), name) - s.variables.begin();
    EXPECT_NEAR(row[at], expected, tolerance * (1 + std::abs(expected))) << name << " at " << t;
  }
}

TEST(BoundaryModels, ReachTheirReferencesAtEveryTolerance) {
  std::ifstream file(models + "references.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  const nlohmann::json& references = all.contains("models") ? all["models"] : all;
  for (const char* name : {"ascher_petzold_bvp", "bratu", "circle_bvp_index3", "coldae_bvp",
                           "layer_linear", "lq_control", "multipoint_bvp", "pendulum_bvp_index2",
                           "pendulum_bvp_index3", "periodic_bvp", "troesch", "layer"}) {
    const Model model = Model::from_file(models + name + ".mo");
    const nlohmann::json& reference = references[name];
    const double digits = reference.value("verified_digits", 8);
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      if (tolerance < std::pow(10.0, 1 - digits)) continue;
      BoundaryOptions options;
      options.tolerance = tolerance;
      const BoundarySolution s = solve_boundary(model, options);
      ASSERT_TRUE(s.succeeded()) << name << ": " << s.message.text();
      SCOPED_TRACE(name);
      expect_values(s, s.t.back(), reference, 3 * tolerance);
      for (const auto& sample : reference.value("samples", nlohmann::json::array()))
        expect_values(s, sample["t"], sample, 3 * tolerance);
    }
  }
}

std::string with_constraint(const std::string& conditions) {
  return "model M Real x(start = 1), v(start = 0), f(start = 0);\n"
         "equation der(x) = v; der(v) = f; f = -x;\nconstraint\n" +
         conditions + "\nend M;";
}

std::string refusal(const std::string& text) {
  try {
    const BoundarySolution s = solve_boundary(Model::from_text(text), {});
    EXPECT_FALSE(s.succeeded()) << text;
    return s.message.text();
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

TEST(BoundaryModels, SayWhatIsWrongWithTheirConditions) {
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1;")), HasSubstr("too few"));
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1; v(startTime) = 0; x(finalTime) = 2;")),
              HasSubstr("too many"));
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1; x(startTime) = 1;")),
              HasSubstr("v at t = 0"));
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1; x(2) = 1;")), HasSubstr("outside"));
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1; v = 1;")), HasSubstr("without a time"));
  EXPECT_THAT(refusal(with_constraint("x(startTime) = 1; x(finalTime) = time;")),
              HasSubstr("given times"));
}

TEST(BoundaryModels, SetAsideAndCheckConditionsThatConstraintsImply) {
  const std::string pendulum =
      "model P Real x(start = cos(2.74*time)), y(start = -sin(2.74*time));\n"
      "Real u(start = -2.74*sin(2.74*time)), v(start = -2.74*cos(2.74*time)), lam(start = 8);\n"
      "equation der(x) = u; der(y) = v; der(u) = -lam*x; der(v) = -lam*y - 9.81;\n"
      "x^2 + y^2 = 1;\nconstraint x(finalTime) = 0.2; y(startTime) = 0; x(startTime) = 1 "
      "\"again\";\n"
      "annotation(experiment(StopTime = 0.5)); end P;";
  const BoundarySolution s = solve_boundary(Model::from_text(pendulum), {});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  ASSERT_EQ(s.notes.size(), 1u);
  EXPECT_THAT(s.notes[0], HasSubstr("again"));
  std::string wrong = pendulum;
  wrong.replace(wrong.find("x(startTime) = 1"), 16, "x(startTime) = 2");
  EXPECT_THAT(refusal(wrong), HasSubstr("contradict"));
}

TEST(BoundaryModels, TakeConditionsOnAlgebraicVariables) {
  const BoundarySolution s =
      solve_boundary(Model::from_text(with_constraint("x(startTime) = 1; f(finalTime) = 1;")),
                     {.tolerance = 1e-9});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_NEAR(s.row(-1)[0], -1, 1e-9);  // f = -x
}

TEST(BoundaryModels, FindUnknownParameters) {
  // u'' = -p^2 u, u(0) = u(1) = 0, u'(0) = 1 holds for p = pi.
  const BoundarySolution s = solve_boundary(
      Model::from_text(
          "model E Real u(start = sin(3*time)/3), v(start = cos(3*time)), p(start = 3);\n"
          "equation der(u) = v; der(v) = -p^2*u; der(p) = 0;\n"
          "constraint u(startTime) = 0; v(startTime) = 1; u(finalTime) = 0; end E;"),
      {.tolerance = 1e-9});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_NEAR(s.row(0)[2], std::acos(-1.0), 1e-9);
}

TEST(BoundaryModels, FailWithAMessageWhereThereIsNoSolution) {
  EXPECT_THAT(refusal("model B Real u(start = 0), v(start = 0);\n"
                      "equation der(u) = v; der(v) = -4*exp(u);\n"
                      "constraint u(startTime) = 0; u(finalTime) = 0; end B;"),
              HasSubstr("on a mesh of"));
  EXPECT_THAT(refusal("model N Real u(start = -1), v(start = 0);\n"
                      "equation der(u) = v; der(v) = sqrt(u);\n"
                      "constraint u(startTime) = 1; u(finalTime) = 1; end N;"),
              HasSubstr("not finite"));
}

TEST(BoundaryModels, TellHowManyConditionsTheyNeed) {
  const Analysis a = analyze(Model::from_file(models + "pendulum_bvp_index3.mo"));
  EXPECT_EQ(a.degrees_of_freedom, 2);
  EXPECT_EQ(a.structural_index, 3);
  EXPECT_TRUE(a.can_be_solved());
  EXPECT_TRUE(a.warnings.empty());
}

TEST(BoundaryModels, AreFollowedInAParameter) {
  const auto solve_at = [](double mu, const BoundarySolution* before) {
    return solve_boundary(Model::from_file(models + "troesch.mo", {.parameters = {{"mu", mu}}}), {},
                          before);
  };
  const BoundarySolution s = continue_boundary(solve_at, {.from = 1, .to = 15});
  ASSERT_TRUE(s.succeeded()) << s.message.text();
  EXPECT_NEAR(s.row(-1)[1], 2 * std::sinh(7.5), 0.01);
}

TEST(BoundaryModels, ChooseMorePointsWhereTheyPay) {
  // A smooth solution keeps the five that it began with; one with a steep end gets more of them
  // and far fewer elements.
  EXPECT_EQ(solve_boundary(Model::from_file(models + "bratu.mo"), {}).statistics.stages, 5);
  const Model steep = Model::from_file(models + "troesch.mo");
  const BoundarySolution chosen = solve_boundary(steep, {}),
                         five = solve_boundary(steep, {.stages = 5});
  ASSERT_TRUE(chosen.succeeded() && five.succeeded());
  EXPECT_GT(chosen.statistics.stages, 5);
  EXPECT_LT(2 * chosen.t.size(), five.t.size());
}

TEST(BoundaryModels, GiveTheSameBitsWithAnyNumberOfThreads) {
  const Model model = Model::from_file(models + "troesch.mo");
  const BoundarySolution one = solve_boundary(model, {.threads = 1});
  const BoundarySolution three = solve_boundary(model, {.threads = 3});
  EXPECT_EQ(one.values, three.values);
}

}  // namespace
}  // namespace daedalus
