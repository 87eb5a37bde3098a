#pragma once
// The forms in which a differential-algebraic equation can be stated: plain data, no method.
// Unknowns are one vector in the order in which each form lists them; `start` follows that order
// and may stop early (missing values are guesses of zero).
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daedalus/findings.h"
#include "daedalus/function.h"

namespace daedalus {

/// A matrix that may depend on (t, y): identity unless said otherwise.
class Mass {
 public:
  struct Entry {
    int row = 0;
    int column = 0;
    double value = 0;
  };

  Mass() = default;
  Mass(const Matrix& constant) : constant_(constant) {}
  /// M(t, y, out) or M(y, out); out arrives as zeros.
  template <class F>
  requires(!std::is_convertible_v<F, Matrix> && !std::is_same_v<std::decay_t<F>, Mass>) Mass(F f)
      : function_(std::move(f)) {}

  static Mass diagonal(const Values& values);
  static Mass sparse(std::vector<Entry> entries);

  bool is_identity() const { return !constant_ && !function_ && !entries_; }
  bool is_constant() const { return !function_; }
  /// The same numbers, or the very same function.
  bool is_same_as(const Mass& other) const;
  /// Entries of a constant mass matrix of the given size.
  std::vector<Entry> entries(int size) const;
  const MatrixFunction<1>& function() const { return function_; }
  /// Rows of a dense constant or a diagonal, -1 where any size fits.
  int rows() const { return constant_ ? static_cast<int>(constant_->rows()) : diagonal_size_; }
  int columns() const { return constant_ ? static_cast<int>(constant_->cols()) : diagonal_size_; }

 private:
  std::optional<Matrix> constant_;
  std::optional<std::vector<Entry>> entries_;
  int diagonal_size_ = -1;
  MatrixFunction<1> function_;
};

/// F(t, y, y') = 0.
struct FullyImplicit {
  int size = 0;
  Function<2> residual = {};  ///< (t, y, yp, out)
};

/// M y' = f(t, y); M constant, time- or state-dependent, possibly singular. M = I: an ODE.
struct LinearlyImplicit {
  int size = 0;
  Mass mass = {};
  Function<1> f = {};  ///< (t, y, out)
};

/// x' = f(t, x, z),  0 = g(t, x, z).  Index 1 where dg/dz is regular.
struct SemiExplicit {
  int differential = 0;
  int algebraic = 0;
  Function<2> f = {};  ///< (t, x, z, out)
  Function<2> g = {};  ///< (t, x, z, out)
};

/// y' = f(t, y, z),  0 = g(t, y).  Index 2 where g_y f_z is regular.
struct HessenbergIndex2 {
  int differential = 0;
  int algebraic = 0;
  Function<2> f = {};  ///< (t, y, z, out)
  Function<1> g = {};  ///< (t, y, out)
};

/// y' = f(t, y, z),  z' = k(t, y, z, u),  0 = g(t, y).  Index 3 where g_y f_z k_u is regular.
struct HessenbergIndex3 {
  int position = 0;    ///< length of y
  int velocity = 0;    ///< length of z
  int algebraic = 0;   ///< length of u
  Function<2> f = {};  ///< (t, y, z, out)
  Function<3> k = {};  ///< (t, y, z, u, out)
  Function<1> g = {};  ///< (t, y, out)
};

/// q' = v,  M(q) v' = f(t, q, v) - G^T lambda - K^T mu,  0 = g(t, q),  0 = K(q) v + k(q),
/// with G = dg/dq and K the derivative of `nonholonomic` in v. Unknowns: q, v, lambda, mu.
struct Mechanical {
  int coordinates = 0;
  int holonomic = 0;                     ///< number of position constraints g
  int nonholonomic = 0;                  ///< number of velocity constraints
  Mass mass = {};                        ///< M(q, out), or a constant, or identity
  Function<2> force = {};                ///< (t, q, v, out)
  Function<1> constraint = {};           ///< (t, q, out)
  Function<2> velocity_constraint = {};  ///< (t, q, v, out), affine in v
};

/// x^(m) = f(t, X, y),  0 = g(t, X, y),  X = (x, x', ..., x^(m-1)). Unknowns: X, y.
struct HigherOrder {
  int order = 1;  ///< m
  int size = 0;   ///< length of x
  int algebraic = 0;
  Function<2> f = {};  ///< (t, X, y, out), out has `size` entries
  Function<2> g = {};  ///< (t, X, y, out)
  int index = 1;       ///< of the variables y: 1 if g_y is regular, else at most m + 1
};

/// y' = f(t, y, z),  epsilon z' = g(t, y, z). epsilon = 0 is the reduced problem of index 1.
struct SingularlyPerturbed {
  int slow = 0;
  int fast = 0;
  double epsilon = 0;
  Function<2> f = {};  ///< (t, y, z, out)
  Function<2> g = {};  ///< (t, y, z, out)
};

class EquationSet;
struct Switching;

/// F(t, y, y') = 0 as an expression graph: what a model text becomes. Structure, index and hidden
/// constraints are found from the graph.
struct ExpressionGraph {
  int size = 0;
  int visible = 0;  ///< the first so many variables are shown; the rest are lower derivatives
  std::shared_ptr<const EquationSet> equations = {};
  std::shared_ptr<const EquationSet> initial_equations = {};  ///< extra conditions at the start
  Names initial_names = {};
  Names variables = {};  ///< of all `size` variables
  Names equation_names = {};
  std::vector<char> stated = {};  ///< variables whose start was given; empty: all of them
  std::shared_ptr<const std::vector<double>> discrete = {};  ///< values that only events change
  std::shared_ptr<const Switching> switching = {};           ///< when and how they change
};

using Form =
    std::variant<FullyImplicit, LinearlyImplicit, SemiExplicit, HessenbergIndex2, HessenbergIndex3,
                 Mechanical, HigherOrder, SingularlyPerturbed, ExpressionGraph>;

/// Derivatives that the user supplies for F(t, y, y'); for M y' = f give dF/dy = -df/dy through
/// `right_hand_side`. They are compared with ours at the start.
struct UserJacobian {
  std::function<void(double t, Input y, MatrixOutput df_dy)> right_hand_side = {};
  std::function<void(double t, Input y, Input yp, MatrixOutput dF_dy, MatrixOutput dF_dyp)>
      residual = {};
};

/// Where dF/dy or dF/dy' may be nonzero: (equation, variable), counted from 0.
using Sparsity = std::vector<std::pair<int, int>>;

/// What a solution keeps to, though errors of steps would lead beyond: a concentration is never
/// negative. Where a step ends outside by no more than some tolerances, the variable is put back.
struct Bound {
  std::string variable = {};
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool operator==(const Bound&) const = default;
};

struct Problem {
  Form form = {};
  Interval t_span = {};
  Values start = {};     ///< guesses for all unknowns, in the order of the form
  Names variables = {};  ///< default: the letters of the form, numbered from 1
  Names equations = {};  ///< default: "equation 1", ... or what the form calls them
  Names fixed = {};      ///< variables whose start must not move
  std::vector<Bound> bounds = {};
  Values start_derivative = {};  ///< guess for y' (fully implicit problems)
  std::vector<int> variable_index =
      {};  ///< index of each variable (1, 2, 3) where the form cannot tell
  std::optional<Sparsity> sparsity = {};
  UserJacobian jacobian = {};
  Findings findings = {};  ///< of earlier runs, shared by copies
};

/// Number of unknowns of a form.
int size_of(const Form& form);

}  // namespace daedalus
