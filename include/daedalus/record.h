#pragma once
// Equations written as C++ functions, turned into an expression graph.
#include "daedalus/problem.h"

namespace daedalus {

/// The same problem with its functions recorded: structure, index, hidden constraints, a sparse
/// Jacobian and generated code are then found as for a model text. Unknowns and their order stay.
/// Throws InvalidInput if a function takes plain doubles or branches on values.
Problem recorded(const Problem& problem);

}  // namespace daedalus
