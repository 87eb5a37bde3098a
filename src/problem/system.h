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
#include "problem/definitions.h"
#include "problem/switching.h"

namespace daedalus {

class Expansion;
class SparseLinearization;

/// One level of the constraints that the exact solution satisfies: "algebraic" rows, or
/// "position", "velocity", "acceleration" (a constraint and its time derivatives).
struct ConstraintLevel {
  std::string name;
  Names equations;
  std::function<void(double t, const double* y, double* r)> residual;

  int size() const { return static_cast<int>(equations.size()); }
};

/// All that a solution satisfies, hidden constraints included, as equations for y and, behind it,
/// further unknowns such as its derivatives.
class ConstraintSet {
 public:
  virtual ~ConstraintSet() = default;
  virtual void evaluate(double t, const double* unknowns, double* r) const = 0;
  /// equations x unknowns, column-major.
  virtual void linearize(double t, const double* unknowns, double* jacobian) const = 0;
  /// (equation, unknown) of the values that `linearize_sparse` gives, some perhaps more than once;
  /// empty: it cannot.
  virtual Sparsity places() const { return {}; }
  virtual void linearize_sparse(double, const double*, double*) const {}
  /// A small part of the entries of its matrix can be nonzero.
  bool is_sparse() const;

  int unknowns = 0;
  Names equations;
  std::vector<int> derivative_of;  ///< of each further unknown: which variable
  std::vector<char> below_top;     ///< unknowns whose derivative is one too; or empty
  double rank_threshold = 1e-13;   ///< below it a singular value is rounding of the derivatives
  std::vector<double> freedom;     ///< how cheaply each unknown moves; 1: a differential variable
  /// What was found out about its places, for all who linearise it in the same run.
  mutable std::shared_ptr<SparseLinearization> kept_linearization;
};

/// Derivatives that a System knows how to compute itself, sparse.
class OwnJacobian {
 public:
  virtual ~OwnJacobian() = default;
  virtual Sparsity pattern() const = 0;
  /// Positions of the entries of `row`/`column_start` are fixed from now on.
  virtual void bind(const std::vector<int>& column_start, const std::vector<int>& row) = 0;
  virtual void evaluate(double t, const double* y, const double* yp, double* a,
                        double* e) const = 0;
};

class System {
 public:
  virtual ~System() = default;
  virtual void residual(double t, const double* y, const double* yp, double* r) const = 0;
  virtual void residual(const Dual& t, const Dual* y, const Dual* yp, Dual* r) const = 0;
  /// At several points, of all stages of a step; the vectors of each begin `apart` numbers behind
  /// those of the last.
  virtual void residuals(int points, int apart, const double* t, const double* y, const double* yp,
                         double* r) const {
    for (int i = 0; i < points; ++i) residual(t[i], y + i * apart, yp + i * apart, r + i * apart);
  }
  /// Likewise f of F = E y' - f, where E is constant and `knows_right_hand_side`.
  virtual void right_hand_sides(int /*points*/, int /*apart*/, const double* /*t*/,
                                const double* /*y*/, double* /*f*/) const {}
  virtual void right_hand_side(const Dual& /*t*/, const Dual* /*y*/, Dual* /*f*/) const {}
  /// r = E y' - r
  virtual void take_from_rates(const double* /*yp*/, double* /*r*/) const {}
  /// When steps have been so many that making code of the equations pays, or before the first one
  /// if they `are_expressions`.
  virtual void translate(const Findings&, double /*t*/, const double* /*y*/) {}
  /// The functions still give what they gave when their code was made.
  virtual bool code_holds() const { return true; }
  /// When they do not, and when a run is made again, which begins without it.
  virtual void forget_code() {}
  /// dF/dy, dense and column-major, by such code. False: there is none.
  virtual bool linearize(double /*t*/, const double* /*y*/, double* /*a*/) const { return false; }
  /// dF/dt of all rows by formula. False: there is none.
  virtual bool time_derivative(double, const double*, const double*, double*) const {
    return false;
  }
  /// Called once, before the first evaluation of a run.
  virtual void choose_evaluation(Evaluation) {}
  /// What the user should know, for Solution::notes.
  virtual std::vector<std::string> notes() const { return {}; }

  int size = 0;
  int visible = 0;  ///< the first so many variables are the user's
  bool differentiable = false;
  bool time_differentiable = false;  ///< with respect to t too
  bool constant_mass = false;        ///< dF/dy' is constant
  bool knows_right_hand_side = false;
  bool are_expressions = false;        ///< nothing has to be recorded, and nobody can change them
  bool linear_in_derivatives = false;  ///< F = M(t, y) y' - f, as far as the form tells
  bool hidden_constraints = false;     ///< index above 1, as far as the form tells
  bool discover_rows = false;  ///< the form cannot tell which rows and variables are algebraic
  bool nonlinear_in_derivatives = false;  ///< dF/dy' depends on y', or the form cannot tell
  bool linear = false;  ///< index 1, F linear in y and y', with coefficients that change at events
  Names variables;
  Names equations;
  std::vector<int> variable_index;       ///< 1, 2, 3: errors count with h^(index - 1)
  std::vector<char> algebraic_row;       ///< no y' occurs in the row
  std::vector<char> algebraic_variable;  ///< its y' occurs nowhere
  std::vector<char> velocity_variable;   ///< enters the constraints from their first derivative on
  std::vector<ConstraintLevel> levels;
  std::shared_ptr<ConstraintSet> constraints;  ///< in place of levels, where derivatives enter
  bool project_steps = false;                  ///< the end of each step is put onto the constraints
  /// (variable, order) of the derivatives that stand behind the variables.
  std::vector<std::pair<int, int>> higher_derivatives;
  /// So many at the end keep constraints; their errors count by what they do to others.
  int stabilizing = 0;
  /// The variable that is the derivative of each, -1: none. Empty: not known.
  std::vector<int> derivative_variable;
  std::shared_ptr<ConstraintSet> start_constraints;  ///< with the initial equations of a model
  std::shared_ptr<OwnJacobian> own_jacobian;
  std::shared_ptr<const Switching> switching;      ///< null: nothing but time changes the equations
  std::shared_ptr<const Definitions> definitions;  ///< of auxiliary variables, where modes switch
  std::shared_ptr<std::vector<double>> modes;      ///< discrete values that the equations now use
  /// To the variables that were eliminated, whose errors count too; null: there are none.
  std::shared_ptr<const Expansion> expansion;
  std::optional<Sparsity> sparsity;
  /// Dense dF/dy and dF/dy' by the user, column-major; the second is left alone if constant.
  std::function<void(double t, const double* y, const double* yp, double* a, double* e)>
      supplied_jacobian;

  /// No hidden constraints: index 1 as far as the form and the user tell.
  bool is_index_one() const;
};

/// Throws InvalidInput for wrong sizes and names.
/// `baumgarte_rate` as in Options.
std::shared_ptr<System> make_system(const Problem& problem, Formulation formulation,
                                    double baumgarte_rate = 0);

/// Marks of the variables that Problem::fixed names, hidden derivatives too. Throws InvalidInput.
std::vector<char> fixed_variables(const Problem& problem, const System& system);

/// Larger graphs are solved as they stand: constraints of many levels would cost too much.
inline constexpr int largest_reduced_graph = 20000;

/// The formulation that `automatic` stands for.
Formulation chosen_formulation(const Problem& problem, Formulation wish, bool explicit_method);

}  // namespace daedalus
