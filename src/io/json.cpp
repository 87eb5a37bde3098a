// Solutions and their statistics as JSON. Numbers have the shortest digits that read back to the
// same bits; NaN and infinities, which JSON does not know, are null.
#include <cmath>
#include <iterator>
#include <ostream>

#include <nlohmann/json.hpp>

#include "daedalus/output.h"
#include "io/json_text.h"

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// Where the run ended, which may lie behind the last output time.
Json end_of(const Solution& solution) {
  if (!solution.steps.empty()) return number(solution.steps.back().t);
  if (!solution.t.empty()) return number(solution.t.back());
  return {};
}

void write_column(const std::vector<double>& table, std::size_t first, std::size_t stride,
                  std::ostream& stream) {
  fmt::memory_buffer text;
  const char* separator = "[";
  for (std::size_t i = first; i < table.size(); i += stride, separator = ",") {
    text.append(std::string_view(separator));
    append_json(text, table[i]);
    if (text.size() > 60'000) {
      stream.write(text.data(), static_cast<std::streamsize>(text.size()));
      text.clear();
    }
  }
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream << (first >= table.size() ? "[]" : "]");
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string result =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = 0; (at = result.find('<', at)) != std::string::npos;)
    result.replace(at, 1, "\\u003c");
  return result;
}

void append_json(fmt::memory_buffer& out, double value) {
  if (!std::isfinite(value)) {
    out.append(std::string_view("null"));
    return;
  }
  const std::size_t start = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  // Without a point some readers make an integer of it, and -0 loses its sign.
  if (std::string_view(out.data() + start, out.size() - start).find_first_of(".e") ==
      std::string_view::npos)
    out.append(std::string_view(".0"));
}

void write_json(const Solution& solution, std::ostream& stream) {
  stream << "{\n\"status\": " << json_text(name_of(solution.status))
         << ",\n\"reason\": " << json_text(name_of(solution.reason))
         << ",\n\"message\": " << json_text(solution.message.text())
         << ",\n\"method\": " << json_text(solution.method)
         << ",\n\"formulation\": " << json_text(solution.formulation) << ",\n\"variables\": [";
  for (int k = 0; k < solution.size(); ++k)
    stream << (k ? ", " : "") << json_text(solution.variables[k]);
  stream << "],\n\"time\": ";
  write_column(solution.t, 0, 1, stream);
  stream << ",\n\"values\": {";
  const std::size_t width = solution.variables.size();
  for (std::size_t k = 0; k < width; ++k) {
    stream << (k ? ",\n" : "\n") << json_text(solution.variables[k]) << ": ";
    write_column(solution.values, k, width, stream);
  }
  stream << "}\n}\n";
}

std::string stats_json(const Solution& solution) {
  const Statistics& count = solution.statistics;
  Json stats;
  stats["status"] = name_of(solution.status);
  stats["reason"] = name_of(solution.reason);
  stats["message"] = solution.message.text();
  stats["method"] = solution.method;
  stats["formulation"] = solution.formulation;
  if (!solution.choice.empty()) stats["choice"] = solution.choice;
  stats["t"] = end_of(solution);
  stats["steps"] = count.steps;
  stats["rejected"] = count.rejected;
  stats["rhs"] = count.rhs;
  stats["jacobians"] = count.jacobians;
  stats["factorizations"] = count.factorizations;
  stats["solves"] = count.solves;
  stats["newton"] = count.newton;
  Json& residual = stats["constraint_residual"] = Json::object();
  for (const ConstraintResidual& level : solution.constraint_residual)
    residual[level.level] = number(level.maximum);
  Json& singularities = stats["singularities"] = Json::array();
  for (const Singularity& point : solution.singularities)
    singularities.push_back({{"t", number(point.t)},
                             {"sigma", number(point.sigma)},
                             {"action", point.action},
                             {"error_estimate", number(point.error_estimate)}});
  stats["cpu_seconds"] = number(count.cpu_seconds);
  stats["wall_seconds"] = number(count.wall_seconds);
  Json& shift = stats["initial_shift"] = Json::object();
  // The shift also covers multipliers that the formulation added; they come last.
  for (std::size_t i = 0; i < solution.variables.size() && i < solution.start_shift.size(); ++i)
    shift[solution.variables[i]] = number(solution.start_shift[i]);
  return stats.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace daedalus
