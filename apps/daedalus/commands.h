#pragma once
// What each subcommand is asked to do, and the function that does it. Exit status: 0 done,
// 1 the computation failed, 2 the input was wrong.
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

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
  std::string model = {};
  std::string method = "auto";
  std::string evaluation = "auto";
  double rtol = 0, atol = 0;  ///< 0: as the model says
  double t0 = std::numeric_limits<double>::quiet_NaN();
  double t1 = std::numeric_limits<double>::quiet_NaN();
  int points = 0;
  std::vector<double> at = {};
  std::vector<std::string> parameters = {}, start = {};  ///< NAME=VALUE
  std::int64_t max_steps = 0;
  double time_limit = 0, fixed_step = 0;
  std::string output = {}, stats = {}, report = {}, checkpoint = {}, resume = {};
  bool progress = false, quiet = false;
  std::string line = {};  ///< the command as typed, for the report
};
int run_solve(const SolveCommand& command);

/// NAME=NUMBER words; throws InvalidInput that names the option.
std::map<std::string, double> assignments(const std::vector<std::string>& words,
                                          const char* option);

/// Without arguments: the main job on the shipped pendulum.
int run_welcome();

}  // namespace daedalus::command
