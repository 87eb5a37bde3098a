#pragma once
// Least squares with E = dF/dy', part by part. E is most often diagonal or falls into small
// blocks, also where y' is not determined; a dense decomposition of the whole would make a large
// model wait for nothing.
#include "linear/pencil.h"

namespace daedalus {

/// x of least norm that minimises |E x - b|. The parts of E that share no row or column are
/// independent. False: a value is not finite.
bool solve_mass_by_parts(const Pencil& pencil, const double* b, double* x);

}  // namespace daedalus
