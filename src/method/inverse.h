#pragma once
// W = A^-1 for the few stages of a tableau, in extended precision.
#include <optional>

#include "method/generate.h"

namespace daedalus {

/// Gauss-Jordan with complete pivoting; nothing if A is singular to working precision of a double.
std::optional<ExtendedMatrix> inverse_if_regular(ExtendedMatrix a);

}  // namespace daedalus
