#pragma once
// Factors of pencils with a narrow band, eliminated from both ends.
#include <memory>
#include <vector>

#include "linear/pencil.h"

namespace daedalus {

/// Null: the band is too wide, or as wide on one side only. `order` of the unknowns along the band;
/// empty: their own.
std::unique_ptr<RealFactors> make_twisted_real_factors(const Pattern& pattern, Bandwidth width,
                                                       const std::vector<int>& order);
std::unique_ptr<ComplexFactors> make_twisted_complex_factors(const Pattern& pattern,
                                                             Bandwidth width,
                                                             const std::vector<int>& order);

}  // namespace daedalus
