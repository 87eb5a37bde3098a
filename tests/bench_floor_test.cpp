// Why a row falls short: profiles of runs and what the floor says.
#include <cmath>

#include <gtest/gtest.h>

#include "bench/suite/profile.h"
#include "bench/suite/shortfalls.h"
#include "bench/suite/suites.h"
#include "bench/suite/tables.h"
#include "program.h"

namespace daedalus::bench {
namespace {

Row row(const std::string& suite, const std::string& problem, const std::string& solver,
        const std::string& method, double digits, double us) {
  Row r;
  r.suite = suite, r.problem = problem, r.solver = solver, r.method = method;
  r.rtol = r.atol = std::pow(10, -digits), r.digits = digits, r.cpu_us = us;
  r.status = "success";
  return r;
}

Profile profile(double run, double start, double functions, double linear) {
  Profile p;
  p.unknowns = 3, p.run_us = run, p.start_us = start;
  p.functions_us = functions, p.linear_us = linear;
  return p;
}

/// A run of 100 us beside another code that takes `other` us.
std::vector<Row> against(double other) {
  return {row("ivp", "chemakzo", "daedalus", "auto", 8, 100),
          row("ivp", "chemakzo", "radau5", "dense", 8, other)};
}

TEST(BenchFloor, RowsBelowTwiceTheSpeedFallShort) {
  EXPECT_TRUE(shortfalls(against(201)).empty());
  const std::vector<Shortfall> list = shortfalls(against(150));
  ASSERT_EQ(list.size(), 3u) << "4, 6 and 8 digits";
  EXPECT_EQ(list[0].target_us(), 75);
  EXPECT_EQ(list[0].verdict(), "no profile");
  std::vector<Row> rows = against(150);
  for (Row& r : rows) r.suite = "sparse";
  EXPECT_TRUE(shortfalls(rows).empty()) << "asked for otherwise";
  rows = against(150);
  rows[0].status = "failed";
  ASSERT_EQ(shortfalls(rows).size(), 3u);
  EXPECT_EQ(shortfalls(rows)[0].verdict(), "the digits are not reached");
}

TEST(BenchFloor, SaysWhetherTheTargetCanBeMet) {
  std::vector<Row> rows = against(150);
  // Timed while the machine was half as fast: shares are what counts.
  rows[0].profile = profile(200, 20, 100, 60);
  EXPECT_EQ(shortfalls(rows)[0].floor_us(), 80);
  EXPECT_TRUE(shortfalls(rows)[0].verdict().starts_with("out of reach with so many steps"));
  rows[0].profile = profile(200, 60, 60, 40);
  EXPECT_TRUE(shortfalls(rows)[0].verdict().starts_with("out of reach with this start"));
  rows[0].profile = profile(200, 20, 60, 40);  // 50 + 10 us, and 40 us of all else
  EXPECT_TRUE(shortfalls(rows)[0].verdict().ends_with("all else would have to take 15 us, not 40"));
}

TEST(BenchFloor, IsKeptInFilesAndToldOnPages) {
  std::vector<Row> rows = against(150);
  rows[0].profile = profile(200, 20, 60, 40);
  rows[0].profile->factor_us = 0.125, rows[0].pass_us = {100, 120};
  std::vector<Row> again;
  Circumstances how;
  read_json_table(json_table(rows, circumstances()), again, how);
  ASSERT_TRUE(again[0].profile);
  EXPECT_FALSE(again[1].profile);
  EXPECT_EQ(again[0].profile->floor_us(), 100);
  EXPECT_EQ(again[0].profile->rest_us(), 80);
  EXPECT_EQ(again[0].profile->factor_us, 0.125);
  EXPECT_EQ(again[0].pass_us, rows[0].pass_us);
  const program::Folder folder;
  const std::string page = program::text_of(write_docs(again, how, folder.path())[0]);
  for (const char* part : {"## Rows that fall short", "all else would have to take 15 us, not 40",
                           "| 125 |", "| 30 % | 20 % | 10 % | 40 % |"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_NE(html_page(rows, how).find("Rows that fall short"), std::string::npos);
  EXPECT_NE(text_summary(rows).find("functions 30 %, linear algebra 20 %, start 10 %"),
            std::string::npos);
}

/// The counts of the run itself, and its profile.
void expect_profile(const std::string& suite, const std::string& name, bool on_manifold) {
  SCOPED_TRACE(name);
  const reproduce::TestProblem problem = find_problem(suite, name).make();
  const Stated run = stated_as_functions(problem, "auto", 1e-6, {});
  const auto p = profile_of(run.problem, run.options);
  ASSERT_TRUE(p);
  const Statistics n = solve(run.problem, run.options).statistics;
  EXPECT_EQ(p->on_manifold, on_manifold);
  EXPECT_EQ(p->projections, on_manifold ? n.steps : 0);
  EXPECT_EQ(p->jacobian_us > 0, !on_manifold);
  EXPECT_EQ(p->solve_us > 0, !on_manifold);
  EXPECT_GT(p->f_us, 0);
  const double calls_of_f = static_cast<double>(n.rhs);
  const double jacobians = static_cast<double>(n.jacobians);
  // Sums in another order: rounding.
  EXPECT_NEAR(p->functions_us, calls_of_f * p->f_us + jacobians * p->jacobian_us,
              1e-9 * p->functions_us);
  // Timed beside each other, and the run does more than its kernels do.
  EXPECT_LT(p->floor_us(), p->run_us);
  EXPECT_LT(p->start_us, p->run_us);
}

TEST(BenchProfile, IsMadeOfTheKernelsOfTheMethodThatAutoTakes) {
  expect_profile("ivp", "chemakzo", false);
  expect_profile("circuits", "ring_modulator_slow", false);  // too many unknowns for registers
  expect_profile("mechanics", "caraxis", true);
  expect_profile("ivp", "pendulum_index3", true);  // recorded functions
}

TEST(BenchProfile, WeighsFactorsByTheNumberOfStagesOfEachStep) {
  const reproduce::TestProblem problem = find_problem("ivp", "robertson_4e10").make();
  Stated run = stated_as_functions(problem, "radau", 1e-8, {});
  const auto all = profile_of(run.problem, run.options);
  run.options.max_stages = 3;
  const auto three = profile_of(run.problem, run.options);
  ASSERT_TRUE(all && three);
  EXPECT_GT(all->solve_us, three->solve_us) << "five and seven stages have more matrices";
}

}  // namespace
}  // namespace daedalus::bench
