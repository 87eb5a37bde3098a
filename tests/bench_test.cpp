// What a benchmark run makes of its rows, and of other codes that crash. No clocks.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/suite/peer_runs.h"
#include "bench/suite/suites.h"
#include "bench/suite/tables.h"
#include "daedalus/error.h"
#include "program.h"

namespace daedalus::bench {
namespace {

Row row(const std::string& solver, const std::string& method, double rtol, double digits, double us,
        double start_us = 0) {
  Row r;
  r.suite = "ivp", r.problem = "chemakzo", r.solver = solver, r.method = method;
  r.rtol = r.atol = rtol, r.digits = digits, r.cpu_us = us, r.start_us = start_us;
  r.status = "success";
  return r;
}

std::vector<Row> example() {
  std::vector<Row> rows = {
      row("daedalus", "auto", 1e-4, 5, 100, 50), row("daedalus", "auto", 1e-6, 7, 400, 50),
      row("radau5", "dense", 1e-6, 7, 800), row("radau5", "dense", 1e-4, 3, 200),
      row("daspk", "dense", 1e-4, 4.5, 300)};
  rows.push_back(row("daspk", "dense", 1e-6, unknown, 10));
  rows.back().status = "crashed";
  return rows;
}

TEST(BenchRatios, TimesAreInterpolatedInDigitsAndLogTime) {
  const std::vector<Series> list = series_of(example());
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].time_for(4), 100) << "the crudest run has more digits than asked";
  EXPECT_NEAR(list[0].time_for(6), 200, 1e-9) << "half way between 100 and 400";
  EXPECT_NEAR(list[0].time_for(6, Time::steps_only), std::sqrt(50.0 * 350), 1e-9);
  EXPECT_TRUE(std::isnan(list[0].time_for(8)));
  EXPECT_NEAR(list[1].time_for(5), 400, 1e-9) << "rows may come in any order";
  EXPECT_TRUE(std::isnan(list[2].time_for(6))) << "a crash reaches nothing";
}

TEST(BenchRatios, TheBestOtherCodeIsCompared) {
  const std::vector<Comparison> list = compare(example());
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].best_peer, "radau5");
  EXPECT_NEAR(list[0].ratio(), std::sqrt(2.0) * 200 / 100, 1e-9);  // radau5 at 4 digits: 283 us
  EXPECT_NEAR(list[1].ratio(), 200 * std::pow(4, 0.75) / 200, 1e-9);
  EXPECT_TRUE(std::isnan(list[2].ratio()));
  EXPECT_NEAR(geometric_mean({2, 8, unknown}), 4, 1e-12);
  EXPECT_NEAR(mean_ratio(example(), "daspk", 4, Time::whole_call), 3, 1e-12);
}

TEST(BenchRatios, AreMediansOverPassesInWhichAllCodesWereSlowAlike) {
  std::vector<Row> rows = {row("daedalus", "auto", 1e-4, 5, 100),
                           row("radau5", "dense", 1e-4, 5, 300)};
  rows[0].pass_us = {100, 200, 110}, rows[1].pass_us = {300, 640, 440};
  EXPECT_NEAR(compare(rows)[0].ratio(), 3.2, 1e-12) << "of 3, 3.2 and 4";
  EXPECT_EQ(compare(rows)[0].own_us, 100) << "times are still the shortest";
  EXPECT_NEAR(mean_ratio(rows, "radau5", 4, Time::whole_call), 3.2, 1e-12);
  rows[0].pass_us.push_back(100);
  EXPECT_NEAR(compare(rows)[0].ratio(), 3.1, 1e-12)
      << "the other was not run again: its shortest time counts";
  rows.pop_back();
  EXPECT_TRUE(compare(rows).empty()) << "nobody to be compared with";
}

TEST(BenchRatios, ChoicesCompareAutoWithTheBestSingleMethod) {
  std::vector<Row> rows = example();
  EXPECT_TRUE(choices(rows).empty()) << "auto alone has nothing to be compared with";
  rows[0].choice = "radau: no motion";
  rows.push_back(row("daedalus", "bdf", 1e-4, 4, 80));
  rows.push_back(row("daedalus", "rodas_4", 1e-4, 4.2, 160));
  const std::vector<Choice> list = choices(rows);
  ASSERT_EQ(list.size(), 1u) << "nobody else reaches 6 digits";
  EXPECT_EQ(list[0].chosen, "radau");
  EXPECT_EQ(list[0].best, "bdf");
  EXPECT_NEAR(list[0].ratio(), 100.0 / 80, 1e-12);
}

TEST(BenchRatios, FailuresAreRunsThatEndOrErrTooMuch) {
  std::vector<Row> rows = {row("daedalus", "auto", 1e-4, 2.6, 1),    // 2.5e-3: 25 rtol
                           row("daedalus", "auto", 1e-5, 3.4, 1),    // 4e-4: 40 rtol
                           row("daedalus", "auto", 1e-12, 9.0, 1)};  // all that is known
  rows.back().reference_digits = 9;
  rows.push_back(row("daedalus", "auto", 1e-6, unknown, 1));
  rows.back().status = "failed";
  rows.push_back(row("ida", "dense", 1e-6, 1, 1));
  const std::vector<Row> list = failures(rows);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].rtol, 1e-5);
  EXPECT_EQ(list[1].rtol, 1e-6);
}

TEST(BenchTables, CsvAndJsonHoldEveryRow) {
  const auto lines = program::lines(csv_table(example()));
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0],
            "suite,problem,solver,method,rtol,atol,digits,digits_algebraic,cpu_us,steps,rejected,"
            "rhs,jacobians,factorizations,solves,status,first_us");
  EXPECT_EQ(lines[1], "ivp,chemakzo,daedalus,auto,0.0001,0.0001,5.00,,100.00,0,0,0,0,0,0,success,");
  const auto json = nlohmann::json::parse(json_table(example(), circumstances()));
  EXPECT_EQ(json["runs"].size(), 6u);
  EXPECT_TRUE(json["runs"][5]["digits"].is_null());
  EXPECT_EQ(json["comparisons"][0]["best_peer"], "radau5");
  std::vector<Row> again;
  Circumstances how;
  read_json_table(json_table(example(), circumstances()), again, how);
  EXPECT_EQ(csv_table(again), csv_table(example()));
  EXPECT_FALSE(again[0].profile);
  EXPECT_EQ(how.machine, circumstances().machine);
  EXPECT_THROW(read_json_table("{}", again, how), InvalidInput);
}

TEST(BenchTables, PagesTellWhatIsLostAndWhatFailed) {
  std::vector<Row> rows = example();
  rows[2].cpu_us = 100, rows[3].cpu_us = 20;  // radau5 wins
  rows.push_back(row("daedalus", "auto", 1e-6, unknown, 10));
  rows.back().status = "failed", rows.back().message = "the steps became too small";
  const std::string html = html_page(rows, circumstances());
  EXPECT_NE(html.find("Rows that are lost"), std::string::npos);
  EXPECT_NE(html.find("1e-06: failed, the steps became too small"), std::string::npos);
  EXPECT_NE(html.find("<svg"), std::string::npos);
  const program::Folder folder;
  const auto written = write_docs(rows, circumstances(), folder.path());
  ASSERT_EQ(written.size(), 2u);
  const std::string page = program::text_of(written[0]);
  EXPECT_NE(page.find("![time against digits](figures/bench-ivp.svg)"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(written[1]));
}

/// A program in place of daedalus-peer.
std::string script(const program::Folder& folder, const std::string& body) {
  const std::string path = folder.write("peer", "#!/bin/sh\n" + body);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(PeerRuns, ACrashIsARow) {
  const program::Folder folder;
  const reproduce::TestProblem problem = find_problem("ivp", "vdpol_limit").make();
  const std::string good =
      R"(echo "rubbish"; echo '{"method":"dense","succeeded":true,"message":"","cpu_us":12.5,)"
      R"("steps":3,"rejected":0,"rhs":9,"jacobians":1,"factorizations":2,"solves":4,)"
      R"("values":[1.0,null]}'; )";
  const auto run = [&](const std::string& body) {
    return run_peer(script(folder, body), "ivp", problem, "vdpol_limit", "radau5", 1e-6, {});
  };
  std::vector<Row> rows = run(good + "kill -SEGV $$");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].succeeded());
  EXPECT_EQ(rows[0].cpu_us, 12.5);
  EXPECT_EQ(rows[0].rhs, 9);
  EXPECT_EQ(rows[0].digits_algebraic, -std::numeric_limits<double>::infinity()) << "NaN came back";
  EXPECT_EQ(rows[1].status, "crashed");
  rows = run("kill -XCPU $$");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status, "time_limit");
  EXPECT_TRUE(run("exit 0").empty()) << "not installed";
}

TEST(PeerRuns, EveryKindOfSystemIsSolved) {
  const std::string program = peer_program();
  if (program.empty()) return;  // ./test builds it; sanitizers look at what is ours
  // F(t, y, y') = 0; index 1 or 3; a model, dense and in a band.
  for (const auto& [suite, name] : {std::pair("ivp", "kvaerno_index1"),
                                    {"ivp", "heat2d_10"},
                                    {"mechanics", "four_bar"},
                                    {"circuits", "diode_bridge"}}) {
    const reproduce::TestProblem problem = find_problem(suite, name).make();
    for (const std::string& solver : peer_names())
      for (const Row& row : run_peer(program, suite, problem, name, solver, 1e-6, {.seconds = 0})) {
        EXPECT_TRUE(row.succeeded()) << name << ", " << solver << ": " << row.message;
        EXPECT_GT(row.digits, 3) << name << ", " << solver;
      }
  }
}

}  // namespace
}  // namespace daedalus::bench
