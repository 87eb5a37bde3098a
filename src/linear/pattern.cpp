// Patterns of pencils, and the storage that factors each of them fastest.
#include <algorithm>
#include <utility>

#include "linear/factors.h"
#include "linear/pencil.h"

namespace daedalus {

Pattern dense_pattern(int size) {
  Pattern pattern;
  pattern.size = size;
  pattern.column_start.reserve(size + 1);
  pattern.row.reserve(static_cast<std::size_t>(size) * size);
  for (int j = 0; j <= size; ++j) pattern.column_start.push_back(j * size);
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) pattern.row.push_back(i);
  return pattern;
}

Pattern make_pattern(int size, std::vector<std::pair<int, int>> row_column) {
  for (int i = 0; i < size; ++i) row_column.emplace_back(i, i);
  const auto by_column = [](const auto& p, const auto& q) {
    return std::pair(p.second, p.first) < std::pair(q.second, q.first);
  };
  std::sort(row_column.begin(), row_column.end(), by_column);
  row_column.erase(std::unique(row_column.begin(), row_column.end()), row_column.end());

  Pattern pattern;
  pattern.size = size;
  pattern.column_start.assign(size + 1, 0);
  pattern.row.reserve(row_column.size());
  for (const auto& [row, column] : row_column) {
    pattern.row.push_back(row);
    ++pattern.column_start[column + 1];
  }
  for (int j = 0; j < size; ++j) pattern.column_start[j + 1] += pattern.column_start[j];
  return pattern;
}

Bandwidth bandwidth(const Pattern& pattern) {
  Bandwidth band;
  for (int j = 0; j < pattern.size; ++j) {
    const int first = pattern.column_start[j];
    const int last = pattern.column_start[j + 1] - 1;
    if (first > last) continue;
    band.upper = std::max(band.upper, j - pattern.row[first]);
    band.lower = std::max(band.lower, pattern.row[last] - j);
  }
  return band;
}

Storage choose_storage(const Pattern& pattern) {
  const double n = pattern.size;
  if (n <= 40) return Storage::dense;

  const auto [lower, upper] = bandwidth(pattern);
  if (lower + upper <= 6) return Storage::banded;
  if (pattern.nonzeros() > 0.5 * n * n) return Storage::dense;
  // Nanoseconds of one real factorisation, fitted to bench/linear_bench.cpp: dense kernels keep
  // vector registers busy, sparse ones move an entry at a time.
  const SparseWork work = sparse_work(pattern);
  const double dense = n * n * (n * (2.0 / 3.0) / 30.0 + 1.0);
  const double banded = n * (15.0 + lower * (2.0 + 0.1 * (lower + upper)));
  const double sparse = 0.42 * work.flops + 2.0 * work.entries;
  if (dense <= std::min(banded, sparse)) return Storage::dense;
  return banded <= sparse ? Storage::banded : Storage::sparse;
}

}  // namespace daedalus
