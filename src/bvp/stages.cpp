#include "bvp/stages.h"

#include <algorithm>
#include <cmath>

namespace daedalus::bvp {
namespace {

constexpr int most_stages = 9;

/// Multiplications of one element, with what evaluations and memory cost beside them.
double work(const CollocationSystem& system, int k) {
  const double n = system.components(), states = system.states(), rows = system.rows();
  const double unknowns = n * k;
  return unknowns * unknowns * unknowns / 3 + unknowns * unknowns * (states + 2) +
         6 * states * states * states + k * rows * (rows + states) * states + 300 * k + 1000;
}

/// The largest length of an element, as a part of 1 / lambda. The local error of a variable whose
/// r-th integral is collocated is near k!/(2k)! (2k+1)^-r h^(k+r) of its derivative: the monic
/// polynomial of Gauss points by k!.
double longest(int k, int r, double tolerance) {
  const double constant =
      std::lgamma(k + 1.0) - std::lgamma(2.0 * k + 1) - r * std::log(2.0 * k + 1);
  return std::exp((std::log(tolerance) - constant) / (k + r));
}

}  // namespace

int first_stages(double tolerance, int highest_order) {
  const int by_tolerance = tolerance >= 1e-4 ? 4 : tolerance >= 1e-7 ? 5 : 6;
  return std::min(most_stages, std::max(by_tolerance, highest_order + 1));
}

int best_stages(const CollocationSystem& system, double tolerance, int stages, double elements) {
  constexpr double worth_while = 0.8, fewest_elements = 10;
  bool with_algebraic = false;
  for (int slot = system.states() + system.components(); slot < system.slots(); ++slot)
    with_algebraic = with_algebraic || system.controlled[static_cast<std::size_t>(slot)];
  const int r = with_algebraic ? 0 : 1;
  const auto cost = [&](int k) {
    const double needed = elements * longest(stages, r, tolerance) / longest(k, r, tolerance);
    return std::max(needed, fewest_elements) * work(system, k);
  };
  int best = stages;
  for (int k = std::max(2, system.highest()); k <= most_stages; ++k)
    if (cost(k) < cost(best)) best = k;
  return cost(best) < worth_while * cost(stages) ? best : stages;
}

}  // namespace daedalus::bvp
