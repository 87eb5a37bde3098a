#pragma once
// Sums over long arrays: several partial sums, so that an addition need not wait for the last one.
#include <cmath>
#include <cstddef>

namespace daedalus {

inline double long_dot(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t lanes = 8;
  double part[lanes] = {};
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    for (std::size_t l = 0; l < lanes; ++l) part[l] += a[k + l] * b[k + l];
  double sum = 0;
  for (; k < n; ++k) sum += a[k] * b[k];
  for (const double x : part) sum += x;
  return sum;
}

inline double long_norm(const double* x, std::size_t n) {
  return std::sqrt(long_dot(x, x, n));
}

inline bool are_finite(const double* x, std::size_t n) {
  constexpr std::size_t lanes = 4;
  double part[lanes] = {}, sum = 0;
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    for (std::size_t l = 0; l < lanes; ++l) part[l] += x[k + l];
  for (; k < n; ++k) sum += x[k];
  for (const double p : part) sum += p;
  return std::isfinite(sum);
}

}  // namespace daedalus
