#pragma once
// Equations der(x) = u join variables into one component of higher order.
#include <vector>

#include "bvp/boundary_graph.h"

namespace daedalus::bvp {

/// u is derivative number depth[u] of root[u].
struct Chains {
  std::vector<int> root, depth;
  std::vector<char> spent;  ///< equations that say nothing any more

  Chains(const BoundaryGraph& graph, const std::vector<char>& is_differentiated);
};

}  // namespace daedalus::bvp
