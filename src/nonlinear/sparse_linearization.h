#pragma once
// Shortest steps of large sparse systems,  x = J^T (J J^T)^-1 r  by factors of J J^T where the rows
// of J are far from dependent on each other, else by those of an augmented matrix, which have
// several times as many entries.
#include <memory>
#include <utility>
#include <vector>

#include "daedalus/vector.h"
#include "linear/gram_factors.h"
#include "nonlinear/augmented_factors.h"

namespace daedalus {

class SparseLinearization {
 public:
  /// Places of the values of J, in the order in which `values` holds them; places may repeat.
  SparseLinearization(std::vector<std::pair<int, int>> places, int rows, int columns);

  double* values() { return values_.data(); }
  const double* values() const { return values_.data(); }
  int count() const { return static_cast<int>(values_.size()); }
  /// Columns times `column_scale`, rows divided by their length. False: not finite, or singular.
  bool factor(const std::vector<double>& column_scale);
  void apply_inverse(const Vector& residual, Vector& step);

  /// J x, unscaled.
  Vector times(const Vector& x) const;
  /// Entries of a row, unscaled.
  std::vector<std::pair<int, double>> row(int which) const;
  /// By row: the largest |J_ij| size_j.
  Vector largest(const std::vector<double>& size) const;

 private:
  struct Structure {
    std::vector<std::pair<int, int>> places;
    std::vector<int> entry_of_place;
    std::vector<int> start, column;  ///< of the entries, by rows
    bool suits_gram = false;         ///< J J^T is sparse as well
  };
  /// What copies share until one of them factors again.
  struct Factors {
    std::vector<double> entries;
    GramFactors gram;
    std::unique_ptr<AugmentedFactors> augmented;
    bool independent = false;  ///< those of `gram` serve
  };
  static std::shared_ptr<const Structure> structure_of(std::vector<std::pair<int, int>> places,
                                                       int rows, int columns);
  bool factor_gram(Factors& factors) const;

  int rows_, columns_;
  std::shared_ptr<const Structure> structure_;
  std::vector<double> values_;
  using Spare = std::vector<std::unique_ptr<Factors>>;
  std::shared_ptr<Spare> spare_;  ///< that no copy uses; what follows from the structure is known
  std::shared_ptr<Factors> factors_;  ///< of the last call
  Vector row_scale_, multiplier_;
};

}  // namespace daedalus
