#pragma once
// The Sigma method: signature matrix sigma_ij = highest derivative of variable j in equation i, a
// transversal of highest value, the smallest offsets c_i, d_j >= 0 with d_j - c_i >= sigma_ij
// (equality on the transversal). Equation i is to be differentiated c_i times. [Pryce2001]
#include <string>
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

struct Incidence {
  int variable = 0;
  int order = 0;
};

/// Rows of the signature matrix in compressed form.
struct Signature {
  int size = 0;
  std::vector<int> row_start;
  std::vector<Incidence> entries;
};

Signature signature_of(const EquationSet& equations, int variables);

struct StructuralAnalysis {
  bool regular = false;  ///< a transversal exists
  std::vector<int> match;            ///< variable of each equation, -1
  std::vector<int> equation_offset;  ///< c
  std::vector<int> variable_offset;  ///< d
  std::vector<int> block;            ///< of each equation: strongly connected part of the system
  std::vector<int> variable_index;   ///< 1, 2, ...: how errors of the variable are to be weighed
  int index = 0;
  int degrees_of_freedom = 0;
  // Of a singular system: equations and variables of its over- and underdetermined parts.
  std::vector<int> over_equations, over_variables, under_equations, under_variables;
};

StructuralAnalysis analyze_structure(const Signature& signature);

}  // namespace daedalus
