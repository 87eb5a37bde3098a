#pragma once
// What can be said about a problem before a step is made: index, degrees of freedom, hidden
// constraints, a consistent start, and what stands in the way of one.
#include <optional>
#include <string>
#include <vector>

#include "daedalus/model.h"
#include "daedalus/problem.h"

namespace daedalus {

/// Names are those of the problem. What could not be found out is empty; `warnings` say why.
struct Analysis {
  int equations = 0;
  int unknowns = 0;
  std::optional<int> structural_index = {};  ///< from where variables occur [Pryce2001]
  std::optional<int> numerical_index = {};   ///< from ranks at the consistent start
  std::optional<int> degrees_of_freedom = {};
  Names hidden_constraints = {};  ///< as equations
  /// explicit-ode, linearly-implicit, index-1, hessenberg-2, hessenberg-3, mechanical,
  /// higher-order, general; singular where no solution exists.
  std::string problem_class = "general";
  Names variables = {};
  Names fixed = {};                           ///< their start must not move
  Names free = {};                            ///< their start is a guess
  std::vector<double> consistent_start = {};  ///< of each variable; empty: none was found
  std::vector<double> initial_shift = {};     ///< how far the start was moved to get there
  /// Smallest sets of fixed variables and equations that cannot hold together at the start.
  std::vector<Names> contradictions = {};
  Names underdetermined = {};  ///< variables that nothing determines, and where they occur
  Names overdetermined = {};   ///< equations that say too much, and what about
  /// Smallest singular value at the start of the constraints' derivatives in the variables that
  /// they determine, each constraint scaled to a gradient of length 1.
  std::optional<double> sigma_min = {};
  bool inconsistent = false;  ///< no consistent start was found, though it was searched for
  Names warnings = {};

  bool can_be_solved() const { return underdetermined.empty() && !inconsistent; }
};

/// `nominal`: the size of each variable; 1 where it is not given. Throws InvalidInput as solve
/// does.
Analysis analyze(const Problem& problem, const Values& nominal = {});
Analysis analyze(const Model& model);

}  // namespace daedalus
