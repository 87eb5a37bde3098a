#include "expression/rebuild.h"

#include <algorithm>
#include <cstdint>

namespace daedalus {

std::vector<NodeId> operands(const Node& n) {
  std::vector<NodeId> list;
  for_operands(n, [&](NodeId operand) { list.push_back(operand); });
  return list;
}

std::vector<NodeId> needed(const Graph& graph, NodeId root) {
  // Stamped, so that the cost is that of what is found and not of the whole graph.
  thread_local std::vector<std::uint32_t> stamp;
  thread_local std::uint32_t now = 0;
  if (++now == 0) stamp.clear(), now = 1;
  if (stamp.size() <= static_cast<std::size_t>(root)) stamp.resize(2 * std::size_t(root) + 1, 0);
  std::vector<NodeId> list = {root};
  NodeId least = root;
  stamp[static_cast<std::size_t>(root)] = now;
  for (std::size_t k = 0; k < list.size(); ++k)
    for_operands(graph[list[k]], [&](NodeId operand) {
      std::uint32_t& mark = stamp[static_cast<std::size_t>(operand)];
      if (mark != now) mark = now, list.push_back(operand), least = std::min(least, operand);
    });
  constexpr std::size_t dense = 8;  // a look at so many stamps takes less than sorting one node
  if (static_cast<std::size_t>(root - least) < dense * list.size()) {
    list.clear();
    for (NodeId id = least; id <= root; ++id)
      if (stamp[static_cast<std::size_t>(id)] == now) list.push_back(id);
  } else {
    std::sort(list.begin(), list.end());
  }
  return list;
}

NodeId rebuilt(const Graph& from, NodeId root, Graph& to, const std::function<NodeId(int)>& input) {
  const std::vector<NodeId> list = needed(from, root);
  std::vector<NodeId> made;
  made.reserve(list.size());
  const auto at = [&](NodeId x) {
    return x < 0 ? -1 : made[static_cast<std::size_t>(place_in(list, x))];
  };
  for (const NodeId id : list) {
    const Node n = from[id];  // a copy: `to` may be the same graph and grow
    const int count = operands_of(n.op);
    made.push_back(n.op == Op::input      ? input(n.a)
                   : n.op == Op::constant ? to.constant(n.value)
                                          : to.make(n.op, at(n.a), count > 1 ? at(n.b) : -1,
                                                    count > 2 ? at(n.c) : -1));
  }
  return made.back();
}

}  // namespace daedalus
