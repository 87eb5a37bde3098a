// daedalus bench as a user types it.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace {

using program::Folder;
using program::lines;

TEST(BenchCommand, ListsSuitesWithTheirProblems) {
  const auto outcome = program::run("bench --list");
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : {"ivp ", "mechanics ", "circuits ", "sparse ", "bvp ", "  robertson\n",
                           "  bratu\n", "  foodweb_50000x1\n"})
    EXPECT_NE(outcome.output.find(name), std::string::npos) << name;
}

TEST(BenchCommand, PrintsARowForEachRun) {
  const auto outcome = program::run(
      "bench mechanics --problem pendulum --rtol 1e-4,1e-6 --method auto,radau --against none "
      "--passes 1 --seconds 0 --csv");
  EXPECT_EQ(outcome.status, 0);
  // Two tolerances, two methods, functions and text.
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_TRUE(rows[1].starts_with("mechanics,pendulum,daedalus,auto,0.0001,0.0001,")) << rows[1];
  for (std::size_t k = 1; k < rows.size(); ++k)
    EXPECT_TRUE(rows[k].find(",success,") != std::string::npos);
}

TEST(BenchCommand, WritesEveryKindOfFile) {
  const Folder folder;
  const auto outcome = program::run(
      "bench --suite ivp --problem vdpol_limit --rtol 1e-4 --against none --passes 1 --seconds 0 "
      "--output " +
      folder.file("a.csv") + " --output " + folder.file("a.json") + " --output " +
      folder.file("a.html") + " --output " + folder.file("a.svg") + " --docs " +
      folder.file("docs") + " 2>&1");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(lines(program::text_of(folder.file("a.csv"))).size(), 3u);
  EXPECT_EQ(nlohmann::json::parse(program::text_of(folder.file("a.json")))["runs"].size(), 2u);
  EXPECT_NE(program::text_of(folder.file("a.html")).find("<table>"), std::string::npos);
  EXPECT_TRUE(program::text_of(folder.file("a.svg")).starts_with("<svg"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("docs/benchmarks.md")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("docs/figures/bench-ivp.svg")));
}

TEST(BenchCommand, TimesTheKernelsOfRunsAndTellsThemAnew) {
  const Folder folder;
  const auto outcome = program::run(
      "bench ivp --problem vdpol_limit,weissinger --rtol 1e-4,1e-6 --against none --no-text "
      "--passes 1 --seconds 0 --floor --output " +
      folder.file("a.json") + " 2>&1");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("ivp vdpol_limit rtol 1e-04: "), std::string::npos);
  EXPECT_NE(outcome.output.find("; floor "), std::string::npos);
  const auto written = nlohmann::json::parse(program::text_of(folder.file("a.json")));
  for (const auto& run : written["runs"])
    EXPECT_TRUE(run.contains("profile")) << run["problem"] << ": functions and models alike";
  const auto told = program::run("bench --from " + folder.file("a.json") + " --docs " +
                                 folder.file("docs") + " 2>&1");
  EXPECT_EQ(told.status, 0) << told.output;
  const std::string page = program::text_of(folder.file("docs/benchmarks.md"));
  EXPECT_NE(page.find("## Where the time goes"), std::string::npos);
  EXPECT_NE(page.find("| ivp | weissinger | 1e-06 |"), std::string::npos);
}

TEST(BenchCommand, SaysWhatIsWrong) {
  const auto wrong = [](const std::string& arguments, const std::string& said) {
    const auto outcome = program::run("bench " + arguments + " 2>&1");
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.output.find(said), std::string::npos) << outcome.output;
  };
  wrong("mechanic", "did you mean mechanics");
  wrong("ivp --problem nothing", "'nothing' is in none of the suites");
  wrong("ivp --against matlab", "'matlab' is not one of ida, radau5, daspk, none");
  wrong("ivp --rtol 2", "--rtol 2: must be between 0 and 1");
  wrong("ivp --against none --output a.txt", "must end in .csv, .json, .html or .svg");
}

}  // namespace
