#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "boundary.h"
#include "daedalus/error.h"
#include "sweep.h"

namespace daedalus::command {
namespace {

/// The variables are almost always those of the run before: one copy serves both.
class SharedNames {
 public:
  std::shared_ptr<const Names> of(const Names& names) {
    const std::lock_guard lock(mutex_);
    if (!last_ || *last_ != names) last_ = std::make_shared<const Names>(names);
    return last_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Names> last_;
};

/// A message of several lines shows the place in the text; in a table the first one must do.
std::string first_line(const std::string& message) {
  return message.substr(0, message.find('\n'));
}

SweepRun failure(const char* reason, const std::string& message) {
  SweepRun run;
  run.finished = true;
  run.status = name_of(Status::failed), run.reason = reason, run.message = first_line(message);
  return run;
}

SweepRun solved(const std::string& text, const RunOptions& given, const Assignments& parameters,
                const std::atomic<bool>* interrupt, SharedNames& names) {
  try {
    const Model model = make_model(text, given, parameters);
    Options options = options_for(given, model);
    options.interrupt = interrupt;
    if (options.at.empty() && options.points == 0) options.at = {model.t_span().end};
    SolveCommand command;
    command.run = given;
    Solution solution = model.is_boundary_value_problem()
                            ? solve_boundary_model(command, model, options).solution
                            : solve(model.problem(), options);
    SweepRun run;
    run.finished = true, run.solved = solution.succeeded();
    run.status = name_of(solution.status), run.reason = name_of(solution.reason);
    run.message = first_line(solution.message.text());
    run.steps = solution.statistics.steps;
    run.variables = names.of(solution.variables);
    run.t = std::move(solution.t), run.values = std::move(solution.values);
    return run;
  } catch (const InvalidInput& error) {
    return failure("invalid_input", error.what());
  } catch (const std::bad_alloc&) {
    return failure("out_of_memory", "there is not enough memory for this run");
  } catch (const std::exception& error) {
    return failure("error", error.what());
  }
}

}  // namespace

std::vector<SweepRun> run_sets(const std::string& text, const RunOptions& options,
                               const ParameterSets& sets, int threads,
                               const std::atomic<bool>* interrupt,
                               const std::function<void(const SweepProgress&)>& on_progress) {
  std::vector<SweepRun> runs(sets.count());
  std::atomic<std::size_t> next{0};
  SharedNames names;
  std::mutex mutex;
  std::condition_variable one_less;
  SweepProgress progress;
  const int workers = static_cast<int>(std::min(static_cast<std::size_t>(std::max(threads, 1)),
                                                std::max<std::size_t>(runs.size(), 1)));
  int working = workers;
  const auto work = [&] {
    for (std::size_t k; !(interrupt && interrupt->load()) && (k = next++) < runs.size();) {
      runs[k] = solved(text, options, sets.assignments(k), interrupt, names);
      const std::lock_guard lock(mutex);
      ++progress.finished, progress.failed += runs[k].solved ? 0 : 1;
    }
    const std::lock_guard lock(mutex);
    if (--working == 0) one_less.notify_one();
  };
  std::vector<std::jthread> pool;
  for (int i = 0; i < workers; ++i) pool.emplace_back(work);
  std::unique_lock lock(mutex);
  while (!one_less.wait_for(lock, std::chrono::milliseconds(100), [&] { return working == 0; }))
    if (on_progress) on_progress(progress);
  return runs;
}

}  // namespace daedalus::command
