// Patterns of pencils, and the storage that factors each of them fastest.
#include <algorithm>
#include <utility>

#include "linear/factors.h"
#include "linear/ordering.h"
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

Pattern make_pattern(int size, const std::vector<std::pair<int, int>>& row_column) {
  // Two stable counting sorts, by row and then by column, take time in proportion to the entries.
  const std::size_t n = static_cast<std::size_t>(size), entries = row_column.size() + n;
  std::vector<int> row_start(n + 1, 0), by_row(entries), columns_seen(n + 1, 0);
  for (const auto& [row, column] : row_column) ++row_start[row + 1], ++columns_seen[column + 1];
  for (std::size_t i = 0; i < n; ++i) {
    row_start[i + 1] += row_start[i] + 1, columns_seen[i + 1] += columns_seen[i] + 1;
    by_row[row_start[i]] = static_cast<int>(i);
  }
  std::vector<int> place(row_start.begin(), row_start.end() - 1);
  for (int& next : place) ++next;  // behind the diagonal
  for (const auto& [row, column] : row_column) by_row[place[row]++] = column;

  Pattern pattern;
  pattern.size = size;
  pattern.row.resize(entries);
  place.assign(columns_seen.begin(), columns_seen.end() - 1);
  for (int i = 0; i < size; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) pattern.row[place[by_row[k]]++] = i;
  // Rows ascend in every column now; repeated ones are neighbours.
  pattern.column_start.assign(n + 1, 0);
  int kept = 0;
  for (int j = 0; j < size; ++j) {
    for (int k = columns_seen[j]; k < columns_seen[j + 1]; ++k)
      if (k == columns_seen[j] || pattern.row[k] != pattern.row[kept - 1])
        pattern.row[kept++] = pattern.row[k];
    pattern.column_start[j + 1] = kept;
  }
  pattern.row.resize(static_cast<std::size_t>(kept));
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

double direct_factor_time(const SparseWork& work) {
  return 0.42 * work.flops + 2.0 * work.entries;
}

double direct_solve_time(const SparseWork& work) {
  return 1.2 * work.entries;
}

double iterated_solve_time(const Pattern& pattern, int iterations) {
  return iterations * (2.2 * pattern.nonzeros() + (3.0 + 0.7 * iterations) * pattern.size);
}

namespace {

constexpr double cached = 1 << 20;  // bytes

/// Nanoseconds of the iterations that are made in place of a factorisation.
double iterations_instead(const Pattern& pattern) {
  constexpr int iterations = 6;
  constexpr double solutions_for_a_matrix = 8;
  return solutions_for_a_matrix * iterated_solve_time(pattern, iterations);
}

}  // namespace

StorageChoice choose_storage(const Pattern& pattern) {
  const double n = pattern.size;
  // So few are eliminated in registers, or nearly so: a narrow band of twelve takes as long.
  constexpr double few = 12, some = 40;
  if (n <= few) return {Storage::dense};
  if (const Bandwidth band = bandwidth(pattern); band.lower + band.upper <= narrow_band)
    return {Storage::banded};
  if (pattern.nonzeros() > 0.5 * n * n) return {Storage::dense};
  const std::vector<int> order = band_order(pattern);
  const auto [lower, upper] = order.empty() ? bandwidth(pattern) : bandwidth(pattern, order);
  if (lower + upper <= narrow_band) return {Storage::banded};
  if (n <= some) return {Storage::dense};
  // Nanoseconds of one real factorisation, fitted to bench/linear_bench.cpp: dense kernels keep
  // vector registers busy.
  const SparseWork work = sparse_work(pattern);
  const double dense = n * n * (n * (2.0 / 3.0) / 30.0 + 1.0);
  const double active =
      8.0 * lower * (2.0 * lower + upper);  // bytes that a column is subtracted from
  const double product = active < cached ? 0.1 : 0.4;
  const double banded = n * (15.0 + lower * (2.0 + product * (lower + upper)));
  const double sparse = direct_factor_time(work);
  if (dense <= std::min(banded, sparse)) return {Storage::dense, work};
  // From sparse storage iterations may take over.
  const bool too_dear = iterations_pay(pattern, work) && banded > iterations_instead(pattern);
  return {banded <= sparse && !too_dear ? Storage::banded : Storage::sparse, work};
}

bool iterations_pay(const Pattern& pattern, const SparseWork& work) {
  return direct_factor_time(work) > iterations_instead(pattern);
}

}  // namespace daedalus
