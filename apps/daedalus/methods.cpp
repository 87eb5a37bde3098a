// daedalus methods: the catalogue with what theory says of each entry, and the order checker.
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "daedalus/method.h"
#include "daedalus/order_check.h"

namespace daedalus::command {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::optional<int>& order) { return order ? std::to_string(*order) : "-"; }

Json json(const std::optional<int>& order) { return order ? Json(*order) : Json(nullptr); }

void print_table() {
  fmt::print("{:<22} {:>5} {:>6} {:>6} {:>7} {:>8} {:>9}   {}\n", "method", "order", "stages",
             "stiffly", "index 1", "index 2", "index 3", "reference");
  fmt::print("{:<22} {:>5} {:>6} {:>7} {:>7} {:>8} {:>9}\n", "", "", "", "accurate", "y z", "y z",
             "y z u");
  fmt::print("{:<22} {:>5} {:>6} {:>7} {:>7} {:>8} {:>9}   {}\n", "radau", "5-13", "3-7", "yes",
             "as radau_iia_5, _9, _13, chosen on the way", "", "", "HairerWanner1999");
  for (const Tableau& method : runge_kutta_methods()) {
    const ConvergenceOrders orders = convergence_orders(method);
    fmt::print("{:<22} {:>5} {:>6} {:>7} {:>7} {:>8} {:>9}   {}\n", method.name, method.order,
               method.stages, is_stiffly_accurate(method) ? "yes" : "no",
               text(orders.index1_y) + " " + text(orders.index1_z),
               text(orders.index2_y) + " " + text(orders.index2_z),
               text(orders.index3_y) + " " + text(orders.index3_z) + " " + text(orders.index3_u),
               method.reference);
  }
}

Json described(const Tableau& method) {
  const ConvergenceOrders orders = convergence_orders(method);
  Json options = Json::array({"rtol", "atol", "fixed_step", "first_step", "max_step"});
  if (!is_stiffly_accurate(method)) options.push_back("algebraic_update");
  return {{"name", method.name},
          {"family", method.family},
          {"order", method.order},
          {"embedded_order", method.embedded_order},
          {"stages", method.stages},
          {"stage_order", stage_order(method)},
          {"stiffly_accurate", is_stiffly_accurate(method)},
          {"index1", {{"y", json(orders.index1_y)}, {"z", json(orders.index1_z)}}},
          {"index2", {{"y", json(orders.index2_y)}, {"z", json(orders.index2_z)}}},
          {"index3",
           {{"y", json(orders.index3_y)},
            {"z", json(orders.index3_z)},
            {"u", json(orders.index3_u)}}},
          {"options", options},
          {"reference", method.reference}};
}

void print_json() {
  Json list = Json::array();
  list.push_back({{"name", "radau"},
                  {"family", "radau_iia"},
                  {"order", {5, 9, 13}},
                  {"stages", {3, 5, 7}},
                  {"stiffly_accurate", true},
                  {"options",
                   {"rtol", "atol", "fixed_step", "first_step", "max_step", "min_stages",
                    "max_stages"}},
                  {"reference", "HairerWanner1999"}});
  for (const Tableau& method : runge_kutta_methods()) list.push_back(described(method));
  fmt::print("{}\n", list.dump(2));
}

/// The trees grow fast with the order: look one order beyond what is declared, within bounds.
int limit_for(const Tableau& method) { return std::min(method.order + 1, 8); }

/// One line; false if the coefficients do not have the declared order.
bool print_check(const Tableau& method) {
  const int limit = limit_for(method);
  const OrderReport report = check_orders(method, limit);
  const bool holds = report.classical >= std::min(method.order, limit);
  const std::string found = fmt::format("{}{}", report.classical >= limit ? ">=" : "", report.classical);
  fmt::print("{:<22} {:>8} {:>6} {:>9} {:>9}  {:>2} {:>2} {:>2}  {:>9.1e}  {:<6} {}\n", method.name,
             method.order, found, text(report.index2_y), text(report.index2_z), report.quadrature,
             report.stages_c, report.adjoint_d, report.largest_defect_below, holds ? "ok" : "FAILS",
             holds ? "" : report.first_failure);
  return holds;
}

int check_catalogue() {
  fmt::print("{:<22} {:>8} {:>6} {:>9} {:>9}  {:>2} {:>2} {:>2}  {:>9}\n", "method", "declared",
             "found", "index 2 y", "index 2 z", "B", "C", "D", "defect");
  int failures = 0;
  for (const Tableau& method : runge_kutta_methods()) {
    if (!print_check(method)) ++failures;
  }
  fmt::print("\nOrders from rooted trees up to order 8; index 2: local orders of one step.\n");
  if (failures > 0) fmt::print("{} methods do not have the order they declare.\n", failures);
  return failures == 0 ? done : failed;
}

void print_failure(const char* kind, const std::string& failure) {
  if (!failure.empty()) fmt::print("  {:<22} {}\n", kind, failure);
}

int check_file(const std::string& path) {
  const Tableau method = read_tableau(path);
  const OrderReport report = check_orders(method);
  const ConvergenceOrders orders = convergence_orders(method);
  fmt::print("{}: {} stages\n", method.name.empty() ? path : method.name, method.stages);
  fmt::print("  {:<22} {}{}\n", "classical order", report.classical,
             report.classical == report.limit ? " or more" : "");
  print_failure("first tree that fails", report.first_failure);
  fmt::print("  {:<22} y {}, z {}\n", "index 2, one step", text(report.index2_y),
             text(report.index2_z));
  print_failure("not applicable", report.index2_obstacle);
  print_failure("first failure in y", report.index2_y_failure);
  print_failure("first failure in z", report.index2_z_failure);
  fmt::print("  {:<22} B({}) C({}) D({})\n", "assumptions", report.quadrature, report.stages_c,
             report.adjoint_d);
  fmt::print("  {:<22} {}\n", "stiffly accurate", report.stiffly_accurate ? "yes" : "no");
  fmt::print("  {:<22} {}\n", "R(infinity)",
             report.r_infinity ? fmt::format("{:.6g}", *report.r_infinity) : "unbounded");
  fmt::print("  {:<22} index 1: y {}, z {};  index 2: y {}, z {};  index 3: y {}, z {}, u {}\n",
             "guaranteed orders", text(orders.index1_y), text(orders.index1_z),
             text(orders.index2_y), text(orders.index2_z), text(orders.index3_y),
             text(orders.index3_z), text(orders.index3_u));
  return done;
}

}  // namespace

int run_methods(const MethodsCommand& command) {
  if (command.check) {
    return command.tableau.empty() ? check_catalogue() : check_file(command.tableau);
  }
  if (command.json) {
    print_json();
  } else {
    print_table();
  }
  return done;
}

}  // namespace daedalus::command
