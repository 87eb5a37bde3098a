#pragma once
// The multiplier of one evaluation. With G' the highest derivative of the constraint that is used,
// d = G f + (what of it does not contain x'), and c the lower derivatives weighed by alpha:
//     (eps I + alpha_1 E G B) y = eps y_before + E (alpha_1 d + c),
// which is y = y_before + (1/eps) E (alpha_1 (d - G B y) + c) solved for y. It stays well posed as
// eps -> 0 with alpha_1 != 0, and then is Baumgarte's stabilisation.
#include <Eigen/LU>

#include "daedalus/regularisation.h"

namespace daedalus {

/// E and E G B for one G B. Allocates nothing after construction.
class WeightedMultiplier {
 public:
  WeightedMultiplier(const Regularisation& settings, int size);

  /// G B is used at all.
  bool needs_product() const { return needs_product_; }
  void set_product(const Matrix& gb);
  /// out = (G B)^-1 v, whatever the weight.
  void solve_product(const Vector& v, Vector& out) const;
  /// out = E v.
  void weigh(const Vector& v, Vector& out) const;
  /// y from y_before and alpha_1 d + c.
  void multiplier(const Vector& before, const Vector& combination, Vector& y);
  /// (eps I + alpha_1 E G B)^-1 E as a matrix.
  Matrix gain() const;

 private:
  Matrix weight_matrix() const;

  Weight weight_;
  double eps_, alpha_1_, delta_;
  bool needs_product_;
  Matrix gb_, shifted_, normal_;
  Eigen::PartialPivLU<Matrix> product_, weight_factors_, normal_factors_;
  Vector weighed_;
};

}  // namespace daedalus
