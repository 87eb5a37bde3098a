#pragma once
// A whole run: every code, problem and tolerance, one after the other and that several times, so
// that a busy machine slows all of them alike.
#include <functional>

#include "bench/suite/own_runs.h"
#include "bench/suite/suites.h"

namespace daedalus::bench {

struct BenchOptions {
  std::vector<std::string> suites = {};    ///< empty: all
  std::vector<std::string> problems = {};  ///< empty: all of the suites
  std::vector<std::string> methods = {"auto"};
  std::vector<std::string> against = {};  ///< of peer_names()
  std::vector<double> tolerances = {};    ///< in falling order
  int passes = 3;
  bool text = true;     ///< models beside functions
  bool floors = false;  ///< profiles of all runs of auto, not only of those that fall short
  Repeats repeats = {};
  std::function<void(const std::string&)> progress = {};
};

/// Throws InvalidInput for names that are not known.
std::vector<Row> run_bench(const BenchOptions& options);

}  // namespace daedalus::bench
