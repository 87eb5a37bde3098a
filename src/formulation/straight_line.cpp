#include "formulation/straight_line.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

ThirdDerivative::ThirdDerivative(const Differentiated<1>& g, int arguments)
    : g_(g),
      n_(arguments),
      shifted_(static_cast<std::size_t>(arguments)),
      second_(static_cast<std::size_t>(g.rows())) {}

void ThirdDerivative::operator()(double t, const double* q, const double* v, double* out) {
  double size = 1, speed = 1e-300;
  for (int j = 0; j < n_; ++j)
    size = std::max(size, std::abs(q[j])), speed = std::max(speed, std::abs(v[j]));
  const double s = 1e-3 * size / speed;  // error s^4 against rounding eps / s
  std::fill(out, out + g_.rows(), 0.0);
  for (const auto& [shift, weight] :
       {std::pair{1.0, 8.0}, {-1.0, -8.0}, {2.0, -1.0}, {-2.0, 1.0}}) {
    for (int j = 0; j < n_; ++j) shifted_[j] = q[j] + shift * s * v[j];
    g_.second(t + shift * s, {shifted_.data()}, {v}, second_.data());
    for (int i = 0; i < g_.rows(); ++i) out[i] += weight * second_[i] / (12 * s);
  }
}

}  // namespace daedalus
