// Narrow bands that are eliminated from both ends, with and without exchanges of rows.
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "linear/factors.h"

namespace daedalus {
namespace {

/// Dominated by its diagonal but for every `every`-th row, which must be exchanged (0: none).
Pencil band_pencil(int n, int band, int every) {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - band); j <= std::min(n - 1, i + band); ++j)
      entries.emplace_back(i, j);
  Pencil pencil(Storage::banded, make_pattern(n, entries));
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int j = 0; j < n; ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      const bool weak = every > 0 && j % every == 0;
      const bool diagonal = pencil.pattern.row[k] == j;
      pencil.a[k] = diagonal ? (weak ? 1e-9 : 8 + number(random)) : number(random);
      pencil.e[k] = diagonal && !weak ? 1 : 0;
    }
  return pencil;
}

/// Beside the largest number of the solution, which may be huge where few rows keep their pivot.
template <class Number>
double residual(const Pencil& pencil, Number shift, const std::vector<Number>& x,
                const std::vector<Number>& b) {
  std::vector<Number> r = b;
  for (int j = 0; j < pencil.size(); ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k)
      r[pencil.pattern.row[k]] -= (shift * pencil.e[k] + pencil.a[k]) * x[j];
  double largest = 0, size = 1;
  for (const Number& part : r) largest = std::max(largest, std::abs(part));
  for (const Number& part : x) size = std::max(size, std::abs(part));
  return largest / size;
}

TEST(TwistedBand, SolvesARealSystemBesideAComplexOneAsEachAlone) {
  for (const int band : {1, 2, 3})
    for (const int every : {0, 97, 10, 2})
      for (const int n : {14, 15, 63, 64, 65, 500, 501}) {
        const Pencil pencil = band_pencil(n, band, every);
        const auto real = make_real_factors(pencil);
        const auto complex = make_complex_factors(pencil);
        const std::complex<double> shift(2.7, -3.1);
        // Twice: nothing of the first factors may show in the second.
        ASSERT_TRUE(real->factor(pencil, -1.3) && real->factor(pencil, 3.6));
        ASSERT_TRUE(complex->factor(pencil, 1.1, 0.3) &&
                    complex->factor(pencil, shift.real(), shift.imag()));
        std::vector<double> b(n), re(n), im(n);
        std::vector<std::complex<double>> c(n), z(n);
        for (int i = 0; i < n; ++i) {
          b[i] = std::sin(i + 1.0), re[i] = std::cos(3.0 * i), im[i] = std::sin(2.0 * i);
          c[i] = {re[i], im[i]};
        }
        std::vector<double> x = b, x2 = b, re2 = re, im2 = im;
        real->solve(x.data());
        complex->solve(re.data(), im.data());
        solve_beside(*real, x2.data(), *complex, re2.data(), im2.data());
        EXPECT_TRUE(x == x2 && re == re2 && im == im2) << n << ", " << band << ", " << every;
        for (int i = 0; i < n; ++i) z[i] = {re[i], im[i]};
        // Rounding errors of sums of at most seven products of numbers below 20.
        EXPECT_LE(residual(pencil, 3.6, x, b), 1e-13) << n << ", " << band << ", " << every;
        EXPECT_LE(residual(pencil, shift, z, c), 1e-13) << n << ", " << band << ", " << every;
      }
}

}  // namespace
}  // namespace daedalus
