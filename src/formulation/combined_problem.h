#pragma once
// A problem whose structure shows its index: equations whose highest derivatives cancel are
// replaced by combinations in which they are gone.
#include "daedalus/problem.h"

namespace daedalus {

struct CombinedProblem {
  Problem problem;
  std::string note;  ///< empty: nothing had to be done
};

CombinedProblem combined_problem(const Problem& problem);

}  // namespace daedalus
