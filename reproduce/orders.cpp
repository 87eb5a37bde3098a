#include "reproduce/orders.h"

#include <cmath>
#include <limits>

namespace daedalus::reproduce {
namespace {

constexpr int most_steps = 1024;
/// Above this an error says nothing about h -> 0.
constexpr double largest_error = 1e-2;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

FixedStepRuns::FixedStepRuns(ReferenceProblem problem, std::string method)
    : problem_(std::move(problem)), method_(std::move(method)), exact_(problem_.at_end()) {}

const std::vector<double>& FixedStepRuns::run(int steps) {
  const auto [position, is_new] = errors_.try_emplace(steps);
  std::vector<double>& errors = position->second;
  if (!is_new) return errors;

  const Interval& span = problem_.problem.t_span;
  Options options = problem_.suggested;
  options.method = method_;
  options.fixed_step = (span.end - span.begin) / steps;
  options.dense = false;
  options.at = {span.end};
  // Fixed steps need no tolerance; Newton's iteration does, and its error must not be seen.
  options.rtol = 1e-12;
  options.atol = {1e-12};
  const Solution solution = solve(problem_.problem, options);
  for (const Group& group : problem_.groups) {
    double error = solution.succeeded() ? 0 : not_a_number;
    for (const int i : group.variables) {
      const double difference = std::abs(solution.y_end()[i] - exact_[i]);
      if (!(difference <= error)) error = difference;
    }
    errors.push_back(solution.succeeded() ? error : not_a_number);
  }
  return errors;
}

double FixedStepRuns::error(int steps, int group) {
  return run(steps)[group];
}

double FixedStepRuns::rounding(int steps, int group) const {
  const double growth = std::pow(steps, problem_.groups[group].amplification);
  return 2e-15 * growth;
}

bool FixedStepRuns::is_usable(int steps, int group) {
  // A tenth of rounding in the finer error moves the order by 0.15.
  return error(2 * steps, group) > 10 * rounding(2 * steps, group);
}

OrderPair FixedStepRuns::pair(int steps, int group) {
  const double coarse = error(steps, group);
  const double fine = error(2 * steps, group);
  return {steps, coarse, fine, std::log2(coarse / fine)};
}

ObservedOrder FixedStepRuns::observe_from(int steps, int group) {
  ObservedOrder result;
  result.order = not_a_number;
  double smallest = std::numeric_limits<double>::infinity();
  for (int n = steps; 2 * n <= most_steps; n *= 2) {
    const OrderPair pair = this->pair(n, group);
    if (pair.fine_error < smallest) smallest = pair.fine_error;
    if (!(pair.coarse_error < largest_error)) continue;
    if (!is_usable(n, group)) break;
    result.pairs.push_back(pair);
    result.order = pair.order;
  }
  result.diverges = !(smallest < largest_error);
  result.below_rounding = !result.is_known() && !result.diverges;
  return result;
}

ObservedOrder FixedStepRuns::observe(int group) {
  const ObservedOrder result = observe_from(2, group);
  if (!result.below_rounding) return result;
  // The range of usable errors is narrow: step counts between the powers of two may fall into it.
  return observe_from(3, group);
}

}  // namespace daedalus::reproduce
