#pragma once
// Constraints g(t, q) as expressions of the inputs t, q, v, with the rows of dg/dq.
#include <vector>

#include "expression/graph.h"

namespace daedalus {

struct PositionConstraints {
  PositionConstraints() = default;
  PositionConstraints(Graph& graph, int coordinates, std::vector<NodeId> constraints);

  int coordinates = 0;
  std::vector<NodeId> g;
  struct Row {
    std::vector<int> places;  ///< coordinates that occur
    std::vector<NodeId> entries;
  };
  std::vector<Row> jacobian;

  int count() const { return static_cast<int>(g.size()); }
};

/// d/ds of expressions at (t + s, q + s v, v).
std::vector<NodeId> along_straight_line(Graph& graph, std::vector<NodeId> list, int coordinates);

}  // namespace daedalus
