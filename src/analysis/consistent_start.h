#pragma once
// Consistent initial values: the point nearest to the guesses that satisfies all constraints,
// hidden ones included,  min |D (y - y0)|  subject to  C(t0, y) = 0,  with chosen variables held,
// by damped Gauss-Newton steps dy = -D^-1 (C_y D^-1)^+ C. Then y' from the equations.
#include <string>
#include <vector>

#include "analysis/algebraic_projection.h"
#include "problem/jacobian.h"

namespace daedalus {

struct StartReport {
  bool consistent = true;
  Message message = {};
  std::vector<char> rate_known = {};  ///< variables whose y' is that of the solution
};

/// The solution as an event finds it.
struct BeforeEvent {
  std::vector<double> y, modes;
};

/// Changes y and yp. `scale` is the size of each variable, `fixed` marks those to be held; the
/// initial equations of a model count at the start of the run only. Where equations have several
/// solutions, what an `event` found may tell which one is meant. `kept` is of this system and its
/// Jacobian, and spares the making of another one.
StartReport make_consistent(const System& system, Jacobian& jacobian, double t,
                            std::vector<double>& y, std::vector<double>& yp,
                            const std::vector<char>& fixed, const std::vector<double>& scale,
                            bool at_start, const BeforeEvent* event = nullptr,
                            AlgebraicProjection* kept = nullptr);

}  // namespace daedalus
