#pragma once
// The order in which expressions are evaluated as straight-line code. Graphs are made idea by idea,
// all rows of one before those of the next, so that most values would go to memory and come back;
// and divisions that wait for each other would stand side by side. Here what is soon known comes
// just before its first use, and what has to wait for long comes in the order in which it can be
// known: chains that are eliminated from both ends take turns, and the rest fills their pauses.
#include <vector>

#include "expression/graph.h"

namespace daedalus {

/// What the nodes need, in this order; they get their new numbers. Each operation keeps its
/// operands, so that the values have the same bits.
Graph in_order_of_use(const Graph& graph, std::vector<NodeId>& nodes);

}  // namespace daedalus
