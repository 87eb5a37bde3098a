#pragma once
// Sources that oscillate: sines and cosines whose argument is c t + d, nothing else in it.
#include "expression/equation_set.h"

namespace daedalus {

/// The largest |c| among all equations; 0: there is none.
double fastest_source(const EquationSet& equations);

}  // namespace daedalus
