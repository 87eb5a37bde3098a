#include "boundary.h"

#include <algorithm>

#include <fmt/format.h>

namespace daedalus::command {
namespace {

BoundaryOptions boundary_options(const SolveCommand& command, const Options& options) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) throw InvalidInput(fmt::format("{}: {}", option, why));
  };
  refuse(!command.checkpoint.empty() || !command.resume.empty(), "--checkpoint, --resume",
         "a boundary value problem is not solved step by step");
  refuse(command.run.fixed_step || command.run.max_step, "--fixed-step, --max-step",
         "the mesh of a boundary value problem is chosen by its error");
  BoundaryOptions result;
  const std::string& method = command.run.method;
  if (method == "radau")
    result.points = CollocationPoints::radau;
  else if (method == "lobatto")
    result.points = CollocationPoints::lobatto;
  else if (method != "auto" && method != "gauss")
    throw InvalidInput(fmt::format(
        "--method {}: boundary value problems are collocated at gauss, radau or lobatto points",
        method));
  const std::string& formulation = command.run.formulation;
  // Projected: mesh points are put onto the constraints of all levels.
  result.project_lower = formulation == "projected";
  if (formulation == "baumgarte")
    result.form = ConstraintForm::baumgarte;
  else if (formulation == "projected_invariants")
    result.form = ConstraintForm::projected_invariants;
  else if (formulation == "projected_invariants_ii")
    result.form = ConstraintForm::projected_invariants_ii;
  else if (formulation != "auto" && formulation != "direct" && formulation != "projected")
    throw InvalidInput(
        fmt::format("--formulation {}: boundary values take direct, projected, baumgarte, "
                    "projected_invariants or projected_invariants_ii",
                    formulation));
  if (command.run.baumgarte_rate > 0) result.gamma = command.run.baumgarte_rate;
  result.stages = command.stages, result.threads = command.threads;
  result.tolerance = options.rtol;
  result.time_limit = options.time_limit;
  result.interrupt = options.interrupt;
  if (command.run.max_steps)
    result.max_elements = static_cast<int>(std::min<std::int64_t>(*command.run.max_steps, 1 << 28));
  result.elements = std::min(result.elements, result.max_elements);
  return result;
}

std::vector<double> output_times(const Options& options, const BoundarySolution& s) {
  if (!options.at.empty()) {
    for (const double t : options.at)
      if (!(t >= s.t.front() && t <= s.t.back()))
        throw InvalidInput(fmt::format("--at {}: outside of [{}, {}]", t, s.t.front(), s.t.back()));
    return options.at;
  }
  if (options.points < 2) return s.t;
  std::vector<double> times;
  for (int i = 0; i < options.points; ++i)
    times.push_back(i + 1 == options.points
                        ? s.t.back()
                        : s.t.front() + (s.t.back() - s.t.front()) * i / (options.points - 1));
  return times;
}

const char* name_of_points(CollocationPoints points) {
  return points == CollocationPoints::gauss   ? "gauss"
         : points == CollocationPoints::radau ? "radau"
                                              : "lobatto";
}

/// The model as given, or from other values of some parameters to those of the model.
BoundarySolution solve_model(const SolveCommand& command, const Model& model,
                             const BoundaryOptions& options) {
  if (command.from.empty()) return solve_boundary(model, options);
  const Assignments from = assignments(command.from, "--from");
  const auto known = model.parameters();
  for (const auto& [name, value] : from)
    if (!known.contains(name))
      throw InvalidInput(fmt::format("--from {}: the model has no such parameter", name));
  const std::string text = model_text(command.run.model);
  const auto solve_at = [&](double part, const BoundarySolution* before) {
    if (part == 1) return solve_boundary(model, options, before);
    Assignments parameters = assignments(command.parameters, "-p");
    for (const auto& [name, value] : from)
      parameters[name] = value + part * (known.at(name) - value);
    // On the way less is enough.
    BoundaryOptions rough = options;
    rough.tolerance = std::max(options.tolerance, 1e-4);
    return solve_boundary(make_model(text, command.run, parameters), rough, before);
  };
  return continue_boundary(solve_at, {});
}

}  // namespace

BoundaryOutcome solve_boundary_model(const SolveCommand& command, const Model& model,
                                     const Options& options) {
  const BoundaryOptions own = boundary_options(command, options);
  const BoundarySolution s = solve_model(command, model, own);
  BoundaryOutcome outcome;
  Solution& solution = outcome.solution;
  solution.status = s.status, solution.reason = s.reason, solution.message = s.message;
  solution.method =
      fmt::format("collocation at {} {} points", s.statistics.stages, name_of_points(own.points));
  solution.formulation = "boundary values";
  solution.jacobian = "exact";
  solution.notes = s.notes;
  solution.variables = s.variables;
  solution.statistics.steps = static_cast<std::int64_t>(s.t.size()) - 1;
  solution.statistics.newton = s.statistics.newton;
  solution.statistics.factorizations = s.statistics.factorizations;
  solution.statistics.wall_seconds = solution.statistics.cpu_seconds = s.statistics.wall_seconds;
  if (s.polynomial)
    for (const double t : output_times(options, s)) {
      solution.t.push_back(t);
      const Vector row = s(t);
      solution.values.insert(solution.values.end(), row.data(), row.data() + row.size());
    }
  const double error = s.error.empty() ? 0 : *std::max_element(s.error.begin(), s.error.end());
  outcome.summary =
      fmt::format("{}: {}; {} elements, {} meshes, {} Newton iterations, {:.3g} s, method {}\n",
                  model.name(), name_of(s.status), s.t.size() - 1, s.statistics.meshes,
                  s.statistics.newton, s.statistics.wall_seconds, solution.method);
  if (s.succeeded())
    outcome.summary += fmt::format("  largest estimated error {:.2e} of 1 + |value|\n", error);
  for (const std::string& note : s.notes)
    outcome.summary += fmt::format("daedalus: note: {}\n", note);
  return outcome;
}

}  // namespace daedalus::command
