#pragma once
// Which start values and equations cannot hold together: smallest sets, by dividing what
// contradicts until nothing can be left out. [Junker2004]
#include <vector>

#include "analysis/constraint_projection.h"

namespace daedalus {

/// Sets of names of fixed variables and of equations; each becomes consistent when any member is
/// dropped. Empty where the system is too large to try or the trouble is none of this kind.
std::vector<Names> contradictions(const System& system, const ConstraintSet& set, double t,
                                  const std::vector<double>& start, const std::vector<char>& fixed,
                                  const std::vector<double>& scale);

}  // namespace daedalus
