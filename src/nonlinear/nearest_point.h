#pragma once
// The point nearest to a given one that satisfies equations:  min |D (x - x0)|,  C(x) = 0,  by
// damped Gauss-Newton steps  dx = -D^-1 (C_x D^-1)^+ C  with a rank-revealing factorisation, so
// that redundant equations are no obstacle. [Deuflhard2004]
#include <functional>
#include <string>
#include <vector>

#include "daedalus/vector.h"

namespace daedalus {

class NearestPoint {
 public:
  struct Equations {
    int unknowns = 0;
    int count = 0;
    std::function<void(const double* x, double* r)> evaluate;
    std::function<void(const double* x, double* jacobian)> linearize;  ///< column-major
  };

  /// `scale`: size of each unknown; `freedom`: how cheaply it moves (1 normal, 0 held).
  NearestPoint(Equations equations, std::vector<double> scale, std::vector<double> freedom);

  /// True: satisfied to rounding.
  bool solve(double* x, int max_iterations);
  /// The same from nearby, with the linearisation of the last call as long as it serves.
  bool polish(double* x);
  void forget() { factored_ = false; }

  /// After a failure: the part of the residual that no free unknown can reach.
  Vector unreachable(const double* x);
  const Vector& residual() const { return residual_; }
  const Matrix& jacobian() const { return jacobian_; }
  int rank() const { return rank_; }

 private:
  bool iterate(double* x, int max_iterations);
  void linearize(const double* x);

  Equations equations_;
  std::vector<double> scale_, freedom_, trial_;
  Matrix jacobian_, scaled_, pseudo_inverse_;
  Vector residual_, trial_residual_, step_, natural_;
  bool factored_ = false;
  int rank_ = 0;
};

}  // namespace daedalus
