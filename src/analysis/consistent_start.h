#pragma once
// Consistent initial values: the point nearest to the guesses that satisfies all constraints,
// hidden ones included,  min |D (y - y0)|  subject to  C(t0, y) = 0,  with chosen variables held,
// by damped Gauss-Newton steps dy = -D^-1 (C_y D^-1)^+ C. Then y' from the equations.
#include <string>
#include <vector>

#include "analysis/algebraic_projection.h"
#include "problem/jacobian.h"

namespace daedalus {

/// Moves a point onto constraint levels; also used for dense output.
class LevelProjection {
 public:
  LevelProjection(const System& system, std::vector<double> scale);

  /// Variables that must not move.
  void hold(std::vector<char> held) { held_ = std::move(held), factored_ = false; }
  bool project(double t, double* y, int max_iterations);
  /// The same from a point that is nearly there, with the linearisation of the last call as long
  /// as it serves; for output.
  bool polish(double t, double* y);
  void forget() { factored_ = false; }

  /// After a failure: residual of each row, and which rows cannot be satisfied with the variables
  /// that may move.
  const Vector& residual() const { return residual_; }
  const Names& equations() const { return equations_; }
  /// Rows with a share in the unsatisfiable combination, largest first, and held variables in them.
  std::string contradiction(double t, const double* y) const;

 private:
  void evaluate(double t, const double* y, Vector& out) const;
  void linearize(double t, const double* y);
  /// What the variables, at their scale, do to a row.
  double reach(int row) const;
  bool iterate(double t, double* y, int max_iterations);

  const System& system_;
  std::vector<double> scale_;
  std::vector<double> cost_, trial_;
  Vector trial_residual_, step_, natural_;
  std::vector<char> held_;
  Names equations_;
  Matrix jacobian_;  ///< rows x size, columns times the scale of their variable
  Matrix pseudo_inverse_;
  Vector residual_;
  bool factored_ = false;
};

struct StartReport {
  bool consistent = true;
  Message message = {};
  std::vector<double> shift = {};
};

/// Changes y and yp. `scale` is the size of each variable, `fixed` marks those to be held.
StartReport make_consistent(const System& system, Jacobian& jacobian, double t,
                            std::vector<double>& y, std::vector<double>& yp,
                            const std::vector<char>& fixed, const std::vector<double>& scale);

}  // namespace daedalus
