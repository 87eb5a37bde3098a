#pragma once
// What solve and sweep are both told about a run, and how it reaches the library.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/model.h"

namespace daedalus::command {

/// What is empty is as the model says, or the library's default.
struct RunOptions {
  std::string model = {};
  std::string method = "auto";
  std::string evaluation = "auto";
  std::string formulation = "auto";
  std::string linear = "auto";
  std::optional<double> rtol = {}, atol = {}, t0 = {}, t1 = {}, fixed_step = {}, max_step = {},
                        time_limit = {};
  std::optional<std::int64_t> max_steps = {};
  int max_order = 0;
  int points = 0;
  double baumgarte_rate = 0;
  int branch = 0;
  std::vector<double> at = {};
  std::vector<std::string> start = {};  ///< NAME=VALUE
  std::string output = {};
  bool progress = false, quiet = false;
};

using Assignments = std::map<std::string, double>;

/// The whole word as a number.
std::optional<double> number(std::string_view word);

/// NAME=NUMBER words; throws InvalidInput that names the option.
Assignments assignments(const std::vector<std::string>& words, const char* option);

/// Throws InvalidInput where the file cannot be read.
std::string model_text(const std::string& path);

Model make_model(const std::string& text, const RunOptions& run, const Assignments& parameters);
Options options_for(const RunOptions& run, const Model& model);

}  // namespace daedalus::command
