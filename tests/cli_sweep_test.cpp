// daedalus sweep: sets, order, threads, failures, files.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace {

using program::Folder;
using program::lines;
using program::model;
using program::run;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// y(1) = y0 exp(-k); where k is 0 nothing determines z.
constexpr const char* decay = R"(model Decay
  parameter Real k = 1;
  parameter Real y0 = 1;
  parameter Integer N = 1;
  Real y(start = y0, fixed = true);
  Real z[N](each start = 1);
equation
  der(y) = -k*y;
  for i in 1:N loop
    k*z[i] = y;
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Decay;
)";

/// The first so many columns of every line.
std::vector<std::string> columns(const std::string& text, int count) {
  std::vector<std::string> result;
  for (const std::string& line : lines(text)) {
    std::size_t end = 0;
    for (int k = 0; k < count && end != std::string::npos; ++k) end = line.find(',', end + 1);
    result.push_back(line.substr(0, end));
  }
  return result;
}

TEST(Sweep, SolvesEveryPointOfARange) {
  const Folder folder;
  const auto outcome = run("sweep " + folder.write("decay.mo", decay) + " -p k=1:0.5:3 --quiet");
  ASSERT_EQ(outcome.status, 0);
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0], "k,status,reason,message,t,steps,y,z[1]");
  for (int i = 0; i < 5; ++i) {
    double k = 0, y = 0, z = 0;
    int steps = 0;
    ASSERT_EQ(std::sscanf(rows[static_cast<std::size_t>(i) + 1].c_str(),
                          "%lf,success,finished,,1,%d,%lf,%lf", &k, &steps, &y, &z),
              4)
        << rows[static_cast<std::size_t>(i) + 1];
    EXPECT_DOUBLE_EQ(k, 1 + 0.5 * i);
    EXPECT_NEAR(y, std::exp(-k), 1e-7);
    EXPECT_NEAR(z, y / k, 1e-12);
  }
}

TEST(Sweep, TakesListsAndGridsWithTheLastParameterFastest) {
  const Folder folder;
  const auto outcome =
      run("sweep -p y0=2,5 -p k=1:2,7 " + folder.write("decay.mo", decay) + " --quiet");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_THAT(columns(outcome.output, 2),
              ElementsAre("y0,k", "2,1", "2,2", "2,7", "5,1", "5,2", "5,7"));
}

TEST(Sweep, ReadsParameterSetsFromAFile) {
  const Folder folder;
  const std::string text = folder.write("decay.mo", decay);
  const std::string sets =
      folder.write("sets.csv", "\xef\xbb\xbf\"k\", y0\r\n1,3\r\n\r\n 2 , 4e0\n");
  auto outcome = run("sweep " + text + " --sets " + sets + " --quiet");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_THAT(columns(outcome.output, 2), ElementsAre("k,y0", "1,3", "2,4"));
  outcome = run("sweep " + text + " --sets " + sets + " -p N=1,2 --quiet");
  ASSERT_EQ(outcome.status, 0);
  EXPECT_THAT(columns(outcome.output, 3),
              ElementsAre("k,y0,N", "1,3,1", "1,3,2", "2,4,1", "2,4,2"));
}

TEST(Sweep, GivesTheSameBytesForAnyNumberOfThreads) {
  const Folder folder;
  const std::string arguments =
      "sweep " + model("pendulum") + " -p g=1:0.5:10 -p L=1,2 --t1 2 --points 11 --quiet --output ";
  for (const char* jobs : {"1", "2", "8"})
    EXPECT_EQ(run(arguments + folder.file(std::string(jobs) + ".csv") + " --jobs " + jobs).status,
              0);
  const std::string one = program::text_of(folder.file("1.csv"));
  EXPECT_EQ(lines(one).size(), 1 + 19 * 2 * 11u);
  EXPECT_EQ(one, program::text_of(folder.file("2.csv")));
  EXPECT_EQ(one, program::text_of(folder.file("8.csv")));
}

TEST(Sweep, KeepsFailuresInTheirRows) {
  const Folder folder;
  const auto outcome =
      run("sweep " + folder.write("decay.mo", decay) + " -p k=1,0,2 -p N=1,1.5 2>/dev/null");
  EXPECT_EQ(outcome.status, 1);
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_THAT(rows[1], StartsWith("1,1,success,"));
  EXPECT_THAT(rows[2], StartsWith("1,1.5,failed,invalid_input,"));
  EXPECT_THAT(rows[2], HasSubstr("Integer parameter 'N' has the value 1.5"));
  EXPECT_THAT(rows[3], StartsWith("0,1,failed,"));
  EXPECT_THAT(rows[5], StartsWith("2,1,success,"));
}

TEST(Sweep, LeavesCellsEmptyWhereARunHasFewerVariables) {
  const Folder folder;
  const auto outcome = run("sweep " + folder.write("decay.mo", decay) + " -p N=1,3 --quiet");
  ASSERT_EQ(outcome.status, 0);
  const auto rows = lines(outcome.output);
  EXPECT_THAT(rows[0], testing::EndsWith(",steps,y,z[1],z[2],z[3]"));
  EXPECT_THAT(rows[1], testing::EndsWith(",,"));
}

TEST(Sweep, WritesJson) {
  const Folder folder;
  const std::string text = folder.write("decay.mo", decay), file = folder.file("sweep.json");
  ASSERT_EQ(
      run("sweep " + text + " -p k=1,0 --at 0,1 --quiet --output " + file + " 2>/dev/null").status,
      1);
  const auto table = nlohmann::json::parse(program::text_of(file));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0]["run"], 1);
  EXPECT_EQ(table[0]["parameters"]["k"], 1.0);
  EXPECT_EQ(table[0]["t"].size(), 2u);
  EXPECT_NEAR(table[0]["values"]["y"][1], std::exp(-1.0), 1e-7);
  EXPECT_EQ(table[1]["status"], "failed");
}

TEST(Sweep, AnswersWrongInputWithStatusTwo) {
  const Folder folder;
  const std::string text = folder.write("decay.mo", decay);
  const auto expect = [&](const std::string& arguments, const std::string& message) {
    const auto outcome = run("sweep " + text + " " + arguments + " 2>&1");
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr(message)) << arguments;
  };
  expect("", "nothing to vary");
  expect("-p k", "expected NAME=VALUES");
  expect("-p k=1:0:2", "must not be 0");
  expect("-p k=1:-1:2", "is empty");
  expect("-p k=1:1e-12:2", "take a longer step");
  expect("-p k=1 -p k=2", "varied twice");
  expect("-p kk=1", "did you mean 'k'");
  expect("-p k=1 --method rado", "'rado' is not known");
  expect("-p k=1 --rtol -1", "rtol = -1");
  expect("-p k=1 --output x.h5", ".csv or .json");
  expect("-p k=1 --jobs -2", "--jobs");
  expect("--sets " + folder.write("a.csv", "k,y0\n1\n"), "a.csv:2: 1 values for 2 parameters");
  expect("--sets " + folder.write("b.csv", "k\none\n"), "b.csv:2: 'one' of parameter k");
  expect("--sets " + folder.write("c.csv", "1,2\n"), "first line names");
  expect("--sets " + folder.write("d.csv", "k\n"), "no parameter sets");
  expect("--sets /no/such/file.csv", "cannot read");
}

}  // namespace
