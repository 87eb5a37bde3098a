#pragma once
// What Index2Field asks of a Hessenberg system of index 2, wherever its equations come from:
//   y' = f(t, y, z),   0 = g(t, y).   Matrices are given by rows.
#include <memory>

#include "daedalus/problem.h"

namespace daedalus {

class Index2Equations {
 public:
  virtual ~Index2Equations() = default;

  int differential = 0;
  int algebraic = 0;

  virtual std::shared_ptr<Index2Equations> copy() const = 0;
  virtual void slopes(double t, const double* y, const double* z, double* f) = 0;
  /// df/dz.
  virtual void directions(double t, const double* y, const double* z, double* rows) = 0;
  virtual void constraint(double t, const double* y, double* g) = 0;
  /// dg/dt with y held.
  virtual void drift(double t, const double* y, double* g) = 0;
  virtual void jacobian(double t, const double* y, double* rows) = 0;
  /// All that a slope needs.
  struct Linearized {
    double *f, *directions, *drift, *jacobian;
  };
  virtual void linearize(double t, const double* y, const double* z, const Linearized& to) {
    slopes(t, y, z, to.f), directions(t, y, z, to.directions);
    drift(t, y, to.drift), jacobian(t, y, to.jacobian);
  }
  /// d/dt of the rows of dg/dy along (1, yp). False: not to be had.
  virtual bool jacobian_rate(double t, const double* y, const double* yp, double* rows) = 0;
};

std::unique_ptr<Index2Equations> index2_equations_of(const HessenbergIndex2& form);

}  // namespace daedalus
