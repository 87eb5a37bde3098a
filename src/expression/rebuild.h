#pragma once
// Copies of expressions from graph to graph, inputs replaced on the way.
#include <functional>
#include <vector>

#include "expression/graph.h"

namespace daedalus {

/// Operands of a node that are nodes.
std::vector<NodeId> operands(const Node& n);

/// Nodes that `root` needs, operands first.
std::vector<NodeId> needed(const Graph& graph, NodeId root);

/// Copies what `root` needs, each input as `input` says. Both may be the same graph.
NodeId rebuilt(const Graph& from, NodeId root, Graph& to, const std::function<NodeId(int)>& input);

}  // namespace daedalus
