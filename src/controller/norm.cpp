#include "controller/norm.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

ErrorNorm::ErrorNorm(const std::vector<int>& variable_index, double rtol, const Vector& atol)
    : given_rtol_(rtol), rtol_(rtol), atol_(atol.data(), atol.data() + atol.size()) {
  power_.reserve(variable_index.size());
  for (int index : variable_index) {
    power_.push_back(index - 1);
    scaled_by_step_ = scaled_by_step_ || index > 1;
  }
  scale_.assign(power_.size(), 1.0);
  weight_.assign((power_.size() + 7) / 8 * 8, 0.0);
  std::fill_n(weight_.begin(), power_.size(), 1.0);
}

void ErrorNorm::set_tolerance(double rtol) {
  ratio_ = rtol / given_rtol_, rtol_ = rtol;
}

void ErrorNorm::set_reference(const double* y) {
  for (std::size_t i = 0; i < scale_.size(); ++i)
    scale_[i] = 1 / (ratio_ * atol_[i] + rtol_ * std::abs(y[i]));
  combine();
}

void ErrorNorm::set_step(double h) {
  h_ = std::abs(h);
  if (scaled_by_step_) combine();
}

void ErrorNorm::combine() {
  // A step longer than the unit of time must not make an error count more than its size.
  const double h = std::min(h_, 1.0);
  const double factor[] = {1, h, h * h};
  for (std::size_t i = 0; i < scale_.size(); ++i) weight_[i] = scale_[i] * factor[power_[i]];
}

double ErrorNorm::over(const double* x, int count) const {
  const std::size_t n = power_.size();
  constexpr std::size_t lanes = 8;
  const double* w = weight_.data();
  double part[lanes] = {}, sum = 0;
  const double length = static_cast<double>(n * static_cast<std::size_t>(count));
  // In long sums no addition waits for the last one; short ones are not worth the trouble.
  if (n < 8 * lanes) {
    for (int k = 0; k < count; ++k, x += n)
      for (std::size_t i = 0; i < n; ++i) {
        const double e = x[i] * w[i];
        sum += e * e;
      }
    return std::sqrt(sum / length);
  }
  const std::size_t end_of_lanes = n - n % lanes;
  for (int k = 0; k < count; ++k, x += n) {
    std::size_t i = 0;
    for (; i < end_of_lanes; i += lanes)
      for (std::size_t l = 0; l < lanes; ++l) {
        const double e = x[i + l] * w[i + l];
        part[l] += e * e;
      }
    for (; i < n; ++i) {
      const double e = x[i] * w[i];
      sum += e * e;
    }
  }
  for (const double p : part) sum += p;
  return std::sqrt(sum / length);
}

}  // namespace daedalus
