#pragma once
// Solves the algebraic rows 0 = g(t, y) of a system of index 1 while the differential combinations
// E y stay: Newton with the pencil  shift E + A  for a shift so large that the differential rows
// read E dy = 0. Serves initial values, the state space form of a step, and dense output.
#include <functional>
#include <memory>
#include <vector>

#include "problem/jacobian.h"

namespace daedalus {

class AlgebraicProjection {
 public:
  AlgebraicProjection(const System& system, Jacobian& jacobian);

  bool is_needed() const { return needed_; }
  /// To work with between two calls; whatever its values were.
  Pencil& pencil() { return make_factors(), pencil_; }
  /// Moves y onto the algebraic rows. `scale` is the size below which a change of y_i is nothing.
  /// So many times a step is cut to its half.
  bool project(double t, double* y, const std::vector<double>& scale, int max_iterations = 10,
               int max_cuts = 40);
  /// The rows determine the algebraic variables at y, whose sizes are given, as they do elsewhere.
  bool is_regular(double t, const double* y, const std::vector<double>& size,
                  const double* elsewhere);
  /// As `project`, from a solution with the modes `before` along those of
  /// s g(before) + (1 - s) g(modes) = 0 as s goes from 1 to 0: the one that is there when the modes
  /// change fast, but not at once.
  bool follow_modes(double t, double* y, const std::vector<double>& scale,
                    std::vector<double> before);
  /// Called before each evaluation: modes are those of the point at hand.
  void renew_modes_by(std::function<void(double t, const double* y)> renew) {
    renew_modes_ = std::move(renew);
  }
  /// By the matrices, at the first point that was asked for; false: not known to be.
  bool has_index_one() const { return index_known_ && index_one_; }
  /// Solves F(t, y, y') = 0 for the algebraic variables and the derivatives of the others, where
  /// rows with y' determine algebraic variables. Both change on success only.
  bool project_with_rates(double t, double* y, double* yp, const std::vector<double>& scale,
                          int max_iterations = 10);
  /// Variables whose index is above 1 at (t, y), whatever the form tells.
  std::vector<int> of_higher_index(double t, const double* y);
  /// y' with E1 y' = what the differential rows say, g_y y' = -g_t, at the point that was projected
  /// last or at another one after `forget`. False: index above 1.
  bool derivative(double t, const double* y, double* yp);
  /// As it was made, for another start.
  void begin_anew() {
    forget();
    index_known_ = index_one_ = false;
    shift_ = 1;
  }
  /// New point: the factors of the last one may be far off.
  void forget() { factored_ = has_moved_by_rounding_ = false; }

 private:
  void swap_modes();
  void evaluate(double t, const double* y);
  bool differentiate(double t, const double* y);
  bool refactor(double t, const double* y);
  bool refactor_with_rates(double t, const double* y, const double* yp);
  double correct(double t, const double* y, const std::vector<double>& scale, bool has_moved);
  void make_factors();
  bool find_index();

  const System& system_;
  Jacobian& jacobian_;
  Pencil pencil_;
  std::unique_ptr<RealFactors> factors_;
  bool needed_ = false;
  bool factored_ = false;
  bool has_moved_by_rounding_ = false;  ///< since it was factored, in the last projection
  bool index_known_ = false;
  bool index_one_ = false;
  double shift_ = 1;
  std::function<void(double t, const double* y)> renew_modes_;
  std::vector<double>* other_modes_ = nullptr;  ///< to be mixed in
  double other_part_ = 0;
  std::vector<double> work_;
  /// Of the size of the system, there.
  double *zero_, *r_, *trial_, *start_, *before_, *step_;
};

}  // namespace daedalus
