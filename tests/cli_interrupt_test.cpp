// Runs that end before their time and disks that are full: nothing that was computed is lost, and
// no file is half-written.
#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.h"

namespace {

using program::Folder;
using program::lines;
using program::Outcome;
using program::run;
using program::shell;
using program::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A run of T = w seconds of an oscillator: as long as one wishes.
constexpr const char* oscillator = R"(model Oscillator
  parameter Real w = 1e9;
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
equation
  der(x) = w*y;
  der(y) = -w*x;
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end Oscillator;
)";

nlohmann::json json_of(const std::string& path) {
  return nlohmann::json::parse(text_of(path));
}

/// Sends SIGINT once after a while, as Ctrl-C does, and gives the program's own exit status.
Outcome interrupted(const std::string& arguments) {
  return shell(std::string("timeout --foreground --preserve-status -s INT 0.4 ") +
               DAEDALUS_PROGRAM + " " + arguments);
}

double last_time(const std::string& csv) {
  return std::stod(lines(csv).back());
}

TEST(InterruptedRun, KeepsItsRowsAndSaysSo) {
  const Folder folder;
  const std::string csv = folder.file("out.csv"), stats = folder.file("stats.json");
  const auto outcome =
      interrupted("solve " + folder.write("o.mo", oscillator) + " --output " + csv + " --stats " +
                  stats + " --report " + folder.file("r.html") + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("the run was interrupted at t ="));
  const auto report = json_of(stats);
  EXPECT_EQ(report["status"], "failed");
  EXPECT_EQ(report["reason"], "interrupted");
  ASSERT_GT(report["steps"], 10);
  const std::string rows = text_of(csv);
  EXPECT_EQ(lines(rows).size(), 2 + report["steps"].get<std::size_t>());
  EXPECT_EQ(rows.back(), '\n');
  EXPECT_DOUBLE_EQ(last_time(rows), report["t"]);
  EXPECT_THAT(text_of(folder.file("r.html")), HasSubstr("interrupted"));
}

TEST(InterruptedRun, GoesOnFromItsCheckpoint) {
  const Folder folder;
  const std::string model = folder.write("o.mo", oscillator), check = folder.file("o.check");
  const std::string first = folder.file("first.csv"), second = folder.file("second.csv");
  const auto outcome =
      interrupted("solve " + model + " --output " + first + " --checkpoint " + check + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("go on with --resume " + check));
  EXPECT_EQ(run("solve " + model + " --resume " + check + " --time-limit 0.2 --output " + second +
                " 2>/dev/null")
                .status,
            1);
  ASSERT_GT(lines(text_of(second)).size(), 2u);
  EXPECT_EQ(lines(text_of(second))[1], lines(text_of(first)).back());
  EXPECT_GT(last_time(text_of(second)), last_time(text_of(first)));
}

TEST(LimitedRun, KeepsWhatItReached) {
  const Folder folder;
  const std::string model = folder.write("o.mo", oscillator);
  const std::string csv = folder.file("out.csv"), stats = folder.file("stats.json");
  const auto outcome =
      run("solve " + model + " --time-limit 0.2 --output " + csv + " --stats " + stats + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("the time limit of 0.2 s was reached"));
  EXPECT_EQ(json_of(stats)["reason"], "time_limit");
  EXPECT_DOUBLE_EQ(last_time(text_of(csv)), json_of(stats)["t"]);
  EXPECT_EQ(
      run("solve " + model + " --max-steps 7 --stats " + stats + " --quiet 2>/dev/null").status, 1);
  EXPECT_EQ(json_of(stats)["reason"], "max_steps");
  EXPECT_EQ(json_of(stats)["steps"], 7);
  EXPECT_EQ(run("solve " + model + " --time-limit 0 2>/dev/null").status, 2);
}

TEST(InterruptedSweep, KeepsTheFinishedRuns) {
  const Folder folder;
  const std::string csv = folder.file("out.csv");
  const auto outcome = interrupted("sweep " + folder.write("o.mo", oscillator) +
                                   " -p w=1,2,3,1e9,4 --jobs 1 --output " + csv + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("4 of 5 runs made, 3 solved, 1 failed"));
  const auto rows = lines(text_of(csv));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_THAT(rows[3], StartsWith("3,success,finished,,1,"));
  EXPECT_THAT(rows[4], StartsWith("1000000000,failed,interrupted,"));
}

TEST(LimitedSweep, EndsLongRunsOnly) {
  const Folder folder;
  const auto outcome = run("sweep " + folder.write("o.mo", oscillator) +
                           " -p w=1,1e9,2 --time-limit 0.2 2>/dev/null");
  EXPECT_EQ(outcome.status, 1);
  const auto rows = lines(outcome.output);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_THAT(rows[2], StartsWith("1000000000,failed,time_limit,"));
  EXPECT_THAT(rows[3], StartsWith("2,success,"));
}

/// /dev/full answers every write as a full disk does.
TEST(FullDisk, SendsTheResultsElsewhere) {
  const Folder folder, temporary;
  const std::string model = folder.write("o.mo", oscillator);
  const std::string there = "TMPDIR=" + temporary.path() + " " + DAEDALUS_PROGRAM + " ";
  const auto expect_rescued = [&](const std::string& arguments, std::size_t rows,
                                  const std::string& ending) {
    const auto outcome = shell(there + arguments);
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr("No space left on device")) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr("the results are in '" + temporary.path())) << arguments;
    const auto files = temporary.files();
    ASSERT_EQ(files.size(), 1u) << arguments;
    EXPECT_THAT(files[0], testing::EndsWith(ending));
    EXPECT_EQ(lines(text_of(temporary.file(files[0]))).size(), rows) << arguments;
    std::filesystem::remove(temporary.file(files[0]));
  };
  const std::string solve = "solve " + model + " -p w=1 --points 5 --quiet ";
  expect_rescued(solve + "--output /dev/full 2>&1", 6, ".csv");
  expect_rescued(solve + "--output - 2>&1 >/dev/full", 6, ".csv");
  expect_rescued("sweep " + model + " -p w=1,2 --quiet 2>&1 >/dev/full", 3, ".csv");
  // A link to it: the file is meant for another name.
  std::filesystem::create_symlink("/dev/full", folder.file("stats.json"));
  const auto outcome = shell(there + solve + "--stats " + folder.file("stats.json") + " --output " +
                             folder.file("good.csv") + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(lines(text_of(folder.file("good.csv"))).size(), 6u);
  ASSERT_EQ(temporary.files().size(), 1u);
  EXPECT_EQ(json_of(temporary.file(temporary.files()[0]))["status"], "success");
}

TEST(FullDisk, IsToldWhateverIsPrinted) {
  for (const char* arguments : {"methods", "methods --json", "completion bash"}) {
    const auto outcome = run(std::string(arguments) + " 2>&1 >/dev/full");
    EXPECT_EQ(outcome.status, 1) << arguments;
    EXPECT_THAT(outcome.output, HasSubstr("No space left on device")) << arguments;
  }
}

/// A limit on the size of files stands for a disk that fills up in the middle of a file.
TEST(FullDisk, LeavesTheOldFileAndNothingElse) {
  const Folder folder;
  const std::string model = folder.write("o.mo", oscillator);
  const std::string csv = folder.write("out.csv", "old\n");
  const auto outcome =
      shell("ulimit -f 16; HOME=" + folder.path() + " TMPDIR=" + folder.path() + " " +
            DAEDALUS_PROGRAM + " solve " + model +
            " -p w=1 --points 5000 --evaluation interpreted --output " + csv + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("File too large"));
  EXPECT_THAT(outcome.output, HasSubstr("they are lost"));
  EXPECT_EQ(text_of(csv), "old\n");
  EXPECT_THAT(folder.files(), testing::UnorderedElementsAre("o.mo", "out.csv"));
}

TEST(FullDisk, OfCheckpointsDoesNotCostTheRun) {
  const Folder folder;
  const std::string csv = folder.file("out.csv");
  const auto outcome = run("solve " + folder.write("o.mo", oscillator) +
                           " -p w=1 --points 5 --checkpoint /dev/full --output " + csv + " 2>&1");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.output, HasSubstr("No space left on device"));
  EXPECT_EQ(lines(text_of(csv)).size(), 6u);
}

TEST(UnwritableFolder, IsFoundBeforeTheRun) {
  const Folder folder;
  const std::string model = folder.write("o.mo", oscillator);
  for (const char* command : {"solve", "sweep -p w=1"}) {
    const auto outcome = run(std::string(command) + " " + model +
                             " --output /no/such/folder/out.csv --time-limit 60 2>&1");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.output, HasSubstr("create the folder first"));
  }
}

}  // namespace
