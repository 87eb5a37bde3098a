#pragma once
// The algebraic equations hidden in a singular constant mass matrix: left null vectors of M,
//   l^T M = 0  =>  0 = l^T f(t, y),
// each put in place of one row. Used as M stands, the algebraic rows exist only as differences of
// rows of size M/h and drown in rounding errors at tight tolerances. [HairerWanner1996, VI (1.19)]
#include <vector>

#include "daedalus/problem.h"

namespace daedalus {

struct RowCombination {
  struct Term {
    int row = 0;
    double weight = 0;
  };
  int row = 0;              ///< the row that it replaces
  std::vector<Term> terms;  ///< contains `row` itself with weight 1
};

/// One combination for each dimension of the left null space. Connected blocks of M are treated
/// apart, so the cost is that of the largest block.
std::vector<RowCombination> algebraic_rows(int size, const std::vector<Mass::Entry>& mass);

}  // namespace daedalus
