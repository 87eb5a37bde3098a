#include "expression/rebuild.h"

#include <algorithm>

namespace daedalus {

std::vector<NodeId> operands(const Node& n) {
  const int count = operands_of(n.op);
  std::vector<NodeId> list;
  if (count > 0) list.push_back(n.a);
  if (count > 1) list.push_back(n.b);
  if (count > 2) list.push_back(n.c);
  return list;
}

std::vector<NodeId> needed(const Graph& graph, NodeId root) {
  std::vector<char> marked(static_cast<std::size_t>(root) + 1, 0);
  marked[static_cast<std::size_t>(root)] = 1;
  std::vector<NodeId> list;
  for (NodeId id = root; id >= 0; --id) {
    if (!marked[static_cast<std::size_t>(id)]) continue;
    list.push_back(id);
    for (const NodeId operand : operands(graph[id])) marked[static_cast<std::size_t>(operand)] = 1;
  }
  std::reverse(list.begin(), list.end());
  return list;
}

NodeId rebuilt(const Graph& from, NodeId root, Graph& to, const std::function<NodeId(int)>& input) {
  std::vector<NodeId> made(static_cast<std::size_t>(root) + 1, -1);
  for (const NodeId id : needed(from, root)) {
    const Node n = from[id];  // a copy: `to` may be the same graph and grow
    const auto at = [&](NodeId x) { return x < 0 ? -1 : made[static_cast<std::size_t>(x)]; };
    const int count = operands_of(n.op);
    made[static_cast<std::size_t>(id)] =
        n.op == Op::input ? input(n.a)
        : n.op == Op::constant
            ? to.constant(n.value)
            : to.make(n.op, at(n.a), count > 1 ? at(n.b) : -1, count > 2 ? at(n.c) : -1);
  }
  return made[static_cast<std::size_t>(root)];
}

}  // namespace daedalus
