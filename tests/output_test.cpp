#include "daedalus/output.h"

#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <limits>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daedalus/error.h"
#include "daedalus/problem.h"
#include "daedalus/solve.h"

namespace daedalus {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Numbers that are hard to print: every rounding case of 17 digits that comes to mind.
Solution hard_numbers() {
  Solution solution;
  solution.variables = {"x", "q[1]"};
  const std::vector<double> numbers = {0.1,
                                       -0.0,
                                       1.0 / 3,
                                       5e-324,
                                       2.2250738585072014e-308,
                                       1.7e308,
                                       1e23,
                                       9007199254740993.0,
                                       0.3,
                                       123456789.0,
                                       1e-5,
                                       -2.5e-7,
                                       4.35,
                                       1,
                                       1e16};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    solution.t.push_back(static_cast<double>(i) / 7);
    solution.values.push_back(numbers[i]);
    solution.values.push_back(-std::nextafter(numbers[i], infinity));
  }
  return solution;
}

Solution large() {
  Solution solution;
  solution.variables = {"x"};
  for (int i = 0; i < 100'000; ++i) solution.t.push_back(i), solution.values.push_back(i / 3.0);
  return solution;
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "daedalus-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const fs::path& path() const { return path_; }
  auto files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    return names;
  }

 private:
  fs::path path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string csv(const Solution& solution) {
  std::ostringstream stream;
  write_csv(solution, stream);
  return stream.str();
}

nlohmann::json json(const Solution& solution) {
  std::ostringstream stream;
  write_json(solution, stream);
  return nlohmann::json::parse(stream.str());
}

template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const OutputError& error) {
    return error.what();
  }
  return "no error";
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(Csv, ReadsBackToTheSameBits) {
  const Solution solution = hard_numbers();
  std::istringstream stream(csv(solution));
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line, "time,x,q[1]");
  for (int i = 0; i < solution.rows(); ++i) {
    ASSERT_TRUE(std::getline(stream, line));
    char* next = line.data();
    EXPECT_TRUE(same_bits(std::strtod(next, &next), solution.t[i])) << line;
    for (int k = 0; k < 2; ++k)
      EXPECT_TRUE(same_bits(std::strtod(next + 1, &next), solution.y(i)[k])) << line;
    EXPECT_EQ(*next, '\0');
  }
  EXPECT_FALSE(std::getline(stream, line));
}

TEST(Csv, HasSeventeenSignificantDigits) {
  Solution solution;
  solution.variables = {"x"};
  solution.t = {0};
  solution.values = {0.1};
  EXPECT_EQ(csv(solution), "time,x\n0,0.10000000000000001\n");
}

TEST(Csv, QuotesNamesOnlyWhereNeeded) {
  Solution solution;
  solution.variables = {"q[1]", "A[1,2]", "say \"x\"", "a.b", "two words"};
  EXPECT_EQ(csv(solution), "time,q[1],\"A[1,2]\",\"say \"\"x\"\"\",a.b,two words\n");
}

TEST(Csv, KeepsValuesThatAreNotFinite) {
  Solution solution;
  solution.variables = {"x", "y", "z"};
  solution.t = {0};
  solution.values = {std::nan(""), infinity, -infinity};
  EXPECT_EQ(csv(solution), "time,x,y,z\n0,nan,inf,-inf\n");
}

TEST(Json, ReadsBackToTheSameBits) {
  const Solution solution = hard_numbers();
  const nlohmann::json table = json(solution);
  EXPECT_EQ(table["status"], "success");
  EXPECT_EQ(table["variables"], (Names{"x", "q[1]"}));
  for (int i = 0; i < solution.rows(); ++i) {
    EXPECT_TRUE(same_bits(table["time"][i].get<double>(), solution.t[i]));
    for (int k = 0; k < 2; ++k) {
      const double value = table["values"][solution.variables[k]][i].get<double>();
      EXPECT_TRUE(same_bits(value, solution.y(i)[k])) << solution.y(i)[k];
    }
  }
}

TEST(Json, WritesNullWhereAValueIsNotFinite) {
  Solution solution;
  solution.variables = {"x"};
  solution.t = {0, 1, 2, 3};
  solution.values = {std::nan(""), infinity, -infinity, 4};
  EXPECT_EQ(json(solution)["values"]["x"].dump(), "[null,null,null,4.0]");
}

TEST(Json, EscapesNamesAndMessages) {
  Solution solution;
  solution.status = Status::failed;
  solution.message.what = "a \"quoted\"\nline </script> \xff";
  solution.variables = {"A[1,2]", "back\\slash"};
  const nlohmann::json table = json(solution);
  EXPECT_THAT(table["message"].get<std::string>(), HasSubstr("a \"quoted\"\nline </script>"));
  EXPECT_TRUE(table["values"].contains("back\\slash"));
  EXPECT_EQ(table["time"].size(), 0u);
}

TEST(Stats, HasTheKeysOfTheCommandLineAndNoOthers) {
  Solution solution = hard_numbers();
  solution.start_shift = {0.25, 0, 7};  // the last belongs to a multiplier of the formulation
  solution.constraint_residual = {{"position", 1e-9, 0, "g"}, {"velocity", infinity, 0, "g"}};
  solution.singularities = {{0.5, 1e-12, "regularised", 0.5}};
  const auto stats = nlohmann::ordered_json::parse(stats_json(solution));
  std::vector<std::string> keys;
  for (const auto& [key, value] : stats.items()) keys.push_back(key);
  EXPECT_THAT(keys,
              testing::ElementsAre("status", "reason", "message", "method", "formulation", "t",
                                   "steps", "rejected", "rhs", "jacobians", "factorizations",
                                   "solves", "newton", "constraint_residual", "singularities",
                                   "cpu_seconds", "wall_seconds", "initial_shift"));
  EXPECT_EQ(stats["t"], solution.t.back());
  EXPECT_EQ(stats["constraint_residual"].dump(), R"({"position":1e-09,"velocity":null})");
  EXPECT_EQ(stats["singularities"].dump(),
            R"([{"t":0.5,"sigma":1e-12,"action":"regularised","error_estimate":0.5}])");
  EXPECT_EQ(stats["initial_shift"].dump(), R"({"x":0.25,"q[1]":0.0})");
}

TEST(Stats, OfARunThatWasStoppedTellHowFarItCame) {
  Problem problem;
  problem.form = LinearlyImplicit{.size = 1, .f = [](auto, auto y, auto out) { out[0] = -y[0]; }};
  problem.t_span = {0, 100};
  problem.start = {1};
  const Solution solution = solve(problem, {.max_steps = 3});
  const auto stats = nlohmann::json::parse(stats_json(solution));
  EXPECT_EQ(stats["status"], "failed");
  EXPECT_EQ(stats["reason"], "max_steps");
  EXPECT_EQ(stats["steps"], 3);
  EXPECT_EQ(stats["t"], solution.steps.back().t);
  EXPECT_THAT(stats["message"].get<std::string>(), HasSubstr("limit of 3 steps"));
}

TEST(Solution, KeepsTheResidualsOfEveryStep) {
  Problem problem;
  problem.form = Mechanical{
      .coordinates = 2,
      .holonomic = 1,
      .force = [](auto, auto, auto, auto out) { out[0] = 0.0, out[1] = -1.0; },
      .constraint = [](auto, auto q, auto out) { out[0] = q[0] * q[0] + q[1] * q[1] - 1.0; },
  };
  problem.t_span = {0, 1};
  problem.start = {1, 0};
  const Solution solution = solve(problem, {.method = "radau"});
  const std::size_t levels = solution.constraint_residual.size();
  ASSERT_EQ(levels, 3u);
  ASSERT_EQ(solution.step_residuals.size(), levels * solution.steps.size());
  for (std::size_t k = 0; k < levels; ++k) {
    double largest = 0;
    for (std::size_t i = k; i < solution.step_residuals.size(); i += levels)
      largest = std::max(largest, solution.step_residuals[i]);
    EXPECT_LE(largest, solution.constraint_residual[k].maximum);
    EXPECT_GE(largest, 0);
  }
}

TEST(Output, TheEndingChoosesTheFormat) {
  const Folder folder;
  const Solution solution = hard_numbers();
  write_solution(solution, folder / "a.csv");
  write_solution(solution, folder / "A.JSON");
  EXPECT_EQ(read(folder / "a.csv"), csv(solution));
  EXPECT_EQ(nlohmann::json::parse(read(folder / "A.JSON")), json(solution));
  EXPECT_THROW(write_solution(solution, folder / "a.txt"), InvalidInput);
  EXPECT_THROW(check_solution_path(folder / "a"), InvalidInput);
  EXPECT_THAT(folder.files(), testing::UnorderedElementsAre("a.csv", "A.JSON"));
}

TEST(Output, ReplacesAFileAndKeepsItsPermissionsAndLinks) {
  const Folder folder;
  write_text("old", folder / "real.csv");
  ::chmod((folder / "real.csv").c_str(), 0640);
  fs::create_symlink("real.csv", folder / "link.csv");
  write_solution(hard_numbers(), folder / "link.csv");
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(read(folder / "real.csv"), csv(hard_numbers()));
  EXPECT_EQ(static_cast<int>(fs::status(folder / "real.csv").permissions()), 0640);
}

TEST(Output, OnAFullDiskLeavesTheOldFileAndNoTrace) {
  const Folder folder;
  const Solution solution = large();
  write_text("old", folder / "old.csv");
  // A limit on the size of files is met in the middle of writing, as a full disk is.
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{100'000, limit.rlim_max};
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::vector<std::string> errors;
  for (const char* name : {"old.csv", "new.csv", "new.json", "new.h5"})
    errors.push_back(error_of([&] { write_solution(solution, folder / name); }));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("cannot write"));
  EXPECT_THAT(folder.files(), testing::ElementsAre("old.csv"));
  EXPECT_EQ(read(folder / "old.csv"), "old");
  // Nothing is lost: it can be written elsewhere.
  write_solution(solution, folder / "elsewhere.csv");
  EXPECT_EQ(read(folder / "elsewhere.csv"), csv(solution));
}

TEST(Output, SaysThatADeviceIsFull) {
  ASSERT_TRUE(fs::exists("/dev/full"));
  const std::string error = error_of([] { write_solution(large(), "/dev/full"); });
  EXPECT_THAT(error, HasSubstr("'/dev/full': No space left on device"));
  EXPECT_THAT(error, HasSubstr("the results are not lost"));
  EXPECT_THAT(error_of([] { write_text("short", "/dev/full"); }), HasSubstr("No space left"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(Output, WritesToDevicesWithoutReplacingThem) {
  write_solution(hard_numbers(), "/dev/null");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(Output, KnowsBeforehandWhatCannotBeWritten) {
  const Folder folder;
  EXPECT_THAT(error_of([&] { check_writable(folder / "no/such/folder/x.csv"); }),
              HasSubstr("create the folder first"));
  EXPECT_THAT(error_of([&] { check_writable(folder.path().string()); }), HasSubstr("directory"));
  check_writable(folder / "x.csv");
  check_writable("-");
  EXPECT_TRUE(folder.files().empty());
}

TEST(Output, RefusesAFolderWithoutPermission) {
  const Folder folder;
  ::chmod(folder.path().c_str(), 0555);
  const bool root = ::geteuid() == 0;  // may write everywhere, unless it steps down
  if (root) {
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const std::string error = error_of([&] { write_solution(hard_numbers(), folder / "x.csv"); });
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_THAT(error, HasSubstr("Permission denied; choose a folder in which you may write"));
  EXPECT_TRUE(folder.files().empty());
}

TEST(Output, MinusIsCsvOnStandardOutput) {
  testing::internal::CaptureStdout();
  write_solution(hard_numbers(), "-");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), csv(hard_numbers()));
}

}  // namespace
}  // namespace daedalus
