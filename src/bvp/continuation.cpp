// Continuation in a parameter by its value, with automatic steps.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/bvp.h"
#include "daedalus/error.h"

namespace daedalus {

BoundarySolution continue_boundary(
    const std::function<BoundarySolution(double, const BoundarySolution*)>& solve_at,
    const Continuation& way) {
  if (!(way.first_step > 0 && way.first_step <= 1 && way.smallest_step > 0) ||
      !std::isfinite(way.from) || !std::isfinite(way.to))
    throw InvalidInput("continuation: steps must be parts of the way, between 0 and 1");
  BoundarySolution last = solve_at(way.from, nullptr);
  int solves = 1;
  double part = 0, step = way.first_step;
  while (last.succeeded() && part < 1) {
    const double next = std::min(1.0, part + step);
    const double value = next == 1 ? way.to : way.from + next * (way.to - way.from);
    BoundarySolution trial = solve_at(value, &last);
    ++solves;
    const bool stopped = trial.reason == Reason::interrupted || trial.reason == Reason::time_limit;
    if (trial.succeeded()) {
      last = std::move(trial);
      part = next;
      step *= 2;
      continue;
    }
    step *= 0.25;
    if (!stopped && step >= way.smallest_step && solves < way.max_solves) continue;
    trial.message.where = fmt::format("on the way from {} to {}, beyond {}; {}", way.from, way.to,
                                      way.from + part * (way.to - way.from), trial.message.where);
    trial.message.hint += "; a fold of the solutions may lie there";
    return trial;
  }
  return last;
}

}  // namespace daedalus
