// The report is report.html with its {{places}} filled.
#include "daedalus/report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "daedalus/version.h"
#include "report/assets.h"
#include "report/mathematics.h"
#include "report/plot_data.h"

namespace daedalus {
namespace {

using report::escaped;

constexpr std::size_t rows_shown = 500;    // of a table of events
constexpr std::size_t rows_in_sight = 40;  // equations before the list is folded

std::string filled(std::string_view page, const std::map<std::string_view, std::string>& places) {
  std::string result;
  for (;;) {
    const std::size_t begin = page.find("{{");
    const std::size_t end = page.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    result += page.substr(0, begin);
    result += places.at(page.substr(begin + 2, end - begin - 2));
    page.remove_prefix(end + 2);
  }
  return result += page;
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} µs", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  return fmt::format("{:.0f} min {:.0f} s", std::floor(seconds / 60), std::fmod(seconds, 60));
}

std::string facts(const Settings& pairs) {
  std::string rows;
  for (const auto& [name, value] : pairs)
    rows += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", escaped(name), escaped(value));
  return "<table class=\"facts\"><tbody>" + rows + "</tbody></table>\n";
}

std::string facts_under(const char* heading, const Settings& pairs) {
  if (pairs.empty()) return "";
  return fmt::format("<div><h3>{}</h3>{}</div>\n", heading, facts(pairs));
}

double end_of(const Solution& solution) {
  if (!solution.steps.empty()) return solution.steps.back().t;
  return solution.t.empty() ? 0 : solution.t.back();
}

std::string header(const Solution& solution, const ReportContent& content) {
  const Statistics& count = solution.statistics;
  const char* outcome = "solved";
  if (solution.status == Status::event) outcome = "stopped at an event";
  if (solution.status == Status::failed) outcome = "failed";
  std::string text = "<header>\n<h1>" + escaped(content.title) + "</h1>\n";
  if (!content.description.empty()) text += "<p>" + escaped(content.description) + "</p>\n";
  text += fmt::format("<div class=\"summary\"><span class=\"badge {}\">{}</span>",
                      name_of(solution.status), outcome);
  if (!solution.t.empty() || !solution.steps.empty())
    text += fmt::format("<span>reached <b>t = {}</b></span>", number(end_of(solution)));
  text +=
      fmt::format("<span><b>{}</b> steps, <b>{}</b> rejected</span>", count.steps, count.rejected);
  if (!solution.method.empty())
    text += fmt::format("<span>method <b>{}</b></span>", escaped(solution.method));
  if (!solution.formulation.empty())
    text += fmt::format("<span>formulation <b>{}</b></span>", escaped(solution.formulation));
  text += fmt::format("<span><b>{}</b></span>", duration(count.wall_seconds));
  return text + "</div>\n</header>\n";
}

std::string outcome(const Solution& solution, const ReportContent& content) {
  std::string text;
  if (solution.status == Status::failed) {
    const Message& message = solution.message;
    text += fmt::format("<section class=\"failure\" role=\"alert\">\n<h2>Failed: {}</h2>\n<dl>",
                        escaped(message.what.empty() ? name_of(solution.reason) : message.what));
    const auto part = [&](const char* name, const std::string& value) {
      if (!value.empty()) text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped(value));
    };
    part("where", message.where);
    part("why", message.why);
    part("what to try", message.hint);
    text += "</dl>\n</section>\n";
  }
  for (const std::string& warning : content.warnings)
    text += "<p class=\"note\">" + escaped(warning) + "</p>\n";
  return text;
}

std::string equations(const std::vector<ReportEquation>& list) {
  std::string rows;
  for (const ReportEquation& equation : list)
    rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n",
                        equation.is_markup ? equation.text : report::mathematics(equation.text),
                        escaped(equation.label));
  const std::string table = "<table class=\"equations\"><tbody>\n" + rows + "</tbody></table>\n";
  if (list.size() <= rows_in_sight) return table;
  return fmt::format("<details><summary>{} equations</summary>{}</details>\n", list.size(), table);
}

std::string model(const ReportContent& content) {
  if (content.equations.empty() && content.hidden_constraints.empty() &&
      content.parameters.empty() && content.model.empty())
    return "";
  std::string text = "<section id=\"model\">\n<h2>Model</h2>\n";
  if (!content.equations.empty()) text += equations(content.equations);
  if (!content.hidden_constraints.empty())
    text += "<h3>Hidden constraints, found by differentiation</h3>\n" +
            equations(content.hidden_constraints);
  if (!content.parameters.empty()) text += "<h3>Parameters</h3>\n" + facts(content.parameters);
  if (!content.model.empty())
    text += "<details><summary>Text of the model</summary><pre>" + escaped(content.model) +
            "</pre></details>\n";
  return text + "</section>\n";
}

std::string thinning(const Solution& solution, const report::PlotData& data) {
  std::string text;
  if (data.thinned)
    text += fmt::format(
        "<p class=\"note\">Thinned for plotting: {} of {} points of each variable are here, the "
        "smallest and the largest of every stretch, so that no peak is missing. The output file "
        "has them all.</p>\n",
        data.points, solution.t.size());
  if (data.variables < solution.variables.size())
    text += fmt::format(
        "<p class=\"note\">The first {} of {} variables are plotted; the output file has them "
        "all.</p>\n",
        data.variables, solution.variables.size());
  return text;
}

std::string residuals(const Solution& solution) {
  if (solution.constraint_residual.empty()) return "";
  std::string text = "<section id=\"residuals\">\n<h2>Constraint residuals</h2>\n";
  if (!solution.step_residuals.empty())
    text +=
        "<figure><figcaption></figcaption><div class=\"chart small\" "
        "id=\"residual-plot\"></div></figure>\n";
  text +=
      "<h3>Largest over the run</h3>\n<table class=\"facts\"><thead><tr><th>level</th>"
      "<th>maximum</th><th>at t</th><th>equation</th></tr></thead><tbody>\n";
  for (const ConstraintResidual& level : solution.constraint_residual)
    text +=
        fmt::format("<tr><td>{}</td><td>{:.3e}</td><td>{}</td><td>{}</td></tr>\n",
                    escaped(level.level), level.maximum, number(level.t), escaped(level.equation));
  return text + "</tbody></table>\n</section>\n";
}

std::string event_table(const Solution& solution) {
  std::string text =
      "<div><h3>Events</h3><div class=\"scroll\"><table class=\"facts\"><thead><tr><th>t</th>"
      "<th>event</th></tr></thead><tbody>\n";
  std::size_t count = 0;
  for (const EventRecord& event : solution.events) {
    if (++count > rows_shown) break;
    text += fmt::format("<tr><td>{:.10g}</td><td>{}</td></tr>\n", event.t, escaped(event.name));
  }
  text += "</tbody></table></div>";
  if (count > rows_shown)
    text += fmt::format("<p>The first {} of {}.</p>", rows_shown, solution.events.size());
  return text + "</div>\n";
}

std::string shift_table(const Solution& solution) {
  const std::size_t known = std::min(solution.start_shift.size(), solution.variables.size());
  std::vector<std::size_t> moved(known);
  std::iota(moved.begin(), moved.end(), std::size_t{0});
  const auto size = [&](std::size_t i) { return std::abs(solution.start_shift[i]); };
  std::erase_if(moved, [&](std::size_t i) { return size(i) == 0; });
  std::stable_sort(moved.begin(), moved.end(),
                   [&](std::size_t i, std::size_t j) { return size(i) > size(j); });
  Settings rows;
  for (const std::size_t i : moved)
    if (rows.size() < 30)
      rows.emplace_back(solution.variables[i], fmt::format("{:+.6g}", solution.start_shift[i]));
  return facts_under("Start moved onto the constraints, by", rows);
}

/// Events, singularities, and how far the start was moved.
std::string happenings(const Solution& solution) {
  std::string text;
  if (!solution.events.empty()) text += event_table(solution);
  if (!solution.singularities.empty()) {
    text +=
        "<div><h3>Singularities</h3><table class=\"facts\"><thead><tr><th>t</th><th>smallest "
        "singular value</th><th>action</th></tr></thead><tbody>\n";
    for (const Singularity& point : solution.singularities)
      text += fmt::format("<tr><td>{:.10g}</td><td>{:.3e}</td><td>{}</td></tr>\n", point.t,
                          point.sigma, escaped(point.action));
    text += "</tbody></table></div>\n";
  }
  text += shift_table(solution);
  if (text.empty()) return "";
  return "<section id=\"happenings\">\n<h2>On the way</h2>\n<div class=\"columns\">" + text +
         "</div></section>\n";
}

std::string counters(const Solution& solution) {
  const Statistics& count = solution.statistics;
  const auto text = [](std::int64_t n) { return fmt::format("{}", n); };
  const Settings work = {{"steps", text(count.steps)},
                         {"rejected steps", text(count.rejected)},
                         {"Newton failures", text(count.newton_failures)},
                         {"Newton iterations", text(count.newton)},
                         {"evaluations of the equations", text(count.rhs)}};
  Settings algebra = {{"Jacobians", text(count.jacobians)},
                      {"factorizations", text(count.factorizations)},
                      {"solves", text(count.solves)},
                      {"processor time", duration(count.cpu_seconds)},
                      {"elapsed time", duration(count.wall_seconds)}};
  if (!solution.jacobian.empty()) algebra.emplace_back("derivatives", solution.jacobian);
  return "<section id=\"counters\">\n<h2>Work</h2>\n<div class=\"columns\"><div>" + facts(work) +
         "</div><div>" + facts(algebra) + "</div></div></section>\n";
}

std::string repeat(const Solution& solution, const ReportContent& content,
                   const std::string& version) {
  Settings versions = {{"Daedalus", version}};
  if (!solution.method.empty()) versions.emplace_back("method", solution.method);
  if (!solution.formulation.empty()) versions.emplace_back("formulation", solution.formulation);
  std::string text = "<section id=\"repeat\">\n<h2>To repeat this run</h2>\n";
  if (!content.command.empty())
    text += "<div class=\"command\"><pre id=\"command\">" + escaped(content.command) +
            "</pre><button type=\"button\" id=\"copy\">copy</button></div>\n";
  return text + "<div class=\"columns\">" + facts_under("Settings", content.settings) +
         facts_under("Program", versions) + "</div></section>\n";
}

/// Without the line that names a source map: there is none to load.
std::string program(std::string_view text) {
  return std::string(text.substr(0, text.rfind("//# sourceMappingURL")));
}

std::string style(std::string_view text) {
  return std::string(text.substr(0, text.rfind("/*# sourceMappingURL")));
}

}  // namespace

std::string html_report(const Solution& solution, const ReportContent& content) {
  const std::string version =
      content.version.empty() ? std::string(daedalus::version()) : content.version;
  const report::PlotData data = report::plot_data(solution, content);
  const std::map<std::string_view, std::string> places = {
      {"version", escaped(version)},
      {"title", escaped(content.title)},
      {"date", content.date.empty() ? "" : ", " + escaped(content.date)},
      {"license", std::string(report::embedded("src/report/dygraphs_license.txt"))},
      {"dygraph_css", style(report::embedded("dygraph.css"))},
      {"dygraph_js", program(report::embedded("dygraph.js"))},
      {"css", std::string(report::embedded("src/report/report.css"))},
      {"js", std::string(report::embedded("src/report/report.js"))},
      {"header", header(solution, content)},
      {"outcome", outcome(solution, content)},
      {"model", model(content)},
      {"thinning", thinning(solution, data)},
      {"residuals", residuals(solution)},
      {"happenings", happenings(solution)},
      {"counters", counters(solution)},
      {"repeat", repeat(solution, content, version)},
      {"data", data.json},
  };
  return filled(report::embedded("src/report/report.html"), places);
}

}  // namespace daedalus
