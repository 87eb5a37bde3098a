// Conformance of the factorisations of a pencil: every storage, real and complex, many sizes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <malloc.h>
#include <memory>
#include <new>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "daedalus/vector.h"
#include "linear/dense_kernels.h"
#include "linear/pencil.h"
#include "linear/sum_kernels.h"
#include "random_pencils.h"

std::atomic<long> allocations{0};

// Counting, so that a test can claim that nothing is allocated.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// std::stable_sort takes its buffer from this one and gives it back to those below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* p) noexcept {
  std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

namespace daedalus {
namespace {

TEST(SumKernels, AddTermByTermWithEveryInstructionSet) {
  for (InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    for (const int n : {1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 100})
      for (const int count : {0, 1, 2, 7, 12}) {
        const Matrix terms = Matrix::Random(n, std::max(1, count));
        const Vector weights = Vector::Random(std::max(1, count)), from = Vector::Random(n);
        std::vector<const double*> term;
        for (int j = 0; j < count; ++j) term.push_back(terms.col(j).data());
        Vector expected = Vector::Zero(n);
        for (int j = 0; j < count; ++j) expected += weights[j] * terms.col(j);
        Vector with = Vector::Constant(n + 1, 7), without = with;  // nothing behind is touched
        sum_kernels(set).sum(n, count, weights.data(), term.data(), from.data(), with.data());
        sum_kernels(set).sum(n, count, weights.data(), term.data(), nullptr, without.data());
        EXPECT_LE((with.head(n) - from - expected).lpNorm<Eigen::Infinity>(), 1e-14) << n;
        EXPECT_LE((without.head(n) - expected).lpNorm<Eigen::Infinity>(), 1e-14) << n;
        EXPECT_EQ(with[n] + without[n], 14) << n;
      }
  }
}

TEST(SumKernels, WeighErrorsWithEveryInstructionSet) {
  for (InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    for (const int n : {1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 100}) {
      const Vector a = Vector::Random(n), b = Vector::Random(n), x = Vector::Random(n),
                   y = Vector::Random(n), atol = Vector::Random(n).cwiseAbs().array() + 1e-3;
      const double rtol = 0.3;
      const Vector weight = atol + rtol * a.cwiseAbs().cwiseMax(b.cwiseAbs());
      const double* both[] = {x.data(), y.data()};
      double sums[2];
      sum_kernels(set).weighted_squares(n, rtol, atol.data(), a.data(), b.data(), 2, both, sums);
      for (int j = 0; j < 2; ++j) {
        const double expected = (j == 0 ? x : y).cwiseQuotient(weight).squaredNorm();
        EXPECT_NEAR(sums[j], expected, 1e-14 * expected) << n;
      }
    }
  }
}

TEST(DenseFactors, SolveRandomSystemsToRoundingErrorWithEveryInstructionSet) {
  for (InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    for (int n = 1; n <= 200; n += n < 82 ? 1 : 13) {
      const Pencil pencil = random_pencil(Storage::dense, dense_pattern(n), n);
      const double bound = 20 * rounding * std::pow(n, 2.0 / 3.0);
      for (double shift : {0.0, -3.5, 1e6}) {
        EXPECT_LT(real_error(pencil, shift, make_dense_real_factors(n, set)), bound)
            << "n = " << n << " shift " << shift << " set " << static_cast<int>(set);
        EXPECT_LT(complex_error(pencil, {shift, shift - 1}, make_dense_complex_factors(n, set)),
                  bound)
            << "n = " << n << " shift " << shift << " set " << static_cast<int>(set);
      }
    }
  }
}

TEST(DenseFactors, SolveTheSameInPaddedVectors) {
  for (InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512}) {
    if (!is_available(set)) continue;
    for (int n = 1; n <= 70; ++n) {
      const Pencil pencil = random_pencil(Storage::dense, dense_pattern(n), n);
      const DenseKernels kernels = dense_kernels(set, n);
      const int stride = padded(n);
      std::vector<double> numbers(3 * doubles_of_factor(n, 1) + 4 * stride + 8, 0.0);
      std::vector<long long> rows(4 * stride, 0);
      double* const first = at_cache_line(numbers.data());
      double* const second = first + doubles_of_factor(n, 1);
      double* const x = second + doubles_of_factor(n, 2);
      const DenseFactor real = lay_out_factor(n, 1, first, rows.data());
      const DenseFactor complex = lay_out_factor(n, 2, second, rows.data() + 2 * stride);
      ASSERT_LT(kernels.factor_real(real, pencil.e.data(), pencil.a.data(), 2.5), 0) << n;
      ASSERT_LT(kernels.factor_complex(complex, pencil.e.data(), pencil.a.data(), 2.5, 1.5), 0);
      const Vector b = Vector::Random(n), c = Vector::Random(n);
      for (int i = 0; i < n; ++i) x[i] = b[i], x[stride + i] = b[i], x[2 * stride + i] = c[i];
      Vector from = b, re = b, im = c;
      kernels.solve_real(real, from.data());
      kernels.solve_padded_real(real, x);
      kernels.solve_complex(complex, re.data(), im.data());
      kernels.solve_padded_complex(complex, x + stride, x + 2 * stride);
      for (int i = 0; i < stride; ++i) {
        EXPECT_EQ(x[i], i < n ? from[i] : 0) << n << " " << i;
        EXPECT_EQ(x[stride + i], i < n ? re[i] : 0) << n << " " << i;
        EXPECT_EQ(x[2 * stride + i], i < n ? im[i] : 0) << n << " " << i;
      }
    }
  }
}

TEST(DenseFactors, SkipZerosWithoutLosingAccuracy) {
  for (int n : {12, 27, 60, 100, 160}) {
    Pencil pencil = random_pencil(Storage::dense, dense_pattern(n), n);
    std::mt19937 generator(n);
    std::uniform_int_distribution<int> coin(0, 9);
    for (int k = 0; k < n * n; ++k)
      if (k % (n + 1) != 0 && coin(generator) > 0) pencil.e[k] = pencil.a[k] = 0;
    expect_rounding_error(pencil);
  }
}

TEST(BandedFactors, SolveRandomSystemsToRoundingError) {
  // Narrow bands as wide below as above are factored from both ends: even and odd numbers.
  for (int n : {1, 2, 7, 14, 15, 50, 51, 500})
    for (auto [lower, upper] : std::vector<std::pair<int, int>>{
             {0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 3}, {3, 0}, {5, 1}, {1, 6}, {12, 12}, {40, 33}})
      // Long random triangular bands are so ill-conditioned that the solution overflows.
      if (n <= 50 || (lower > 0 && upper > 0))
        expect_rounding_error(random_pencil(Storage::banded, band_pattern(n, lower, upper), n));
}

TEST(SparseFactors, SolveRandomSystemsToRoundingError) {
  for (int n : {1, 2, 5, 50, 300})
    expect_rounding_error(random_pencil(Storage::sparse, random_pattern(n, 4, n), n));
  expect_rounding_error(random_pencil(Storage::sparse, grid_pattern(31, 2), 3));
}

TEST(SparseFactors, StayAccurateWhenLaterShiftsMakeTheFirstPivotsBad) {
  // Pivots chosen at shift 0 follow A; at shift 1e8 the pencil is E, which has other large entries.
  const Pencil pencil = random_pencil(Storage::sparse, grid_pattern(20, 2), 5);
  auto real = make_real_factors(pencil);
  auto complex = make_complex_factors(pencil);
  for (double shift : {0.0, 1e8, 1e-3, 1e3, 1.0}) {
    const int n = pencil.size();
    ASSERT_TRUE(real->factor(pencil, shift));
    ASSERT_TRUE(complex->factor(pencil, shift, -shift));
    const std::vector<double> b = random_vector(n, 11);
    std::vector<double> x = b, re = b, im = b;
    real->solve(x.data());
    complex->solve(re.data(), im.data());
    std::vector<Complex> z(n), c(n);
    for (int i = 0; i < n; ++i) z[i] = {re[i], im[i]}, c[i] = {b[i], b[i]};
    EXPECT_LT(backward_error(pencil, shift, {x.begin(), x.end()}, {b.begin(), b.end()}), 1e-11);
    EXPECT_LT(backward_error(pencil, {shift, -shift}, z, c), 1e-11);
  }
}

TEST(SparseFactors, ChooseNewPivotsWhenTheOldOnesVanish) {
  // The first pivot is 1 at shift 0 and zero, or nearly so, at shift 1.
  for (double rest : {0.0, 1e-13}) {
    Pencil pencil(Storage::sparse, make_pattern(2, {{0, 1}, {1, 0}}));
    pencil.a = {1, 1, 1, 0};
    pencil.e = {rest - 1, 0, 0, 0};
    auto real = make_real_factors(pencil);
    auto complex = make_complex_factors(pencil);
    ASSERT_TRUE(real->factor(pencil, 0.0) && complex->factor(pencil, 0.0, 0.0));
    const std::vector<double> before = real->pivots();
    ASSERT_TRUE(real->factor(pencil, 1.0) && complex->factor(pencil, 1.0, 0.0));
    EXPECT_NE(real->pivots(), before);
    std::vector<double> x{1, 2}, re = x, im{0, 0};
    real->solve(x.data());
    complex->solve(re.data(), im.data());
    EXPECT_NEAR(x[0], 2, 4 * rounding);
    EXPECT_NEAR(x[1], 1 - 2 * rest, 4 * rounding);
    EXPECT_NEAR(re[0], 2, 4 * rounding);
    EXPECT_NEAR(re[1], 1 - 2 * rest, 4 * rounding);
  }
}

std::vector<Pencil> one_of_each_storage() {
  std::vector<Pencil> pencils;
  for (int n : {3, 8, 12, 27, 70, 160})
    pencils.push_back(random_pencil(Storage::dense, dense_pattern(n), n));
  pencils.push_back(random_pencil(Storage::banded, band_pattern(100, 3, 2), 1));
  for (int band : {1, 2, 3})
    pencils.push_back(random_pencil(Storage::banded, band_pattern(100 + band, band, band), 1));
  pencils.push_back(random_pencil(Storage::sparse, grid_pattern(12, 2), 2));
  return pencils;
}

TEST(Factors, ReportASingularColumn) {
  for (Pencil pencil : one_of_each_storage()) {
    auto real = make_real_factors(pencil);
    auto complex = make_complex_factors(pencil);
    const int column = pencil.size() / 2;
    const int begin = pencil.pattern.column_start[column];
    const int end = pencil.pattern.column_start[column + 1];
    const Pencil regular = pencil;
    for (int k = begin; k < end; ++k) pencil.a[k] = pencil.e[k] = 0;
    EXPECT_FALSE(real->factor(pencil, 2.0));
    EXPECT_EQ(real->singular_column(), column);
    EXPECT_FALSE(complex->factor(pencil, 2.0, 1.0));
    EXPECT_EQ(complex->singular_column(), column);
    EXPECT_TRUE(real->factor(regular, 2.0));
    EXPECT_EQ(real->singular_column(), -1);
    EXPECT_TRUE(complex->factor(regular, 2.0, 1.0));
    EXPECT_EQ(complex->singular_column(), -1);
  }
}

TEST(Factors, RejectNonFiniteEntries) {
  for (const Pencil& regular : one_of_each_storage())
    for (double bad : {double{NAN}, double{INFINITY}}) {
      auto real = make_real_factors(regular);
      auto complex = make_complex_factors(regular);
      for (int k : {0, regular.pattern.nonzeros() / 2, regular.pattern.nonzeros() - 1}) {
        Pencil pencil = regular;
        pencil.a[k] = bad;
        EXPECT_FALSE(real->factor(pencil, 2.0)) << pencil.size() << " " << k << " " << bad;
        EXPECT_FALSE(complex->factor(pencil, 2.0, 1.0)) << pencil.size() << " " << k << " " << bad;
        EXPECT_GE(real->singular_column(), 0);
        EXPECT_GE(complex->singular_column(), 0);
      }
    }
}

TEST(Factors, AcceptTheBadScalingOfHigherIndex) {
  // Index 3 in the unknowns (q, v, lambda): the pencil's blocks scale like 1/h, 1 and 0.
  Pencil pencil(Storage::dense, dense_pattern(3));
  pencil.e = {1, 0, 0, 0, 1, 0, 0, 0, 0};
  pencil.a = {0, 1e3, 1, -1, 0, 0, 0, 1, 0};
  for (double shift : {1e3, 1e8, 1e12, 1e20}) {
    EXPECT_LT(real_error(pencil, shift, make_real_factors(pencil)), 20 * rounding);
    EXPECT_LT(complex_error(pencil, {shift, shift}, make_complex_factors(pencil)), 20 * rounding);
  }
}

TEST(Factors, AllocateNothingAfterTheFirstFactorisation) {
  for (const Pencil& pencil : one_of_each_storage()) {
    auto real = make_real_factors(pencil);
    auto complex = make_complex_factors(pencil);
    std::vector<double> x = random_vector(pencil.size(), 1), y = x;
    ASSERT_TRUE(real->factor(pencil, 1.0) && complex->factor(pencil, 1.0, 2.0));
    const long count = allocations;
    const std::size_t heap = mallinfo2().uordblks;
    for (double shift : {1.0, 1.01, 0.99}) {
      EXPECT_TRUE(real->factor(pencil, shift));
      EXPECT_TRUE(complex->factor(pencil, shift, 2.0));
      real->solve(x.data());
      complex->solve(x.data(), y.data());
    }
    const std::size_t heap_after = mallinfo2().uordblks;
    EXPECT_EQ(allocations, count) << "n = " << pencil.size();
    EXPECT_EQ(heap_after, heap) << "n = " << pencil.size();
  }
}

TEST(Factors, HaveTheSameBitsAfterTheirPivotsAreRestored) {
  for (const Pencil& pencil : one_of_each_storage()) {
    const auto run = [&](RealFactors& real, ComplexFactors& complex, double shift) {
      std::vector<double> x = random_vector(pencil.size(), 1), y = x, z = x;
      EXPECT_TRUE(real.factor(pencil, shift) && complex.factor(pencil, shift, 0.3));
      real.solve(x.data());
      complex.solve(y.data(), z.data());
      x.insert(x.end(), y.begin(), y.end());
      x.insert(x.end(), z.begin(), z.end());
      return x;
    };
    auto real = make_real_factors(pencil);
    auto complex = make_complex_factors(pencil);
    const std::vector<double> first = run(*real, *complex, 1.0);
    run(*real, *complex, 1.1);
    auto other_real = make_real_factors(pencil);
    auto other_complex = make_complex_factors(pencil);
    other_real->restore_pivots(pencil, real->pivots());
    other_complex->restore_pivots(pencil, complex->pivots());
    EXPECT_EQ(run(*other_real, *other_complex, 0.9), run(*real, *complex, 0.9));
    // A checkpoint may fall on the very factorisation that chose the pivots.
    EXPECT_EQ(run(*other_real, *other_complex, 1.0), first);
  }
}

TEST(ChooseStorage, TakesTheCheapestFactorisation) {
  EXPECT_EQ(choose_storage(band_pattern(10, 1, 1)).storage, Storage::dense);
  EXPECT_EQ(choose_storage(band_pattern(30, 1, 1)).storage, Storage::banded);
  EXPECT_EQ(choose_storage(band_pattern(30, 8, 8)).storage, Storage::dense);
  EXPECT_EQ(choose_storage(dense_pattern(160)).storage, Storage::dense);
  EXPECT_EQ(choose_storage(band_pattern(200, 1, 1)).storage, Storage::banded);
  EXPECT_EQ(choose_storage(band_pattern(5000, 2, 2)).storage, Storage::banded);
  EXPECT_EQ(choose_storage(band_pattern(1000, 10, 10)).storage, Storage::banded);
  EXPECT_EQ(choose_storage(grid_pattern(40, 2)).storage, Storage::sparse);
  EXPECT_EQ(choose_storage(random_pattern(500, 3, 1)).storage, Storage::sparse);
}

TEST(Pattern, HoldsTheDiagonalAndEveryEntryOnce) {
  const Pattern pattern = make_pattern(3, {{2, 0}, {0, 0}, {2, 0}, {1, 2}});
  EXPECT_EQ(pattern.column_start, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(pattern.row, (std::vector<int>{0, 2, 1, 1, 2}));
  EXPECT_EQ(bandwidth(pattern).lower, 2);
  EXPECT_EQ(bandwidth(pattern).upper, 1);
  EXPECT_EQ(dense_pattern(3).nonzeros(), 9);
}

}  // namespace
}  // namespace daedalus
