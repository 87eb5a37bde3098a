// The program as a user meets it: help, wrong input, the catalogue, figures.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace {

using program::Outcome;
using program::run;
using testing::HasSubstr;

TEST(CommandLine, ShowsHelpWithExamplesAtEveryLevel) {
  for (const char* arguments : {"--help", "solve --help", "sweep --help", "analyze --help",
                                "methods --help", "reproduce --help", "completion --help"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr("Examples:")) << arguments;
  }
}

TEST(CommandLine, AnswersWrongInputWithStatusTwoAndTheNearestNames) {
  EXPECT_EQ(run("no-such-command 2>/dev/null").status, 2);
  EXPECT_EQ(run("methods --no-such-option 2>/dev/null").status, 2);
  const Outcome outcome = run("reproduce amplifyer 2>&1");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.output, HasSubstr("amplifier"));
}

TEST(CommandLine, TakesOptionsOfBoundaryValuesOnlyThere) {
  for (const char* options : {"--stages 4", "--threads 2", "--formulation projected_invariants"}) {
    const Outcome outcome = run("solve " + program::model("pendulum") + " " + options + " 2>&1");
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_THAT(outcome.output, HasSubstr("for boundary value"));
    EXPECT_EQ(run("solve " + program::model("pendulum_bvp_index3") + " " + options).status, 0);
  }
  EXPECT_EQ(run("solve " + program::model("bratu") + " --formulation manifold").status, 2);
}

TEST(CommandLine, WithoutArgumentsSolvesThePendulum) {
  const Outcome outcome = run("");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("lambda"));
  EXPECT_THAT(outcome.output, HasSubstr("constraint holds to"));
  EXPECT_THAT(outcome.output, HasSubstr("Next:"));
}

TEST(CommandLine, ListsEveryMethodAsJson) {
  const Outcome outcome = run("methods --json");
  ASSERT_EQ(outcome.status, 0);
  const auto list = nlohmann::json::parse(outcome.output);
  ASSERT_GT(list.size(), 40u);
  EXPECT_EQ(list[0]["name"], "radau");
  EXPECT_THAT(list[0]["options"].get<std::vector<std::string>>(), testing::Contains("max_stages"));
  for (const auto& method : list) {
    EXPECT_THAT(method["options"].get<std::vector<std::string>>(), testing::Contains("rtol"));
    if (method["name"] == "rodas_5p") {
      EXPECT_EQ(method["family"], "rosenbrock");
      EXPECT_EQ(method["index2"]["y"], 3);
    }
    if (method["name"] != "radau_iia_5") continue;
    EXPECT_EQ(method["index1"]["z"], 5);
    EXPECT_EQ(method["index2"]["z"], 3);
    EXPECT_EQ(method["index3"]["u"], 2);
    EXPECT_EQ(method["stiffly_accurate"], true);
  }
}

TEST(CommandLine, ShowsTheOptionsOfEachMethod) {
  const Outcome outcome = run("methods");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("gauss_4 .* algebraic_update"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("radau .* min_stages max_stages"));
  EXPECT_THAT(outcome.output, HasSubstr("Options of every method: rtol, atol"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("rodas_4 .* HairerWanner1996"));
}

TEST(CommandLine, ChecksAMethodFromAFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "daedalus_tableau.json";
  std::ofstream(path) << R"({"name": "midpoint", "A": [["1/2"]], "b": [1], "c": ["1/2"]})";
  const Outcome outcome = run("methods --check " + path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("classical order        2"));
  EXPECT_EQ(run("methods --check /no/such/file.json 2>/dev/null").status, 2);
}

TEST(CommandLine, EveryMethodOfTheCatalogueHasTheOrderItDeclares) {
  const Outcome outcome = run("methods --check");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
}

TEST(CommandLine, DrawsAFigure) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "daedalus_figure.svg";
  const Outcome outcome = run("reproduce amplifier --output " + path.string() + " 2>/dev/null");
  EXPECT_EQ(outcome.status, 0);
  std::ifstream file(path);
  std::string start(4, ' ');
  file.read(start.data(), 4);
  EXPECT_EQ(start, "<svg");
  std::filesystem::remove(path);
}

}  // namespace
