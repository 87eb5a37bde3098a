// daedalus methods: the catalogue with what theory says of each entry, and the order checker.
#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "daedalus/method.h"
#include "daedalus/order_check.h"

namespace daedalus::command {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::optional<int>& order) {
  return order ? std::to_string(*order) : "-";
}

Json json(const std::optional<int>& order) {
  return order ? Json(*order) : Json(nullptr);
}

// What every method takes, and what only some do: names of Options, and of --options with dashes.
const std::vector<std::string> common_options = {"rtol", "atol", "fixed_step", "first_step",
                                                 "max_step"};
const std::vector<std::string> variable_order_options = {"min_stages", "max_stages"};

std::vector<Tableau> all_methods() {
  std::vector<Tableau> list = runge_kutta_methods();
  for (const Tableau& method : explicit_runge_kutta_methods()) list.push_back(method);
  return list;
}

std::vector<std::string> own_options(const Tableau& method) {
  if (is_stiffly_accurate(method) || is_explicit(method)) return {};
  return {"algebraic_update"};
}

Json all_options(const std::vector<std::string>& own) {
  Json list = common_options;
  for (const std::string& option : own) list.push_back(option);
  return list;
}

constexpr const char* row_format = "{:<22} {:>5} {:>6}  {:<8}  {:<7}  {:<7}  {:<8}  {:<22}  {}\n";

void print_row(const Tableau& method) {
  const ConvergenceOrders orders = convergence_orders(method);
  fmt::print(
      row_format, method.name, method.order, method.stages,
      is_stiffly_accurate(method) ? "yes" : "no",
      fmt::format("{} {}", text(orders.index1_y), text(orders.index1_z)),
      fmt::format("{} {}", text(orders.index2_y), text(orders.index2_z)),
      fmt::format("{} {} {}", text(orders.index3_y), text(orders.index3_z), text(orders.index3_u)),
      fmt::format("{}", fmt::join(own_options(method), " ")), method.reference);
}

void print_row(const OtherMethod& method) {
  const std::string order = method.lowest_order == method.order
                                ? std::to_string(method.order)
                                : fmt::format("{}..{}", method.lowest_order, method.order);
  const bool motions = method.form == "motions";
  const std::string of_index_2 = motions ? "- -"
                                 : method.on_constraints
                                     ? order + " " + order
                                     : fmt::format("{} {}", method.index2_y, method.index2_z);
  fmt::print(row_format, method.name, order,
             method.stages > 0 ? std::to_string(method.stages) : "-", "yes",
             method.on_constraints ? "- -" : order + " " + order, of_index_2,
             method.on_constraints ? "as y z" : "- - -",
             fmt::format("{}", fmt::join(method.options, " ")), method.reference);
}

void print_table() {
  fmt::print(row_format, "", "", "", "stiffly", "index 1", "index 2", "index 3", "options of", "");
  fmt::print(row_format, "method", "order", "stages", "accurate", "y z", "y z", "y z u", "its own",
             "reference");
  fmt::print(row_format, "radau (the default)", "5..13", "3..7", "yes", "see the", "radau_",
             "iia rows", fmt::format("{}", fmt::join(variable_order_options, " ")),
             "HairerWanner1999");
  for (const Tableau& method : all_methods()) print_row(method);
  for (const OtherMethod& method : other_methods()) print_row(method);
  fmt::print(
      "\nOrders that theory guarantees at constant steps; y differential, z algebraic (index 3:\n"
      "position, velocity, multiplier u); 0: bounded errors, -: no theorem. The explicit methods\n"
      "work on the constraints: y' = f, Hessenberg index 2, motions under constraints. The\n"
      "last ones are no Runge-Kutta tableaus. Half-explicit and extrapolated methods work on the\n"
      "constraints too; extrapolated_euler_3 and extrapolated_rattle take motions alone. rodas_* "
      "and\n"
      "seulex take M y' = f with constant M, their orders for index 2 are measured; bdf and mebdf\n"
      "have their orders with constant steps and exact starting values.\n"
      "Options of every method: {}.\n",
      fmt::join(common_options, ", "));
}

Json described(const Tableau& method) {
  const ConvergenceOrders orders = convergence_orders(method);
  return {
      {"name", method.name},
      {"family", method.family},
      {"order", method.order},
      {"embedded_order", method.embedded_order},
      {"stages", method.stages},
      {"stage_order", stage_order(method)},
      {"stiffly_accurate", is_stiffly_accurate(method)},
      {"index1", {{"y", json(orders.index1_y)}, {"z", json(orders.index1_z)}}},
      {"index2", {{"y", json(orders.index2_y)}, {"z", json(orders.index2_z)}}},
      {"index3",
       {{"y", json(orders.index3_y)}, {"z", json(orders.index3_z)}, {"u", json(orders.index3_u)}}},
      {"options", all_options(own_options(method))},
      {"reference", method.reference}};
}

Json described(const OtherMethod& method) {
  Json order = method.order;
  if (method.lowest_order < method.order) order = {method.lowest_order, method.order};
  const Json index_1 = method.on_constraints ? Json(nullptr) : Json(method.order);
  return {{"name", method.name},
          {"family", method.family},
          {"order", order},
          {"stages", method.stages},
          {"stiffly_accurate", true},
          {"form", method.form},
          {"index1", {{"y", index_1}, {"z", index_1}}},
          {"index2", {{"y", method.index2_y}, {"z", method.index2_z}}},
          {"options", all_options(method.options)},
          {"reference", method.reference}};
}

void print_json() {
  Json list = Json::array();
  list.push_back({{"name", "radau"},
                  {"family", "radau_iia"},
                  {"order", {5, 9, 13}},
                  {"stages", {3, 5, 7}},
                  {"stiffly_accurate", true},
                  {"options", all_options(variable_order_options)},
                  {"reference", "HairerWanner1999"}});
  for (const Tableau& method : all_methods()) list.push_back(described(method));
  for (const OtherMethod& method : other_methods()) list.push_back(described(method));
  fmt::print("{}\n", list.dump(2));
}

/// "8+" where the trees that were tried do not show the end.
std::string local_order(const std::optional<int>& order, const OrderReport& report) {
  return text(order) + (order && *order >= report.limit ? "+" : "");
}

constexpr int most_tree_order = 8;

/// Trees as far as they are affordable; beyond, B(p), C(q), D(r) with p <= q + r + 1, 2 q + 2
/// imply order p. [Butcher1964]
int proven_order(const OrderReport& report) {
  const int implied = std::min(
      {report.quadrature, report.stages_c + report.adjoint_d + 1, 2 * report.stages_c + 2});
  return report.classical < report.limit ? report.classical : std::max(report.classical, implied);
}

/// One line; false if the coefficients do not have the declared order.
bool print_check(const Tableau& method) {
  // One order beyond the declared one, to see that it is not higher.
  const OrderReport report = check_orders(method, std::min(method.order + 1, most_tree_order));
  const int found = proven_order(report);
  const bool holds = found >= method.order;
  fmt::print("{:<22} {:>8} {:>6} {:>10} {:>10}  {:>2} {:>2} {:>2}  {:>8.0e}  {} {}\n", method.name,
             method.order, found, local_order(report.index2_y, report),
             local_order(report.index2_z, report), report.quadrature, report.stages_c,
             report.adjoint_d, report.largest_defect_below, holds ? "ok" : "FAILS",
             holds ? "" : report.first_failure);
  return holds;
}

int check_catalogue() {
  fmt::print("{:<22} {:>8} {:>6} {:>10} {:>10}  {:>2} {:>2} {:>2}  {:>8}\n", "method", "declared",
             "found", "index 2 y", "index 2 z", "B", "C", "D", "defect");
  int failures = 0;
  for (const Tableau& method : all_methods()) {
    if (!print_check(method)) ++failures;
  }
  fmt::print(
      "\nRooted trees up to order {}, B(p) C(q) D(r) beyond; index 2: local orders of one step.\n",
      most_tree_order);
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
