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
  void stage_basis(double theta, double* out) const;
  int stages() const { return static_cast<int>(c_.size()); }

 private:
  std::vector<double> c_;
  std::vector<double> weight_;  ///< 1 / prod_{j != i} (c_i - c_j)
  bool through_origin_ = false;
};

inline StagePolynomial::StagePolynomial(const Eigen::VectorXd& c, bool through_origin)
    : c_(c.data(), c.data() + c.size()), through_origin_(through_origin) {
  for (std::size_t i = 0; i < c_.size(); ++i) {
    double product = 1;
    for (std::size_t j = 0; j < c_.size(); ++j)
      if (j != i) product *= c_[i] - c_[j];
    weight_.push_back(1 / product);
  }
}

inline void StagePolynomial::stage_basis(double theta, double* out) const {
  for (std::size_t i = 0; i < c_.size(); ++i) {
    double product = weight_[i];
    for (std::size_t j = 0; j < c_.size(); ++j)
      if (j != i) product *= theta - c_[j];
    out[i] = product;
  }
}

inline void StagePolynomial::basis(double theta, double* out) const {
  stage_basis(theta, out);
  if (!through_origin_) return;
  for (std::size_t i = 0; i < c_.size(); ++i) out[i] *= theta / c_[i];
}

}  // namespace daedalus
