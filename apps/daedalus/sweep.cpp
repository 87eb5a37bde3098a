// daedalus sweep: one model over many parameter sets.
#include "sweep.h"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "commands.h"
#include "daedalus/error.h"
#include "interrupt.h"
#include "progress.h"
#include "rescue.h"

namespace daedalus::command {
namespace {

/// Throws what is wrong with every set: the text, an option, the name of a parameter. What is wrong
/// with one of them (a size that must be an integer) is told in its row.
void refuse_wrong_input(const std::string& text, const RunOptions& run, const ParameterSets& sets) {
  const auto begin = [&](std::size_t set) {
    const Model model = make_model(text, run, sets.assignments(set));
    if (!model.is_boundary_value_problem())
      const Integrator first_point(model.problem(), options_for(run, model));
  };
  try {
    begin(0);
  } catch (const InvalidInput& error) {
    const InvalidInput first = error;
    try {
      begin(sets.count() - 1);
    } catch (const InvalidInput&) {
      throw first;
    }
  }
}

void print_summary(const std::vector<SweepRun>& runs, int threads, double seconds) {
  constexpr int most_shown = 5;
  std::size_t finished = 0, failures = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    if (!runs[k].finished) continue;
    ++finished;
    if (runs[k].solved) continue;
    if (++failures <= most_shown)
      fmt::print(stderr, "daedalus: run {}: {}\n", k + 1, runs[k].message);
  }
  if (failures > most_shown)
    fmt::print(stderr, "daedalus: and {} more failures\n", failures - most_shown);
  fmt::print(stderr, "{} of {} runs made, {} solved, {} failed; {:.3g} s in {} threads\n", finished,
             runs.size(), finished - failures, failures, seconds, threads);
}

}  // namespace

int run_sweep(const SweepCommand& command) {
  const auto started = std::chrono::steady_clock::now();
  const RunOptions& given = command.run;
  const ParameterSets sets = parameter_sets(command.parameters, command.sets);
  const std::string text = model_text(given.model);
  const std::string output = given.output.empty() ? "-" : given.output;
  const bool every_time = given.points > 0 || !given.at.empty();
  check_sweep_path(output);
  if (command.jobs < 0)
    throw InvalidInput(fmt::format("--jobs {}: must be positive", command.jobs));
  refuse_wrong_input(text, given, sets);

  const int cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
  const int threads = command.jobs > 0 ? command.jobs : cores;
  const Interrupt interrupt;
  ProgressBar bar(given.progress ? ProgressBar::Show::always : ProgressBar::Show::never);
  const std::vector<SweepRun> runs =
      run_sets(text, given, sets, threads, interrupt.flag(), [&](const SweepProgress& p) {
        bar.show(static_cast<double>(p.finished) / static_cast<double>(sets.count()),
                 fmt::format("{} of {} runs, {} failed", p.finished, sets.count(), p.failed));
      });
  bar.finish();
  const bool written =
      write_or_rescue(output, output.ends_with(".json") ? ".json" : ".csv",
                      [&](const auto& path) { write_sweep(sets, runs, every_time, path); });
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (!given.quiet) print_summary(runs, threads, seconds);
  const bool all_solved =
      std::all_of(runs.begin(), runs.end(), [](const SweepRun& run) { return run.solved; });
  return written && all_solved ? done : failed;
}

}  // namespace daedalus::command
