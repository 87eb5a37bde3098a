#include "controller/norm.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

ErrorNorm::ErrorNorm(const std::vector<int>& variable_index, double rtol, const Vector& atol)
    : n_(static_cast<int>(variable_index.size())), mean_(1.0 / n_), given_rtol_(rtol), rtol_(rtol) {
  if (std::any_of(variable_index.begin(), variable_index.end(), [](int i) { return i > 1; }))
    for (const int index : variable_index) power_.push_back(index - 1);
  atol_ = (n_ + 7) / 8 * 8;
  scale_ = scaled_by_step() ? atol_ + n_ : 0;
  numbers_.assign(static_cast<std::size_t>(scaled_by_step() ? scale_ + n_ : atol_ + n_), 0.0);
  std::fill_n(numbers_.begin(), n_, 1.0);
  std::fill_n(numbers_.begin() + scale_, n_, 1.0);
  std::copy(atol.data(), atol.data() + atol.size(), numbers_.begin() + atol_);
}

void ErrorNorm::set_tolerance(double rtol) {
  ratio_ = rtol / given_rtol_, rtol_ = rtol;
}

void ErrorNorm::restore_atol(const std::vector<double>& given) {
  std::copy_n(given.begin(), std::min(given.size(), static_cast<std::size_t>(n_)),
              numbers_.begin() + atol_);
}

void ErrorNorm::set_reference(const double* y) {
  const double* const atol = numbers_.data() + atol_;
  double* const scale = numbers_.data() + scale_;
  for (int i = 0; i < n_; ++i) scale[i] = 1 / (ratio_ * atol[i] + rtol_ * std::abs(y[i]));
  if (scaled_by_step()) combine();
}

void ErrorNorm::combine() {
  // A step longer than the unit of time must not make an error count more than its size.
  const double h = std::min(h_, 1.0);
  const double factor[] = {1, h, h * h};
  for (int i = 0; i < n_; ++i) numbers_[i] = numbers_[scale_ + i] * factor[power_[i]];
}

int ErrorNorm::worst(const double* x, int count, int stride) const {
  double largest = -1;
  int found = -1;
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < n_; ++i)
      if (const double size = std::abs(x[k * stride + i]) * weight(i); size > largest)
        largest = size, found = i;
  return found;
}

double ErrorNorm::operator()(const double* x) const {
  constexpr int lanes = 8;
  const double* w = weights();
  double sum = 0;
  // In long sums no addition waits for the last one; short ones are not worth the trouble.
  int i = 0;
  if (n_ >= 8 * lanes) {
    double part[lanes] = {};
    for (; i + lanes <= n_; i += lanes)
      for (int l = 0; l < lanes; ++l) {
        const double e = x[i + l] * w[i + l];
        part[l] += e * e;
      }
    for (const double p : part) sum += p;
  }
  for (; i < n_; ++i) {
    const double e = x[i] * w[i];
    sum += e * e;
  }
  return std::sqrt(sum * mean_);
}

}  // namespace daedalus
