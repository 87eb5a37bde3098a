#pragma once
// Where Newton's iteration does not get from a guess to a solution: the curve
//   C(x) = (1 - s) C(x0)
// leads from the guess, s = 0, to a solution, s = 1, if it does not end before. It is followed by
// its arc length, since s need not grow all along. [AllgowerGeorg1990; Deuflhard2004, 5]
#include "nonlinear/nearest_point.h"

namespace daedalus {

/// From `x`, with the scales and freedoms of `solver`. False: `x` is where it was.
bool follow_residual(const PointEquations& equations, NearestPoint& solver, double* x);

}  // namespace daedalus
