#include "analysis/null_vectors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace daedalus {
namespace {

constexpr double rounding = 1e-8;  // of weights that are simple numbers
constexpr double nothing = 1e-10;  // beside a weight of 1

/// Multiples of 1/12 cover what people write: 1, -1, 2, 1/2, 1/3.
double simple(double weight) {
  const double near = std::round(12 * weight) / 12;
  return near != 0 && std::abs(near - weight) <= rounding * std::abs(near) ? near : weight;
}

void divide(double& x, double size) {
  if (size > 0) x /= size;
}

}  // namespace

std::vector<Mass::Entry> part_of_jacobian(const std::vector<EquationJacobian::Entry>& entries,
                                          const std::vector<double>& values,
                                          const std::vector<int>& rows,
                                          const StructuralAnalysis& structure) {
  std::map<int, int> row_at, column_at;
  for (std::size_t k = 0; k < rows.size(); ++k)
    row_at[rows[k]] = static_cast<int>(k), column_at[structure.match[rows[k]]] = row_at[rows[k]];
  std::vector<Mass::Entry> part;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& e = entries[k];
    const auto i = row_at.find(e.row), j = column_at.find(e.variable);
    if (i != row_at.end() && j != column_at.end() &&
        e.order == structure.variable_offset[e.variable] - structure.equation_offset[e.row])
      part.push_back({i->second, j->second, values[k]});
  }
  return part;
}

std::vector<RowCombination> left_null_vectors(int size, std::vector<Mass::Entry> part) {
  // All entries scaled to about one.
  std::vector<double> row_size(static_cast<std::size_t>(size), 0.0), column_size = row_size;
  for (const Mass::Entry& e : part) row_size[e.row] = std::max(row_size[e.row], std::abs(e.value));
  for (double& length : row_size) length = length > 0 ? length : 1.0;
  for (Mass::Entry& e : part) {
    divide(e.value, row_size[e.row]);
    column_size[e.column] = std::max(column_size[e.column], std::abs(e.value));
  }
  for (Mass::Entry& e : part) divide(e.value, column_size[e.column]);
  std::vector<RowCombination> found = algebraic_rows(size, part);
  for (RowCombination& combination : found) {
    const double own = row_size[combination.row];
    for (RowCombination::Term& term : combination.terms) {
      divide(term.weight, row_size[term.row]);
      term.weight = simple(term.weight * own);
    }
    std::erase_if(combination.terms,
                  [](const RowCombination::Term& term) { return std::abs(term.weight) < nothing; });
  }
  return found;
}

std::vector<RowCombination> right_null_vectors(int size, std::vector<Mass::Entry> part) {
  for (Mass::Entry& e : part) std::swap(e.row, e.column);
  return left_null_vectors(size, std::move(part));
}

}  // namespace daedalus
