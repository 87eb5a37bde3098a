#pragma once
// A piecewise polynomial on a mesh: states z at the mesh points; w and y at the k collocation
// points of each element, one after the other in a column.
#include <vector>

#include "daedalus/vector.h"

namespace daedalus::bvp {

struct Iterate {
  std::vector<double> t;  ///< N + 1 mesh points
  Matrix z;               ///< states x (N + 1)
  Matrix w;               ///< (components k) x N
  Matrix y;               ///< (algebraic k) x N

  int elements() const { return static_cast<int>(t.size()) - 1; }
  double left(int i) const { return t[static_cast<std::size_t>(i)]; }
  double length(int i) const {
    return t[static_cast<std::size_t>(i) + 1] - t[static_cast<std::size_t>(i)];
  }
};

}  // namespace daedalus::bvp
