#pragma once
// Copies of expressions from graph to graph, inputs replaced on the way.
#include <algorithm>
#include <functional>
#include <vector>

#include "expression/graph.h"

namespace daedalus {

/// Calls `use` with the operands of a node that are nodes.
template <class Use>
void for_operands(const Node& n, Use use) {
  const int count = operands_of(n.op);
  if (count > 0) use(n.a);
  if (count > 1) use(n.b);
  if (count > 2) use(n.c);
}

std::vector<NodeId> operands(const Node& n);

/// Nodes that `root` needs, ascending: operands first.
std::vector<NodeId> needed(const Graph& graph, NodeId root);
/// Of one of them in that list.
inline std::ptrdiff_t place_in(const std::vector<NodeId>& list, NodeId node) {
  // Most lists have few gaps, or none.
  const auto guess = static_cast<std::size_t>(node - list.front());
  if (guess < list.size() && list[guess] == node) return static_cast<std::ptrdiff_t>(guess);
  return std::lower_bound(list.begin(), list.end(), node) - list.begin();
}

/// Copies what `root` needs, each input as `input` says. Both may be the same graph.
NodeId rebuilt(const Graph& from, NodeId root, Graph& to, const std::function<NodeId(int)>& input);

}  // namespace daedalus
