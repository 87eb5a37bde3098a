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
  /// The weight but for its power of h.
  double scale(int i) const { return numbers_[static_cast<std::size_t>(scale_ + i)]; }
  double atol(int i) const { return ratio_ * numbers_[static_cast<std::size_t>(atol_ + i)]; }
  /// From the next reference on, in units of the tolerance that is set.
  void raise_atol(int i, double least) {
    double& atol = numbers_[static_cast<std::size_t>(atol_ + i)];
    atol = least / ratio_ > atol ? least / ratio_ : atol;
  }
  std::vector<double> given_atol() const {
    return {numbers_.begin() + atol_, numbers_.begin() + atol_ + n_};
  }
  void restore_atol(const std::vector<double>& given);
  /// Until the next reference.
  void require_scale(int i, double least) {
    double& scale = numbers_[static_cast<std::size_t>(scale_ + i)];
    scale = least > scale ? least : scale;
  }
  void set_step(double h) {
    h_ = h < 0 ? -h : h;
    if (scaled_by_step()) combine();
  }
  double operator()(const double* x) const;
  /// The variable with the largest of `count` values, `stride` apart.
  int worst(const double* x, int count = 1, int stride = 0) const;
  int size() const { return n_; }
  double weight(int i) const { return numbers_[i]; }
  /// Not all variables are of index 1.
  bool scaled_by_step() const { return !power_.empty(); }
  /// Stays where it is; zeros fill it up to a multiple of eight.
  const double* weights() const { return numbers_.data(); }

 private:
  void combine();

  int n_ = 0;
  double mean_ = 0;  ///< 1 / n
  double given_rtol_ = 0, rtol_ = 0, ratio_ = 1, h_ = 1;
  std::vector<int> power_;  ///< of h; empty: it is zero throughout
  /// The weights scale * h^power, then atol, then scale = 1 / (atol + rtol |y|) unless it is the
  /// weight: in one place, since every run makes a norm.
  std::vector<double> numbers_;
  int atol_ = 0, scale_ = 0;  ///< where they begin
};

}  // namespace daedalus
