#include "bench/suite/targets.h"

#include <algorithm>
#include <sstream>

#include "daedalus/error.h"
#include "io/embedded.h"

namespace daedalus::bench {
namespace {

/// The fields of each line below the header.
std::vector<std::vector<std::string>> lines_of(const std::string& file, std::size_t fields) {
  std::istringstream text{std::string(embedded(file))};
  std::vector<std::vector<std::string>> list;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream rest(line + ",");  // an empty field at the end is one too
    std::vector<std::string> values;
    for (std::string value; std::getline(rest, value, ',');) values.push_back(value);
    if (values.size() != fields) throw InvalidInput(file + ": a line with too few fields: " + line);
    list.push_back(std::move(values));
  }
  return list;
}

double number_or_unknown(const std::string& field) {
  return field.empty() ? unknown : std::stod(field);
}

bool is_same_problem(const Series& a, const Series& b) {
  return a.suite == b.suite && a.problem == b.problem;
}

bool is_ours(const Series& s) {
  return s.solver == "daedalus" && s.method == "auto";
}

}  // namespace

std::vector<AgainstAll> against_all(const std::vector<Row>& rows) {
  enum { problem, digits, ratio, units, variant, code, asked, fields };
  const std::vector<Series> all = series_of(rows);
  const double unit = unit_us(rows);
  std::vector<AgainstAll> list;
  for (const Series& own : all) {
    if (!is_ours(own)) continue;
    for (const auto& line : lines_of("data/bench/best_codes.csv", fields)) {
      if (line[problem] != own.problem) continue;
      AgainstAll found = {own.suite, own.problem, std::stod(line[digits]), line[code]};
      found.asked = number_or_unknown(line[asked]);
      found.own_us = own.time_for(found.digits);
      found.in_units = !line[units].empty();
      if (found.in_units) {
        found.best_us = std::stod(line[units]) * unit;
        found.ratio = found.best_us / found.own_us;
      }
      for (const Series& other : all) {
        if (found.in_units || !is_same_problem(own, other) || other.solver != "radau5" ||
            other.method != line[variant])
          continue;
        found.best_us = std::stod(line[ratio]) * other.time_for(found.digits);
        found.ratio = std::stod(line[ratio]) * median_ratio(own, {&other}, found.digits);
      }
      if (found.best_us > 0) list.push_back(found);
    }
  }
  return list;
}

std::vector<AgainstRadau5> against_radau5(const std::vector<Row>& rows) {
  enum { problem, structure, ratio, digits, us, study_unit_us, fields };
  const std::vector<Series> all = series_of(rows);
  const double unit = unit_us(rows);
  std::vector<AgainstRadau5> list;
  for (const Series& own : all) {
    if (!is_ours(own) || own.suite != "mechanics") continue;
    std::vector<const Series*> variants, without_options;
    for (const Series& other : all)
      if (is_same_problem(own, other) && other.solver == "radau5") {
        variants.push_back(&other);
        if (other.method != "m1") without_options.push_back(&other);
      }
    if (variants.empty()) continue;
    for (const auto& line : lines_of("data/bench/mechanics.csv", fields)) {
      if (line[problem] != own.problem) continue;
      if (list.empty() || list.back().problem != own.problem ||
          list.back().structure != line[structure])
        list.push_back({own.problem, line[structure], number_or_unknown(line[ratio])});
      AgainstRadau5::Digits at;
      at.digits = std::stod(line[digits]);
      at.own_us = own.time_for(at.digits);
      at.ratio = median_ratio(own, variants, at.digits);
      at.ratio_without_options = median_ratio(own, without_options, at.digits);
      at.study_us = std::stod(line[us]) * unit / std::stod(line[study_unit_us]);
      for (const Series* other : variants) {
        const double time = other->time_for(at.digits);
        if (time > 0 && !(time >= at.radau5_us)) at.radau5_us = time;
      }
      list.back().at.push_back(at);
    }
  }
  return list;
}

}  // namespace daedalus::bench
