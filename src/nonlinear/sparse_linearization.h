#pragma once
// Shortest steps of large sparse systems. Of all x with  J x = r  the shortest solves
//   [ I   J^T       ] [ x ]   [ 0 ]
//   [ J  -delta^2 I ] [ m ] = [ r ]
// for delta -> 0. With delta^2 near the rounding unit the matrix is quasidefinite, has factors in
// every order of its rows, and takes redundant equations as well; what delta leaves of a residual
// the next iteration takes away. [Vanderbei1995; Bjoerck1996, 2.5]
#include <memory>
#include <utility>
#include <vector>

#include "daedalus/vector.h"
#include "linear/pencil.h"

namespace daedalus {

class SparseLinearization {
 public:
  /// Places of the values of J, in the order in which `values` holds them; places may repeat.
  SparseLinearization(std::vector<std::pair<int, int>> places, int rows, int columns);

  double* values() { return values_.data(); }
  /// Columns times `column_scale`, rows divided by their length. False: not finite, or singular.
  bool factor(const std::vector<double>& column_scale);
  void apply_inverse(const Vector& residual, Vector& step) const;

  /// J x, unscaled.
  Vector times(const Vector& x) const;
  /// Entries of a row, unscaled.
  std::vector<std::pair<int, double>> row(int which) const;
  /// By row: the largest |J_ij| size_j.
  Vector largest(const std::vector<double>& size) const;

 private:
  std::shared_ptr<const std::vector<std::pair<int, int>>> places_;
  int rows_, columns_;
  std::vector<double> values_;
  std::shared_ptr<const Pattern> pattern_;
  std::shared_ptr<const std::vector<std::pair<int, int>>> positions_;  ///< of J and J^T
  using Spare = std::vector<std::unique_ptr<RealFactors>>;
  std::shared_ptr<Spare> spare_;          ///< that no copy uses; their order of unknowns is known
  std::shared_ptr<RealFactors> factors_;  ///< of the last call; copies share them
  Vector row_scale_;
  mutable std::vector<double> work_;
};

}  // namespace daedalus
