#pragma once
// Incomplete LU of a sparse matrix: elimination row by row that keeps entries where the matrix has
// entries and drops the others. [MeijerinkVanDerVorst1977] Variables of one grid point, which are
// neighbours in the pattern, are eliminated among each other completely.
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

class IncompleteFactors {
 public:
  explicit IncompleteFactors(const Pattern& pattern);

  /// Of the matrix whose entries stand in the order of the pattern. False: a pivot is too small.
  bool factor(const std::vector<double>& values);
  void multiply(const double* x, double* out) const;  ///< by the matrix itself
  void solve(double* x) const;                        ///< with the factors

 private:
  int n_;
  std::vector<int> row_start_, column_, diagonal_;  ///< by rows
  std::vector<int> source_;                         ///< of each entry by rows, in the pattern
  std::vector<double> matrix_, factors_, inverse_;  ///< inverse_: of the pivots
  std::vector<int> place_;                          ///< of each column in the row at work, or -1
};

}  // namespace daedalus
