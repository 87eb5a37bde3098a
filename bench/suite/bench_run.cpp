#include "bench/suite/bench_run.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "bench/suite/peer_runs.h"
#include "bench/suite/profile.h"
#include "bench/suite/shortfalls.h"
#include "daedalus/error.h"

namespace daedalus::bench {
namespace {

bool is_wanted(const BenchOptions& options, const std::string& problem) {
  return options.problems.empty() || std::find(options.problems.begin(), options.problems.end(),
                                               problem) != options.problems.end();
}

/// The rows so far; a run made again only improves their times.
class Rows {
 public:
  void add(Row row) {
    for (Row& known : rows_) {
      if (known.repeats(row)) {
        known.cpu_us = std::min(known.cpu_us, row.cpu_us);
        known.start_us = std::min(known.start_us, row.start_us);
        known.first_us = std::fmin(known.first_us, row.first_us);
        if (std::isfinite(row.cpu_us)) known.pass_us.push_back(row.cpu_us);
        return;
      }
    }
    if (std::isfinite(row.cpu_us)) row.pass_us = {row.cpu_us};
    rows_.push_back(std::move(row));
  }
  std::vector<Row> take() { return std::move(rows_); }
  std::vector<Row>& all() { return rows_; }

 private:
  std::vector<Row> rows_;
};

/// All codes on one problem.
class ProblemRuns {
 public:
  ProblemRuns(const BenchOptions& options, const Suite& suite, const SuiteProblem& entry,
              std::string program)
      : options_(options),
        suite_(suite.name),
        name_(entry.name),
        sharpest_(entry.sharpest),
        problem_(entry.make()),
        program_(std::move(program)) {}

  void run(Rows& rows) {
    for (int pass = 0; pass < options_.passes; ++pass) {
      for (const double rtol : options_.tolerances) {
        if (rtol < 0.99 * sharpest_) continue;
        say(pass, rtol);
        run_own(rows, rtol);
        for (const std::string& solver : options_.against) {
          if (given_up_.contains(solver) || program_.empty()) continue;
          for (Row& row :
               run_peer(program_, suite_, problem_, name_, solver, rtol, options_.repeats))
            add(rows, std::move(row), solver, rtol);
        }
      }
    }
    add_profiles(rows);
  }

 private:
  bool has_functions() const { return size_of(problem_.statement.problem.form) > 0; }

  /// Of runs that fall short, or of all that `auto` made.
  void add_profiles(Rows& rows) const {
    std::vector<Row> here;
    for (const Row& row : rows.all())
      if (row.suite == suite_ && row.problem == name_) here.push_back(row);
    std::vector<double> wanted;
    for (const Shortfall& shortfall : shortfalls(here)) wanted.push_back(shortfall.run.rtol);
    for (Row& row : rows.all()) {
      const bool is_ours = row.suite == suite_ && row.problem == name_ &&
                           row.solver == "daedalus" && row.method == "auto" && row.succeeded();
      const bool is_wanted =
          options_.floors || std::find(wanted.begin(), wanted.end(), row.rtol) != wanted.end();
      if (!is_ours || !is_wanted) continue;
      const auto stated = has_functions() ? stated_as_functions : stated_as_text;
      const Stated run = stated(problem_, row.method, row.rtol, options_.repeats);
      row.profile = profile_of(run.problem, run.options);
    }
  }

  void run_own(Rows& rows, double rtol) {
    for (const std::string& method : options_.methods) {
      const auto one = [&](const std::string& solver, auto run) {
        if (given_up_.contains(solver + method)) return;
        Row row = run(problem_, method, rtol, options_.repeats);
        row.method = method;
        add(rows, std::move(row), solver, rtol);
      };
      if (has_functions()) one("daedalus", run_functions);
      if (!problem_.model.empty() && (options_.text || !has_functions()))
        one(has_functions() ? "daedalus-text" : "daedalus", run_text);
    }
  }

  void add(Rows& rows, Row row, const std::string& solver, double rtol) {
    row.suite = suite_, row.problem = name_, row.solver = solver;
    row.rtol = rtol, row.atol = rtol * problem_.atol_factor;
    row.reference_digits = problem_.reference_digits;
    // Sharper tolerances take longer still; what is slow is not repeated.
    const bool is_slow = row.cpu_us > 0.3e6 * options_.repeats.time_limit;
    if (row.status == "time_limit" || is_slow)
      given_up_.insert(row.is_own() ? solver + row.method : solver);
    rows.add(std::move(row));
  }

  void say(int pass, double rtol) const {
    if (options_.progress)
      options_.progress(fmt::format("{} {}, rtol {:.0e}, pass {} of {}", suite_, name_, rtol,
                                    pass + 1, options_.passes));
  }

  const BenchOptions& options_;
  std::string suite_, name_;
  double sharpest_;
  reproduce::TestProblem problem_;
  std::string program_;
  std::set<std::string> given_up_;
};

/// RADAU5 on Robertson's problem: its time for six digits is a unit that machines share.
void run_unit(const BenchOptions& options, Rows& rows) {
  const std::string program = peer_program(), name = "robertson_4e10";
  if (program.empty() ||
      std::find(options.against.begin(), options.against.end(), "radau5") == options.against.end())
    return;
  const reproduce::TestProblem problem = find_problem("ivp", name).make();
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7})
    for (Row& row : run_peer(program, "ivp", problem, name, "radau5", rtol, options.repeats)) {
      row.suite = "bvp", row.problem = unit_problem, row.solver = "radau5";
      row.rtol = rtol, row.atol = rtol * problem.atol_factor;
      rows.add(std::move(row));
    }
}

void run_boundary_problems(const BenchOptions& options, Rows& rows) {
  // So many collocation points; 0: chosen.
  constexpr int stages[] = {0, 3, 4, 5, 7};
  const std::vector<reproduce::BoundaryTestProblem> problems = reproduce::boundary_test_problems();
  for (const auto& problem : problems) {
    if (!is_wanted(options, problem.name)) continue;
    const BoundaryRuns runs(problem);
    for (int pass = 0; pass < options.passes; ++pass) {
      run_unit(options, rows);
      for (const double tolerance : options.tolerances) {
        if (tolerance < 1e-10) continue;
        if (options.progress)
          options.progress(fmt::format("bvp {}, tolerance {:.0e}", problem.name, tolerance));
        for (const int count : stages) {
          Row row = runs.run(count, tolerance, options.repeats);
          row.suite = "bvp", row.problem = problem.name, row.solver = "daedalus";
          row.method = count == 0 ? "auto" : fmt::format("gauss_{}", count);
          row.rtol = row.atol = tolerance;
          rows.add(std::move(row));
        }
      }
    }
  }
}

void check_problems(const BenchOptions& options, const std::vector<const Suite*>& chosen) {
  for (const std::string& name : options.problems) {
    bool found = false;
    for (const Suite* suite : chosen) {
      for (const SuiteProblem& entry : suite->problems) found = found || entry.name == name;
      if (suite->name != "bvp") continue;
      for (const auto& entry : reproduce::boundary_test_problems())
        found = found || entry.name == name;
    }
    if (!found)
      throw InvalidInput(
          fmt::format("--problem: '{}' is in none of the suites; --list shows them", name));
  }
}

}  // namespace

std::vector<Row> run_bench(const BenchOptions& options) {
  std::vector<const Suite*> chosen;
  for (const std::string& name : options.suites) chosen.push_back(&find_suite(name));
  if (options.suites.empty())
    for (const Suite& suite : suites()) chosen.push_back(&suite);
  check_problems(options, chosen);
  Rows rows;
  for (const Suite* suite : chosen) {
    if (suite->name == "bvp") run_boundary_problems(options, rows);
    for (const SuiteProblem& entry : suite->problems)
      if (is_wanted(options, entry.name))
        ProblemRuns(options, *suite, entry, peer_program()).run(rows);
  }
  return rows.take();
}

}  // namespace daedalus::bench
