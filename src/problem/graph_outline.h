#pragma once
// Systems that stand for a graph which a field integrates: names and sizes. The equations, their
// derivatives and hidden constraints cost more to prepare than most motions take to integrate, and
// are asked for only where a consistent point has to be found.
#include "problem/system.h"

namespace daedalus {

/// Nothing but the field and a start is needed: no modes, no conditions on the start.
bool outline_suffices(const ExpressionGraph& form);
std::shared_ptr<System> make_graph_outline(const Problem& problem, const ExpressionGraph& form);

}  // namespace daedalus
