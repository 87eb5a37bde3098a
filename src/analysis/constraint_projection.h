#pragma once
// Puts a point of a System onto its ConstraintSet, the unknown derivatives included. Differential
// variables move as little as they can, algebraic ones and derivatives freely.
#include <memory>
#include <string>
#include <vector>

#include "nonlinear/nearest_point.h"
#include "problem/system.h"

namespace daedalus {

class ConstraintProjection {
 public:
  ConstraintProjection(const System& system, const std::vector<double>& scale,
                       const std::vector<char>& fixed);

  /// Full solve from a guess; fills yp with the derivatives found.
  bool solve(double t, double* y, double* yp, int max_iterations);
  /// From a point nearly there.
  bool polish(double t, double* y);
  /// The next result depends on its arguments alone.
  void forget() { started_ = false; }
  /// Names of the equations that cannot hold together, and of the held values in them.
  std::string contradiction(double t, const double* y);

 private:
  const System& system_;
  std::vector<char> fixed_;
  double t_ = 0;
  std::vector<double> x_;
  std::vector<double> freedom_;
  std::unique_ptr<NearestPoint> solver_;
  bool started_ = false;
};

}  // namespace daedalus
