// Every problem of the test set and of the circuits, as functions and as text, at every tolerance:
// solved, and with an error that the tolerance promises.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "bench/suite/own_runs.h"
#include "bench/suite/ratios.h"
#include "bench/suite/suites.h"
#include "daedalus/solve.h"

namespace daedalus::bench {
namespace {

constexpr double promised = 30;  // errors at the end, in units of rtol

/// Problems that magnify what every code leaves.
const std::map<std::string, double> magnified = {
    // What steps leave in its currents comes back magnified 200 times and more at the end, see
    // below: steps that err by a seventh of rtol suffice to miss it by 30. In the same runs of
    // `daedalus bench circuits` RADAU5 is off by 72, 115, 323 rtol at 1e-4, 1e-5, 1e-7, IDA by 759,
    // 1800, 5500. Of thirty runs around each tolerance the worst is off by some 80 rtol at 1e-3, 20
    // at 1e-5 and 60 at 1e-7.
    {"ring_modulator", 150},
};

struct Case {
  std::string suite, problem;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  std::set<std::string> seen;
  for (const char* suite : {"ivp", "circuits"})
    for (const SuiteProblem& problem : find_suite(suite).problems)
      if (seen.insert(problem.name).second) list.push_back({suite, problem.name});
  return list;
}

class Tolerances : public testing::TestWithParam<Case> {};

TEST_P(Tolerances, AreKept) {
  const auto& [suite, name] = GetParam();
  const SuiteProblem& listed = find_problem(suite, name);
  const reproduce::TestProblem problem = listed.make();
  const auto exception = magnified.find(name);
  const double limit = exception == magnified.end() ? promised : exception->second;
  const bool has_functions = size_of(problem.statement.problem.form) > 0;
  for (int digits = 3; digits <= 11; ++digits) {
    const double rtol = std::pow(10.0, -digits);
    if (rtol < 0.99 * listed.sharpest) continue;
    for (const bool as_text : {false, true}) {
      if (as_text ? problem.model.empty() : !has_functions) continue;
      const Repeats once{.seconds = 0, .most = 1, .time_limit = 60};
      Row row = as_text ? run_text(problem, "auto", rtol, once)
                        : run_functions(problem, "auto", rtol, once);
      row.rtol = rtol, row.reference_digits = problem.reference_digits;
      EXPECT_TRUE(row.succeeded()) << rtol << (as_text ? " as text: " : ": ") << row.message;
      // More digits than those of the reference cannot be seen.
      if (row.succeeded() && row.digits < row.reference_digits - 0.5) {
        EXPECT_LE(error_per_tolerance(row), limit) << rtol << (as_text ? " as text" : "");
      }
    }
  }
}

/// Single runs may be off by more after a change of rounding, but they are few: 13 of the 16 were
/// where five stages gave way to three whenever Newton's iteration failed.
TEST(RingModulator, KeepsMostTolerancesAllTheSame) {
  const reproduce::TestProblem problem = find_problem("circuits", "ring_modulator").make();
  constexpr int runs = 16;
  int kept = 0;
  for (int k = 0; k < runs; ++k) {
    const double rtol = 2.5e-4 * std::pow(10.0, -k / 8.0);  // to 3e-6
    Row row = run_functions(problem, "auto", rtol, {.seconds = 0, .most = 1, .time_limit = 60});
    row.rtol = rtol, row.reference_digits = problem.reference_digits;
    if (row.succeeded() && error_per_tolerance(row) <= promised) ++kept;
  }
  EXPECT_GE(kept, runs - 3);
}

/// The condition of the problem in the norm of its tolerances, atol = rtol: one current at the
/// start is moved by `move`, the end by so many times more.
TEST(Condition, OfTheRingModulatorIsAboveWhatTolerancesPromise) {
  constexpr double move = 1e-5, rtol = 1e-8;  // sharp enough for the difference of two runs
  constexpr int current = 8;
  const reproduce::TestProblem test = find_problem("circuits", "ring_modulator").make();
  Problem problem = test.statement.problem;
  const Options options{.method = "radau", .rtol = rtol, .atol = {rtol * test.atol_factor}};
  const Vector end = solve(problem, options).y_end();
  Vector start = problem.start;
  start[current] += move * (test.atol_factor + std::abs(start[current]));
  problem.start = start;
  const Vector moved = solve(problem, options).y_end();
  double condition = 0;
  for (int i = 0; i < end.size(); ++i)
    condition = std::max(
        condition, std::abs(moved[i] - end[i]) / (move * (test.atol_factor + std::abs(end[i]))));
  EXPECT_GT(condition, 200);  // 219; 220 to 233 where it is moved later
}

INSTANTIATE_TEST_SUITE_P(All, Tolerances, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.problem; });

}  // namespace
}  // namespace daedalus::bench
