#pragma once
// What a graph tells of its system before names, modes and a start are known: structure, order of
// the equations, derivatives. For small models that takes longer than the steps, so it is kept.
#include <memory>
#include <vector>

#include "analysis/signature.h"
#include "daedalus/problem.h"
#include "expression/equation_set.h"
#include "problem/algebraic_rows.h"

namespace daedalus {

struct GraphParts {
  std::shared_ptr<const EquationSet> given;
  StructuralAnalysis structure;  ///< of the equations below; if it is not regular there is no more
  std::vector<int> row_of;       ///< the given row of each equation
  std::shared_ptr<const EquationSet> equations;  ///< in the order of their matched variables
  std::vector<char> row_has_rates, variable_has_rates;
  bool has_constant_mass = true;
  bool is_nonlinear_in_rates = false;
  bool is_linear = false;                 ///< with constant coefficients, between events
  std::vector<Mass::Entry> mass;          ///< where it is constant
  std::vector<RowCombination> algebraic;  ///< rows of the left null space of a constant mass
  std::shared_ptr<const EquationJacobian> derivatives;  ///< to be copied
};

/// Among the findings of earlier runs, or made.
std::shared_ptr<const GraphParts> graph_parts(const ExpressionGraph& form,
                                              const Findings& findings);

}  // namespace daedalus
