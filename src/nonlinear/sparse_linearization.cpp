#include "nonlinear/sparse_linearization.h"

#include <algorithm>
#include <cmath>

#include "linear/factors.h"

namespace daedalus {
namespace {

constexpr double delta_squared = 1e-14;

}  // namespace

SparseLinearization::SparseLinearization(std::vector<std::pair<int, int>> places, int rows,
                                         int columns)
    : places_(std::make_shared<const std::vector<std::pair<int, int>>>(std::move(places))),
      rows_(rows),
      columns_(columns),
      values_(places_->size()),
      spare_(std::make_shared<Spare>()),
      work_(static_cast<std::size_t>(rows) + static_cast<std::size_t>(columns)) {
  std::vector<std::pair<int, int>> augmented;
  augmented.reserve(2 * places_->size());
  for (const auto& [i, j] : *places_) {
    augmented.emplace_back(columns_ + i, j);
    augmented.emplace_back(j, columns_ + i);
  }
  pattern_ = std::make_shared<const Pattern>(make_pattern(rows + columns, std::move(augmented)));
  const auto find = [&](int i, int j) {
    const auto begin = pattern_->row.begin() + pattern_->column_start[j];
    const auto end = pattern_->row.begin() + pattern_->column_start[j + 1];
    return static_cast<int>(std::lower_bound(begin, end, i) - pattern_->row.begin());
  };
  std::vector<std::pair<int, int>> positions;
  positions.reserve(places_->size());
  for (const auto& [i, j] : *places_)
    positions.emplace_back(find(columns_ + i, j), find(j, columns_ + i));
  positions_ = std::make_shared<const std::vector<std::pair<int, int>>>(std::move(positions));
}

bool SparseLinearization::factor(const std::vector<double>& column_scale) {
  Pencil pencil(Storage::sparse, *pattern_);
  std::fill(pencil.e.begin(), pencil.e.end(), 0.0),
      std::fill(pencil.a.begin(), pencil.a.end(), 0.0);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const double value = values_[k] * column_scale[(*places_)[k].second];
    if (!std::isfinite(value)) return false;
    pencil.a[(*positions_)[k].first] += value;
  }
  row_scale_ = Vector::Zero(rows_);
  for (int j = 0; j < columns_; ++j)
    for (int k = pattern_->column_start[j]; k < pattern_->column_start[j + 1]; ++k)
      if (const int i = pattern_->row[k]; i >= columns_)
        row_scale_[i - columns_] += pencil.a[k] * pencil.a[k];
  // Equations that no free unknown reaches take no part.
  for (double& length : row_scale_) length = length > 1e-300 ? 1 / std::sqrt(length) : 0.0;
  for (int j = 0; j < columns_; ++j)
    for (int k = pattern_->column_start[j]; k < pattern_->column_start[j + 1]; ++k)
      if (const int i = pattern_->row[k]; i >= columns_) pencil.a[k] *= row_scale_[i - columns_];
  for (const auto& [lower, upper] : *positions_) pencil.a[upper] = pencil.a[lower];
  for (int j = 0; j < pattern_->size; ++j)
    pencil.a[pencil.position(j, j)] = j < columns_                    ? 1.0
                                      : row_scale_[j - columns_] == 0 ? -1.0
                                                                      : -delta_squared;
  // The order of the unknowns follows from the pattern and need not be found again. Pivots are
  // chosen anew, or a resumed run, which does not know the old ones, would have other bits.
  if (factors_.use_count() != 1) {
    const auto keep = [spare = spare_](RealFactors* unused) { spare->emplace_back(unused); };
    const bool any = !spare_->empty();
    std::unique_ptr<RealFactors> taken =
        any ? std::move(spare_->back()) : make_sparse_real_factors(pencil);
    if (any) spare_->pop_back();
    factors_ = {taken.release(), keep};
  }
  factors_->forget_pivots(pencil);
  return factors_->factor(pencil, 0);
}

void SparseLinearization::apply_inverse(const Vector& residual, Vector& step) const {
  std::fill(work_.begin(), work_.begin() + columns_, 0.0);
  for (int i = 0; i < rows_; ++i) work_[columns_ + i] = row_scale_[i] * residual[i];
  factors_->solve(work_.data());
  std::copy(work_.begin(), work_.begin() + columns_, step.data());
}

Vector SparseLinearization::times(const Vector& x) const {
  Vector result = Vector::Zero(rows_);
  for (std::size_t k = 0; k < values_.size(); ++k)
    result[(*places_)[k].first] += values_[k] * x[(*places_)[k].second];
  return result;
}

std::vector<std::pair<int, double>> SparseLinearization::row(int which) const {
  std::vector<std::pair<int, double>> result;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if ((*places_)[k].first == which) result.emplace_back((*places_)[k].second, values_[k]);
  return result;
}

Vector SparseLinearization::largest(const std::vector<double>& size) const {
  Vector result = Vector::Zero(rows_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    double& most = result[(*places_)[k].first];
    most = std::max(most, std::abs(values_[k]) * size[(*places_)[k].second]);
  }
  return result;
}

}  // namespace daedalus
