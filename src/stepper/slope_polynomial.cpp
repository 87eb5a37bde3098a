#include "stepper/slope_polynomial.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/LU>

namespace daedalus {
namespace {

/// d/dtheta of the function of F_j: theta^a (1-theta)^b, a = 1, 1, 2, 2, 3, ..., b = 0, 1, 1, 2,
/// ...
double slope_of(int j, double theta) {
  const int a = j / 2 + 1, b = (j + 1) / 2;
  const double rest = 1 - theta;
  return a * std::pow(theta, a - 1) * std::pow(rest, b) -
         (b > 0 ? b * std::pow(theta, a) * std::pow(rest, b - 1) : 0.0);
}

}  // namespace

SlopePolynomial::SlopePolynomial(int size) : n_(size) {
  const std::size_t n = static_cast<std::size_t>(size);
  f_.resize(n * (3 + most_inside)), values_.resize(n * most_inside), point_.resize(n);
  for (int m = 1; m <= most_inside; ++m) {
    Eigen::MatrixXd slopes(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) slopes(i, j) = slope_of(3 + j, node(m, i));
    inverse_.push_back(slopes.inverse());
  }
}

void SlopePolynomial::set_ends(const double* y0, const double* y1, const double* hk0,
                               const double* hk1) {
  for (int k = 0; k < n_; ++k) {
    const double change = y1[k] - y0[k];
    changing(0)[k] = change;
    changing(1)[k] = hk0[k] - change;
    changing(2)[k] = 2 * change - hk0[k] - hk1[k];
  }
}

void SlopePolynomial::evaluate(const double* y0, double theta, int inside, double* y) const {
  std::copy(y0, y0 + n_, y);
  for (int j = 0; j < 3 + inside; ++j) {
    const double w = std::pow(theta, j / 2 + 1) * std::pow(1 - theta, (j + 1) / 2);
    for (int k = 0; k < n_; ++k) y[k] += w * coefficient(j)[k];
  }
}

void SlopePolynomial::fit(int m) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < 3; ++j) {
      const double w = slope_of(j, node(m, i));
      for (int k = 0; k < n_; ++k) values(i)[k] -= w * coefficient(j)[k];
    }
  const Eigen::MatrixXd& inverse = inverse_[static_cast<std::size_t>(m - 1)];
  for (int j = 0; j < m; ++j) {
    double* to = changing(3 + j);
    std::fill(to, to + n_, 0.0);
    for (int i = 0; i < m; ++i)
      for (int k = 0; k < n_; ++k) to[k] += inverse(j, i) * values(i)[k];
  }
}

}  // namespace daedalus
