#pragma once
// The memory of backward differentiation with a fixed leading coefficient: divided differences of
// the last k + 2 points, scaled so that a step of any size advances them by sums alone
// [BrenanCampbellPetzold1996, 5.2]. With psi_i = t_{n+1} - t_{n+1-i} and psi_i of the step before
// in psi_before,
//   alpha_i = h / psi_i,    beta_i = prod_{j<i} psi_j / psi_before_j,
//   phi_i = psi_before_1 ... psi_before_{i-1} [y_n, ..., y_{n-i+1}],    phi*_i = beta_i phi_i,
// predictor     y0 = sum_{i<=k+1} phi*_i,    y0' = sum_{i<=k+1} phi*_i sum_{j<i} 1/psi_j,
// corrector     y' = y0' + (alpha_s/h) (y - y0),   alpha_s = 1 + 1/2 + ... + 1/k,
// next step     phi_{k+2} = e = y - y0,  phi_i = phi_{i+1} + phi*_i  downwards from k + 1.
// In the code i counts from 0.
#include <array>
#include <vector>

#include "ivp/interpolant.h"
#include "stepper/saved_state.h"

namespace daedalus {

class BackwardDifferences {
 public:
  static constexpr int most_order = 5;

  explicit BackwardDifferences(int size)
      : n_(size), phi_(static_cast<std::size_t>(size) * rows), scaled_(phi_) {}

  /// A line through y with the slope yp.
  void begin(const double* y, const double* yp, double h);
  /// Coefficients and phi* of a step of size h and order k.
  void prepare(double h, int k);
  void predict(double* y, double* yp) const;
  /// Goes to the end of the step just prepared, where y differs from the predictor by e.
  void advance(const double* e);

  double leading_coefficient() const { return alpha_s_; }
  /// The local error of the step is about this times e; the larger of the error of the formula and
  /// that of its polynomial.
  double error_constant() const;
  /// What makes the norm of a difference of order k + 2 - below an error estimate of order
  /// k - below.
  double sigma(int below) const { return sigma_[k_ - below]; }
  const double* scaled_difference(int i) const { return row(scaled_, i); }
  /// The (k + 2)-nd of the step before: e of a step of the same size.
  const double* last_correction() const { return row(phi_, k_ + 1); }

  /// y' of that polynomial at t_n + theta h.
  void slope_at(double theta, const double* e, double* yp) const;
  /// Of the function that is 1 at t_{n+1} and 0 at the k points before: its value at t_{n+2} =
  /// t_{n+1} + h, and its slopes at both, times h.
  struct LastPoint {
    double value_ahead, slope, slope_ahead;
  };
  LastPoint last_point() const;
  /// The polynomial of degree k through y_{n+1} and the k points before it.
  void interpolant(const double* e, Interpolant& out) const;

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  static constexpr int rows = most_order + 2;
  using Row = std::array<double, rows>;

  const double* row(const std::vector<double>& of, int i) const {
    return of.data() + static_cast<std::ptrdiff_t>(i) * n_;
  }
  double* row(std::vector<double>& of, int i) const {
    return of.data() + static_cast<std::ptrdiff_t>(i) * n_;
  }

  int n_, k_ = 1;
  double h_ = 0, alpha_s_ = 1;
  Row psi_before_ = {}, psi_ = {}, alpha_ = {}, sigma_ = {}, gamma_ = {};
  std::vector<double> phi_, scaled_;
};

}  // namespace daedalus
