#include "analysis/mass_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/QR>

#include "daedalus/vector.h"

namespace daedalus {
namespace {

/// Disjoint sets of columns.
class Sets {
 public:
  explicit Sets(int size) : parent_(static_cast<std::size_t>(size)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int j) {
    while (parent_[j] != j) j = parent_[j] = parent_[parent_[j]];
    return j;
  }
  void join(int i, int j) { parent_[root(i)] = root(j); }

 private:
  std::vector<int> parent_;
};

struct Entry {
  int row, column;
  double value;
};

void solve_part(const std::vector<Entry>& entries, const double* b, double* x,
                std::vector<int>& place) {
  if (entries.size() == 1) {
    x[entries[0].column] = b[entries[0].row] / entries[0].value;
    return;
  }
  std::vector<int> rows, columns;
  for (const Entry& e : entries) rows.push_back(e.row), columns.push_back(e.column);
  for (std::vector<int>* list : {&rows, &columns}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) place[rows[i]] = static_cast<int>(i);
  Matrix part = Matrix::Zero(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  Vector right(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) right[static_cast<int>(i)] = b[rows[i]];
  for (const Entry& e : entries) {
    const auto column = std::lower_bound(columns.begin(), columns.end(), e.column);
    part(place[e.row], static_cast<int>(column - columns.begin())) = e.value;
  }
  const Vector solved = part.completeOrthogonalDecomposition().solve(right);
  for (std::size_t j = 0; j < columns.size(); ++j) x[columns[j]] = solved[static_cast<int>(j)];
}

/// Where no row and no column has two entries; false: some do.
bool solve_single_entries(const Pencil& pencil, const double* b, double* x) {
  const int n = pencil.size();
  std::vector<char> taken(n, 0);
  for (int j = 0; j < n; ++j) {
    int found = -1;
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      if (pencil.e[k] == 0) continue;
      if (found >= 0) return false;
      found = k;
    }
    x[j] = 0;
    if (found < 0) continue;
    const int row = pencil.pattern.row[found];
    if (taken[row]) return false;
    taken[row] = 1;
    x[j] = b[row] / pencil.e[found];
  }
  return true;
}

bool are_finite(const double* x, int n) {
  return std::all_of(x, x + n, [](double value) { return std::isfinite(value); });
}

}  // namespace

bool solve_mass_by_parts(const Pencil& pencil, const double* b, double* x) {
  const int n = pencil.size();
  if (solve_single_entries(pencil, b, x)) return are_finite(x, n);
  Sets sets(n);
  std::vector<int> column_of(n, -1);  // a column with an entry in the row
  std::vector<Entry> entries;
  for (int j = 0; j < n; ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      if (pencil.e[k] == 0) continue;
      const int i = pencil.pattern.row[k];
      if (column_of[i] < 0)
        column_of[i] = j;
      else
        sets.join(column_of[i], j);
      entries.push_back({i, j, pencil.e[k]});
    }
  std::vector<int> part_of(n);
  for (int j = 0; j < n; ++j) part_of[j] = sets.root(j);
  std::stable_sort(entries.begin(), entries.end(), [&](const Entry& p, const Entry& q) {
    return part_of[p.column] < part_of[q.column];
  });
  std::fill(x, x + n, 0.0);
  std::vector<int> place(n, -1);
  std::vector<Entry> part;
  for (std::size_t first = 0; first < entries.size(); first += part.size()) {
    part.clear();
    for (std::size_t k = first;
         k < entries.size() && part_of[entries[k].column] == part_of[entries[first].column]; ++k)
      part.push_back(entries[k]);
    solve_part(part, b, x, place);
  }
  return are_finite(x, n);
}

}  // namespace daedalus
