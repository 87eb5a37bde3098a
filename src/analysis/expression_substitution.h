#pragma once
// Where no combination of equations shows that highest derivatives cancel, a combination of
// variables may: with numbers v such that J v = 0 everywhere, the equations hold the x_j only as
//   y_j = x_j^(d_j - c) - (v_j / v_l) x_l^(d_l - c),   c = max c_i of these equations.
// The y_j become variables of their own, x_l^(d_l - c_i) drops out of every f_i, and the Sigma
// method sees it. [TanNedialkovPryce2017, expression substitution]
#include <optional>
#include <vector>

#include "analysis/signature.h"
#include "problem/algebraic_rows.h"

namespace daedalus {

/// y = x_variable^(order) - weight x_other^(other_order)
struct SubstitutedExpression {
  int variable = 0, order = 0;
  int other = 0, other_order = 0;
  double weight = 0;
};

struct SubstitutedEquations {
  EquationSet equations;                           ///< the given ones, then the definitions
  std::vector<SubstitutedExpression> expressions;  ///< new variables in this order
  std::vector<int> rows;                           ///< in which they were put
};

/// `null_vector`: v by variable. Empty where x_l does not drop out as an identity.
std::optional<SubstitutedEquations> substitute_expressions(const EquationSet& equations,
                                                           const StructuralAnalysis& structure,
                                                           const RowCombination& null_vector);

}  // namespace daedalus
