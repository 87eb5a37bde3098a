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

 private:
  const System& system_;
  ErrorNorm norm_;
  std::vector<double> moved_, value_, error_;
};

}  // namespace daedalus
