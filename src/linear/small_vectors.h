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

/// Number by number: a wider load would wait for single ones that were stored just now.
inline void copy_singly(const double* from, int count, double* to) {
  for (int k = 0; k < count; ++k) to[k] = static_cast<const volatile double*>(from)[k];
}

}  // namespace daedalus
