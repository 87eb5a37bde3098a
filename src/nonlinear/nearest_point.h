#pragma once
// The point nearest to a given one that satisfies equations:  min |D (x - x0)|,  C(x) = 0,  by
// damped Gauss-Newton steps  dx = -D^-1 (C_x D^-1)^+ C  with a rank-revealing factorisation, so
// that redundant equations are no obstacle. [Deuflhard2004]
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "daedalus/vector.h"
#include "nonlinear/sparse_linearization.h"
#include "stepper/saved_state.h"

namespace daedalus {

class PointEquations {
 public:
  virtual ~PointEquations() = default;
  virtual void evaluate(const double* x, double* r) const = 0;
  /// equations x unknowns, column-major.
  virtual void linearize(const double* x, double* jacobian) const = 0;
  /// (equation, unknown) of the values that `linearize_sparse` gives; empty: dense only.
  virtual std::vector<std::pair<int, int>> places() const { return {}; }
  virtual void linearize_sparse(const double*, double*) const {}
  /// Where a linearisation is kept for all who need one; null: nowhere.
  virtual std::shared_ptr<SparseLinearization>* kept_linearization() const { return nullptr; }
};

class NearestPoint {
 public:
  /// `scale`: size of each unknown; `freedom`: how cheaply it moves (1 normal, 0 held).
  NearestPoint(int equations, std::vector<double> scale, std::vector<double> freedom,
               double rank_threshold);

  int equations() const { return count_; }
  const std::vector<double>& scale() const { return scale_; }
  const std::vector<double>& freedom() const { return freedom_; }
  double rank_threshold() const { return rank_threshold_; }

  /// Finds out once, for all copies, how the linearisation is stored.
  void prepare(const PointEquations& equations);
  /// True: satisfied to rounding.
  bool solve(const PointEquations& equations, double* x, int max_iterations);
  /// No residual is larger than `tolerance` times what changes of the size of the unknowns do.
  bool holds(const PointEquations& equations, const double* x, double tolerance);
  /// From nearby, with the linearisation of the last call as long as it serves. Corrections below
  /// `enough`, in units of the scale, are left out; 0: to rounding.
  bool polish(const PointEquations& equations, double* x, double enough = 0);
  /// The next call begins with a linearisation of its own.
  void forget() { factored_ = false, ++changes_; }
  /// Of the linearisation, counted.
  long changes() const { return changes_; }
  /// One point after another from now on: a linearisation serves those that follow.
  void go_along() { goes_along_ = true; }
  /// All that later calls depend on.
  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory, const PointEquations& equations);

  /// After a failure: the part of the residual that no free unknown can reach.
  Vector unreachable(const PointEquations& equations, const double* x);
  const Vector& residual() const { return residual_; }
  /// Of the last linearisation, dense.
  const Matrix& jacobian() const { return jacobian_; }
  /// Entries of an equation in the last linearisation.
  std::vector<std::pair<int, double>> row(int equation) const;

 private:
  bool iterate(const PointEquations& equations, double* x, int max_iterations, double enough = 0);
  /// Corrections of size `change` and then `next`: is a new linearisation cheaper than to go on?
  bool is_outworn(double last, double change, double next, double enough) const;
  void linearize(const PointEquations& equations, const double* x);
  void differentiate(const PointEquations& equations, const double* x);
  void factor();
  bool factor_independent_rows();
  /// By equation: what the unknowns, at their scale, do to it; by the last linearisation.
  Vector reach(const double* x) const;
  void apply_inverse(const Vector& residual, Vector& step);
  double extent(const Vector& step, const double* x) const;

  int count_, unknowns_;
  double rank_threshold_;
  std::vector<double> scale_, freedom_, trial_;
  Matrix jacobian_;
  /// Of the scaled Jacobian J: J^T = Q L^T where its rows are independent, with the inverse of the
  /// diagonal of L, else the pseudo-inverse.
  Matrix q_, lower_, pseudo_inverse_;
  bool independent_ = false;
  std::optional<SparseLinearization> sparse_;  ///< in place of all these where it pays
  bool dense_ = false;                         ///< known to be
  Vector row_scale_, residual_, trial_residual_, step_, natural_, solved_;
  bool factored_ = false, goes_along_ = false;
  long changes_ = 0;
};

}  // namespace daedalus
