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
  /// What the polynomial may err by at theta, in units of K. Where stiffness leaves the ends of a
  /// step alone what is exact, the error has the size of the correction without its zeros: it is
  /// simple at both ends of the step, and the correction is double at one.
  double reach(double theta) const;
  /// |theta prod (theta - c_j)|, of its largest value.
  double last_term_at(double theta) const;
  /// Of the term of highest degree of the polynomial, and of the one below, for stage i; both as
  /// large as the term is at most in the step.
  const std::vector<double>& last_term() const { return last_term_; }
  const std::vector<double>& term_before() const { return term_before_; }
  /// K = h y'_n * slope_factor - sum_i z_factor_i Z_i.
  double slope_factor() const { return slope_factor_; }
  const std::vector<double>& z_factor() const { return z_factor_; }

 private:
  double correction(double theta) const;
  void weigh_terms(const Eigen::VectorXd& c);

  StagePolynomial polynomial_;
  std::vector<double> integral_;  ///< coefficients of the correction, from theta^1 on
  double largest_ = 0;            ///< of its values in the step
  double slope_factor_ = 0, largest_product_ = 1;
  std::vector<double> z_factor_;
  std::vector<double> last_term_, term_before_;
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
  /// Only these variables; the others are left alone.
  void evaluate(double t, const std::vector<int>& variables, double* y) const;
  /// Of sum_{m>=1} power_m theta^m as nested coefficients F0, F1, ..., F_{degree-1}.
  static void nested_weights(const double* power, int degree, double* weight);
  /// y' at the start of the step.
  void start_slope(double* yp) const;
  /// How far y(t) may be off, in units of 1/weight_i: by what the correction does to it, and by the
  /// term of the polynomial that would come next if those it has go on as they fall. (Slopes at the
  /// start may agree by chance.) Infinite where there is no correction.
  double error_size(double t, const double* weight) const;
};

}  // namespace daedalus
