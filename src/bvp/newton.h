#pragma once
// Damped Newton iteration on one mesh. A step u + lambda du is taken if the simplified correction
// there, found with the old matrix, is smaller than du (natural monotonicity: independent of how
// equations are scaled); lambda comes from estimates of the curvature. Once lambda = 1 and
// corrections contract, the matrix is kept. [Deuflhard2004, 3.3, 3.4]
#include <functional>

#include "bvp/mesh_equations.h"

namespace daedalus::bvp {

struct NewtonOutcome {
  bool converged = false;
  Reason reason = Reason::finished;
  Message message = {};
  bool is_rough = false;  ///< not better than rounding, which is larger than the tolerance
};

/// Asked once, near the solution: whether the mesh deserves to be solved to the tolerance.
using IsWorthSolving = std::function<bool(const Iterate& near)>;

NewtonOutcome newton(MeshEquations& equations, Iterate& u, double tolerance,
                     const BoundaryOptions& options, BoundaryStatistics& statistics,
                     bool allow_rough = false, const IsWorthSolving& is_worth_solving = {});

}  // namespace daedalus::bvp
