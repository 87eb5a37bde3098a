// The work of a small fixed set of runs, as recorded in data/counts.csv: who makes a run more than
// 5 % dearer has to say so by recording anew,
//   DAEDALUS_RECORD_COUNTS=1 daedalus_unit_tests --gtest_filter='Counts.*'
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/suite/own_runs.h"
#include "bench/suite/suites.h"
#include "program.h"

namespace daedalus::bench {
namespace {

const std::string file = std::string(DAEDALUS_TEST_DATA_DIR) + "/counts.csv";
constexpr const char* header =
    "suite,problem,method,rtol,steps,rejected,rhs,jacobians,factorizations,solves,digits";

struct Counted {
  const char* suite;
  const char* problem;
  const char* method;
  /// Rounding differs between compilers and instruction sets, and may decide where Newton's
  /// iteration gives up: the share of the counts, and the digits, that this moves.
  double counts_by_rounding = 0, digits_by_rounding = 0;
};

// Each family of methods on what it is for.
constexpr Counted counted[] = {
    {"ivp", "robertson_4e10", "auto"},
    {"ivp", "chemakzo", "auto"},
    // Forty tolerances around 1e-4, a hundredth apart, differ by a tenth of the factorizations and
    // by a digit.
    {"ivp", "transamp", "radau_iia_5", 0.03, 0.8},
    // Which steps have five stages depends on rates next to a limit: likewise they differ by a
    // sixth, from 309 to 350, and by three digits.
    {"ivp", "transamp", "auto", 0.1, 1.0},
    {"ivp", "chemakzo", "rodas_5p"},
    {"ivp", "chemakzo", "bdf"},
    {"ivp", "caraxis", "auto"},
    {"ivp", "pendulum_ggl", "auto"},
    {"mechanics", "pendulum", "auto"},
    {"mechanics", "caraxis", "auto"},
    {"mechanics", "andrews", "auto"},
    {"mechanics", "pendulum", "dormand_prince_5"},
    {"sparse", "foodweb_500x1", "auto"},
    {"sparse", "foodweb_500x1", "bdf"},
    {"bvp", "bratu", "auto"},
    {"bvp", "troesch", "auto"},
    {"bvp", "pendulum_bvp_index2", "auto"},
    {"bvp", "layer", "auto"},
};
constexpr double tolerances[] = {1e-4, 1e-7};

Row row_of(const Counted& run, double rtol) {
  const Repeats once = {.seconds = 0, .most = 1, .time_limit = 60};
  if (std::string_view(run.suite) == "bvp")
    for (const reproduce::BoundaryTestProblem& problem : reproduce::boundary_test_problems())
      if (problem.name == run.problem) return BoundaryRuns(problem).run(0, rtol, once);
  return run_functions(find_problem(run.suite, run.problem).make(), run.method, rtol, once);
}

std::string key_of(const Counted& run, double rtol) {
  return fmt::format("{},{},{},{}", run.suite, run.problem, run.method, rtol);
}

void record() {
  std::ofstream out(file);
  out << header << '\n';
  for (const Counted& run : counted) {
    for (const double rtol : tolerances) {
      const Row r = row_of(run, rtol);
      ASSERT_TRUE(r.succeeded()) << key_of(run, rtol) << ": " << r.message;
      out << fmt::format("{},{},{},{},{},{},{},{:.2f}\n", key_of(run, rtol), r.steps, r.rejected,
                         r.rhs, r.jacobians, r.factorizations, r.solves, r.digits);
    }
  }
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) list.push_back(cell);
  return list;
}

TEST(Counts, NoRunIsDearerThanRecorded) {
  if (std::getenv("DAEDALUS_RECORD_COUNTS")) return record();
  const auto lines = program::lines(program::text_of(file));
  ASSERT_FALSE(lines.empty()) << file;
  ASSERT_EQ(lines[0], header);
  const auto names = cells(header);
  std::size_t next = 1;
  for (const Counted& run : counted) {
    for (const double rtol : tolerances) {
      ASSERT_LT(next, lines.size());
      const std::string& line = lines[next++];
      ASSERT_TRUE(line.starts_with(key_of(run, rtol) + ",")) << line;
      const auto known = cells(line);
      const Row r = row_of(run, rtol);
      ASSERT_TRUE(r.succeeded()) << line << ": " << r.message;
      const std::int64_t found[] = {r.steps,     r.rejected,       r.rhs,
                                    r.jacobians, r.factorizations, r.solves};
      for (std::size_t k = 0; k < std::size(found); ++k) {
        if (names[4 + k] == "rejected") continue;  // few, so that 5 % means nothing
        const double recorded = std::stod(known[4 + k]);
        // Rounding may cost a step of a short run.
        EXPECT_LE(static_cast<double>(found[k]), (1.05 + run.counts_by_rounding) * recorded + 2)
            << line << ": " << names[4 + k];
      }
      // Work may not be saved at the price of accuracy: a digit of three.
      EXPECT_GT(r.digits, std::stod(known.back()) - 0.5 - run.digits_by_rounding) << line;
    }
  }
}

}  // namespace
}  // namespace daedalus::bench
