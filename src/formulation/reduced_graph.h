#pragma once
// Index reduction of a graph without choosing states. With the offsets c, d of the Sigma method the
// unknowns are x_j^(k), k <= d_j, the equations
//   d/dt x_j^(k) = x_j^(k+1), k < d_j,      f_i^(c_i)(t, x_j^(k)) = 0,
// of index 1; all f_i^(r), r < c_i, are invariants, onto which every step is projected.
// [Pryce2001; AscherPetzold1998, 9.3] Instead they can be kept by multipliers, by damping, or be
// left to drift (index_1).
#include "problem/system.h"

namespace daedalus {

std::shared_ptr<System> make_reduced_graph(const Problem& problem, const ExpressionGraph& form,
                                           Formulation formulation, double baumgarte_rate);

}  // namespace daedalus
