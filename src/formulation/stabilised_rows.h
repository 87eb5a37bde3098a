#pragma once
// Equations that keep constraints while they are integrated, where nothing is projected.
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

/// (d/dt + rate)^c_i f_i = 0 for the rows asked for, in place of d^c_i/dt^c_i f_i = 0: violations
/// decay like exp(-rate t). `derivatives[r]` holds all f_i^(r). [Baumgarte1972]
EquationSet damped_rows(const std::vector<EquationSet>& derivatives, const std::vector<int>& rows,
                        const std::vector<int>& c, double rate);

/// x_j' = x_next(j) - sum_i mu_i dF_i/dx_j for all j that have a next, F the invariants and mu_i
/// the variable first_multiplier + i. [GearGuptaLeimkuhler1985]
EquationSet rates_with_multipliers(const std::vector<int>& next, const EquationSet& invariants,
                                   int first_multiplier);

}  // namespace daedalus
