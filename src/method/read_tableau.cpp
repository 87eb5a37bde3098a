// A tableau of the user's own from JSON:
//   {"name": "...", "A": [["1/4", "-1/4"], [0.25, "5/12"]], "b": [...], "c": [...], "b_hat": [...]}
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "daedalus/error.h"
#include "daedalus/order_check.h"

namespace daedalus {
namespace {

using nlohmann::json;

std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return parse_decimal(text);
  const auto numerator = parse_decimal(text.substr(0, slash));
  const auto denominator = parse_decimal(text.substr(slash + 1));
  if (!numerator || !denominator || *denominator == 0) return std::nullopt;
  return *numerator / *denominator;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::ifstream file(path);
    if (!file) throw InvalidInput(fmt::format("{}: cannot be opened; must be a JSON file", path));
    try {
      content_ = json::parse(file);
    } catch (const json::parse_error& error) {
      throw InvalidInput(fmt::format("{}: is not JSON: {}", path, error.what()));
    }
    if (!content_.is_object()) throw InvalidInput(path + ": must hold one object with A, b and c");
  }

  Tableau read() {
    Tableau method;
    method.name = std::filesystem::path(path_).stem().string();
    if (content_.contains("name")) {
      if (!content_["name"].is_string()) fail("name", "must be a string");
      method.name = content_["name"];
    }
    method.family = "file";
    const json& b = list("b");
    if (b.empty() || b.size() > max_stages) {
      fail("b", fmt::format("has {} entries; must have from 1 to {}", b.size(), max_stages));
    }
    method.stages = static_cast<int>(b.size());
    method.b = row("b", method.stages);
    method.c = row("c", method.stages);
    read_matrix(method);
    set_orders(method);
    return method;
  }

 private:
  [[noreturn]] void fail(const std::string& field, const std::string& requirement) const {
    throw InvalidInput(fmt::format("{}: {} {}", path_, field, requirement));
  }

  const json& list(const std::string& field) const {
    if (!content_.contains(field)) fail(field, "is missing; must be a list");
    if (!content_[field].is_array()) fail(field, "must be a list");
    return content_[field];
  }

  double number(const json& entry, const std::string& field) const {
    std::optional<double> value;
    if (entry.is_number()) value = entry.get<double>();
    if (entry.is_string()) value = parse_number(entry.get_ref<const std::string&>());
    if (!value || !std::isfinite(*value)) {
      fail(field, fmt::format("is {}; must be a number, \"0.25\" or \"1/4\"", entry.dump()));
    }
    return *value;
  }

  std::array<double, max_stages> row(const std::string& field, int stages) const {
    const json& entries = list(field);
    if (entries.size() != static_cast<std::size_t>(stages)) {
      fail(field, fmt::format("has {} entries; must have {}, as b", entries.size(), stages));
    }
    std::array<double, max_stages> result = {};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      result[i] = number(entries[i], fmt::format("{}[{}]", field, i));
    }
    return result;
  }

  void read_matrix(Tableau& method) const {
    const json& rows = list("A");
    const auto stages = static_cast<std::size_t>(method.stages);
    if (rows.size() != stages) {
      fail("A", fmt::format("has {} rows; must have {}, as b", rows.size(), stages));
    }
    for (std::size_t i = 0; i < stages; ++i) {
      const std::string field = fmt::format("A[{}]", i);
      const std::size_t size = rows[i].size();
      if (!rows[i].is_array()) fail(field, "must be a list");
      if (size != stages && size != i && size != i + 1) {
        fail(field, fmt::format("has {} entries; must have {}, or stop before ({}) or at ({}) its "
                                "diagonal",
                                size, stages, i, i + 1));
      }
      for (std::size_t j = 0; j < size; ++j) {
        method.a[i][j] = number(rows[i][j], fmt::format("{}[{}]", field, j));
      }
    }
  }

  static int order_of(const Tableau& method) {
    // Beyond the trees: B(p), C(q), D(r) give order min(p, q+r+1, 2q+2) [HairerWanner1996, IV.5].
    const OrderReport report = check_orders(method);
    const int by_assumptions = std::min(
        {report.quadrature, report.stages_c + report.adjoint_d + 1, 2 * report.stages_c + 2});
    return report.classical < report.limit ? report.classical
                                           : std::max(report.classical, by_assumptions);
  }

  void set_orders(Tableau& method) const {
    method.order = order_of(method);
    if (method.order < 1) fail("b", "must have the sum 1");
    if (!content_.contains("b_hat")) return;
    method.b_hat = row("b_hat", method.stages);
    Tableau embedded = method;
    embedded.b = method.b_hat;
    method.embedded_order = order_of(embedded);
    if (method.embedded_order < 1) fail("b_hat", "must have the sum 1");
  }

  std::string path_;
  json content_;
};

}  // namespace

Tableau read_tableau(const std::string& path) {
  return Reader(path).read();
}

}  // namespace daedalus
