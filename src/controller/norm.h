#pragma once
// The error norm: root mean square of x_i / (atol_i + rtol |y_i|), where errors of index-2
// variables count with a factor h and of index-3 variables with h^2, since that is the size in
// which they come back into the differential variables. [HairerLubichRoche1989, sections 7, 8]
#include <vector>

#include "daedalus/vector.h"

namespace daedalus {

class ErrorNorm {
 public:
  ErrorNorm() = default;
  ErrorNorm(const std::vector<int>& variable_index, double rtol, const Vector& atol);

  /// Uses `rtol` in place of the given one, and atol in the same ratio.
  void set_tolerance(double rtol);
  double rtol() const { return rtol_; }
  void set_reference(const double* y);
  void set_step(double h);
  double operator()(const double* x) const { return over(x, 1); }
  /// Over `count` consecutive vectors (the stages).
  double over(const double* x, int count) const;
  int size() const { return static_cast<int>(power_.size()); }
  double weight(int i) const { return weight_[i]; }
  /// Stays where it is; zeros fill it up to a multiple of eight.
  const double* weights() const { return weight_.data(); }

 private:
  void combine();

  double given_rtol_ = 0, rtol_ = 0, ratio_ = 1, h_ = 1;
  std::vector<double> atol_;
  std::vector<int> power_;
  bool scaled_by_step_ = false;
  std::vector<double> scale_;   ///< 1 / (atol + rtol |y|)
  std::vector<double> weight_;  ///< scale * h^power
};

}  // namespace daedalus
