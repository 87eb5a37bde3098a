#include "formulation/position_constraints.h"

#include "expression/rebuild.h"

namespace daedalus {

PositionConstraints::PositionConstraints(Graph& graph, int n, std::vector<NodeId> constraints)
    : coordinates(n), g(std::move(constraints)) {
  for (const NodeId root : g) {
    Row row;
    std::vector<int> inputs;
    for (const NodeId id : needed(graph, root))
      if (graph[id].op == Op::input && graph[id].a > 0 && graph[id].a <= n) {
        inputs.push_back(graph[id].a);
        row.places.push_back(graph[id].a - 1);
      }
    row.entries = gradient(graph, root, inputs);
    jacobian.push_back(std::move(row));
  }
}

std::vector<NodeId> along_straight_line(Graph& graph, std::vector<NodeId> list, int n) {
  for (NodeId& node : list)
    node = tangent(graph, node, [&graph, n](int input) {
      return input == 0   ? graph.constant(1)
             : input <= n ? graph.input(input + n)
                          : graph.constant(0);
    });
  return list;
}

}  // namespace daedalus
