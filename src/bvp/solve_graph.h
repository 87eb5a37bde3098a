#pragma once
// The run: guess, Newton on a mesh, error, next mesh.
#include "bvp/boundary_graph.h"

namespace daedalus::bvp {

BoundarySolution solve_graph(const BoundaryGraph& graph, const BoundaryOptions& options,
                             const BoundarySolution* before);

}  // namespace daedalus::bvp
