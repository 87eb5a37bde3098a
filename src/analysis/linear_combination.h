#pragma once
// Equations whose highest derivatives cancel. Where the system Jacobian J of the Sigma method is
// singular everywhere, structure shows too low an index. With numbers u such that u^T J = 0, the
// combination  sum u_i f_i^(c_i - c),  c = min c_i,  is of lower order, and put in place of one
// equation with c_i = c it lets the Sigma method see what was hidden. [TanNedialkovPryce2017]
#include <string>
#include <vector>

#include "analysis/expression_substitution.h"

namespace daedalus {

struct Combination {
  int row = 0;                 ///< that was replaced
  std::vector<int> equations;  ///< that were combined
};

struct CombinedEquations {
  EquationSet equations;
  std::vector<Combination> combinations;
  /// What stands for the variables beyond those given, where only combinations of variables cancel.
  std::vector<SubstitutedExpression> substitutions;
};

/// Nothing is changed where nothing cancels, or not by numbers. `start` gives the neighbourhood in
/// which J is looked at; `discrete` as in Point. What is found holds as an identity of the
/// expressions, whatever the values.
CombinedEquations combine_cancelling(const EquationSet& equations, double t,
                                     const std::vector<double>& start, const double* discrete);

}  // namespace daedalus
