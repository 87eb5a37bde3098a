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
  std::vector<RowCombination> found;
  const auto is_off_diagonal = [](const Mass::Entry& e) {
    return e.value != 0 && e.row != e.column;
  };
  if (std::none_of(mass.begin(), mass.end(), is_off_diagonal)) {
    std::vector<char> is_empty(static_cast<std::size_t>(size), 1);
    for (const Mass::Entry& e : mass)
      if (e.value != 0) is_empty[e.row] = 0;
    for (int i = 0; i < size; ++i)
      if (is_empty[i]) found.push_back({i, {{i, 1.0}}});
    return found;
  }
  // Rows are nodes 0..size-1, columns size..2 size-1; an entry joins its row and its column.
  std::vector<int> parent(2 * static_cast<std::size_t>(size));
  std::iota(parent.begin(), parent.end(), 0);
  for (const Mass::Entry& e : mass)
    if (e.value != 0) parent[root_of(parent, e.row)] = root_of(parent, size + e.column);
  std::vector<int> rows_of(2 * static_cast<std::size_t>(size), 0), block_of(rows_of.size(), -1);
  std::vector<int> columns_of(rows_of.size(), 0);
  for (int i = 0; i < size; ++i)
    ++rows_of[root_of(parent, i)], ++columns_of[root_of(parent, size + i)];
  struct Block {
    std::vector<int> rows, columns;
    std::vector<Mass::Entry> entries;
  };
  std::vector<Block> blocks;
  const auto block_at = [&](int node) -> Block* {
    const int root = root_of(parent, node);
    // Frequent blocks: one entry, or an empty row, or an empty column.
    if (rows_of[root] <= 1 && columns_of[root] <= 1) return nullptr;
    if (block_of[root] < 0) block_of[root] = static_cast<int>(blocks.size()), blocks.emplace_back();
    return &blocks[block_of[root]];
  };
  for (int i = 0; i < size; ++i) {
    if (Block* block = block_at(i))
      block->rows.push_back(i);
    else if (columns_of[root_of(parent, i)] == 0)
      found.push_back({i, {{i, 1.0}}});
    if (Block* block = block_at(size + i)) block->columns.push_back(i);
  }
  for (const Mass::Entry& e : mass)
    if (e.value != 0)
      if (Block* block = block_at(e.row)) block->entries.push_back(e);
  for (const Block& block : blocks) eliminate(block.rows, block.columns, block.entries, found);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return found;
}

}  // namespace daedalus
