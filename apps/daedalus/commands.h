#pragma once
// What each subcommand is asked to do, and the function that does it. Exit status: 0 done,
// 1 the computation failed, 2 the input was wrong.
#include <string>
#include <vector>

#include "run_options.h"

namespace daedalus::command {

enum ExitStatus : int { done = 0, failed = 1, wrong_input = 2 };

struct MethodsCommand {
  bool json = false;
  bool check = false;
  std::string tableau = {};  ///< file of a user's method; empty: the catalogue
};
int run_methods(const MethodsCommand& command);

struct ReproduceCommand {
  std::vector<std::string> names = {};
  bool list = false;
  bool csv = false;
  bool summary = false;
  std::string output = {};
};
int run_reproduce(const ReproduceCommand& command);

struct SolveCommand {
  RunOptions run = {};
  std::vector<std::string> parameters = {};  ///< NAME=VALUE
  std::vector<std::string> from = {};        ///< NAME=VALUE at which continuation begins
  int stages = 0, threads = 1;               ///< of boundary values
  std::string stats = {}, report = {}, checkpoint = {}, resume = {};
  std::string line = {};  ///< the command as typed, for the report
};
int run_solve(const SolveCommand& command);

struct SweepCommand {
  RunOptions run = {};
  std::vector<std::string> parameters = {};  ///< NAME=VALUES
  std::string sets = {};                     ///< CSV file of parameter sets
  int jobs = 0;                              ///< threads; 0: as many as the machine has cores
};
int run_sweep(const SweepCommand& command);

struct AnalyzeCommand {
  RunOptions run = {};  ///< of which model, start and times count
  std::vector<std::string> parameters = {};
  bool json = false;
};
int run_analyze(const AnalyzeCommand& command);

struct CrosscheckCommand {
  RunOptions run = {};
  std::vector<std::string> parameters = {};
  std::string against = {}, against_formulation = {};  ///< of the second run; empty: chosen
  double limit = 1000;                                 ///< tolerances by which the runs may differ
};
int run_crosscheck(const CrosscheckCommand& command);

struct BenchCommand {
  std::vector<std::string> suites = {}, problems = {}, methods = {};
  std::vector<std::string> against = {};  ///< other codes; empty: all that are there
  std::vector<double> rtol = {};
  int passes = 3;
  double seconds = 0.1;    ///< of repeats of one run
  double time_limit = 10;  ///< of one run
  bool list = false, csv = false, no_text = false, quiet = false;
  bool floor = false;  ///< time the kernels of every run of auto
  std::vector<std::string> output = {};
  std::vector<std::string> from = {};  ///< JSON files of earlier runs, told anew instead of a run
  std::string docs = {};               ///< folder of benchmarks.md
  std::string line = {};               ///< the command as typed
};
int run_bench(const BenchCommand& command);

/// Without arguments: the main job on the shipped pendulum.
int run_welcome();

}  // namespace daedalus::command
