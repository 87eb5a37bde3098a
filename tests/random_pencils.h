#pragma once
// Pencils and patterns with which factors are tested, and the error that they may make.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "linear/pencil.h"

namespace daedalus {

using Complex = std::complex<double>;
constexpr double rounding = std::numeric_limits<double>::epsilon();

inline Pencil random_pencil(Storage storage, Pattern pattern, unsigned seed) {
  Pencil pencil(storage, std::move(pattern));
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  for (double& x : pencil.e) x = normal(generator);
  for (double& x : pencil.a) x = normal(generator);
  return pencil;
}

inline std::vector<double> random_vector(int n, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(generator);
  return x;
}

inline Pattern band_pattern(int n, int lower, int upper) {
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < n; ++j)
    for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); ++i)
      entries.emplace_back(i, j);
  return make_pattern(n, std::move(entries));
}

inline Pattern random_pattern(int n, int per_column, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> any(0, n - 1);
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < per_column; ++k) entries.emplace_back(any(generator), j);
  return make_pattern(n, std::move(entries));
}

/// Five-point stencil with `species` coupled unknowns at every point.
inline Pattern grid_pattern(int side, int species) {
  std::vector<std::pair<int, int>> entries;
  const auto index = [&](int i, int j, int s) { return (i * side + j) * species + s; };
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int s = 0; s < species; ++s) {
        for (int t = 0; t < species; ++t) entries.emplace_back(index(i, j, s), index(i, j, t));
        if (i > 0) entries.emplace_back(index(i, j, s), index(i - 1, j, s));
        if (j > 0) entries.emplace_back(index(i, j, s), index(i, j - 1, s));
        if (i + 1 < side) entries.emplace_back(index(i, j, s), index(i + 1, j, s));
        if (j + 1 < side) entries.emplace_back(index(i, j, s), index(i, j + 1, s));
      }
  return make_pattern(side * side * species, std::move(entries));
}

/// |(s E + A) x - b| relative to (|s E| + |A|) |x|, both in the maximum norm, row by row: the
/// componentwise backward error of the solve up to the growth of the elimination.
inline double backward_error(const Pencil& pencil, Complex shift, const std::vector<Complex>& x,
                             const std::vector<Complex>& b) {
  const int n = pencil.size();
  std::vector<Complex> residual(b.size());
  std::vector<double> norm(n, 0.0);
  double largest = 0;
  for (int i = 0; i < n; ++i) residual[i] = -b[i];
  for (int j = 0; j < n; ++j) {
    largest = std::max(largest, std::abs(x[j]));
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      const int i = pencil.pattern.row[k];
      residual[i] += (shift * pencil.e[k] + pencil.a[k]) * x[j];
      norm[i] += std::abs(shift) * std::abs(pencil.e[k]) + std::abs(pencil.a[k]);
    }
  }
  const double scale = *std::max_element(norm.begin(), norm.end()) * largest;
  double error = 0;
  for (const Complex& r : residual) error = std::max(error, std::abs(r) / scale);
  return error;
}

inline double real_error(const Pencil& pencil, double shift, std::unique_ptr<RealFactors> factors) {
  const int n = pencil.size();
  if (!factors->factor(pencil, shift)) return INFINITY;
  const std::vector<double> b = random_vector(n, 7);
  std::vector<double> x = b;
  factors->solve(x.data());
  return backward_error(pencil, shift, {x.begin(), x.end()}, {b.begin(), b.end()});
}

inline double complex_error(const Pencil& pencil, Complex shift,
                            std::unique_ptr<ComplexFactors> factors) {
  const int n = pencil.size();
  if (!factors->factor(pencil, shift.real(), shift.imag())) return INFINITY;
  std::vector<double> re = random_vector(n, 8), im = random_vector(n, 9);
  std::vector<Complex> b(n), x(n);
  for (int i = 0; i < n; ++i) b[i] = {re[i], im[i]};
  factors->solve(re.data(), im.data());
  for (int i = 0; i < n; ++i) x[i] = {re[i], im[i]};
  return backward_error(pencil, shift, x, b);
}

/// Partial pivoting keeps the growth of random matrices near n^(2/3); 20 covers the constant. KLU
/// keeps a diagonal pivot down to 1e-3 of the largest entry and may lose as much.
inline void expect_rounding_error(const Pencil& pencil) {
  const double growth = pencil.storage == Storage::sparse ? 1e3 : 1;
  const double bound = 20 * growth * rounding * std::pow(pencil.size(), 2.0 / 3.0);
  for (double shift : {0.0, 1.0, -3.5, 1e6}) {
    EXPECT_LT(real_error(pencil, shift, make_real_factors(pencil)), bound)
        << "n = " << pencil.size() << " shift " << shift;
    EXPECT_LT(complex_error(pencil, {shift, 2.0 * shift - 1.0}, make_complex_factors(pencil)),
              bound)
        << "n = " << pencil.size() << " shift " << shift;
  }
}

}  // namespace daedalus
