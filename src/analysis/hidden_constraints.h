#pragma once
// The equations that follow from the stated ones by differentiation, as text in the user's names:
// derivatives that other equations give explicitly are replaced by what they say.
#include "analysis/equation_shapes.h"

namespace daedalus {

struct HiddenConstraints {
  std::vector<std::string> texts;
  int left_out = 0;
};

/// What the user calls things.
struct ModelNames {
  std::vector<std::string> variables, discrete, equations;
};

/// At most `most` of them.
HiddenConstraints hidden_constraints(const EquationSet& equations, const EquationShapes& shapes,
                                     const StructuralAnalysis& structure, const ModelNames& names,
                                     int most);

}  // namespace daedalus
