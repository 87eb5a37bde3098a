#pragma once
// Which variables a system can do without: those that an equation gives explicitly. Replacing v in
// r equations by an expression of c others is one step of Gaussian elimination done beforehand, and
// like there it may fill the matrix: the exact fill decides, unless so few unknowns remain that
// their matrix is dense anyway. [Markowitz1957]
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "analysis/explicit_leaves.h"
#include "expression/equation_set.h"

namespace daedalus {

/// v = value, an instance of a kernel.
struct Replacement {
  int variable = 0;
  int row = 0;
  const Kernel* kernel = nullptr;
  int instance = 0;
  const ExplicitLeaf* value = nullptr;
};

struct Elimination {
  std::vector<Replacement> replacements;  ///< what one needs of others stands before it
  std::vector<int> level;                 ///< of each: needs replacements of lower levels only
  /// What the replacements point to.
  std::vector<std::unique_ptr<std::vector<ExplicitLeaf>>> leaves;
  EquationSet equations;
};

struct EliminationRules {
  std::vector<char> stays;  ///< by variable: not to be eliminated
  /// By variable: the user gave a start, which counts where the variable is computed from others
  /// that have to be found.
  std::vector<char> stated;
  /// By equation: it gives no variable up unless it is affine. Asked for if there is anything to
  /// do.
  std::function<std::vector<char>()> only_if_affine = {};
  bool fill_is_free = false;  ///< no matrix of all unknowns is going to be factored
};

Elimination choose_eliminated(const EquationSet& equations, const EliminationRules& rules);

/// Equations and variables that are left.
std::pair<std::vector<int>, std::vector<int>> remaining(const Elimination& elimination);

}  // namespace daedalus
