// daedalus analyze: keys, text, exit status.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace {

using program::Folder;
using program::model;
using program::run;
using testing::HasSubstr;

TEST(AnalyzeCommand, PrintsEveryKeyAsJson) {
  const auto outcome = run("analyze --json " + model("pendulum") + " -p L=2 --start x=1.5");
  ASSERT_EQ(outcome.status, 0);
  const auto report = nlohmann::ordered_json::parse(outcome.output);
  std::vector<std::string> keys;
  for (const auto& [key, value] : report.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre(
                        "model", "equations", "unknowns", "structural_index", "numerical_index",
                        "degrees_of_freedom", "hidden_constraints", "class", "fixed", "free",
                        "consistent_start", "initial_shift", "contradictions", "underdetermined",
                        "overdetermined", "sigma_min", "warnings"));
  EXPECT_EQ(report["model"], "pendulum");
  EXPECT_EQ(report["structural_index"], 3);
  EXPECT_NEAR(report["consistent_start"]["x"], 2, 1e-12);
  EXPECT_NEAR(report["initial_shift"]["x"], 0.5, 1e-12);
  EXPECT_EQ(report["contradictions"], nlohmann::json::array());
}

TEST(AnalyzeCommand, PrintsTextForPeople) {
  const auto outcome = run("analyze " + model("pendulum"));
  ASSERT_EQ(outcome.status, 0);
  for (const char* part : {"class                mechanical", "index                3",
                           "degrees of freedom   2", "x*u + y*v = 0", "fixed                y, v"})
    EXPECT_THAT(outcome.output, HasSubstr(part));
}

TEST(AnalyzeCommand, TellsBadStartsAndWrongTextsApart) {
  const Folder folder;
  const std::string bad = folder.write("bad.mo", R"(model Bad
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = y;
  x = 2*y "half";
end Bad;
)");
  auto outcome = run("analyze --json " + bad);
  EXPECT_EQ(outcome.status, 1);
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report["contradictions"], nlohmann::json::parse(R"([["x", "y", "half"]])"));
  EXPECT_EQ(report["consistent_start"], nlohmann::json::object());
  outcome = run("analyze " + bad);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("contradict           x, y, half"));
  EXPECT_EQ(run("analyze " + folder.write("wrong.mo", "model W Real x; end W;") + " 2>&1").status,
            2);
  EXPECT_EQ(run("analyze /no/such/model.mo 2>&1").status, 2);
}

}  // namespace
