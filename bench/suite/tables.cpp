#include "bench/suite/tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/growth.h"
#include "bench/suite/shortfalls.h"
#include "daedalus/error.h"
#include "daedalus/version.h"
#include "io/csv_text.h"

namespace daedalus::bench {
namespace {

std::string machine() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown machine";
}

nlohmann::json maybe(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json told(const Profile& p) {
  return {{"unknowns", p.unknowns},
          {"on_manifold", p.on_manifold},
          {"run_us", maybe(p.run_us)},
          {"start_us", maybe(p.start_us)},
          {"f_us", p.f_us},
          {"jacobian_us", p.jacobian_us},
          {"factor_us", p.factor_us},
          {"solve_us", p.solve_us},
          {"projection_us", p.projection_us},
          {"projections", p.projections},
          {"functions_us", p.functions_us},
          {"linear_us", p.linear_us}};
}

double number_or_unknown(const nlohmann::json& entry) {
  return entry.is_null() ? unknown : entry.get<double>();
}

Profile profile_from(const nlohmann::json& entry) {
  Profile p;
  p.unknowns = entry.at("unknowns"), p.on_manifold = entry.at("on_manifold");
  p.run_us = number_or_unknown(entry.at("run_us"));
  p.start_us = number_or_unknown(entry.at("start_us"));
  p.f_us = entry.at("f_us"), p.jacobian_us = entry.at("jacobian_us");
  p.factor_us = entry.at("factor_us"), p.solve_us = entry.at("solve_us");
  p.projection_us = entry.at("projection_us"), p.projections = entry.at("projections");
  p.functions_us = entry.at("functions_us"), p.linear_us = entry.at("linear_us");
  return p;
}

/// Passes of two files were not made side by side, so only those of one are compared with others.
void add(std::vector<Row>& rows, Row row) {
  const auto known =
      std::find_if(rows.begin(), rows.end(), [&](const Row& other) { return other.repeats(row); });
  if (known == rows.end())
    rows.push_back(std::move(row));
  else if (row.pass_us.size() > known->pass_us.size())
    *known = std::move(row);
}

}  // namespace

Circumstances circumstances() {
  Circumstances how;
  how.machine = machine();
  how.compiler = fmt::format("g++ {}", __VERSION__);
  how.version = version();
  double load[1] = {0};
  if (getloadavg(load, 1) == 1) how.load = load[0];
  return how;
}

std::string number(double value) {
  return number(value, std::abs(value) < 1000 ? "{:.3g}" : "{:.0f}");
}

std::string number(double value, const char* format) {
  return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::vector<std::string> suites_in(const std::vector<Row>& rows) {
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (std::find(names.begin(), names.end(), row.suite) == names.end()) names.push_back(row.suite);
  return names;
}

std::string csv_table(const std::vector<Row>& rows) {
  std::string text =
      "suite,problem,solver,method,rtol,atol,digits,digits_algebraic,cpu_us,steps,rejected,rhs,"
      "jacobians,factorizations,solves,status,first_us\n";
  const auto cell = [](double value, const char* format) {
    return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "";
  };
  for (const Row& r : rows)
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", r.suite, r.problem,
                        r.solver, csv_text(r.method), r.rtol, r.atol, cell(r.digits, "{:.2f}"),
                        cell(r.digits_algebraic, "{:.2f}"), cell(r.cpu_us, "{:.2f}"), r.steps,
                        r.rejected, r.rhs, r.jacobians, r.factorizations, r.solves, r.status,
                        cell(r.first_us, "{:.2f}"));
  return text;
}

std::string json_table(const std::vector<Row>& rows, const Circumstances& how) {
  nlohmann::json all = {{"machine", how.machine},
                        {"compiler", how.compiler},
                        {"version", how.version},
                        {"command", how.command},
                        {"passes", how.passes},
                        {"load", how.load},
                        {"runs", nlohmann::json::array()},
                        {"comparisons", nlohmann::json::array()},
                        {"growth", nlohmann::json::array()}};
  for (const Growth& g : growth(rows))
    all["growth"].push_back({{"suite", g.suite},
                             {"family", g.family},
                             {"solver", g.solver},
                             {"method", g.method},
                             {"rtol", g.rtol},
                             {"smallest", g.smallest},
                             {"largest", g.largest},
                             {"exponent", maybe(g.exponent)}});
  for (const Row& r : rows) {
    all["runs"].push_back({{"suite", r.suite},
                           {"problem", r.problem},
                           {"solver", r.solver},
                           {"method", r.method},
                           {"rtol", r.rtol},
                           {"atol", r.atol},
                           {"reference_digits", r.reference_digits},
                           {"digits", maybe(r.digits)},
                           {"digits_algebraic", maybe(r.digits_algebraic)},
                           {"cpu_us", maybe(r.cpu_us)},
                           {"start_us", maybe(r.start_us)},
                           {"first_us", maybe(r.first_us)},
                           {"pass_us", r.pass_us},
                           {"steps", r.steps},
                           {"rejected", r.rejected},
                           {"rhs", r.rhs},
                           {"jacobians", r.jacobians},
                           {"factorizations", r.factorizations},
                           {"solves", r.solves},
                           {"status", r.status},
                           {"message", r.message},
                           {"choice", r.choice}});
    if (r.profile) all["runs"].back()["profile"] = told(*r.profile);
  }
  for (const Comparison& c : compare(rows))
    all["comparisons"].push_back({{"suite", c.suite},
                                  {"problem", c.problem},
                                  {"digits", c.digits},
                                  {"own_us", maybe(c.own_us)},
                                  {"own_steps_us", maybe(c.own_steps_us)},
                                  {"text_us", maybe(c.text_us)},
                                  {"best_peer", c.best_peer},
                                  {"peer_us", maybe(c.peer_us)},
                                  {"ratio", maybe(c.ratio())},
                                  {"steps_ratio", maybe(c.steps_ratio())}});
  return all.dump(1) + "\n";
}

void read_json_table(const std::string& text, std::vector<Row>& rows, Circumstances& how) {
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    how = {all.at("machine"),
           all.at("compiler"),
           all.at("version"),
           how.command.empty() ? all.at("command").get<std::string>()
                               : how.command + "` and `" + all.at("command").get<std::string>(),
           all.at("passes"),
           all.at("load")};
    for (const nlohmann::json& entry : all.at("runs")) {
      Row r;
      r.suite = entry.at("suite"), r.problem = entry.at("problem");
      r.solver = entry.at("solver"), r.method = entry.at("method");
      r.rtol = entry.at("rtol"), r.atol = entry.at("atol");
      r.digits = number_or_unknown(entry.at("digits"));
      r.digits_algebraic = number_or_unknown(entry.at("digits_algebraic"));
      r.cpu_us = number_or_unknown(entry.at("cpu_us"));
      r.start_us = number_or_unknown(entry.at("start_us"));
      if (const auto first = entry.find("first_us"); first != entry.end())
        r.first_us = number_or_unknown(*first);
      r.pass_us = entry.value("pass_us", std::vector<double>());
      r.reference_digits = entry.value("reference_digits", 16.0);
      r.steps = entry.at("steps"), r.rejected = entry.at("rejected"), r.rhs = entry.at("rhs");
      r.jacobians = entry.at("jacobians"), r.factorizations = entry.at("factorizations");
      r.solves = entry.at("solves"), r.status = entry.at("status"), r.message = entry.at("message");
      r.choice = entry.value("choice", "");
      if (const auto profile = entry.find("profile"); profile != entry.end())
        r.profile = profile_from(*profile);
      add(rows, std::move(r));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(
        fmt::format("bench: this is no run that --output FILE.json wrote: {}", error.what()));
  }
}

std::string text_summary(const std::vector<Row>& rows) {
  std::string text;
  const std::vector<Comparison> list = compare(rows);
  if (!list.empty()) {
    text += fmt::format("{:<10} {:<22} {:>6} {:>12} {:>12} {:>12} {:<14} {:>8} {:>8}\n", "suite",
                        "problem", "digits", "auto us", "as text us", "best peer us", "", "ratio",
                        "steps");
    for (const Comparison& c : list)
      text +=
          fmt::format("{:<10} {:<22} {:>6} {:>12} {:>12} {:>12} {:<14} {:>8} {:>8}\n", c.suite,
                      c.problem, c.digits, number(c.own_us), number(c.text_us), number(c.peer_us),
                      c.best_peer, number(c.ratio()), number(c.steps_ratio()));
    for (const double digits : compared_digits) {
      std::vector<double> whole, steps;
      for (const Comparison& c : list)
        if (c.digits == digits) whole.push_back(c.ratio()), steps.push_back(c.steps_ratio());
      text += fmt::format("geometric mean of the ratios at {} digits: {} (steps alone: {})\n",
                          digits, number(geometric_mean(whole)), number(geometric_mean(steps)));
    }
  } else {
    text += fmt::format("{:<10} {:<22} {:<14} {:>10} {:>10} {:>10}\n", "suite", "problem", "method",
                        "4 digits", "6 digits", "8 digits us");
    for (const Series& s : series_of(rows))
      text +=
          fmt::format("{:<10} {:<22} {:<14} {:>10} {:>10} {:>10}\n", s.suite, s.problem, s.label(),
                      number(s.time_for(4)), number(s.time_for(6)), number(s.time_for(8)));
  }
  if (const std::vector<Choice> chosen = choices(rows); !chosen.empty()) {
    text += fmt::format("{:<10} {:<22} {:>6} {:<18} {:>10} {:<18} {:>10} {:>8}\n", "suite",
                        "problem", "digits", "auto took", "us", "best method", "us", "auto/best");
    std::vector<double> ratios;
    for (const Choice& c : chosen) {
      ratios.push_back(c.ratio());
      text += fmt::format("{:<10} {:<22} {:>6} {:<18} {:>10} {:<18} {:>10} {:>8}\n", c.suite,
                          c.problem, c.digits, c.chosen, number(c.auto_us), c.best,
                          number(c.best_us), number(c.ratio(), "{:.2f}"));
    }
    text += fmt::format("geometric mean of auto over the best method: {}\n",
                        number(geometric_mean(ratios)));
  }
  for (const Row& r : profiled_runs(rows)) {
    const Profile& p = *r.profile;
    const auto part = [&](double us) { return number(100 * us / p.run_us, "{:.0f} %"); };
    text += fmt::format(
        "{} {} rtol {:.0e}: {} us, functions {}, linear algebra {}, start {}, all else {}; floor "
        "{} us\n",
        r.suite, r.problem, r.rtol, number(p.run_us), part(p.functions_us), part(p.linear_us),
        part(p.start_us), part(p.rest_us()), number(p.floor_us()));
  }
  for (const Growth& g : growth(rows))
    text +=
        fmt::format("{} {}: {} {} at rtol {:.0e}, {} to {} unknowns: time ~ n^{:.2f}\n", g.suite,
                    g.family, g.solver, g.method, g.rtol, g.smallest, g.largest, g.exponent);
  for (const Row& row : failures(rows))
    text += fmt::format(
        "{} {} {} {} rtol {:.0e}: {}\n", row.suite, row.problem, row.solver, row.method, row.rtol,
        row.succeeded() ? fmt::format("error of {:.3g} rtol", error_per_tolerance(row))
                        : row.status + ", " + row.message);
  return text;
}

std::vector<reproduce::Plot> plots(const std::vector<Row>& rows, const std::string& suite) {
  std::vector<reproduce::Plot> list;
  std::string last;
  for (const Series& s : series_of(rows)) {
    if (s.suite != suite) continue;
    if (s.problem != last) {
      list.push_back({.title = s.problem,
                      .x_label = "digits",
                      .y_label = "log10 of CPU microseconds",
                      .width = 760,
                      .height = 340});
      last = s.problem;
    }
    reproduce::Curve curve = {.label = s.label(), .is_dashed = !s.is_own()};
    for (const Row& row : s.rows) {
      if (!row.succeeded() || !std::isfinite(row.digits)) continue;
      curve.x.push_back(row.digits);
      curve.y.push_back(std::log10(row.cpu_us));
    }
    if (!curve.x.empty()) list.back().curves.push_back(std::move(curve));
  }
  std::erase_if(list, [](const reproduce::Plot& plot) { return plot.curves.empty(); });
  return list;
}

}  // namespace daedalus::bench
