#pragma once
// The run: guess, Newton on a mesh, error, next mesh.
#include "bvp/boundary_graph.h"

namespace daedalus::bvp {

BoundarySolution solve_graph(const std::shared_ptr<const BoundaryGraph>& graph,
                             const BoundaryGuess& guess, const Findings& findings,
                             const BoundaryOptions& options, const BoundarySolution* before);

}  // namespace daedalus::bvp
