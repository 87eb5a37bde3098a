#pragma once
// Equations `v = expression` of auxiliary variables. Beyond an event they are evaluated one after
// the other before anything is solved: which side relations are on often depends on them alone.
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

struct Definitions {
  EquationSet equations;
  std::vector<int> variable;  ///< that each row defines
  std::vector<double> sign;   ///< of the variable in its row
};

/// `auxiliary` marks the variables that may be assigned.
Definitions find_definitions(const EquationSet& equations, const std::vector<char>& auxiliary);

}  // namespace daedalus
