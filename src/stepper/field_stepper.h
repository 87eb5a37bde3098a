#pragma once
// What explicit and Rosenbrock steps on the manifold of the constraints share: the state in the
// order of the field, its way into the order of the variables, and the watch for singular points.
#include <memory>

#include "formulation/projected_field.h"
#include "linear/sum_kernels.h"
#include "stepper/crossing_watch.h"
#include "stepper/stepper.h"

namespace daedalus {

class FieldStepper : public Stepper {
 protected:
  FieldStepper(std::shared_ptr<ProjectedField> field, const Options& options, const Vector& atol,
               Statistics& statistics);

  /// Root mean square of x_i / (atol_i + rtol max(|a_i|, |b_i|)).
  double weighted(const double* x, const double* a, const double* b) const;
  /// Into the order of the variables, with the multipliers of the last slope.
  void spread(const std::vector<double>& x, const double* xp, State& to);
  /// With the multipliers of the state: where several satisfy the equations, a step that was given
  /// up may have left others.
  void begin_step();
  bool project_end(double t, double* x);
  /// Takes the factorizations and iterations of the field into the statistics.
  void count();
  bool fail_not_finite();

  std::shared_ptr<ProjectedField> field_;
  Options options_;
  Vector atol_;
  Statistics& statistics_;
  int n_;
  SumKernels kernels_;
  /// Of state_ and next_, in the order of the field, with zeros behind (`padded`).
  std::vector<double> x_, next_x_;
  std::vector<double> tolerance_, multipliers_;
  CrossingWatch watch_;
};

}  // namespace daedalus
