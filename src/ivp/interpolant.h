#pragma once
// The solution inside one step. Collocation methods: their polynomial u through the stages, plus
// the leading term of its error, which the derivative at the start of the step reveals,
//   u(theta) + K int_0^theta prod_i (tau - c_i) dtau,   K = h (y'_n - u'(0)) / prod_i (-c_i),
// one order better than u, and with a continuous derivative. Explicit methods: nested coefficients,
//   y0 + theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + ...)))).
// Other methods: cubic Hermite.
#include <memory>
#include <vector>

#include "stepper/stage_polynomial.h"

namespace daedalus {

/// What a step's polynomial needs to know of its method; shared by all steps of that method.
class CollocationBasis {
 public:
  CollocationBasis(const Eigen::VectorXd& c);
  int stages() const { return polynomial_.stages(); }
  /// Weights of the stages Z_i and of K.
  void weights(double theta, double* stage, double& correction) const;
  /// K = h y'_n * slope_factor - sum_i z_factor_i Z_i.
  double slope_factor() const { return slope_factor_; }
  const std::vector<double>& z_factor() const { return z_factor_; }

 private:
  StagePolynomial polynomial_;
  std::vector<double> integral_;  ///< coefficients of the correction, from theta^1 on
  double slope_factor_ = 0;
  std::vector<double> z_factor_;
};

struct Interpolant {
  double t0 = 0, t1 = 0;
  int size = 0;
  std::shared_ptr<const CollocationBasis> basis;  ///< null: cubic Hermite
  int nested = 0;                                 ///< > 0: number of nested coefficients
  bool corrected = true;                          ///< K is known: y'_n has the order of y_n
  std::vector<double> data;  ///< y0, then K, Z_1, ... or F0, F1, ... or y1, h y0', h y1'

  /// Which method made the step, among those of the run.
  int method = 0;

  void evaluate(double t, double* y) const;
  /// Of sum_{m>=1} power_m theta^m as nested coefficients F0, F1, ..., F_{degree-1}.
  static void nested_weights(const double* power, int degree, double* weight);
  /// y' at the start of the step.
  void start_slope(double* yp) const;
  /// Largest weight_i |correction_i| at t: how far u alone would be off; infinite where there is
  /// no correction to judge by.
  double correction_size(double t, const double* weight) const;
};

}  // namespace daedalus
