// Compares observed orders with the table. A row with a theorem behind it agrees within 0.25 of
// the theorem (asymptotics with 2 to 1024 steps); a row without one, with what was measured.
#include "reproduce/rk_orders.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

constexpr double tolerance = 0.25;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool is_close(double a, double b) {
  return std::abs(a - b) <= tolerance;
}

/// Where errors jump about instead of falling, the last quotient is an accident.
bool does_not_converge(const OrderRow& row) {
  const auto jumps = [](double order) { return !(order > -1); };
  return row.measured <= tolerance ||
         std::any_of(row.measured_all.begin(), row.measured_all.end(), jumps);
}

/// Orders that depend on h, as on h against epsilon, are only comparable at the same h.
bool depends_on_step(const OrderRow& row) {
  if (row.problem.starts_with("spp")) return true;
  if (row.theory || does_not_converge(row)) return false;
  const auto [low, high] = std::minmax_element(row.measured_all.begin(), row.measured_all.end());
  return *high - *low > 0.1;
}

OrderResult judge_divergence(const OrderRow& row, FixedStepRuns& runs, int group) {
  const OrderPair last = runs.pair(row.step_counts.end()[-2], group);
  OrderResult result = {row, Verdict::disagrees, last.order, {last}};
  if (does_not_converge(row)) {
    result.verdict = Verdict::no_convergence;
  } else if (std::isnan(last.order)) {
    result.verdict = Verdict::not_solved;
  }
  return result;
}

bool agrees_with(const TheoryOrder& theory, double order) {
  return theory.is_lower_bound ? order >= theory.order - tolerance : is_close(order, theory.order);
}

OrderResult judge_order(const OrderRow& row, FixedStepRuns& runs, int group) {
  const ObservedOrder observed = runs.observe(group);
  const bool fails = std::isnan(runs.error(row.step_counts.back(), group));
  if (observed.diverges || (fails && does_not_converge(row))) {
    return judge_divergence(row, runs, group);
  }
  OrderResult result = {row, Verdict::disagrees, observed.order, observed.pairs};
  const bool is_as_measured = is_close(observed.order, row.measured);
  if (!observed.is_known()) {
    result.verdict = observed.below_rounding ? Verdict::below_rounding : Verdict::disagrees;
  } else if (row.theory ? agrees_with(*row.theory, observed.order) : is_as_measured) {
    result.verdict = Verdict::agrees;
  } else if (row.theory && observed.order > row.theory->order && is_as_measured) {
    result.verdict = Verdict::above_theory;
  } else if (does_not_converge(row) && observed.order <= tolerance) {
    result.verdict = Verdict::no_convergence;
  }
  if (fails && result.verdict == Verdict::disagrees) result.verdict = Verdict::not_solved;
  return result;
}

OrderResult judge_at_same_steps(const OrderRow& row, FixedStepRuns& runs, int group) {
  // Nothing tells rounding from a change of order here, so the errors stay well above it.
  constexpr double smallest_error = 3e-13;
  OrderResult result = {row, Verdict::below_rounding, not_a_number, {}};
  for (std::size_t i = row.measured_all.size(); i-- > 0;) {
    const OrderPair pair = runs.pair(row.step_counts[i], group);
    if (!(pair.fine_error > smallest_error) || !runs.is_usable(pair.steps, group)) continue;
    const bool agrees = is_close(pair.order, row.measured_all[i]);
    return {row, agrees ? Verdict::agrees : Verdict::disagrees, pair.order, {pair}};
  }
  return result;
}

int group_of(const ReferenceProblem& problem, const std::string& component) {
  const auto found = std::find_if(problem.groups.begin(), problem.groups.end(),
                                  [&](const Group& group) { return group.name == component; });
  return static_cast<int>(found - problem.groups.begin());
}

std::string order_text(double order, const char* missing) {
  return std::isfinite(order) ? fmt::format("{:.6g}", order) : missing;
}

void print_csv(const std::vector<OrderResult>& results, std::ostream& out) {
  fmt::print(out, "{},computed,agrees\n", order_table_header());
  for (const OrderResult& result : results) {
    fmt::print(out, "{},{},{}\n", result.row.text,
               order_text(result.computed, name_of(result.verdict)),
               is_agreement(result.verdict) ? "yes" : "no");
  }
}

std::string theory_text(const OrderRow& row) {
  if (!row.theory) return "";
  return fmt::format("{}{}", row.theory->is_lower_bound ? ">=" : "", row.theory->order);
}

void print_table(const std::vector<OrderResult>& results, std::ostream& out) {
  fmt::print(out, "{:<8} {:<22} {:>4} {:>7} {:>9} {:>9}  {:<9} {}\n", "problem", "method", "part",
             "theory", "measured", "computed", "steps", "verdict");
  std::string before;
  for (const OrderResult& result : results) {
    const OrderRow& row = result.row;
    const std::string key = row.problem + row.method;
    const bool is_same = key == before;
    before = key;
    const std::string steps = result.pairs.empty() ? ""
                                                   : fmt::format("{}-{}", result.pairs.back().steps,
                                                                 2 * result.pairs.back().steps);
    fmt::print(out, "{:<8} {:<22} {:>4} {:>7} {:>9.2f} {:>9}  {:<9} {}\n",
               is_same ? "" : row.problem, is_same ? "" : row.method, row.component,
               theory_text(row), row.measured,
               std::isfinite(result.computed) ? fmt::format("{:.2f}", result.computed) : "-", steps,
               name_of(result.verdict));
  }
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::above_theory:
      return "above theory, as measured";
    case Verdict::no_convergence:
      return "does not converge, as measured";
    case Verdict::below_rounding:
      return "below rounding";
    case Verdict::not_solved:
      return "NEWTON FAILS";
    case Verdict::disagrees:
      return "DISAGREES";
  }
  return "";
}

bool is_agreement(Verdict verdict) {
  return verdict == Verdict::agrees || verdict == Verdict::above_theory ||
         verdict == Verdict::no_convergence;
}

std::vector<OrderResult> recompute_orders(const std::vector<OrderRow>& rows) {
  std::vector<OrderResult> results;
  std::optional<FixedStepRuns> runs;
  const OrderRow* before = nullptr;
  for (const OrderRow& row : rows) {
    if (!before || before->problem != row.problem || before->method != row.method) {
      runs.emplace(order_problem(row.problem), row.method);
    }
    before = &row;
    const int group = group_of(runs->problem(), row.component);
    results.push_back(depends_on_step(row) ? judge_at_same_steps(row, *runs, group)
                                           : judge_order(row, *runs, group));
  }
  return results;
}

ReproduceSummary reproduce_rk_orders(const ReproduceOptions& options, std::ostream& out) {
  const std::vector<OrderResult> results = recompute_orders(read_order_table());
  ReproduceSummary summary;
  int below_rounding = 0;
  for (const OrderResult& result : results) {
    ++summary.entries;
    if (is_agreement(result.verdict)) ++summary.agree;
    if (result.verdict == Verdict::below_rounding) ++below_rounding;
  }
  if (options.csv) {
    print_csv(results, out);
    return summary;
  }
  print_table(results, out);
  fmt::print(out, "\n{} rows: {} agree, {} below rounding in double precision, {} disagree.\n",
             summary.entries, summary.agree, below_rounding,
             summary.entries - summary.agree - below_rounding);
  return summary;
}

}  // namespace daedalus::reproduce
