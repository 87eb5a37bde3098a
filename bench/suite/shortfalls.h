#pragma once
// Where `auto` is not twice as fast as every other code, and what the floor says about it.
#include "bench/suite/ratios.h"

namespace daedalus::bench {

/// Asked of `auto` in the suites of small problems, against each of the others.
inline constexpr double asked_ratio = 2;

struct Shortfall {
  Comparison row = {};
  Row run = {};  ///< of `auto`, at the tolerance that first gives the digits

  bool has_profile() const { return run.profile.has_value(); }
  double target_us() const { return row.peer_us / asked_ratio; }
  double start_us() const;  ///< the same at every tolerance
  /// The part that the kernels have in the steps of the profiled run, of those for the digits.
  double floor_us() const;
  /// Whether the target can be met, and by what.
  std::string verdict() const;
};

/// Of the suites ivp, mechanics and circuits, where another code reaches the digits.
std::vector<Shortfall> shortfalls(const std::vector<Row>& rows);
/// Each run once, with its profile.
std::vector<Row> profiled_runs(const std::vector<Row>& rows);

}  // namespace daedalus::bench
