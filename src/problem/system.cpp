// What all Systems share: names, marks of algebraic rows and variables, the algebraic level.
#include "problem/system.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "method/nearest.h"
#include "problem/system_of.h"

namespace daedalus {

const char* name_of(Formulation formulation) {
  switch (formulation) {
    case Formulation::automatic:
      return "automatic";
    case Formulation::direct:
      return "direct";
    case Formulation::index_2:
      return "index_2";
    case Formulation::index_1:
      return "index_1";
    case Formulation::projected:
      return "projected";
    case Formulation::stabilized_index_2:
      return "stabilized_index_2";
    case Formulation::baumgarte:
      return "baumgarte";
    case Formulation::manifold:
      return "manifold";
  }
  return "";
}

bool ConstraintSet::is_sparse() const {
  const double all = static_cast<double>(equations.size()) * unknowns;
  const double entries = static_cast<double>(places().size());
  return entries > 0 && entries <= 0.1 * all;
}

bool System::is_index_one() const {
  if (hidden_constraints) return false;
  for (const ConstraintLevel& level : levels)
    if (level.name != "algebraic") return false;
  return std::all_of(variable_index.begin(), variable_index.end(), [](int i) { return i == 1; });
}

Names names_or(const Names& given, Names defaults, const char* field) {
  if (given.empty()) return defaults;
  require(given.size() == defaults.size(), "{} has {} names, the problem needs {}", field,
          given.size(), defaults.size());
  return given;
}

namespace {

void append_number(Names& names, const std::string& stem, int i) {
  const fmt::format_int number(i);
  names.emplace_back().append(stem).append(number.data(), number.size());
}

}  // namespace

void append_numbered(Names& names, const std::string& stem, int count) {
  names.reserve(names.size() + static_cast<std::size_t>(count));
  if (count == 1) names.push_back(stem);
  for (int i = 1; i <= count && count > 1; ++i) append_number(names, stem, i);
}

void set_size(System& system, int size) {
  Names equations;
  equations.reserve(static_cast<std::size_t>(size));
  const std::string stem = "equation ";
  for (int i = 1; i <= size; ++i) append_number(equations, stem, i);
  set_size(system, size, std::move(equations));
}

void set_size(System& system, int size, Names equations) {
  system.size = system.visible = size;
  system.variable_index.assign(size, 1);
  system.algebraic_row.assign(size, 0);
  system.algebraic_variable.assign(size, 0);
  system.velocity_variable.assign(size, 0);
  system.equations = std::move(equations);
}

void mark_algebraic_rows(System& system, int begin, int end) {
  std::fill(system.algebraic_row.begin() + begin, system.algebraic_row.begin() + end, 1);
}

void mark_algebraic_variables(System& system, int begin, int end, int index) {
  std::fill(system.algebraic_variable.begin() + begin, system.algebraic_variable.begin() + end, 1);
  std::fill(system.variable_index.begin() + begin, system.variable_index.begin() + end, index);
}

void add_algebraic_level(System& system) {
  const int n = system.size;
  const auto count = std::count(system.algebraic_row.begin(), system.algebraic_row.end(), 1);
  if (count == 0) return;
  ConstraintLevel& level = system.levels.emplace_back();
  level.name = "algebraic";
  level.equations.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < n; ++i)
    if (system.algebraic_row[i]) level.equations.push_back(system.equations[i]);
  std::vector<double> zero_and_all(2 * static_cast<std::size_t>(n), 0.0);
  level.residual = [&system, n, work = std::move(zero_and_all)](double t, const double* y,
                                                                double* r) mutable {
    double* const zero = work.data();
    double* const all = zero + n;
    system.residual(t, y, zero, all);
    for (int i = 0; i < n; ++i)
      if (system.algebraic_row[i]) *r++ = all[i];
  };
}

std::vector<char> fixed_variables(const Problem& problem, const System& system) {
  std::vector<char> fixed(static_cast<std::size_t>(system.size), 0);
  if (problem.fixed.empty()) return fixed;
  std::unordered_map<std::string, std::size_t> number;
  for (std::size_t j = 0; j < system.variables.size(); ++j) number.emplace(system.variables[j], j);
  for (const std::string& name : problem.fixed) {
    const auto at = number.find(name);
    if (at == number.end()) {
      const auto near = nearest_names(name, system.variables);
      throw InvalidInput(fmt::format("fixed names \"{}\", which is no variable{}{}", name,
                                     near.empty() ? "" : "; did you mean ", fmt::join(near, ", ")));
    }
    fixed[at->second] = 1;
  }
  return fixed;
}

}  // namespace daedalus
