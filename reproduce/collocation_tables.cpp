// Reads data/collocation_4_*.csv, makes the runs and compares.
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "daedalus/error.h"
#include "io/embedded.h"
#include "reproduce/collocation.h"
#include "reproduce/reproduction.h"

namespace daedalus::reproduce {
namespace {

std::string file_of(int number) {
  return fmt::format("data/collocation_4_{}.csv", number);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  fields.resize(16);
  return fields;
}

/// What a row asks to be run, with `elements` in place of its own number.
CollocationCase case_of(int number, const std::vector<std::string>& field, int elements) {
  CollocationCase result;
  const double nu = std::stod(field[1]);
  const bool invariants = number == 4 && field[2] != "Direct";
  result.problem = number == 4 ? ascher_petzold_example_2(nu)
                               : ascher_petzold_example_1(nu, std::stod(field[2]));
  BoundaryOptions& options = result.options;
  options.points = field[3] == "Radau" ? CollocationPoints::radau : CollocationPoints::gauss;
  options.stages = std::stoi(field[4]);
  options.elements = elements;
  options.adapt = false;
  options.max_elements = std::max(options.max_elements, elements);
  if (number == 4) {
    if (invariants)
      options.form = field[2] == "PiII" ? ConstraintForm::projected_invariants_ii
                                        : ConstraintForm::projected_invariants;
    options.project_lower = field[2] == "PiI +";
  } else {
    if (number == 3) options.form = ConstraintForm::projected_invariants;
    options.project = field[6] != "n";
    options.project_lower = field[7] == "y";
  }
  return result;
}

/// Errors of numbers of size e, each rounded a few times.
constexpr double rounding_of_errors = 4 * 4.44e-16;

class Runs {
 public:
  explicit Runs(int number) : number_(number) {}

  /// The value, and what rounding does to it.
  std::pair<double, double> value(const std::vector<std::string>& field, const std::string& key,
                                  const std::string& quantity) {
    const int elements = std::stoi(field[5]);
    const CollocationErrors& fine = errors(field, key, elements);
    // The constraint is a sum over both components.
    if (quantity == "drift") return {fine.drift, 2 * rounding_of_errors};
    if (quantity == "error_p1" || quantity == "error_x1")
      return {fine.position, rounding_of_errors};
    if (quantity == "error_v1" || quantity == "error_x1prime")
      return {fine.velocity, rounding_of_errors};
    const CollocationErrors& coarse = errors(field, key, elements / 2);
    const auto rate = [](double before, double after) -> std::pair<double, double> {
      return {std::log2(before / after),
              rounding_of_errors * (1 / before + 1 / after) / std::log(2.0)};
    };
    if (quantity == "rate_p") return rate(coarse.position, fine.position);
    if (quantity == "rate_v") return rate(coarse.velocity, fine.velocity);
    throw InvalidInput(fmt::format("{}: quantity '{}' is not known", file_of(number_), quantity));
  }

 private:
  const CollocationErrors& errors(const std::vector<std::string>& field, const std::string& key,
                                  int elements) {
    const std::string name = fmt::format("{} {}", key, elements);
    const auto found = known_.find(name);
    if (found != known_.end()) return found->second;
    return known_[name] = collocation_errors(case_of(number_, field, elements));
  }

  int number_;
  std::map<std::string, CollocationErrors> known_;
};

/// One unit of the last digit of 0.57e-5, 3.0, 26.
double unit_of(const std::string& printed) {
  const std::size_t exponent = printed.find('e'), point = printed.find('.');
  const std::size_t digits = std::min(exponent, printed.size());
  const int decimals = point == std::string::npos ? 0 : static_cast<int>(digits - point - 1);
  const int power = exponent == std::string::npos ? 0 : std::stoi(printed.substr(exponent + 1));
  return std::pow(10.0, power - decimals);
}

void print_table(const std::vector<CollocationRow>& rows, int number, std::ostream& out) {
  fmt::print(out, "{:<34} {:<14} {:>9} {:>12} {:>12}  {}\n",
             number == 4 ? "nu form points k N" : "nu alpha points k N proj-v proj-p", "quantity",
             "printed", "computed", "in 40 digits", "verdict");
  std::string before;
  for (const CollocationRow& row : rows) {
    fmt::print(out, "{:<34} {:<14} {:>9} {:>12.5g} {:>12.5g}  {}\n",
               row.key == before ? "" : row.key, row.quantity, row.printed, row.computed,
               row.recomputed,
               row.agrees()             ? "agrees"
               : row.is_known_deviation ? "differs, as exact arithmetic does"
                                        : "DIFFERS");
    before = row.key;
  }
}

const char* explanation_of(int number) {
  if (number == 4)
    return "The printed errors of Direct, PiI and PiI+ belong to x'' with an additional 2 nu^2 x, "
           "those of x with PiII to shifts phi = D mu taken at each point; computed here are "
           "the equations of the text.";
  return "Entries that differ lie at the level of rounding of the machine they were printed with: "
         "drifts of 1e-14 and less, errors below 1e-12, drifts of runs that explode.";
}

}  // namespace

bool CollocationRow::has_printed_digits(double value) const {
  const double unit = unit_of(printed);
  const double allowed = !is_rate() ? 0.5 * unit : unit < 1 ? 0.06 : 0.8;
  return std::abs(value - std::stod(printed)) <= allowed * (1 + 1e-9);
}

bool CollocationRow::agrees() const {
  const double way = std::stod(printed) - computed;
  return has_printed_digits(computed) ||
         (!is_rate() && has_printed_digits(computed + std::clamp(way, -rounding, rounding)));
}

std::vector<CollocationRow> recompute_collocation_table(int number) {
  std::istringstream text{std::string(embedded(file_of(number)))};
  std::vector<CollocationRow> rows;
  Runs runs(number);
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    const std::vector<std::string> field = fields_of(line);
    CollocationRow row;
    row.text = line;
    const bool fourth = number == 4;
    // Names are wanted for each run; N is part of the key, but not of the name of its series.
    row.key = fmt::format("{} {} {} {} {}", field[1], field[2], field[3], field[4], field[5]);
    if (!fourth) row.key += fmt::format(" {} {}", field[6], field[7]);
    const std::string series =
        fmt::format("{} {} {} {} {} {}", field[1], field[2], field[3], field[4],
                    fourth ? "" : field[6], fourth ? "" : field[7]);
    row.quantity = field[fourth ? 6 : 8];
    row.printed = field[fourth ? 8 : 10];
    row.recomputed = std::stod(field[fourth ? 12 : 11]);
    row.recomputed_double = std::stod(field[fourth ? 13 : 12]);
    row.is_known_deviation = !row.has_printed_digits(row.recomputed);
    std::tie(row.computed, row.rounding) = runs.value(field, series, row.quantity);
    rows.push_back(row);
  }
  return rows;
}

ReproduceSummary reproduce_collocation(int number, const ReproduceOptions& options,
                                       std::ostream& out) {
  const std::vector<CollocationRow> rows = recompute_collocation_table(number);
  ReproduceSummary summary;
  for (const CollocationRow& row : rows) {
    ++summary.entries;
    if (row.agrees())
      ++summary.agree;
    else if (row.is_known_deviation)
      ++summary.known_misprints;
  }
  if (options.csv) {
    const std::string_view text = embedded(file_of(number));
    fmt::print(out, "{},computed,agrees\n", text.substr(0, text.find('\n')));
    for (const CollocationRow& row : rows)
      fmt::print(out, "{},{:.10g},{}\n", row.text, row.computed, row.agrees() ? "yes" : "no");
    return summary;
  }
  print_table(rows, number, out);
  int digits = 0, digits_of_exact = 0;
  for (const CollocationRow& row : rows) {
    digits += row.has_printed_digits(row.computed);
    digits_of_exact += row.has_printed_digits(row.recomputed);
  }
  fmt::print(out,
             "\n{} entries: {} agree with the print within rounding, {} differ as exact arithmetic "
             "does, {} "
             "otherwise. All printed digits: {}; exact arithmetic: {}. {}\n",
             summary.entries, summary.agree, summary.known_misprints,
             summary.entries - summary.agree - summary.known_misprints, digits, digits_of_exact,
             explanation_of(number));
  return summary;
}

}  // namespace daedalus::reproduce
