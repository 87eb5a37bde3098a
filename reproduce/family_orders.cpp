#include "reproduce/family_orders.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/error.h"
#include "io/embedded.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

constexpr double tolerance = 0.3;
constexpr const char* components[] = {"y", "z", "u"};

int group_of(const std::string& component) {
  return component == "y" ? 0 : component == "z" ? 1 : 2;
}

std::string expected_text(const FamilyOrder& row) {
  return fmt::format("{}{:g}", row.is_lower_bound ? ">=" : "", row.order);
}

}  // namespace

bool is_below_rounding(const FamilyResult& result) {
  // From errors so small on, orders are those of rounding, which more steps add up.
  const auto is_rounding = [](const OrderPair& pair) { return pair.fine_error < 3e-14; };
  const ObservedOrder& observed = result.observed;
  return observed.below_rounding ||
         std::any_of(observed.pairs.begin(), observed.pairs.end(), is_rounding);
}

std::vector<FamilyOrder> read_family_orders() {
  std::istringstream text{std::string(embedded("data/family_orders.csv"))};
  std::vector<FamilyOrder> rows;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream fields(line);
    std::string method, max_order, problem, order[3], note;
    for (std::string* field : {&method, &max_order, &problem, &order[0], &order[1], &order[2]})
      if (!std::getline(fields, *field, ','))
        throw InvalidInput(fmt::format("data/family_orders.csv: '{}'", line));
    std::getline(fields, note);
    for (int k = 0; k < 3; ++k) {
      if (order[k].empty()) continue;
      const bool bound = order[k].starts_with(">=");
      rows.push_back({method, std::stoi(max_order), problem, components[k],
                      std::stod(order[k].substr(bound ? 2 : 0)), bound, note});
    }
  }
  return rows;
}

std::vector<FamilyResult> recompute_family_orders(const std::vector<FamilyOrder>& rows) {
  std::vector<FamilyResult> results;
  std::optional<FixedStepRuns> runs;
  const FamilyOrder* before = nullptr;
  for (const FamilyOrder& row : rows) {
    if (!before || before->method != row.method || before->problem != row.problem ||
        before->max_order != row.max_order)
      runs.emplace(order_problem(row.problem), row.method, row.max_order);
    before = &row;
    FamilyResult result{row, runs->observe(group_of(row.component))};
    const double order = result.observed.order;
    result.agrees = row.is_lower_bound ? order >= row.order - tolerance
                                       : std::abs(order - row.order) <= tolerance;
    results.push_back(std::move(result));
  }
  return results;
}

ReproduceSummary reproduce_family_orders(const ReproduceOptions& options, std::ostream& out) {
  ReproduceSummary summary;
  if (options.csv)
    fmt::print(out, "method,max_order,problem,component,order,computed,agrees\n");
  else
    fmt::print(out, "{:<22} {:>9} {:<7} {:>4} {:>6} {:>9}  {}\n", "method", "max_order", "problem",
               "part", "table", "computed", "verdict");
  for (const FamilyResult& result : recompute_family_orders(read_family_orders())) {
    const FamilyOrder& row = result.expected;
    ++summary.entries;
    if (result.agrees) ++summary.agree;
    const std::string computed =
        result.observed.is_known() ? fmt::format("{:.2f}", result.observed.order) : "-";
    const char* verdict = result.agrees                 ? "agrees"
                          : is_below_rounding(result)   ? "below rounding"
                          : !result.observed.is_known() ? "no settled order"
                                                        : "DISAGREES";
    if (options.csv)
      fmt::print(out, "{},{},{},{},{},{},{}\n", row.method, row.max_order, row.problem,
                 row.component, expected_text(row), computed, result.agrees ? "yes" : "no");
    else
      fmt::print(out, "{:<22} {:>9} {:<7} {:>4} {:>6} {:>9}  {}{}{}\n", row.method, row.max_order,
                 row.problem, row.component, expected_text(row), computed, verdict,
                 row.note.empty() ? "" : "; ", row.note);
  }
  if (!options.csv)
    fmt::print(out, "\n{} orders: {} agree within {}.\n", summary.entries, summary.agree,
               tolerance);
  return summary;
}

}  // namespace daedalus::reproduce
