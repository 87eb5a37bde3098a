// Reads data/rk_orders.csv.
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "io/embedded.h"
#include "reproduce/rk_orders.h"

namespace daedalus::reproduce {
namespace {

constexpr std::string_view table_name = "data/rk_orders.csv";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

double number(const std::string& text) {
  return text == "nan" ? std::numeric_limits<double>::quiet_NaN() : std::stod(text);
}

/// The table names methods by family and stages, the catalogue by family and order.
std::string catalogue_name(const std::string& method, int stages) {
  if (method == "gauss") return fmt::format("gauss_{}", 2 * stages);
  if (method == "radauIA") return fmt::format("radau_ia_{}", 2 * stages - 1);
  if (method == "radauIIA") return fmt::format("radau_iia_{}", 2 * stages - 1);
  if (method == "lobattoIIIA") return fmt::format("lobatto_iiia_{}", 2 * stages - 2);
  if (method == "lobattoIIIC") return fmt::format("lobatto_iiic_{}", 2 * stages - 2);
  if (method == "sdirk2_s2") return "sdirk_2";
  if (method == "sdirk3_s3_alexander") return "sdirk_alexander_3";
  if (method == "sdirk3_s4_ars443") return "sdirk_ars443_3";
  if (method == "sdirk4_s3_crouzeix") return "sdirk_crouzeix_4";
  if (method == "sdirk4_s5_hw") return "sdirk_hairer_wanner_4";
  throw InvalidInput(fmt::format("{}: method '{}' is not known", table_name, method));
}

/// "3", ">=3", ">=3 (empirical)", "1(0)", "".
std::optional<TheoryOrder> theory_order(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const bool is_bound = text.starts_with(">=");
  return TheoryOrder{std::stoi(text.substr(is_bound ? 2 : 0)), is_bound};
}

OrderRow read_row(const std::string& line) {
  const std::vector<std::string> field = split(line, ',');
  if (field.size() != 10) throw InvalidInput(fmt::format("{}: '{}'", table_name, line));
  OrderRow row;
  row.text = line;
  row.problem = field[0];
  row.method = catalogue_name(field[2], std::stoi(field[3]));
  row.component = field[4];
  row.theory = theory_order(field[5]);
  row.measured = number(field[6]);
  for (const std::string& text : split(field[7], ' ')) row.measured_all.push_back(number(text));
  for (const std::string& text : split(field[8], ' ')) row.step_counts.push_back(std::stoi(text));
  row.finest_error = number(field[9]);
  return row;
}

}  // namespace

std::string order_table_header() {
  const std::string_view text = embedded(table_name);
  return std::string(text.substr(0, text.find('\n')));
}

std::vector<OrderRow> read_order_table() {
  std::istringstream text{std::string(embedded(table_name))};
  std::vector<OrderRow> rows;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) rows.push_back(read_row(line));
  return rows;
}

}  // namespace daedalus::reproduce
