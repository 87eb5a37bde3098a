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
  const int n = system_.components(), d = system_.algebraic();
  of_z_.setOnes(system_.states(), 1), of_y_.setZero(d, 1), of_w_.resize(n, u.elements());
  count_ = static_cast<double>(u.z.size() + u.w.size());
  for (int i = 0; i < u.z.cols(); ++i)
    for (int j = 0; j < u.z.rows(); ++j) of_z_(j) = std::max(of_z_(j), 1 + std::abs(u.z(j, i)));
  of_z_ = of_z_.cwiseInverse();
  for (int i = 0; i < u.elements(); ++i) {
    const double h = u.length(i);
    for (int c = 0; c < n; ++c) {
      double scale = of_z_(system_.offset[at(c)]);
      for (int p = 0; p < system_.order[at(c)]; ++p) scale *= h;
      of_w_(c, i) = scale;
    }
  }
  for (int a = 0; a < d; ++a) {
    if (!system_.controlled[at(system_.slots() - d + a)]) continue;
    double largest = 0;
    for (int i = 0; i < u.y.cols(); ++i)
      for (int j = a; j < u.y.rows(); j += d) largest = std::max(largest, std::abs(u.y(j, i)));
    of_y_(a) = 1 / (1 + largest);
    count_ += u.elements() * k_;
  }
}

/// take(x, y, scale) for all entries of both.
template <class Take>
void Measure::for_pairs(const Iterate& a, const Iterate& b, const Take& take) const {
  const auto part = [&](const Matrix& one, const Matrix& other, int points, const Matrix& scales) {
    const double *x = one.data(), *y = other.data();
    for (int i = 0; i < one.cols(); ++i) {
      const double* scale = scales.data() + (scales.cols() > 1 ? i * scales.rows() : 0);
      for (int j = 0; j < points; ++j)
        for (int c = 0; c < scales.rows(); ++c) take(*x++, *y++, scale[c]);
    }
  };
  part(a.z, b.z, 1, of_z_), part(a.w, b.w, k_, of_w_), part(a.y, b.y, k_, of_y_);
}

Size Measure::operator()(const Iterate& change) const {
  double squares = 0, largest = 0;
  for_pairs(change, change, [&](double x, double, double scale) {
    x *= scale;
    squares += x * x, largest = std::max(largest, std::abs(x));
  });
  if (!std::isfinite(squares)) return {HUGE_VAL, HUGE_VAL};
  return {std::sqrt(squares / count_), largest};
}

double Measure::product(const Iterate& a, const Iterate& b) const {
  double sum = 0;
  for_pairs(a, b, [&](double x, double y, double scale) { sum += x * scale * (y * scale); });
  return sum / count_;
}

}  // namespace daedalus::bvp
