#pragma once
// Puts a point of a System onto all that its solution satisfies: its ConstraintSet, or the levels
// of its constraints. What is wrong with velocities is put right by velocities, and multipliers
// and derivatives move freely.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nonlinear/nearest_point.h"
#include "problem/system.h"

namespace daedalus {

/// A point that was found from another guess counts up to this distance, in sizes of the variables.
inline constexpr double farthest_start = 1e3;

/// The levels of the constraints as equations for y alone.
std::shared_ptr<ConstraintSet> level_constraints(const System& system,
                                                 const std::vector<double>& scale);

/// There is something to project onto, with at most `largest` unknowns or a sparse matrix.
bool can_be_projected(const System& system, int largest);

class ConstraintProjection {
 public:
  ConstraintProjection(const System& system, std::shared_ptr<ConstraintSet> set,
                       const std::vector<double>& scale, const std::vector<char>& fixed);

  /// What copies have in common is found out once, before they are made.
  void prepare(double t);
  /// Full solve from a guess. Where the derivatives are among the unknowns, yp gets them.
  bool solve(double t, double* y, double* yp, int max_iterations);
  /// Along the curve on which the residual shrinks, where `solve` did not get there. `y` and `yp`
  /// change on success only.
  bool follow(double t, double* y, double* yp);
  /// From a point nearly there, with what the last call has found as long as it serves. Unknown
  /// derivatives begin where they were told to, whatever other calls have found.
  bool polish(double t, double* y, double enough = 0);
  /// They begin with `yp` (empty: zeros) and zeros for higher ones from now on.
  void begin_derivatives_with(const std::vector<double>& yp);
  /// They begin with what the last call has found from now on.
  void begin_derivatives_here();
  /// What the last call has found.
  void forget();
  /// Of what was found, counted.
  long changes() const;
  /// From now on one point after another is polished, and what was found for one serves the next.
  void go_along();
  /// All that `polish` depends on then.
  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory, double t);
  /// Names of the equations that cannot hold together, and of the held values in them.
  std::string contradiction(double t, const double* y);

 private:
  /// Unknowns from y and y', and back; `first` derivatives of each variable, -1: not an unknown.
  void take(const double* y, const double* yp);
  void give(double* y, double* yp) const;

  const System* system_;
  std::shared_ptr<ConstraintSet> set_;
  std::vector<char> fixed_;
  std::vector<double> x_, guess_;  ///< guess_: of the derivatives
  std::vector<int> first_;         ///< unknown that is the first derivative of each variable, or -1
  NearestPoint solver_;
  std::optional<NearestPoint> derivatives_;  ///< the same with y held, if there are any
};

}  // namespace daedalus
