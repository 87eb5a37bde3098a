#include "parameter_sets.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus::command {
namespace {

// A wrong step shows here, before memory does.
constexpr std::size_t most_values = 100'000'000;

struct Axis {
  std::string name;
  std::vector<double> values;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (text.empty() || text.back() == separator) parts.emplace_back();
  return parts;
}

/// As in Modelica: start + i*step up to stop, where rounding must not lose the last one.
void append_range(double start, double step, double stop, const std::string& word,
                  std::vector<double>& values) {
  if (step == 0) throw InvalidInput(fmt::format("-p {}: the step of a range must not be 0", word));
  const double count = std::floor((stop - start) / step + 1e-9) + 1;
  if (!(count >= 1))
    throw InvalidInput(fmt::format("-p {}: the range {}:{}:{} is empty; write start:step:stop",
                                   word, start, step, stop));
  if (count > static_cast<double>(most_values))
    throw InvalidInput(
        fmt::format("-p {}: the range has {:.3g} values; take a longer step", word, count));
  for (int i = 0; i < static_cast<int>(count); ++i) values.push_back(start + i * step);
}

Axis axis_of(const std::string& word) {
  const auto wrong = [&] {
    return InvalidInput(fmt::format(
        "-p {}: expected NAME=VALUES, for example g=1:0.5:10 (start:step:stop) or g=1,2,5", word));
  };
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0) throw wrong();
  Axis axis{word.substr(0, equals), {}};
  for (const std::string& item : split(word.substr(equals + 1), ',')) {
    std::vector<double> ends;
    for (const std::string& part : split(item, ':')) {
      const auto value = number(part);
      if (!value || !std::isfinite(*value)) throw wrong();
      ends.push_back(*value);
    }
    if (ends.size() == 1)
      axis.values.push_back(ends[0]);
    else if (ends.size() <= 3)
      append_range(ends[0], ends.size() == 3 ? ends[1] : 1, ends.back(), word, axis.values);
    else
      throw wrong();
  }
  return axis;
}

/// Cells of one line, quotes as in RFC 4180 (a cell holds no line break), blanks around removed.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      result.back() += '"', ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      result.emplace_back();
    else
      result.back() += c;
  }
  for (std::string& cell : result) {
    const auto first = cell.find_first_not_of(" \t\r");
    cell = first == std::string::npos
               ? ""
               : cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
  }
  return result;
}

ParameterSets read_sets(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InvalidInput(fmt::format("--sets: cannot read '{}'", path));
  ParameterSets sets;
  std::string line;
  for (int row = 1; std::getline(stream, line); ++row) {
    if (row == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    const std::vector<std::string> found = cells(line);
    if (found.size() == 1 && found[0].empty()) continue;
    if (sets.names.empty()) {
      sets.names = found;
      for (const std::string& name : found)
        if (name.empty() || number(name))
          throw InvalidInput(fmt::format(
              "{}:{}: '{}' is no name; the first line names the parameters", path, row, name));
      continue;
    }
    if (found.size() != sets.names.size())
      throw InvalidInput(fmt::format("{}:{}: {} values for {} parameters", path, row, found.size(),
                                     sets.names.size()));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto value = number(found[k]);
      if (!value || !std::isfinite(*value))
        throw InvalidInput(fmt::format("{}:{}: '{}' of parameter {} is no number", path, row,
                                       found[k], sets.names[k]));
      sets.values.push_back(*value);
    }
  }
  if (sets.count() == 0)
    throw InvalidInput(fmt::format(
        "--sets {}: no parameter sets; the first line names parameters, the others hold values",
        path));
  return sets;
}

/// Every value of the axis for every set so far.
ParameterSets crossed(const ParameterSets& sets, const Axis& axis) {
  ParameterSets result;
  result.names = sets.names;
  result.names.push_back(axis.name);
  const std::size_t before = sets.names.empty() ? 1 : sets.count();
  if (before * axis.values.size() * result.names.size() > most_values)
    throw InvalidInput(fmt::format("the grid has {} parameter sets; take longer steps",
                                   before * axis.values.size()));
  for (std::size_t set = 0; set < before; ++set)
    for (const double value : axis.values) {
      for (std::size_t k = 0; k < sets.names.size(); ++k)
        result.values.push_back(sets.value(set, k));
      result.values.push_back(value);
    }
  return result;
}

}  // namespace

Assignments ParameterSets::assignments(std::size_t set) const {
  Assignments result;
  for (std::size_t k = 0; k < names.size(); ++k) result[names[k]] = value(set, k);
  return result;
}

ParameterSets parameter_sets(const std::vector<std::string>& grid, const std::string& csv_file) {
  if (grid.empty() && csv_file.empty())
    throw InvalidInput("sweep: nothing to vary; give -p NAME=start:step:stop or --sets FILE.csv");
  ParameterSets sets;
  if (!csv_file.empty()) sets = read_sets(csv_file);
  for (const std::string& word : grid) sets = crossed(sets, axis_of(word));
  std::vector<std::string> names = sets.names;
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw InvalidInput(fmt::format("sweep: parameter '{}' is varied twice", *twice));
  return sets;
}

}  // namespace daedalus::command
