#pragma once
// The polynomial through the stages of a step, in theta = (t - t_n)/h: Lagrange bases on
// (0, c_1, ..., c_s), the origin left out where c_1 = 0 is a stage of its own.
#include <vector>

#include <Eigen/Core>

namespace daedalus {

class StagePolynomial {
 public:
  StagePolynomial() = default;
  StagePolynomial(const Eigen::VectorXd& c, bool through_origin);

  /// Values of the bases that belong to the stages, so that u(theta) = sum_i basis_i Z_i.
  void basis(double theta, double* out) const;
  /// Bases of degree s - 1 on c alone, for functions known at the stages only (derivatives).
  void stage_basis(double theta, double* out) const { times_products(theta, 1, weight_, out); }
  int stages() const { return static_cast<int>(c_.size()); }
  bool is_through_origin() const { return through_origin_; }
  const double* nodes() const { return c_.data(); }
  /// What `basis` multiplies the products by.
  const double* weights() const { return through_origin_ ? origin_weight_.data() : weight_.data(); }

 private:
  /// first weight_i prod_{j != i} (theta - c_j).
  void times_products(double theta, double first, const std::vector<double>& weight,
                      double* out) const;

  std::vector<double> c_;
  std::vector<double> weight_;         ///< 1 / prod_{j != i} (c_i - c_j)
  std::vector<double> origin_weight_;  ///< the same over c_i
  bool through_origin_ = false;
};

inline StagePolynomial::StagePolynomial(const Eigen::VectorXd& c, bool through_origin)
    : c_(c.data(), c.data() + c.size()), through_origin_(through_origin) {
  for (std::size_t i = 0; i < c_.size(); ++i) {
    double product = 1;
    for (std::size_t j = 0; j < c_.size(); ++j)
      if (j != i) product *= c_[i] - c_[j];
    weight_.push_back(1 / product);
    origin_weight_.push_back(1 / (product * c_[i]));
  }
}

inline void StagePolynomial::times_products(double theta, double first,
                                            const std::vector<double>& weight, double* out) const {
  const std::size_t s = c_.size();
  double product = first;
  for (std::size_t i = 0; i < s; ++i) out[i] = product * weight[i], product *= theta - c_[i];
  product = 1;
  for (std::size_t i = s; i-- > 0;) out[i] *= product, product *= theta - c_[i];
}

inline void StagePolynomial::basis(double theta, double* out) const {
  if (through_origin_)
    times_products(theta, theta, origin_weight_, out);
  else
    stage_basis(theta, out);
}

}  // namespace daedalus
