// Gaussian elimination with complete pivoting on each connected block of the mass matrix,
// recording the row operations.
#include "problem/algebraic_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace daedalus {
namespace {

int root_of(std::vector<int>& parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

void eliminate(const std::vector<int>& rows, const std::vector<int>& columns,
               const std::vector<Mass::Entry>& entries, std::vector<RowCombination>& found) {
  const int m = static_cast<int>(rows.size()), n = static_cast<int>(columns.size());
  Matrix block = Matrix::Zero(m, n), operations = Matrix::Identity(m, m);
  std::map<int, int> row_at, column_at;
  for (int i = 0; i < m; ++i) row_at[rows[i]] = i;
  for (int j = 0; j < n; ++j) column_at[columns[j]] = j;
  for (const Mass::Entry& e : entries) block(row_at[e.row], column_at[e.column]) += e.value;
  const double scale = n == 0 ? 0.0 : block.cwiseAbs().maxCoeff();
  std::vector<char> used_row(m, 0), used_column(n, 0);
  for (;;) {
    int pi = -1, pj = -1;
    double largest = 1e-12 * scale;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m && !used_column[j]; ++i)
        if (!used_row[i] && std::abs(block(i, j)) > largest)
          largest = std::abs(block(i, j)), pi = i, pj = j;
    if (pi < 0) break;
    used_row[pi] = used_column[pj] = 1;
    for (int i = 0; i < m; ++i) {
      if (used_row[i] || block(i, pj) == 0) continue;
      const double factor = block(i, pj) / block(pi, pj);
      block.row(i) -= factor * block.row(pi);
      operations.row(i) -= factor * operations.row(pi);
    }
  }
  for (int i = 0; i < m; ++i) {
    if (used_row[i]) continue;
    RowCombination combination{rows[i], {}};
    for (int k = 0; k < m; ++k)
      if (operations(i, k) != 0) combination.terms.push_back({rows[k], operations(i, k)});
    found.push_back(std::move(combination));
  }
}

}  // namespace

std::vector<RowCombination> algebraic_rows(int size, const std::vector<Mass::Entry>& mass) {
  // Rows are nodes 0..size-1, columns size..2 size-1; an entry joins its row and its column.
  std::vector<int> parent(2 * static_cast<std::size_t>(size));
  std::iota(parent.begin(), parent.end(), 0);
  for (const Mass::Entry& e : mass)
    if (e.value != 0) parent[root_of(parent, e.row)] = root_of(parent, size + e.column);
  struct Block {
    std::vector<int> rows, columns;
    std::vector<Mass::Entry> entries;
  };
  std::map<int, Block> blocks;
  for (int i = 0; i < size; ++i) {
    blocks[root_of(parent, i)].rows.push_back(i);
    blocks[root_of(parent, size + i)].columns.push_back(i);
  }
  for (const Mass::Entry& e : mass)
    if (e.value != 0) blocks[root_of(parent, e.row)].entries.push_back(e);
  std::vector<RowCombination> found;
  for (auto& [root, block] : blocks) {
    // The frequent block of one row and one column is regular.
    if (block.rows.size() == 1 && block.columns.size() == 1 && !block.entries.empty()) continue;
    if (!block.rows.empty()) eliminate(block.rows, block.columns, block.entries, found);
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return found;
}

}  // namespace daedalus
