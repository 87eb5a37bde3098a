#pragma once
// Other codes, each behind one function. They may print, crash or never return: the
// process they run in is nobody else's.
#include <string>
#include <vector>

#include "given_system.h"

namespace daedalus::peers {

struct PeerRun {
  bool succeeded = false;
  std::string message = {};
  double cpu_us = 0;
  Vector y = {};
  long steps = 0, rejected = 0, rhs = 0, jacobians = 0, factorizations = 0, solves = 0;
};

/// Larger matrices are not worth waiting for.
inline constexpr int most_for_dense = 500, widest_band = 200;

/// CPU time in microseconds.
double cpu_microseconds();

/// "dense", "band", "klu", "gmres"; radau5 also "m1": with its option for rows y_i' = y_{i+m}.
/// Empty list: the code is not installed.
std::vector<std::string> ida_variants(const GivenSystem& system);
PeerRun run_ida(GivenSystem& system, const std::string& variant, double rtol, double atol);

std::vector<std::string> desolve_variants(const std::string& solver, const GivenSystem& system);
PeerRun run_radau5(GivenSystem& system, const std::string& variant, double rtol, double atol);
PeerRun run_daspk(GivenSystem& system, const std::string& variant, double rtol, double atol);

}  // namespace daedalus::peers
