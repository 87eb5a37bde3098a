#include "linear/incomplete_factors.h"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

// Of the largest entry of its row: below it elimination would only spread rounding errors.
constexpr double smallest_pivot = 1e-10;

}  // namespace

IncompleteFactors::IncompleteFactors(const Pattern& pattern)
    : n_(pattern.size),
      row_start_(static_cast<std::size_t>(n_) + 1, 0),
      column_(pattern.row.size()),
      diagonal_(static_cast<std::size_t>(n_)),
      source_(pattern.row.size()),
      matrix_(pattern.row.size()),
      factors_(pattern.row.size()),
      inverse_(static_cast<std::size_t>(n_)),
      place_(static_cast<std::size_t>(n_), -1) {
  for (const int i : pattern.row) ++row_start_[i + 1];
  for (int i = 0; i < n_; ++i) row_start_[i + 1] += row_start_[i];
  std::vector<int> next(row_start_.begin(), row_start_.end() - 1);
  for (int j = 0; j < n_; ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const int i = pattern.row[k], at = next[i]++;
      column_[at] = j, source_[at] = k;
      if (i == j) diagonal_[i] = at;
    }
}

bool IncompleteFactors::factor(const std::vector<double>& values) {
  for (std::size_t k = 0; k < source_.size(); ++k) matrix_[k] = factors_[k] = values[source_[k]];
  for (int i = 0; i < n_; ++i) {
    const int begin = row_start_[i], end = row_start_[i + 1];
    double largest = 0;
    for (int k = begin; k < end; ++k) {
      place_[column_[k]] = k;
      largest = std::max(largest, std::abs(matrix_[k]));
    }
    for (int k = begin; k < diagonal_[i]; ++k) {
      const int above = column_[k];
      const double factor = factors_[k] *= inverse_[above];
      for (int m = diagonal_[above] + 1; m < row_start_[above + 1]; ++m)
        if (const int at = place_[column_[m]]; at >= 0) factors_[at] -= factor * factors_[m];
    }
    for (int k = begin; k < end; ++k) place_[column_[k]] = -1;
    const double pivot = factors_[diagonal_[i]];
    if (!(std::abs(pivot) > smallest_pivot * largest) || !std::isfinite(pivot)) return false;
    inverse_[i] = 1 / pivot;
  }
  return true;
}

void IncompleteFactors::multiply(const double* x, double* out) const {
  for (int i = 0; i < n_; ++i) {
    double sum = 0;
    for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) sum += matrix_[k] * x[column_[k]];
    out[i] = sum;
  }
}

void IncompleteFactors::solve(double* x) const {
  for (int i = 0; i < n_; ++i) {
    double sum = x[i];
    for (int k = row_start_[i]; k < diagonal_[i]; ++k) sum -= factors_[k] * x[column_[k]];
    x[i] = sum;
  }
  for (int i = n_ - 1; i >= 0; --i) {
    double sum = x[i];
    // What came last enters last, so that only one product waits for it.
    for (int k = row_start_[i + 1] - 1; k > diagonal_[i]; --k) sum -= factors_[k] * x[column_[k]];
    x[i] = sum * inverse_[i];
  }
}

}  // namespace daedalus
