#include "reproduce/printed_table.h"

#include <cmath>
#include <ostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/error.h"
#include "io/embedded.h"

namespace daedalus::reproduce {
namespace {

struct Comparison {
  PrintedEntry entry = {};
  double computed = 0;
  bool agrees = false;
};

std::string file_name(const std::string& number) {
  return fmt::format("data/regularisation/table_{}.csv", number);
}

double number_or_zero(const std::string& text) {
  return text.empty() ? 0 : std::stod(text);
}

/// Everything but quantity and t: entries that share it come from one run.
std::string heading(const PrintedEntry& entry) {
  std::string text = entry.method;
  if (!entry.weight.empty()) text += fmt::format(", E = {}", entry.weight);
  if (entry.eps != 0) text += fmt::format(", eps = {:g}", entry.eps);
  if (entry.alpha_1 != 0) text += fmt::format(", alpha_1 = {:g}", entry.alpha_1);
  if (entry.y0 != 0) text += fmt::format(", y0 = {:g}", entry.y0);
  return text + fmt::format(", iteration {}", entry.iteration);
}

char mark(const Comparison& item) {
  if (item.entry.is_misprint()) return '*';
  if (item.entry.is_not_reproduced()) return '?';
  return item.agrees ? ' ' : '!';
}

/// The items from `begin` on that share heading and quantity.
std::size_t end_of_row(const std::vector<Comparison>& items, std::size_t begin) {
  std::size_t end = begin;
  while (end < items.size() && heading(items[end].entry) == heading(items[begin].entry) &&
         items[end].entry.quantity == items[begin].entry.quantity)
    ++end;
  return end;
}

void print_row(const std::vector<Comparison>& items, std::size_t begin, std::size_t end,
               std::ostream& out) {
  fmt::print(out, "  {:<7} printed ", items[begin].entry.quantity);
  for (std::size_t k = begin; k < end; ++k)
    fmt::print(out, " {:>9}{}", items[k].entry.printed, mark(items[k]));
  fmt::print(out, "\n  {:<7} computed", "");
  for (std::size_t k = begin; k < end; ++k)
    fmt::print(out, " {:>9} ", printed_style(items[k].computed));
  fmt::print(out, "\n");
}

void print_table(const std::vector<Comparison>& items, std::ostream& out) {
  std::string before;
  for (std::size_t k = 0; k < items.size();) {
    const std::size_t end = end_of_row(items, k);
    const std::string text = heading(items[k].entry);
    if (text != before) {
      fmt::print(out, "{}{}\n", before.empty() ? "" : "\n", text);
      if (items[k].entry.t > 0) {
        fmt::print(out, "  {:<16}", "t");
        for (std::size_t i = k; i < end; ++i) fmt::print(out, " {:>9g} ", items[i].entry.t);
        fmt::print(out, "\n");
      }
    }
    before = text;
    print_row(items, k, end, out);
    k = end;
  }
}

void print_remarks(const std::vector<Comparison>& items, std::ostream& out) {
  for (const Comparison& item : items) {
    const PrintedEntry& entry = item.entry;
    if (entry.remark.empty()) continue;
    const std::string time = entry.t > 0 ? fmt::format(", t = {:g}", entry.t) : "";
    fmt::print(out, "{} {}, {}{}: printed {}, computed {}; {}\n", mark(item), heading(entry),
               entry.quantity, time, entry.printed, printed_style(item.computed), entry.remark);
  }
}

void print_csv(const std::string& number, const std::vector<Comparison>& items, std::ostream& out) {
  const std::string_view text = embedded(file_name(number));
  fmt::print(out, "{},computed,agrees\n", text.substr(0, text.find('\n')));
  for (const Comparison& item : items)
    fmt::print(out, "{},{:.6g},{}\n", item.entry.line, item.computed, item.agrees ? "yes" : "no");
}

}  // namespace

std::vector<PrintedEntry> read_printed_table(const std::string& number) {
  std::istringstream text{std::string(embedded(file_name(number)))};
  std::vector<PrintedEntry> entries;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::vector<std::string> field;
    std::istringstream fields(line + ',');
    for (std::string value; std::getline(fields, value, ',');) field.push_back(value);
    if (field.size() != 10) throw InvalidInput(fmt::format("{}: '{}'", file_name(number), line));
    entries.push_back({line, field[0], field[1], number_or_zero(field[2]), number_or_zero(field[3]),
                       number_or_zero(field[4]), std::stoi(field[5]), field[6],
                       number_or_zero(field[7]), field[8], field[9]});
  }
  return entries;
}

bool agrees_with_print(const std::string& printed, double computed) {
  if (printed == "NaN") return !std::isfinite(computed) || std::abs(computed) > 1e10;
  const double value = std::stod(printed);
  if (value == 0) return computed == 0;
  const std::size_t exponent = printed.find('e');
  const std::size_t digits = std::min(exponent, printed.size()) - printed.find('.') - 1;
  const double power = exponent == std::string::npos ? 0 : std::stod(printed.substr(exponent + 1));
  const double unit = std::pow(10.0, power - static_cast<double>(digits));
  return std::abs(std::round(computed / unit) - std::round(value / unit)) <= 1;
}

std::string printed_style(double value, int digits) {
  if (!std::isfinite(value)) return "NaN";
  if (value == 0) return ".0";
  // d.dd e+xx of the library, with the point moved one digit to the left.
  const std::string text = fmt::format("{:.{}e}", std::abs(value), digits - 1);
  const std::size_t at = text.find('e');
  std::string mantissa = text.substr(0, at);
  std::erase(mantissa, '.');
  const int exponent = std::stoi(text.substr(at + 1)) + 1;
  const std::string sign = value < 0 ? "-" : "";
  return exponent == 0 ? fmt::format("{}.{}", sign, mantissa)
                       : fmt::format("{}.{}e{:+d}", sign, mantissa, exponent);
}

ReproduceSummary compare_with_print(const std::string& number,
                                    const std::function<double(const PrintedEntry&)>& compute,
                                    const ReproduceOptions& options, std::ostream& out) {
  std::vector<Comparison> items;
  ReproduceSummary summary;
  int not_reproduced = 0;
  for (const PrintedEntry& entry : read_printed_table(number)) {
    const double computed = compute(entry);
    items.push_back({entry, computed, agrees_with_print(entry.printed, computed)});
    ++summary.entries;
    if (items.back().agrees)
      ++summary.agree;
    else if (entry.is_misprint())
      ++summary.known_misprints;
    else if (entry.is_not_reproduced())
      ++not_reproduced;
  }
  if (options.csv) {
    print_csv(number, items, out);
    return summary;
  }
  print_table(items, out);
  fmt::print(out, "\n");
  print_remarks(items, out);
  fmt::print(
      out,
      "{} entries: {} agree within one unit of the last printed digit, {} misprints, {} known "
      "not to be reproducible, {} disagree.\n",
      summary.entries, summary.agree, summary.known_misprints, not_reproduced,
      summary.entries - summary.agree - summary.known_misprints - not_reproduced);
  return summary;
}

}  // namespace daedalus::reproduce
