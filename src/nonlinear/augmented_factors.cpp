#include "nonlinear/augmented_factors.h"

#include <algorithm>

#include "linear/factors.h"

namespace daedalus {
namespace {

constexpr double delta_squared = 1e-14;

}  // namespace

AugmentedFactors::AugmentedFactors(int columns, const std::vector<int>& start,
                                   const std::vector<int>& column)
    : rows_(static_cast<int>(start.size()) - 1),
      columns_(columns),
      work_(static_cast<std::size_t>(rows_) + static_cast<std::size_t>(columns)) {
  std::vector<std::pair<int, int>> augmented;
  augmented.reserve(2 * column.size());
  for (int i = 0; i < rows_; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k) {
      augmented.emplace_back(columns_ + i, column[k]);
      augmented.emplace_back(column[k], columns_ + i);
    }
  pattern_ = make_pattern(rows_ + columns, std::move(augmented));
  const auto find = [&](int i, int j) {
    const auto begin = pattern_.row.begin() + pattern_.column_start[j];
    const auto end = pattern_.row.begin() + pattern_.column_start[j + 1];
    return static_cast<int>(std::lower_bound(begin, end, i) - pattern_.row.begin());
  };
  positions_.reserve(column.size());
  for (int i = 0; i < rows_; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k)
      positions_.emplace_back(find(columns_ + i, column[k]), find(column[k], columns_ + i));
}

bool AugmentedFactors::factor(const std::vector<double>& entries, const Vector& row_scale) {
  Pencil pencil(Storage::sparse, pattern_);
  std::fill(pencil.e.begin(), pencil.e.end(), 0.0);
  std::fill(pencil.a.begin(), pencil.a.end(), 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k)
    for (const int position : {positions_[k].first, positions_[k].second})
      pencil.a[position] = entries[k];
  for (int j = 0; j < pattern_.size; ++j)
    pencil.a[pencil.position(j, j)] = j < columns_                   ? 1.0
                                      : row_scale[j - columns_] == 0 ? -1.0
                                                                     : -delta_squared;
  // The order of the unknowns follows from the pattern and need not be found again. Pivots are
  // chosen anew, or a resumed run, which does not know the old ones, would have other bits.
  if (factors_)
    factors_->forget_pivots(pencil);
  else
    factors_ = make_sparse_real_factors(pencil);
  return factors_->factor(pencil, 0);
}

void AugmentedFactors::solve(const Vector& residual, Vector& x) {
  std::fill(work_.begin(), work_.begin() + columns_, 0.0);
  std::copy(residual.begin(), residual.end(), work_.begin() + columns_);
  factors_->solve(work_.data());
  std::copy(work_.begin(), work_.begin() + columns_, x.data());
}

}  // namespace daedalus
