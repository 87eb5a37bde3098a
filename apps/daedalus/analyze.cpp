// daedalus analyze: what is known of a model before it is solved.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "daedalus/analysis.h"

namespace daedalus::command {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json by_name(const Names& names, const std::vector<double>& values) {
  Json object = Json::object();
  for (std::size_t j = 0; j < values.size(); ++j)
    object[names[j]] = std::isfinite(values[j]) ? Json(values[j]) : Json(nullptr);
  return object;
}

void print_json(const Model& model, const Analysis& a) {
  const Json report = {{"model", model.name()},
                       {"equations", a.equations},
                       {"unknowns", a.unknowns},
                       {"structural_index", json(a.structural_index)},
                       {"numerical_index", json(a.numerical_index)},
                       {"degrees_of_freedom", json(a.degrees_of_freedom)},
                       {"hidden_constraints", a.hidden_constraints},
                       {"class", a.problem_class},
                       {"fixed", a.fixed},
                       {"free", a.free},
                       {"consistent_start", by_name(a.variables, a.consistent_start)},
                       {"initial_shift", by_name(a.variables, a.initial_shift)},
                       {"contradictions", a.contradictions},
                       {"underdetermined", a.underdetermined},
                       {"overdetermined", a.overdetermined},
                       {"sigma_min", json(a.sigma_min)},
                       {"warnings", a.warnings}};
  fmt::print("{}\n", report.dump(2, ' ', false, Json::error_handler_t::replace));
}

constexpr std::size_t most_lines = 20;

/// The first line carries the title.
void print_list(const char* title, const Names& list) {
  for (std::size_t k = 0; k < list.size() && k < most_lines; ++k)
    fmt::print("{:<20} {}\n", k == 0 ? title : "", list[k]);
  if (list.size() > most_lines)
    fmt::print("{:<20} ... {} more; --json prints all\n", "", list.size() - most_lines);
}

std::string some_of(const Names& names) {
  constexpr std::size_t most = 8;
  if (names.empty()) return "none";
  const Names shown(names.begin(),
                    names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most)));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

std::string index_text(const Analysis& a) {
  if (!a.structural_index) return "unknown";
  if (!a.numerical_index)
    return fmt::format("{} by structure, not confirmed by ranks", *a.structural_index);
  if (*a.numerical_index != *a.structural_index)
    return fmt::format("{} by ranks at the start, {} by structure", *a.numerical_index,
                       *a.structural_index);
  return fmt::format("{}", *a.structural_index);
}

void print_start(const Analysis& a) {
  print_list("fixed", {some_of(a.fixed)});
  print_list("free", {some_of(a.free)});
  Names values;
  for (std::size_t j = 0; j < a.consistent_start.size() && j <= most_lines; ++j) {
    const double shift = a.initial_shift[j], start = a.consistent_start[j];
    // What is left of zero is of no interest to people.
    values.push_back(fmt::format(
        "{} = {:.10g}{}", a.variables[j], std::abs(start) < 1e-20 ? 0.0 : start,
        std::abs(shift) > 1e-12 * (1 + std::abs(start)) ? fmt::format("  (moved by {:.6g})", shift)
                                                        : ""));
  }
  values.resize(std::max(values.size(), a.consistent_start.size()));
  print_list("consistent start", values);
  Names sets;
  for (const Names& set : a.contradictions) sets.push_back(fmt::format("{}", fmt::join(set, ", ")));
  print_list("contradict", sets);
}

void print_text(const Model& model, const Analysis& a) {
  fmt::print("{}{}{}\n", model.name(), model.description().empty() ? "" : ": ",
             model.description());
  fmt::print("{:<20} {} for {} unknowns\n", "equations", a.equations, a.unknowns);
  fmt::print("{:<20} {}\n", "class", a.problem_class);
  fmt::print("{:<20} {}\n", "index", index_text(a));
  if (a.degrees_of_freedom) fmt::print("{:<20} {}\n", "degrees of freedom", *a.degrees_of_freedom);
  print_list("hidden constraints", a.hidden_constraints);
  if (a.can_be_solved() || a.inconsistent) print_start(a);
  print_list("underdetermined", a.underdetermined);
  print_list("overdetermined", a.overdetermined);
  if (a.sigma_min)
    fmt::print("{:<20} {:.6g} (0: the constraints depend on each other)\n", "sigma_min",
               *a.sigma_min);
  for (const std::string& warning : a.warnings) fmt::print("warning: {}\n", warning);
}

}  // namespace

int run_analyze(const AnalyzeCommand& command) {
  const Model model =
      make_model(model_text(command.run.model), command.run, assignments(command.parameters, "-p"));
  const Analysis analysis = analyze(model);
  if (command.json)
    print_json(model, analysis);
  else
    print_text(model, analysis);
  return analysis.can_be_solved() ? done : failed;
}

}  // namespace daedalus::command
