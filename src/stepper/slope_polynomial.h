#pragma once
// The polynomial inside of a step of a method that has none, from slopes. Hermite's cubic of both
// ends is off by h^4; slopes taken on it are off by h^4 and make a polynomial of degree 4 that is
// off by h^5, slopes on that one a polynomial of degree 5, and so on, until the last one changes
// little. With m slopes inside the polynomial is that of degree m + 3,
//   y(theta) = y0 + theta (F0 + (1-theta) (F1 + theta (F2 + (1-theta) (F3 + ...)))),
// F0, F1, F2 of the ends, the others from y'(theta_i) = slopes.
#include <vector>

#include <Eigen/Core>

#include "ivp/interpolant.h"

namespace daedalus {

class SlopePolynomial {
 public:
  static constexpr int most_inside = 6;
  explicit SlopePolynomial(int size);

  /// slope(theta, y, yp) gives false where there is none; small(x): whether x can be neglected.
  /// `ends`: y0, y1, h y0', h y1'. Leaves the coefficients F0, F1, ... and returns their number.
  template <class Slope, class Small>
  int make(const double* y0, const double* y1, const double* hk0, const double* hk1, double h,
           Slope slope, Small small) {
    set_ends(y0, y1, hk0, hk1);
    int inside = 0;
    for (int m = 1; m <= most_inside; ++m) {
      for (int i = 0; i < m; ++i) {
        const double theta = node(m, i);
        evaluate(y0, theta, inside, point_.data());
        if (!slope(theta, point_.data(), values(i))) return 3 + inside;
        for (int k = 0; k < n_; ++k) values(i)[k] *= h;
      }
      fit(m);
      // What the last coefficient adds is largest near the middle of the step.
      const double size = std::pow(0.5, m + 3);
      for (int k = 0; k < n_; ++k) point_[k] = size * coefficient(m + 2)[k];
      inside = m;
      if (small(point_.data())) break;
    }
    return 3 + inside;
  }
  const double* coefficient(int j) const { return f_.data() + static_cast<std::ptrdiff_t>(j) * n_; }

 private:
  /// Off the middle: where slopes alone would give y1 - y0, they say nothing more.
  static double node(int m, int i) { return (i + 1.0) / (m + 2); }
  double* changing(int j) { return f_.data() + static_cast<std::ptrdiff_t>(j) * n_; }
  double* values(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  void set_ends(const double* y0, const double* y1, const double* hk0, const double* hk1);
  void evaluate(const double* y0, double theta, int inside, double* y) const;
  void fit(int m);

  int n_;
  std::vector<double> f_, values_, point_;
  std::vector<Eigen::MatrixXd> inverse_;  ///< by m - 1: from slopes to coefficients
};

}  // namespace daedalus
