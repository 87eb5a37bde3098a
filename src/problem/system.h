#pragma once
// The one shape that steppers see: F(t, y, y') = 0 with facts about its rows and variables.
// Every problem form and every formulation becomes a System; `residual` with Dual gives exact
// Jacobians. The pencil is  shift E + A,  E = dF/dy', A = dF/dy.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/problem.h"
#include "daedalus/solve.h"

namespace daedalus {

/// One level of the constraints that the exact solution satisfies: "algebraic" rows, or
/// "position", "velocity", "acceleration" (a constraint and its time derivatives).
struct ConstraintLevel {
  std::string name;
  Names equations;
  std::function<void(double t, const double* y, double* r)> residual;

  int size() const { return static_cast<int>(equations.size()); }
};

class System {
 public:
  virtual ~System() = default;
  virtual void residual(double t, const double* y, const double* yp, double* r) const = 0;
  virtual void residual(const Dual& t, const Dual* y, const Dual* yp, Dual* r) const = 0;

  int size = 0;
  int visible = 0;  ///< the first so many variables are the user's
  bool differentiable = false;
  bool constant_mass = false;  ///< dF/dy' is constant
  bool discover_rows = false;  ///< the form cannot tell which rows and variables are algebraic
  Names variables;
  Names equations;
  std::vector<int> variable_index;       ///< 1, 2, 3: errors count with h^(index - 1)
  std::vector<char> algebraic_row;       ///< no y' occurs in the row
  std::vector<char> algebraic_variable;  ///< its y' occurs nowhere
  std::vector<ConstraintLevel> levels;
  std::optional<Sparsity> sparsity;
  /// Dense dF/dy and dF/dy' by the user, column-major; the second is left alone if constant.
  std::function<void(double t, const double* y, const double* yp, double* a, double* e)>
      supplied_jacobian;

  /// No hidden constraints: index 1 as far as the form and the user tell.
  bool is_index_one() const;
};

/// Throws InvalidInput for wrong sizes and names.
std::shared_ptr<System> make_system(const Problem& problem, Formulation formulation);

/// The formulation that `automatic` stands for.
Formulation chosen_formulation(const Problem& problem, Formulation wish);

}  // namespace daedalus
