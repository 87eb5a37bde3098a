#include "reproduce/orders.h"

#include <cmath>
#include <limits>

namespace daedalus::reproduce {
namespace {

constexpr int most_steps = 1024;
/// Above this an error says nothing about h -> 0.
constexpr double largest_error = 0.1;
/// From one doubling to the next orders drift by less than this; rounding makes them jump.
constexpr double largest_drift = 0.2;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The end of the longest run of pairs that continue each other; -1 if no two do. Rounding may
/// feign a short run, asymptotics gives a long one.
int finest_clean_pair(const std::vector<OrderPair>& pairs) {
  int best = -1, best_length = 0, length = 0;
  for (int i = 1; i < static_cast<int>(pairs.size()); ++i) {
    const bool continues = std::abs(pairs[i].order - pairs[i - 1].order) <= largest_drift;
    length = continues ? length + 1 : 0;
    if (length > best_length) best = i, best_length = length;
  }
  return best;
}

}  // namespace

FixedStepRuns::FixedStepRuns(ReferenceProblem problem, std::string method, int max_order)
    : problem_(std::move(problem)),
      method_(std::move(method)),
      max_order_(max_order),
      exact_(problem_.at_end()) {
  for (const Tableau& m : explicit_runge_kutta_methods())
    if (m.name == method_) problem_.suggested.formulation = Formulation::automatic;
  for (const OtherMethod& m : other_methods())
    if (m.name == method_ && m.on_constraints)
      problem_.suggested.formulation = Formulation::automatic;
}

const std::vector<double>& FixedStepRuns::run(int steps) {
  const auto [position, is_new] = errors_.try_emplace(steps);
  std::vector<double>& errors = position->second;
  if (!is_new) return errors;

  const Interval& span = problem_.problem.t_span;
  Options options = problem_.suggested;
  options.method = method_;
  options.max_order = max_order_;
  options.fixed_step = (span.end - span.begin) / steps;
  options.dense = false;
  options.at = {span.end};
  // The orders of the table are those of the method alone.
  options.project_output = false;
  options.algebraic_update = AlgebraicUpdate::embedding;
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
  return 1e-15 * growth;
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
  bool reaches_rounding = false, fails = false;
  for (int n = steps; 2 * n <= most_steps && !reaches_rounding; n *= 2) {
    const OrderPair pair = this->pair(n, group);
    if (pair.fine_error < smallest) smallest = pair.fine_error;
    fails = std::isnan(pair.fine_error);
    if (fails || !(pair.coarse_error < largest_error)) continue;
    reaches_rounding = !is_usable(n, group);
    if (!reaches_rounding) result.pairs.push_back(pair);
  }
  const int clean = finest_clean_pair(result.pairs);
  if (clean >= 0) {
    result.pairs.resize(clean + 1);
    result.order = result.pairs.back().order;
  } else {
    result.below_rounding = reaches_rounding;
    result.diverges = fails || !(smallest < largest_error);
  }
  return result;
}

ObservedOrder FixedStepRuns::observe(int group) {
  // The range of usable errors may be narrow: other counts than powers of two may fall into it.
  ObservedOrder result;
  for (const int start : {1, 3, 5}) {
    result = observe_from(start, group);
    if (result.is_known() || result.diverges) break;
  }
  return result;
}

}  // namespace daedalus::reproduce
