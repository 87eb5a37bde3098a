#pragma once
// The index from the derivative array  (F, F', ..., F^(k)) = 0  in (y, y', ..., y^(k+1)): the
// smallest k for which it determines y'. Dense; for problems that deceive their structure.
// [CampbellGear1995]
#include <optional>
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

struct ArrayIndex {
  int index = 0;
  int degrees_of_freedom = 0;
};

/// `discrete` as in Point. Moves y and yp, held ones not, to where the array holds. Nothing: no
/// index up to `highest`, too large (`most_unknowns`), or no such point.
std::optional<ArrayIndex> array_index(const EquationSet& equations, double t,
                                      const double* discrete, std::vector<double>& y,
                                      std::vector<double>& yp, const std::vector<char>& held,
                                      const std::vector<double>& scale, int highest);

}  // namespace daedalus
