#pragma once
// One run of one code on one problem at one tolerance: what `daedalus bench` is made of.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace daedalus::bench {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// What the time of a run is made of: each kernel timed in a loop, where everything it needs is in
/// the nearest memory, times how often it was called. No run with these counts takes less.
struct Profile {
  int unknowns = 0;
  /// Explicit steps: f is a slope with its multipliers, and ends of steps are projected.
  bool on_manifold = false;
  double run_us = unknown, start_us = unknown;  ///< the run itself, timed beside the kernels
  double f_us = 0, jacobian_us = 0;             ///< of one call
  double factor_us = 0, solve_us = 0;  ///< all matrices of a step, the mean over numbers of stages
  double projection_us = 0;
  std::int64_t projections = 0;
  double functions_us = 0, linear_us = 0;  ///< of all calls: f and Jacobians; the others

  double floor_us() const { return functions_us + linear_us; }
  double rest_us() const { return run_us - start_us - floor_us(); }
};

struct Row {
  std::string suite = {}, problem = {}, solver = {}, method = {};
  double rtol = 0, atol = 0;
  double digits = unknown;            ///< of the differential variables; NaN: not known
  double digits_algebraic = unknown;  ///< of the algebraic ones
  double cpu_us = unknown;            ///< of the whole call, the shortest of all repeats
  double start_us = 0;                ///< the part of it before the first step; 0: not known
  double first_us = unknown;          ///< of a run that knows nothing of earlier ones
  std::vector<double> pass_us = {};   ///< cpu_us of each pass
  std::int64_t steps = 0, rejected = 0, rhs = 0, jacobians = 0, factorizations = 0, solves = 0;
  double reference_digits = 16;  ///< more cannot be seen
  std::string status = {};       ///< success, failed, crashed, time_limit
  std::string message = {};      ///< of a failure
  std::string choice = {};       ///< what method auto took, and why
  std::optional<Profile> profile = {};

  bool succeeded() const { return status == "success"; }
  bool is_own() const { return solver.starts_with("daedalus"); }
  /// The same code on the same problem at the same tolerance.
  bool repeats(const Row& other) const {
    return suite == other.suite && problem == other.problem && solver == other.solver &&
           method == other.method && rtol == other.rtol;
  }
};

/// CPU time of this thread in microseconds.
double cpu_microseconds();

}  // namespace daedalus::bench
