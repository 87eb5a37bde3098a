#pragma once
// What the shapes of first-order equations F(t, y, y') = 0 tell without any value: which rows are
// algebraic, which give a derivative explicitly, how derivatives enter; and the class of problem.
#include <string>
#include <vector>

#include "analysis/signature.h"

namespace daedalus {

struct EquationShapes {
  std::vector<char> algebraic;     ///< by row: no derivative occurs
  std::vector<int> explicit_for;   ///< by row: the variable whose derivative it gives, or -1
  std::vector<char> differential;  ///< by variable: its derivative occurs
  bool constant_mass = true;       ///< dF/dy' holds numbers only
};

EquationShapes shapes_of(const EquationSet& equations);

/// One of the names that Analysis::problem_class lists. `has_higher_derivatives`: of the text.
std::string classify(const EquationShapes& shapes, const Signature& signature,
                     const StructuralAnalysis& structure, int index, bool has_higher_derivatives);

/// The same of the equations that are left when auxiliary variables are replaced by what defines
/// them; accelerations that have names of their own count as derivatives of velocities.
std::string classify_without_auxiliaries(const EquationSet& equations,
                                         const StructuralAnalysis& structure, int index,
                                         bool has_higher_derivatives);

}  // namespace daedalus
