#pragma once
// Shortest solutions of J x = r, for sparse rows of length one that may depend on each other. Of
// all x with  J x = r  the shortest solves
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

class AugmentedFactors {
 public:
  /// Row i of J has the columns column[start[i]] .. column[start[i + 1] - 1].
  AugmentedFactors(int columns, const std::vector<int>& start, const std::vector<int>& column);

  /// Rows without entries of any size take no part. False: singular.
  bool factor(const std::vector<double>& entries, const Vector& row_scale);
  void solve(const Vector& residual, Vector& x);

 private:
  int rows_, columns_;
  Pattern pattern_;
  std::vector<std::pair<int, int>> positions_;  ///< of J and J^T
  std::unique_ptr<RealFactors> factors_;
  std::vector<double> work_;
};

}  // namespace daedalus
