#include "report/plot_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "io/json_text.h"
#include "report/thinning.h"

namespace daedalus::report {
namespace {

constexpr std::size_t most_points = 5000;         // of one curve: more than a screen has pixels
constexpr std::size_t fewest_points = 200;        // of one curve, before curves are left out
constexpr std::size_t most_points_all = 200'000;  // of all curves: about 5 MB

class Writer {
 public:
  void text(std::string_view part) { buffer_.append(part); }
  void quoted(std::string_view name) { text(json_text(name)); }

  template <class Value>
  void list(std::size_t count, Value value, int digits) {
    text("[");
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text(",");
      const double x = value(i);
      if (std::isfinite(x))
        fmt::format_to(std::back_inserter(buffer_), "{:.{}g}", x, digits);
      else
        text("null");
    }
    text("]");
  }
  /// "t":[...],"y":[...] of the rows that are kept.
  template <class Time>
  void curve(const std::vector<std::size_t>& rows, Time time, const double* y, std::size_t stride) {
    text("\"t\":");
    list(
        rows.size(), [&](std::size_t i) { return time(rows[i]); }, 14);
    text(",\"y\":");
    list(
        rows.size(), [&](std::size_t i) { return y[rows[i] * stride]; }, 9);
  }
  std::string take() const { return fmt::to_string(buffer_); }

 private:
  fmt::memory_buffer buffer_;
};

void write_variables(const Solution& solution, const ReportContent& content, PlotData& data,
                     Writer& out) {
  const std::size_t rows = solution.t.size();
  const std::size_t width = solution.variables.size();
  const std::map<std::string, std::string> notes(content.variables.begin(),
                                                 content.variables.end());
  data.variables = std::min(width, most_points_all / fewest_points);
  const std::size_t share = most_points_all / std::max<std::size_t>(data.variables, 1);
  const std::size_t limit = std::clamp(share, fewest_points, most_points);
  data.thinned = rows > limit;
  data.points = std::min(rows, limit);
  if (!data.thinned) {
    out.text("\"t\":");
    out.list(
        rows, [&](std::size_t i) { return solution.t[i]; }, 14);
    out.text(",");
  }
  out.text("\"variables\":[");
  for (std::size_t k = 0; k < data.variables; ++k) {
    out.text(k == 0 ? "\n{\"name\":" : ",\n{\"name\":");
    out.quoted(solution.variables[k]);
    if (const auto note = notes.find(solution.variables[k]); note != notes.end()) {
      out.text(",\"note\":");
      out.quoted(note->second);
    }
    const double* column = rows == 0 ? nullptr : solution.values.data() + k;
    out.text(",");
    if (data.thinned) {
      out.curve(
          thinned_rows(column, width, rows, limit), [&](std::size_t i) { return solution.t[i]; },
          column, width);
    } else {
      out.text("\"y\":");
      out.list(
          rows, [&](std::size_t i) { return column[i * width]; }, 9);
    }
    out.text("}");
  }
  out.text("]");
}

void write_steps(const Solution& solution, Writer& out) {
  const auto& steps = solution.steps;
  std::vector<double> sizes, orders;
  for (const StepRecord& step : steps) {
    sizes.push_back(std::abs(step.h));
    orders.push_back(step.order);
  }
  const auto time = [&](std::size_t i) { return steps[i].t; };
  const auto write = [&](const char* name, const std::vector<double>& values) {
    out.text(fmt::format(",\n\"{}\":{{", name));
    out.curve(thinned_rows(values.data(), 1, values.size(), most_points), time, values.data(), 1);
    out.text("}");
  };
  write("step_size", sizes);
  write("order", orders);
}

void write_residuals(const Solution& solution, Writer& out) {
  const std::size_t levels = solution.constraint_residual.size();
  const bool known = levels > 0 && solution.step_residuals.size() == levels * solution.steps.size();
  out.text(",\n\"residuals\":[");
  for (std::size_t k = 0; known && k < levels; ++k) {
    out.text(k == 0 ? "{\"name\":" : ",\n{\"name\":");
    out.quoted(solution.constraint_residual[k].level);
    out.text(",");
    const double* column = solution.steps.empty() ? nullptr : solution.step_residuals.data() + k;
    out.curve(
        thinned_rows(column, levels, solution.steps.size(), most_points),
        [&](std::size_t i) { return solution.steps[i].t; }, column, levels);
    out.text("}");
  }
  out.text("]");
}

void write_marks(const Solution& solution, Writer& out) {
  out.text(",\n\"marks\":[");
  const char* separator = "";
  const auto mark = [&](double t, const char* kind, const std::string& label) {
    out.text(fmt::format("{}{{\"t\":{:.14g},\"kind\":\"{}\",\"label\":{}}}", separator, t, kind,
                         json_text(label)));
    separator = ",";
  };
  for (const Singularity& point : solution.singularities)
    if (std::isfinite(point.t)) mark(point.t, "singularity", "singular: " + point.action);
  std::size_t count = 0;
  for (const EventRecord& event : solution.events)
    if (std::isfinite(event.t) && ++count <= most_points) mark(event.t, "event", event.name);
  out.text("]");
}

}  // namespace

PlotData plot_data(const Solution& solution, const ReportContent& content) {
  PlotData data;
  Writer out;
  out.text("{");
  write_variables(solution, content, data, out);
  write_steps(solution, out);
  write_residuals(solution, out);
  write_marks(solution, out);
  out.text("}");
  data.json = out.take();
  return data;
}

}  // namespace daedalus::report
