#pragma once
// A graph that was recorded as a whole, cut into equations `root = 0`, which find their shapes.
#include <functional>

#include "expression/equation_set.h"

namespace daedalus {

/// `leaf` makes what an input of the graph stands for.
EquationSet recorded_equations(const Graph& graph, const std::vector<NodeId>& roots,
                               const std::function<NodeId(EquationBuilder&, int input)>& leaf);

}  // namespace daedalus
