#include "nonlinear/sparse_linearization.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus {

std::shared_ptr<const SparseLinearization::Structure> SparseLinearization::structure_of(
    std::vector<std::pair<int, int>> places, int rows, int columns) {
  auto result = std::make_shared<Structure>();
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
  result->entry_of_place.resize(places.size());
  result->start.assign(static_cast<std::size_t>(rows) + 1, 0);
  std::vector<double> in_column(static_cast<std::size_t>(columns), 0.0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto& [i, j] = places[order[k]];
    if (k == 0 || places[order[k]] != places[order[k - 1]]) {
      result->column.push_back(j);
      ++result->start[static_cast<std::size_t>(i) + 1], ++in_column[j];
    }
    result->entry_of_place[order[k]] = static_cast<int>(result->column.size()) - 1;
  }
  for (int i = 0; i < rows; ++i) result->start[i + 1] += result->start[i];
  // An unknown of many equations ties each of them to all others.
  constexpr double many = 20;
  double products = 0;
  for (const double count : in_column) products += count * count;
  result->suits_gram = products <= many * static_cast<double>(result->column.size());
  result->places = std::move(places);
  return result;
}

SparseLinearization::SparseLinearization(std::vector<std::pair<int, int>> places, int rows,
                                         int columns)
    : rows_(rows),
      columns_(columns),
      structure_(structure_of(std::move(places), rows, columns)),
      values_(structure_->places.size()),
      spare_(std::make_shared<Spare>()),
      multiplier_(rows) {}

bool SparseLinearization::factor(const std::vector<double>& column_scale) {
  const auto& [places, entry_of_place, start, column, suits_gram] = *structure_;
  if (factors_.use_count() != 1) {
    const auto keep = [spare = spare_](Factors* unused) { spare->emplace_back(unused); };
    const bool any = !spare_->empty();
    std::unique_ptr<Factors> taken = any ? std::move(spare_->back()) : std::make_unique<Factors>();
    if (any) spare_->pop_back();
    factors_ = {taken.release(), keep};
  }
  std::vector<double>& entries = factors_->entries;
  entries.assign(column.size(), 0.0);
  for (std::size_t k = 0; k < values_.size(); ++k)
    entries[entry_of_place[k]] += values_[k] * column_scale[places[k].second];
  row_scale_.resize(rows_);
  for (int i = 0; i < rows_; ++i) {
    double square = 0;
    for (int k = start[i]; k < start[i + 1]; ++k) square += entries[k] * entries[k];
    if (!std::isfinite(square)) return false;
    // Equations that no free unknown reaches take no part.
    row_scale_[i] = square > 0 ? 1 / std::sqrt(square) : 0.0;
    for (int k = start[i]; k < start[i + 1]; ++k) entries[k] *= row_scale_[i];
  }
  factors_->independent = suits_gram && factor_gram(*factors_);
  if (factors_->independent) return true;
  if (!factors_->augmented)
    factors_->augmented = std::make_unique<AugmentedFactors>(columns_, start, column);
  return factors_->augmented->factor(entries, row_scale_);
}

/// False: rows depend on each other, or nearly so. By as much as what is left of one is smaller
/// than the row, squared, the next correction takes less away, and 1e-16 is rounding.
bool SparseLinearization::factor_gram(Factors& factors) const {
  constexpr double least_left = 1e-10;
  GramFactors& gram = factors.gram;
  if (gram.size() != rows_) gram = {columns_, structure_->start, structure_->column};
  if (!gram.factor(factors.entries.data(), true)) return false;
  for (int i = 0; i < rows_; ++i)
    if (!(gram.pivot(i) >= least_left)) return false;
  return true;
}

void SparseLinearization::apply_inverse(const Vector& residual, Vector& step) {
  multiplier_ = row_scale_.cwiseProduct(residual);
  if (!factors_->independent) return factors_->augmented->solve(multiplier_, step);
  factors_->gram.solve(multiplier_.data());
  const std::vector<int>&start = structure_->start, &column = structure_->column;
  step.setZero();
  for (int i = 0; i < rows_; ++i)
    for (int k = start[i]; k < start[i + 1]; ++k)
      step[column[k]] += factors_->entries[k] * multiplier_[i];
}

Vector SparseLinearization::times(const Vector& x) const {
  Vector result = Vector::Zero(rows_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto& [i, j] = structure_->places[k];
    result[i] += values_[k] * x[j];
  }
  return result;
}

std::vector<std::pair<int, double>> SparseLinearization::row(int which) const {
  std::vector<std::pair<int, double>> result;
  for (std::size_t k = 0; k < values_.size(); ++k)
    if (const auto& [i, j] = structure_->places[k]; i == which) result.emplace_back(j, values_[k]);
  return result;
}

Vector SparseLinearization::largest(const std::vector<double>& size) const {
  Vector result = Vector::Zero(rows_);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const auto& [i, j] = structure_->places[k];
    result[i] = std::max(result[i], std::abs(values_[k]) * size[j]);
  }
  return result;
}

}  // namespace daedalus
