#include "bvp/measure.h"

#include <algorithm>
#include <cmath>

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

void Measure::set_scales(const Iterate& u) {
  const int n = system_.components(), d = system_.algebraic(), elements = u.elements();
  scale_.z.resize(u.z.rows(), u.z.cols());
  scale_.w.resize(u.w.rows(), u.w.cols()), scale_.y.resize(u.y.rows(), u.y.cols());
  count_ = static_cast<double>(u.z.size() + u.w.size());
  of_states_ = (1 + u.z.array().abs().rowwise().maxCoeff()).inverse();
  for (int i = 0; i <= elements; ++i) scale_.z.col(i) = of_states_;
  for (int i = 0; i < elements; ++i) {
    const double h = u.length(i);
    for (int c = 0; c < n; ++c) {
      double scale = of_states_[system_.offset[at(c)]];
      for (int p = 0; p < system_.order[at(c)]; ++p) scale *= h;
      for (int j = 0; j < k_; ++j) scale_.w(j * n + c, i) = scale;
    }
  }
  for (int a = 0; a < d; ++a) {
    const bool is_controlled = system_.controlled[at(system_.slots() - d + a)];
    double largest = 0;
    for (int i = 0; i < elements; ++i)
      for (int j = a; j < d * k_; j += d) largest = std::max(largest, std::abs(u.y(j, i)));
    const double scale = is_controlled ? 1 / (1 + largest) : 0;
    for (int i = 0; i < elements; ++i)
      for (int j = a; j < d * k_; j += d) scale_.y(j, i) = scale;
    if (is_controlled) count_ += elements * k_;
  }
}

Size Measure::operator()(const Iterate& change) const {
  double squares = 0, largest = 0;
  const auto take = [&](const Matrix& x, const Matrix& scale) {
    if (x.size() == 0) return;
    const auto scaled = x.array() * scale.array();
    squares += scaled.square().sum(), largest = std::max(largest, scaled.abs().maxCoeff());
  };
  take(change.z, scale_.z), take(change.w, scale_.w), take(change.y, scale_.y);
  if (!std::isfinite(squares)) return {HUGE_VAL, HUGE_VAL};
  return {std::sqrt(squares / count_), largest};
}

double Measure::product(const Iterate& a, const Iterate& b) const {
  const auto sum = [](const Matrix& x, const Matrix& y, const Matrix& scale) {
    return (x.array() * scale.array() * y.array() * scale.array()).sum();
  };
  return (sum(a.z, b.z, scale_.z) + sum(a.w, b.w, scale_.w) + sum(a.y, b.y, scale_.y)) / count_;
}

}  // namespace daedalus::bvp
