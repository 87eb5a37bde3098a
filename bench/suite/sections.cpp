#include "bench/suite/sections.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/suite/shortfalls.h"
#include "bench/suite/tables.h"
#include "bench/suite/targets.h"

namespace daedalus::bench {
namespace {

/// Nanoseconds of one call; nothing where the run has no such kernel.
std::string hot(double us) {
  return us > 0 ? number(1000 * us) : "";
}

void profiles(Page& page, const std::vector<Row>& rows) {
  std::vector<Cells> cells;
  for (const Row& r : profiled_runs(rows)) {
    const Profile& p = *r.profile;
    const auto part = [&](double us) { return number(100 * us / p.run_us, "{:.0f} %"); };
    cells.push_back({r.suite,
                     r.problem,
                     fmt::format("{:.0e}", r.rtol),
                     std::to_string(p.unknowns),
                     p.on_manifold ? "slope" : "f",
                     number(p.run_us),
                     number(p.start_us),
                     fmt::format("{} ({})", r.steps, r.rejected),
                     std::to_string(r.rhs),
                     hot(p.f_us),
                     p.on_manifold ? "" : std::to_string(r.jacobians),
                     hot(p.jacobian_us),
                     p.on_manifold ? "" : std::to_string(r.factorizations),
                     hot(p.factor_us),
                     std::to_string(p.on_manifold ? p.projections : r.solves),
                     hot(p.on_manifold ? p.projection_us : p.solve_us),
                     number(p.floor_us()),
                     part(p.functions_us),
                     part(p.linear_us),
                     part(p.start_us),
                     part(p.rest_us())});
  }
  if (cells.empty()) return;
  page.paragraph(
      "Where the time of these runs goes. Each kernel was timed in a loop, with the functions and "
      "matrices of a point of the run, and taking turns with the run itself; ns: of one call. f: "
      "one evaluation of the equations, a Jacobian, one factorization of all matrices of a step "
      "and one solution with all of them (the mean over numbers of stages; with few unknowns the "
      "whole correction of an iteration is one kernel). Explicit steps on constraints have slopes, "
      "which contain their multipliers, and projections of ends of steps instead (in the columns "
      "of solves). Floor: counts times kernels. Shares of the run: functions (f and Jacobians, or "
      "slopes), linear algebra (the other kernels), what happens before the first step, and "
      "everything else.");
  page.table({"suite",          "problem",   "rtol",           "unknowns",
              "equations",      "run, us",   "start, us",      "steps (rejected)",
              "calls of f",     "ns",        "Jacobians",      "ns",
              "factorizations", "ns",        "solves",         "ns",
              "floor, us",      "functions", "linear algebra", "start",
              "all else"},
             cells);
}

}  // namespace

void shortfalls_section(Page& page, const std::vector<Row>& rows) {
  std::vector<Cells> cells;
  int out_of_reach = 0;
  for (const Shortfall& s : shortfalls(rows)) {
    out_of_reach += s.floor_us() > s.target_us() ? 1 : 0;
    cells.push_back({s.row.suite, s.row.problem, number(s.row.digits), number(s.row.own_us),
                     fmt::format("{} ({})", number(s.row.peer_us), s.row.best_peer),
                     number(s.row.ratio(), "{:.2f}"), number(s.target_us()), number(s.floor_us()),
                     number(s.start_us()), s.verdict()});
  }
  if (!cells.empty()) {
    page.heading(2, "Rows that fall short");
    page.paragraph(fmt::format(
        "Asked is a ratio of {:.0f} to every other code in the suites ivp, mechanics and circuits. "
        "These {} rows have less, {} of them with kernels that take longer than the target: there "
        "no better arrangement of the same steps would do, only fewer steps or evaluations. "
        "Target: the best other's time over {:.0f}. Floor: the share that the kernels have in the "
        "steps of the run below, at the tolerance that first gives the digits. Start: before the "
        "first step.",
        asked_ratio, cells.size(), out_of_reach, asked_ratio));
    page.table({"suite", "problem", "digits", "us", "best other", "ratio", "target, us",
                "floor, us", "start, us", "what the floor says"},
               cells);
  } else if (!profiled_runs(rows).empty()) {
    page.heading(2, "Where the time goes");
  }
  profiles(page, rows);
}

void all_codes_section(Page& page, const std::vector<Row>& rows) {
  std::vector<Cells> cells;
  for (const AgainstAll& a : against_all(rows))
    cells.push_back({a.suite, a.problem, number(a.digits), a.code + (a.in_units ? " (units)" : ""),
                     number(a.best_us), number(a.own_us), number(a.ratio, "{:.2f}"),
                     number(a.asked)});
  if (cells.empty()) return;
  page.heading(2, "Beside the best of all codes");
  page.paragraph(
      "IDA, RADAU5, RADAU, RODAS, SEULEX, DASPK, MEBDFI, GAMD, BIMD, PSIDE and variants of them "
      "were compared on another occasion. The time of the best of them is estimated here: its "
      "ratio to RADAU5 then, times RADAU5's time in this run. Where RADAU5 did not reach the "
      "digits then, its time for Robertson's problem at six digits is the unit. Asked: of stiff "
      "problems.");
  page.table({"suite", "problem", "digits", "best of all", "estimated, us", "us", "ratio", "asked"},
             cells);
}

void mechanics_section(Page& page, const std::vector<Row>& rows) {
  std::vector<Cells> cells;
  for (const AgainstRadau5& a : against_radau5(rows)) {
    Cells line = {a.problem, a.structure};
    for (const AgainstRadau5::Digits& at : a.at) {
      line.push_back(number(at.own_us));
      line.push_back(number(at.study_us));
      line.push_back(!std::isfinite(at.radau5_us)
                         ? "not reached"
                         : fmt::format("{} ({})", number(at.ratio_without_options, "{:.2f}"),
                                       number(at.ratio, "{:.2f}")));
    }
    line.push_back(number(a.asked));
    cells.push_back(line);
  }
  if (cells.empty()) return;
  page.paragraph(
      "Beside RADAU5 as it comes, in brackets with the better of its options (second order "
      "systems, m1), and beside what a study of these mechanisms found attainable, with matrices "
      "of this structure: its times are told in those of this machine by RADAU5's for Robertson's "
      "problem at six digits then and now, and its ratios, which are asked, are those to RADAU5 as "
      "it comes. Not reached: RADAU5 does not give these digits at any tolerance of this run.");
  page.table(
      {"problem", "structure", "4 digits, us", "study", "ratio to RADAU5", "6 digits, us", "study",
       "ratio to RADAU5", "8 digits, us", "study", "ratio to RADAU5", "asked ratio"},
      cells);
}

}  // namespace daedalus::bench
