// daedalus solve: a model file to a solution, its files and its report.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "boundary.h"
#include "commands.h"
#include "daedalus/daedalus.h"
#include "daedalus/output.h"
#include "daedalus/report.h"
#include "interrupt.h"
#include "progress.h"
#include "rescue.h"

namespace daedalus::command {
namespace {

constexpr std::chrono::seconds time_between_checkpoints{10};

Settings settings_of(const SolveCommand& command, const Options& options, const Model& model) {
  Settings settings = {{"model", command.run.model},
                       {"method", command.run.method},
                       {"rtol", fmt::format("{}", options.rtol)}};
  settings.emplace_back("t_span",
                        fmt::format("[{}, {}]", model.t_span().begin, model.t_span().end));
  if (options.fixed_step > 0)
    settings.emplace_back("fixed_step", fmt::format("{}", options.fixed_step));
  if (command.run.max_step) settings.emplace_back("max_step", fmt::format("{}", options.max_step));
  for (const auto& [name, value] : model.parameters())
    settings.emplace_back("parameter " + name, fmt::format("{:.17g}", value));
  return settings;
}

/// A disk that is full must not cost the run: false, and a message.
bool save_checkpoint(const Integrator& run, const std::string& path) {
  std::ostringstream bytes;
  run.save(bytes);
  try {
    write_text(bytes.str(), path);
    return true;
  } catch (const OutputError& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
    return false;
  }
}

Integrator begin(const SolveCommand& command, const Model& model, const Options& options) {
  if (command.resume.empty()) return Integrator(model.problem(), options);
  std::ifstream stream(command.resume, std::ios::binary);
  if (!stream) throw InvalidInput(fmt::format("--resume: cannot read '{}'", command.resume));
  return Integrator::resume(model.problem(), options, stream);
}

/// Steps until the end, an interrupt or a limit; checkpoints on the way. False if the last one
/// could not be written.
bool advance(Integrator& run, const std::string& checkpoint) {
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  while (run.step()) {
    if (checkpoint.empty() || Clock::now() - saved < time_between_checkpoints) continue;
    save_checkpoint(run, checkpoint);
    saved = Clock::now();
  }
  return checkpoint.empty() || save_checkpoint(run, checkpoint);
}

void print_summary(const Model& model, const Solution& s) {
  fmt::print(stderr, "{}: {} at t = {:.10g}; {} steps, {} rejected, {:.3g} s, method {}\n",
             model.name(), name_of(s.status),
             s.t.empty() ? model.problem().t_span.begin : s.t.back(), s.statistics.steps,
             s.statistics.rejected, s.statistics.wall_seconds, s.method);
  for (const ConstraintResidual& level : s.constraint_residual)
    fmt::print(stderr, "  largest {} residual {:.2e} at t = {:.6g}\n", level.level, level.maximum,
               level.t);
  for (const EventRecord& event : s.events)
    fmt::print(stderr, "  event at t = {:.10g}: {}\n", event.t, event.name);
  if (s.status == Status::event && !s.message.what.empty())
    fmt::print(stderr, "  the model ended the run: {}\n", s.message.what);
  for (const std::string& note : s.notes) fmt::print(stderr, "daedalus: note: {}\n", note);
}

void print_end_values(const Solution& s) {
  if (s.rows() == 0) return;
  for (int i = 0; i < s.size() && i < 40; ++i)
    fmt::print("{:<20} {:.17g}\n", s.variables[static_cast<std::size_t>(i)], s.y_end()[i]);
  if (s.size() > 40) fmt::print("... {} more; write all with --output FILE.csv\n", s.size() - 40);
}

/// All files that were asked for; false if one of them is not where it should be.
bool write_files(const SolveCommand& command, const Solution& solution, const Options& options,
                 const Model& model) {
  const std::string& output = command.run.output;
  bool written = true;
  if (!output.empty()) {
    const std::string ending = std::filesystem::path(output).extension().string();
    written = write_or_rescue(output, ending.empty() ? ".csv" : ending, [&](const auto& path) {
      write_solution(solution, path, settings_of(command, options, model));
    });
  }
  if (!command.stats.empty())
    written = write_or_rescue(command.stats, ".json",
                              [&](const auto& path) { write_text(stats_json(solution), path); }) &&
              written;
  if (!command.report.empty()) {
    ReportContent content;
    content.title = model.name(), content.description = model.description();
    for (const auto& [label, text] : model.equations()) content.equations.push_back({label, text});
    content.command = command.line, content.version = version();
    content.settings = settings_of(command, options, model);
    written = write_or_rescue(
                  command.report, ".html",
                  [&](const auto& path) { write_text(html_report(solution, content), path); }) &&
              written;
  }
  return written;
}

void print_failure(const SolveCommand& command, const Solution& solution) {
  fmt::print(stderr, "daedalus: {}\n", solution.message.text());
  if (solution.reason >= Reason::max_steps && !command.checkpoint.empty())
    fmt::print(stderr, "daedalus: go on with --resume {}\n", command.checkpoint);
}

}  // namespace

int run_solve(const SolveCommand& command) {
  const RunOptions& given = command.run;
  const Model model =
      make_model(model_text(given.model), given, assignments(command.parameters, "-p"));
  Options options = options_for(given, model);
  if (!given.output.empty()) check_solution_path(given.output);
  if (!command.stats.empty()) check_writable(command.stats);
  if (!command.report.empty()) check_writable(command.report);
  const Interrupt interrupt;
  options.interrupt = interrupt.flag();
  if (!command.from.empty() && !model.is_boundary_value_problem())
    throw InvalidInput("--from: only boundary value problems are solved by continuation");
  if ((command.stages > 0 || command.threads > 1) && !model.is_boundary_value_problem())
    throw InvalidInput("--stages, --threads: for boundary value problems only");
  if (model.is_boundary_value_problem()) {
    const BoundaryOutcome outcome = solve_boundary_model(command, model, options);
    const bool written = write_files(command, outcome.solution, options, model);
    if (!given.quiet) fmt::print(stderr, "{}", outcome.summary);
    if (!outcome.solution.succeeded()) print_failure(command, outcome.solution);
    if (given.output.empty() && command.report.empty() && command.stats.empty() && !given.quiet)
      print_end_values(outcome.solution);
    return written && outcome.solution.succeeded() ? done : failed;
  }
  ProgressBar bar(given.progress ? ProgressBar::Show::always : ProgressBar::Show::never);
  options.progress = bar.callback();
  Integrator run = begin(command, model, options);
  const bool saved = advance(run, command.checkpoint);
  std::optional<Options> attempt;
  // A checkpoint is of the options that it is resumed with.
  if (command.resume.empty() && command.checkpoint.empty())
    attempt = sharper_attempt(options, run.solution());
  while (attempt) {
    Integrator again(model.problem(), *attempt);
    advance(again, "");
    if (again.solution().status != Status::failed) {
      if (!given.quiet)
        fmt::print(stderr, "daedalus: note: rtol = {:.3g}, as no step was found with {:.3g}\n",
                   attempt->rtol, options.rtol);
      run = std::move(again), options = *attempt;
      break;
    }
    attempt = sharper_attempt(*attempt, again.solution());
  }
  bar.finish();
  const Solution& solution = run.solution();

  const bool written = write_files(command, solution, options, model) && saved;
  if (!given.quiet) print_summary(model, solution);
  if (solution.status == Status::failed) print_failure(command, solution);
  if (given.output.empty() && command.report.empty() && command.stats.empty() && !given.quiet)
    print_end_values(solution);
  return written && solution.succeeded() ? done : failed;
}

}  // namespace daedalus::command
