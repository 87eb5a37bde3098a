#pragma once
// Errors of the variables that were eliminated from a system: v = v(t, y) is off by
// v(t, y + error) - v(t, y), and counts beside the error of y as if v were an unknown.
#include <vector>

#include "controller/norm.h"
#include "problem/expansion.h"
#include "problem/system.h"

namespace daedalus {

class EliminatedError {
 public:
  EliminatedError(const System& system, double rtol);

  /// The norm of all errors, from that of y; `rtol` and `h` as in the norm.
  double joined(double own, double t, const double* y, const double* error, double rtol, double h);
  /// Raises weights of y until changes that the norm takes for nothing are nothing to v either:
  /// those of a concentration beside 1 are far from it for its logarithm.
  void sharpen(ErrorNorm& norm, double t, const double* y);

 private:
  void refer_to(double t, const double* y, double rtol);
  /// What one variable does to v if it is moved so far is below the tolerance, or not defined.
  bool is_nothing(double t, std::size_t variable, double move);

  const System& system_;
  ErrorNorm norm_;
  std::vector<double> moved_, value_, error_;
};

}  // namespace daedalus
