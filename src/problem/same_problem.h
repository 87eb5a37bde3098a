#pragma once
// Whether two statements ask for the same preparations: equal numbers, names and choices, and the
// very same functions. What these give may have changed meanwhile.
#include "daedalus/solve.h"

namespace daedalus {

/// But for the interval and the values at its begin. Jacobians of the user cannot be compared.
bool has_same_equations(const Problem& a, const Problem& b);
/// But for the method. Events and callbacks cannot be compared.
bool are_same_options(const Options& a, const Options& b);

}  // namespace daedalus
