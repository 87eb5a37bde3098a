#pragma once
// The runs of a sweep: one for each parameter set, in parallel threads, and their table.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daedalus/solution.h"
#include "parameter_sets.h"

namespace daedalus::command {

/// What is kept of a run. Rows of output: the last point reached, or all times asked for.
struct SweepRun {
  bool finished = false;  ///< false: the sweep was interrupted before its turn
  bool solved = false;
  std::string status = {}, reason = {}, message = {};
  std::int64_t steps = 0;
  std::shared_ptr<const Names> variables = {};  ///< null where no model could be made
  std::vector<double> t = {}, values = {};
};

struct SweepProgress {
  std::size_t finished = 0, failed = 0;
};

/// Each run makes its own model and solver, so the results depend neither on the number of threads
/// nor on their order. `on_progress` is called from the calling thread, a few times a second.
std::vector<SweepRun> run_sets(const std::string& text, const RunOptions& options,
                               const ParameterSets& sets, int threads,
                               const std::atomic<bool>* interrupt,
                               const std::function<void(const SweepProgress&)>& on_progress);

/// The ending of `path` chooses: .csv or .json; "-" is CSV on standard output. Runs that did not
/// get their turn are left out.
void write_sweep(const ParameterSets& sets, const std::vector<SweepRun>& runs, bool every_time,
                 const std::string& path);
/// Throws InvalidInput for an unknown ending, OutputError where the file could not be written.
void check_sweep_path(const std::string& path);

}  // namespace daedalus::command
