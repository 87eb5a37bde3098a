// The HTML page and the page of the docs: the same sections in two markups.
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "bench/suite/growth.h"
#include "bench/suite/markup.h"
#include "bench/suite/sections.h"
#include "bench/suite/suites.h"
#include "bench/suite/tables.h"
#include "io/atomic_file.h"
#include "reproduce/testset.h"

namespace daedalus::bench {
namespace {

std::string percent(double part) {
  return number(100 * part, "{:.0f} %");
}

void comparison_section(Page& page, const std::vector<Comparison>& list, const std::string& suite) {
  std::vector<Cells> rows;
  for (std::size_t k = 0; k + 2 < list.size() + 0; k += 3) {
    if (list[k].suite != suite) continue;
    Cells row = {list[k].problem};
    for (std::size_t d = k; d < k + 3; ++d) {
      const Comparison& c = list[d];
      row.push_back(number(c.own_us));
      row.push_back(
          std::isfinite(c.peer_us) ? fmt::format("{} ({})", number(c.peer_us), c.best_peer) : "-");
      row.push_back(
          fmt::format("{} ({})", number(c.ratio(), "{:.2f}"), number(c.steps_ratio(), "{:.2f}")));
    }
    rows.push_back(row);
  }
  if (rows.empty()) return;
  Cells means = {"geometric mean"};
  for (const double digits : compared_digits) {
    std::vector<double> whole, steps;
    for (const Comparison& c : list)
      if (c.suite == suite && c.digits == digits)
        whole.push_back(c.ratio()), steps.push_back(c.steps_ratio());
    means.insert(means.end(), {"", "",
                               fmt::format("{} ({})", number(geometric_mean(whole), "{:.2f}"),
                                           number(geometric_mean(steps), "{:.2f}"))});
  }
  rows.push_back(means);
  page.table({"problem", "4 digits, us", "best other", "ratio", "6 digits, us", "best other",
              "ratio", "8 digits, us", "best other", "ratio"},
             rows);
}

/// Times for 4, 6 and 8 digits; six digits also in the unit in which COLDAE's times are known.
void boundary_section(Page& page, const std::vector<Row>& all) {
  const double unit = unit_us(all);
  const std::vector<reproduce::BoundaryTestProblem> problems = reproduce::boundary_test_problems();
  std::vector<Cells> rows;
  for (const Series& s : series_of(all)) {
    if (s.suite != "bvp" || s.problem == unit_problem) continue;
    double coldae = unknown;
    for (const auto& problem : problems)
      if (problem.name == s.problem) coldae = problem.coldae;
    rows.push_back({s.problem, s.label(), number(s.time_for(4)), number(s.time_for(6)),
                    number(s.time_for(8)), number(s.time_for(6) / unit, "{:.2f}"),
                    number(s.time_for(6, Time::first_call) / unit, "{:.2f}"), number(coldae)});
  }
  page.paragraph(fmt::format(
      "Digits at 101 points. The unit is RADAU5's time for Robertson's problem (to t = 4e10) at "
      "six "
      "digits, {} us in this run; the last column is what COLDAE with its best number of "
      "collocation points needed in that unit on another occasion.",
      number(unit)));
  page.table({"problem", "code", "4 digits, us", "6 digits, us", "8 digits, us", "6 digits, units",
              "first run, units", "COLDAE"},
             rows);
}

void choices_section(Page& page, const std::vector<Row>& all) {
  std::vector<Cells> rows;
  std::vector<double> ratios;
  for (const Choice& c : choices(all)) {
    if (c.suite == "bvp") continue;
    ratios.push_back(c.ratio());
    rows.push_back({c.suite, c.problem, number(c.digits), c.chosen, number(c.auto_us), c.best,
                    number(c.best_us), number(c.ratio(), "{:.2f}")});
  }
  if (rows.empty()) return;
  rows.push_back(
      {"geometric mean", "", "", "", "", "", "", number(geometric_mean(ratios), "{:.2f}")});
  page.heading(2, "What auto chooses");
  page.paragraph(
      "The time of `auto` over that of the best single method of Daedalus for the same digits: 1 "
      "is "
      "as good as to know that method beforehand.");
  page.table({"suite", "problem", "digits", "auto took", "us", "best method", "us", "auto / best"},
             rows);
}

void means_section(Page& page, const std::vector<Row>& all) {
  std::vector<Cells> rows;
  for (const char* solver : {"radau5", "ida", "daspk"}) {
    Cells row = {solver};
    for (const double digits : compared_digits)
      row.push_back(fmt::format(
          "{} ({})", number(mean_ratio(all, solver, digits, Time::whole_call), "{:.2f}"),
          number(mean_ratio(all, solver, digits, Time::steps_only), "{:.2f}")));
    if (row[1] + row[2] + row[3] != "- (-)- (-)- (-)") rows.push_back(row);
  }
  if (rows.empty()) return;
  page.heading(2, "Against each code");
  page.paragraph(
      "Geometric means over all problems where both reach the digits: how many times faster `auto` "
      "is; in brackets its steps alone.");
  page.table({"code", "4 digits", "6 digits", "8 digits"}, rows);
}

/// Why a row is lost, as far as its counts tell.
std::string reason_of(const Comparison& c, const Series& own) {
  const Row* near = nullptr;
  for (const Row& row : own.rows)
    if (row.succeeded() &&
        (!near || std::abs(row.digits - c.digits) < std::abs(near->digits - c.digits)))
      near = &row;
  if (!near || !std::isfinite(c.own_us)) return "digits not reached";
  std::string reason;
  if (near->start_us > 0.3 * near->cpu_us)
    reason += fmt::format("{} of the time goes before the first step; ",
                          percent(near->start_us / near->cpu_us));
  const double step =
      (near->cpu_us - near->start_us) / static_cast<double>(std::max<std::int64_t>(near->steps, 1));
  reason += fmt::format("{} steps of {:.3g} us", near->steps, step);
  return reason;
}

void losses_section(Page& page, const std::vector<Row>& all, const std::vector<Comparison>& list) {
  const std::vector<Series> series = series_of(all);
  std::vector<Cells> rows;
  for (const Comparison& c : list) {
    if (!std::isfinite(c.peer_us) || c.ratio() >= 1) continue;
    for (const Series& s : series)
      if (s.suite == c.suite && s.problem == c.problem && s.solver == "daedalus" &&
          s.method == "auto")
        rows.push_back({c.suite, c.problem, number(c.digits), c.best_peer,
                        number(c.ratio(), "{:.2f}"), reason_of(c, s)});
  }
  if (rows.empty()) return;
  page.heading(2, "Rows that are lost");
  page.paragraph("Where another code needs less time, and what the counts say about it.");
  page.table({"suite", "problem", "digits", "faster", "ratio", "counts"}, rows);
}

/// Where finding out about the equations takes a good part of the first run.
void first_runs_section(Page& page, const std::vector<Row>& all) {
  constexpr double rtol = 1e-6, noticeable = 1.2;
  std::vector<Cells> rows;
  for (const Row& r : all)
    if (r.is_own() && r.method == "auto" && r.rtol == rtol && r.first_us > noticeable * r.cpu_us)
      rows.push_back({r.suite, r.problem, r.solver, number(r.first_us), number(r.cpu_us),
                      number(r.first_us / r.cpu_us, "{:.1f}")});
  if (rows.empty()) return;
  page.heading(2, "First runs");
  page.paragraph(
      "What the first run of a problem takes, at rtol = 1e-6, where that is more than a fifth "
      "longer.");
  page.table({"suite", "problem", "code", "first, us", "again, us", "ratio"}, rows);
}

/// What failed, without where to look and what to try.
std::string shortened(const std::string& message) {
  return message.substr(0, message.find(';'));
}

void failures_section(Page& page, const std::vector<Row>& all) {
  std::vector<Cells> rows;
  std::size_t own = 0, count = 0;
  for (const Row& r : all) own += r.is_own() && r.method == "auto" ? 1 : 0;
  for (const Series& s : series_of(failures(all))) {
    std::string what;
    for (const Row& r : s.rows) {
      const std::string outcome = r.succeeded()
                                      ? fmt::format("error {:.3g} rtol", error_per_tolerance(r))
                                      : r.status + ", " + shortened(r.message);
      what += fmt::format("{}{:.0e}: {}", what.empty() ? "" : "; ", r.rtol, outcome);
    }
    count += s.rows.size();
    rows.push_back({s.suite, s.problem, s.label(), what});
  }
  page.heading(2, "Failures");
  page.paragraph(fmt::format(
      "Of {} runs of Daedalus with method `auto` {} failed or had an error above 30 rtol at the "
      "end.",
      own, count));
  if (!rows.empty()) page.table({"suite", "problem", "code", "tolerances and what happened"}, rows);
}

void runs_section(Page& page, const std::vector<Row>& all, const std::string& suite) {
  std::vector<Cells> rows;
  for (const Row& r : all)
    if (r.suite == suite)
      rows.push_back({r.problem, r.solver, r.method, fmt::format("{:.0e}", r.rtol),
                      number(r.digits, "{:.2f}"), number(r.digits_algebraic, "{:.2f}"),
                      number(r.cpu_us), number(r.start_us), number(r.first_us),
                      std::to_string(r.steps), std::to_string(r.rejected), std::to_string(r.rhs),
                      std::to_string(r.jacobians), std::to_string(r.factorizations),
                      std::to_string(r.solves), r.status});
  page.table(
      {"problem", "solver", "method", "rtol", "digits", "algebraic", "CPU us", "start us",
       "first us", "steps", "rejected", "rhs", "Jacobians", "factorizations", "solves", "status"},
      rows);
}

void growth_section(Page& page, const std::vector<Row>& all, const std::string& suite) {
  std::vector<Cells> rows;
  for (const Growth& g : growth(all))
    if (g.suite == suite)
      rows.push_back({g.family, g.solver, g.method, fmt::format("{:.0e}", g.rtol),
                      fmt::format("{} to {}", g.smallest, g.largest),
                      number(g.exponent, "{:.2f}")});
  if (rows.empty()) return;
  page.paragraph("Growth of time with the number of unknowns, as the exponent of a power.");
  page.table({"family", "solver", "method", "rtol", "unknowns", "exponent"}, rows);
}

void write(Page& page, const std::vector<Row>& rows, const Circumstances& how) {
  page.heading(1, "Benchmarks");
  page.paragraph(fmt::format(
      "Made by `{}`, Daedalus {}, on {} ({}), load {:.1f}; passes: {}. Times are the shortest of "
      "all repeats in all passes, of a problem that remembers what earlier runs found out about "
      "its equations (below: first runs); ratios are medians over the passes, each of the shortest "
      "times of one pass. All codes took turns in one run, other codes in processes of their own "
      "with exact Jacobians. Differences below a factor of 1.3 mean nothing on a shared machine; "
      "counts are exact.",
      how.command, how.version, how.machine, how.compiler, how.load, how.passes));
  page.paragraph(
      "Digits: -log10 of the largest |y - reference| / (atol/rtol + |reference|) at the end, "
      "differential variables (mechanisms: positions and velocities; Andrews and Fekete: "
      "positions). "
      "Times for a number of digits are interpolated between tolerances, linearly in digits and "
      "the logarithm of time, where the digits are first reached. Ratio: time of the best other "
      "code "
      "over that of Daedalus with method `auto`, above 1 Daedalus is faster; in brackets the ratio "
      "without what happens before the first step (analysis of the equations, a consistent "
      "start).");
  const std::vector<Comparison> list = compare(rows);
  for (const std::string& suite : suites_in(rows)) {
    page.heading(2, find_suite(suite).title);
    comparison_section(page, list, suite);
    if (suite == "bvp") boundary_section(page, rows);
    if (suite == "mechanics") mechanics_section(page, rows);
    growth_section(page, rows, suite);
    page.figure("bench-" + suite, plots(rows, suite));
    if (page.wants_every_run()) runs_section(page, rows, suite);
  }
  choices_section(page, rows);
  means_section(page, rows);
  all_codes_section(page, rows);
  losses_section(page, rows, list);
  shortfalls_section(page, rows);
  first_runs_section(page, rows);
  failures_section(page, rows);
}

}  // namespace

std::string html_page(const std::vector<Row>& rows, const Circumstances& how) {
  Html page;
  write(page, rows, how);
  return page.text();
}

std::vector<std::string> write_docs(const std::vector<Row>& rows, const Circumstances& how,
                                    const std::string& folder) {
  std::filesystem::create_directories(folder + "/figures");
  Markdown page(folder);
  write(page, rows, how);
  const std::string path = folder + "/benchmarks.md";
  AtomicFile file(path);
  file.stream() << page.text();
  file.commit();
  std::vector<std::string> written = page.figures();
  written.insert(written.begin(), path);
  return written;
}

}  // namespace daedalus::bench
