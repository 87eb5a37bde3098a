#pragma once
// Sources that rest for long and then move for a short while: exp(-((t - 5)/0.05)^2). While they
// rest, and all else with them, no error tells of what is to come, and steps leap over it.
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

/// Times from `begin` to `end`, in that order, at which steps are to end lest they miss such a
/// source: where it begins to move, and on its way until it rests again. Seen is what lasts for a
/// thousandth of the interval.
std::vector<double> pulse_times(const EquationSet& equations, double begin, double end);

}  // namespace daedalus
