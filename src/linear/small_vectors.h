#pragma once
// Sums over short arrays.
#include <cmath>
#include <vector>

namespace daedalus {

inline double dot(const double* a, const double* b, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

inline double norm(const double* x, int n) {
  return std::sqrt(dot(x, x, n));
}

inline double norm(const std::vector<double>& x) {
  return norm(x.data(), static_cast<int>(x.size()));
}

}  // namespace daedalus
