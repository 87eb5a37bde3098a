#include "run_options.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus::command {

std::optional<double> number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

Assignments assignments(const std::vector<std::string>& words, const char* option) {
  Assignments values;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const auto value = equals == std::string::npos || equals == 0
                           ? std::nullopt
                           : number(std::string_view(word).substr(equals + 1));
    if (!value) throw InvalidInput(fmt::format("{} {}: expected NAME=NUMBER", option, word));
    values[word.substr(0, equals)] = *value;
  }
  return values;
}

std::string model_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf()))
    throw InvalidInput(fmt::format("cannot read the model file '{}'", path));
  return text.str();
}

Model make_model(const std::string& text, const RunOptions& run, const Assignments& parameters) {
  ModelOptions options;
  options.parameters = parameters;
  options.start = assignments(run.start, "--start");
  options.start_time = run.t0, options.stop_time = run.t1;
  return Model::from_text(text, run.model, options);
}

Options options_for(const RunOptions& run, const Model& model) {
  Options options = model.options();
  options.method = run.method;
  if (run.rtol) options.rtol = *run.rtol;
  if (run.atol) options.atol = {*run.atol};
  options = model.scaled(options);
  options.points = run.points;
  options.at = run.at;
  if (run.fixed_step) options.fixed_step = *run.fixed_step;
  if (run.max_step) options.max_step = *run.max_step;
  for (const Formulation formulation :
       {Formulation::direct, Formulation::projected, Formulation::stabilized_index_2,
        Formulation::baumgarte, Formulation::index_1, Formulation::manifold})
    if (run.formulation == name_of(formulation)) options.formulation = formulation;
  if (run.formulation.starts_with("projected_invariants") && !model.is_boundary_value_problem())
    throw InvalidInput(fmt::format("--formulation {}: for boundary values only", run.formulation));
  options.baumgarte_rate = run.baumgarte_rate;
  options.branch = run.branch;
  if (run.evaluation == "interpreted") options.evaluation = Evaluation::interpreted;
  if (run.evaluation == "compiled") options.evaluation = Evaluation::compiled;
  for (const LinearAlgebra choice :
       {LinearAlgebra::dense, LinearAlgebra::banded, LinearAlgebra::sparse, LinearAlgebra::krylov})
    if (run.linear == name_of(choice)) options.linear_algebra = choice;
  options.max_order = run.max_order;
  if (run.max_steps) options.max_steps = *run.max_steps;
  if (run.time_limit) options.time_limit = *run.time_limit;
  // What only the files need is not kept beside them.
  options.dense = false;
  return options;
}

}  // namespace daedalus::command
