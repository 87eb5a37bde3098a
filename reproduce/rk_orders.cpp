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

/// The measured orders do not change from one doubling to the next.
bool is_settled(const std::vector<double>& orders) {
  const auto [low, high] = std::minmax_element(orders.begin(), orders.end());
  return *high - *low <= 0.1;
}

/// Where errors jump about instead of falling, the last quotient is an accident.
bool is_erratic(const std::vector<double>& orders) {
  return std::any_of(orders.begin(), orders.end(), [](double p) { return !(p > -1); });
}

OrderResult judge_by_theory(const OrderRow& row, FixedStepRuns& runs, int group) {
  const ObservedOrder observed = runs.observe(group);
  OrderResult result = {row, Verdict::disagrees, observed.order, observed.pairs};
  if (observed.below_rounding) {
    result.verdict = Verdict::below_rounding;
  } else if (observed.diverges) {
    const OrderPair last = runs.pair(row.step_counts.end()[-2], group);
    result.computed = last.order;
    if (row.theory->order == 0 || row.measured <= tolerance) {
      result.verdict = Verdict::no_convergence;
    }
  } else if (row.theory->is_lower_bound) {
    if (observed.order >= row.theory->order - tolerance) result.verdict = Verdict::agrees;
  } else if (is_close(observed.order, row.theory->order)) {
    result.verdict = Verdict::agrees;
  } else if (observed.order > row.theory->order && is_close(observed.order, row.measured)) {
    result.verdict = Verdict::above_theory;
  }
  return result;
}

/// Orders that depend on h (h against epsilon) are only comparable at the same h.
OrderResult judge_by_measurement(const OrderRow& row, FixedStepRuns& runs, int group) {
  OrderResult result = {row, Verdict::below_rounding, not_a_number, {}};
  for (std::size_t i = row.measured_all.size(); i-- > 0;) {
    const int steps = row.step_counts[i];
    const OrderPair pair = runs.pair(steps, group);
    const bool fails = !std::isfinite(pair.order);
    if (!fails && !runs.is_usable(steps, group)) continue;
    result.pairs = {pair};
    result.computed = pair.order;
    const bool table_diverges = row.measured <= tolerance || is_erratic(row.measured_all);
    if (!fails && is_close(pair.order, row.measured_all[i])) {
      result.verdict = Verdict::agrees;
    } else if (table_diverges && (fails || pair.order <= tolerance || pair.fine_error > 1e-2)) {
      result.verdict = Verdict::no_convergence;
    } else {
      result.verdict = Verdict::disagrees;
    }
    return result;
  }
  if (!is_settled(row.measured_all)) return result;
  const ObservedOrder observed = runs.observe(group);
  if (!observed.is_known()) return result;
  result.computed = observed.order;
  result.pairs = observed.pairs;
  result.verdict = is_close(observed.order, row.measured) ? Verdict::agrees : Verdict::disagrees;
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
    case Verdict::disagrees:
      return "DISAGREES";
  }
  return "";
}

bool is_agreement(Verdict verdict) {
  return verdict != Verdict::disagrees && verdict != Verdict::below_rounding;
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
    results.push_back(row.theory ? judge_by_theory(row, *runs, group)
                                 : judge_by_measurement(row, *runs, group));
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
