// daedalus solve: a model file to a solution, its files and its report.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "commands.h"
#include "daedalus/daedalus.h"
#include "daedalus/model.h"
#include "daedalus/output.h"
#include "daedalus/report.h"
#include "interrupt.h"
#include "progress.h"

namespace daedalus::command {
namespace {

constexpr double seconds_between_checkpoints = 10;

Model load(const SolveCommand& command) {
  ModelOptions options;
  options.parameters = assignments(command.parameters, "-p");
  options.start = assignments(command.start, "--start");
  if (!std::isnan(command.t0)) options.start_time = command.t0;
  if (!std::isnan(command.t1)) options.stop_time = command.t1;
  return Model::from_file(command.model, options);
}

Options options_for(const SolveCommand& command, const Model& model) {
  Options options = model.options();
  if (command.method != "auto") options.method = command.method;
  if (command.rtol > 0) options.rtol = command.rtol;
  if (command.atol > 0) options.atol = {command.atol};
  options = model.scaled(options);
  options.points = command.points;
  options.at = command.at;
  options.fixed_step = command.fixed_step;
  if (command.evaluation == "interpreted") options.evaluation = Evaluation::interpreted;
  if (command.evaluation == "compiled") options.evaluation = Evaluation::compiled;
  if (command.max_steps > 0) options.max_steps = command.max_steps;
  // What only the files need is not kept beside them.
  options.dense = false;
  return options;
}

Settings settings_of(const SolveCommand& command, const Options& options, const Model& model) {
  Settings settings = {{"model", command.model},
                       {"method", command.method},
                       {"rtol", fmt::format("{}", options.rtol)}};
  settings.emplace_back(
      "t_span", fmt::format("[{}, {}]", model.problem().t_span.begin, model.problem().t_span.end));
  if (options.fixed_step > 0)
    settings.emplace_back("fixed_step", fmt::format("{}", options.fixed_step));
  for (const auto& [name, value] : model.parameters())
    settings.emplace_back("parameter " + name, fmt::format("{:.17g}", value));
  return settings;
}

void save_checkpoint(const Integrator& run, const std::string& path) {
  std::ostringstream bytes;
  run.save(bytes);
  write_text(bytes.str(), path);
}

Integrator begin(const SolveCommand& command, const Model& model, const Options& options) {
  if (command.resume.empty()) return Integrator(model.problem(), options);
  std::ifstream stream(command.resume, std::ios::binary);
  if (!stream) throw InvalidInput(fmt::format("--resume: cannot read '{}'", command.resume));
  return Integrator::resume(model.problem(), options, stream);
}

/// Steps until the end, an interrupt or a limit; checkpoints on the way.
bool advance(Integrator& run, const SolveCommand& command, const Interrupt& interrupt) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  auto saved = started;
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  for (;;) {
    const bool out_of_time = command.time_limit > 0 && seconds(started) > command.time_limit;
    if (interrupt.happened() || out_of_time) {
      if (!command.checkpoint.empty()) save_checkpoint(run, command.checkpoint);
      fmt::print(stderr, "daedalus: {} at t = {:.10g}{}\n",
                 out_of_time ? "time limit reached" : "interrupted", run.t(),
                 command.checkpoint.empty()
                     ? ""
                     : fmt::format("; go on with --resume {}", command.checkpoint));
      return false;
    }
    if (!command.checkpoint.empty() && seconds(saved) > seconds_between_checkpoints)
      save_checkpoint(run, command.checkpoint), saved = Clock::now();
    if (!run.step()) break;
  }
  if (!command.checkpoint.empty()) save_checkpoint(run, command.checkpoint);
  return true;
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
  for (const std::string& note : s.notes) fmt::print(stderr, "daedalus: note: {}\n", note);
  if (s.status == Status::failed) fmt::print(stderr, "daedalus: {}\n", s.message.text());
}

void print_end_values(const Solution& s) {
  if (s.rows() == 0) return;
  for (int i = 0; i < s.size() && i < 40; ++i)
    fmt::print("{:<20} {:.17g}\n", s.variables[static_cast<std::size_t>(i)], s.y_end()[i]);
  if (s.size() > 40) fmt::print("... {} more; write all with --output FILE.csv\n", s.size() - 40);
}

}  // namespace

std::map<std::string, double> assignments(const std::vector<std::string>& words,
                                          const char* option) {
  std::map<std::string, double> values;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    std::size_t used = 0;
    double value = 0;
    try {
      if (equals != std::string::npos && equals > 0)
        value = std::stod(word.substr(equals + 1), &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used == 0 || used != word.size() - equals - 1)
      throw InvalidInput(fmt::format("{} {}: expected NAME=NUMBER", option, word));
    values[word.substr(0, equals)] = value;
  }
  return values;
}

int run_solve(const SolveCommand& command) {
  const Model model = load(command);
  const Options base = options_for(command, model);
  if (!command.output.empty()) check_solution_path(command.output);
  if (!command.stats.empty()) check_writable(command.stats);
  if (!command.report.empty()) check_writable(command.report);
  Options options = base;
  Interrupt interrupt;
  ProgressBar bar(command.progress ? ProgressBar::Show::always : ProgressBar::Show::never);
  options.progress = bar.callback();
  Integrator run = begin(command, model, options);
  const bool complete = advance(run, command, interrupt);
  bar.finish();
  const Solution& solution = run.solution();

  if (!command.output.empty())
    write_solution(solution, command.output, settings_of(command, options, model));
  if (!command.stats.empty()) write_text(stats_json(solution), command.stats);
  if (!command.report.empty()) {
    ReportContent content;
    content.title = model.name(), content.description = model.description();
    for (const auto& [label, text] : model.equations()) content.equations.push_back({label, text});
    content.command = command.line, content.version = version();
    content.settings = settings_of(command, options, model);
    write_text(html_report(solution, content), command.report);
  }
  if (!command.quiet) print_summary(model, solution);
  if (command.output.empty() && command.report.empty() && command.stats.empty() && !command.quiet)
    print_end_values(solution);
  return complete && solution.succeeded() ? done : failed;
}

}  // namespace daedalus::command
