// The sums over stages of every instruction set against plain loops.
#include "linear/stage_kernels.h"

#include <algorithm>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "daedalus/vector.h"
#include "linear/newton_kernels.h"
#include "stepper/stage_polynomial.h"

namespace daedalus {
namespace {

/// s vectors of n numbers, one behind the other from a cache line on.
struct Stages {
  Stages(int s, int n) : memory(static_cast<std::size_t>(s * n + 8)) {
    numbers = at_cache_line(memory.data());
    const Vector random = Vector::Random(s * n);
    std::copy(random.begin(), random.end(), numbers);
  }
  std::vector<double> memory;
  double* numbers = nullptr;
};

class StageKernelsOf : public testing::TestWithParam<InstructionSet> {};

std::vector<InstructionSet> sets_of_this_machine() {
  std::vector<InstructionSet> sets = {InstructionSet::portable, InstructionSet::avx2,
                                      InstructionSet::avx512};
  std::erase_if(sets, [](InstructionSet set) { return !is_available(set); });
  return sets;
}

TEST_P(StageKernelsOf, ExtrapolateThePolynomialThroughTheLastStages) {
  for (const int s : {1, 2, 3, 4, 5, 7, 9, 12})
    for (const int n : {8, 16})
      for (const bool through_origin : {true, false}) {
        const Vector c = Vector::LinSpaced(s, through_origin ? 1.0 / s : 0.0, 1);
        const StagePolynomial u(c, through_origin);
        const Stages last(s, n), increment(1, n), z(s, n);
        const double ratio = 0.7;
        const StageNodes nodes{u.nodes(), u.weights(), u.is_through_origin()};
        stage_kernels(GetParam(), s)
            .extrapolate(s, n, nodes, ratio, last.numbers, increment.numbers, z.numbers);
        std::vector<double> basis(static_cast<std::size_t>(s));
        for (int i = 0; i < s; ++i) {
          u.basis(1 + c[i] * ratio, basis.data());
          double size = 1;
          for (const double b : basis) size += std::abs(b);
          for (int k = 0; k < n; ++k) {
            double expected = -increment.numbers[k];
            for (int j = 0; j < s; ++j) expected += basis[j] * last.numbers[j * n + k];
            // So many products and sums, rounded in another order.
            EXPECT_NEAR(z.numbers[i * n + k], expected, 4e-16 * (2 * s + 2) * size)
                << s << " stages, " << n;
          }
        }
      }
}

TEST_P(StageKernelsOf, ExtrapolateWithoutTheFirstStage) {
  for (const int s : {4, 5, 7}) {
    constexpr int n = 8;
    const Vector c = Vector::LinSpaced(s, 1.0 / s, 1);
    const StagePolynomial all(c, true), late(c.tail(s - 1), false);
    std::vector<double> weights(1, 0.0), basis(static_cast<std::size_t>(s - 1));
    weights.insert(weights.end(), late.weights(), late.weights() + s - 1);
    const Stages last(s, n), increment(1, n), z(s, n);
    const double ratio = 1.7;
    stage_kernels(GetParam(), s)
        .extrapolate(s, n, {all.nodes(), weights.data(), false, true}, ratio, last.numbers,
                     increment.numbers, z.numbers);
    for (int i = 0; i < s; ++i) {
      late.basis(1 + c[i] * ratio, basis.data());
      double size = 1;
      for (const double b : basis) size += std::abs(b);
      for (int k = 0; k < n; ++k) {
        double expected = -increment.numbers[k];
        for (int j = 1; j < s; ++j) expected += basis[j - 1] * last.numbers[j * n + k];
        EXPECT_NEAR(z.numbers[i * n + k], expected, 4e-16 * (2 * s + 2) * size) << s << " stages";
      }
    }
  }
}

TEST_P(StageKernelsOf, SumStages) {
  for (const int s : {1, 2, 3, 4, 5, 7, 9})
    for (const int n : {8, 24}) {
      const Stages in(s, n), out(1, n);
      const Vector m = Vector::Random(s);
      stage_kernels(GetParam(), s).sum(s, n, m.data(), in.numbers, out.numbers);
      for (int k = 0; k < n; ++k) {
        double expected = 0;
        for (int j = 0; j < s; ++j) expected += m[j] * in.numbers[j * n + k];
        EXPECT_NEAR(out.numbers[k], expected, 2.3e-16 * s * s);
      }
    }
}

/// A real matrix and (s - 1)/2 complex ones, factored.
struct Factors {
  Factors(InstructionSet set, int s, int n)
      : kernels(dense_kernels(set, n)),
        numbers(static_cast<std::size_t>(s + 1) * doubles_of_factor(n, 1) + 8),
        rows(static_cast<std::size_t>(2 * s * padded(n))) {
    const Matrix e = Matrix::Random(n, n), a = Matrix::Random(n, n);
    double* place = at_cache_line(numbers.data());
    for (int k = 0; k < (s + 1) / 2; ++k) {
      const int parts = k == 0 ? 1 : 2;
      factors.push_back(lay_out_factor(n, parts, place, rows.data() + 2 * k * padded(n)));
      place += doubles_of_factor(n, parts);
      EXPECT_EQ(k == 0 ? kernels.factor_real(factors[0], e.data(), a.data(), 3.6)
                       : kernels.factor_complex(factors.back(), e.data(), a.data(), 2.7 + k, 3.1),
                -1);
    }
  }
  DenseKernels kernels;
  std::vector<double> numbers;
  std::vector<long long> rows;
  std::vector<DenseFactor> factors;
};

TEST_P(StageKernelsOf, CorrectSmallSystemsAtOnceAsByParts) {
  int known = 0;
  for (const int s : {1, 2, 3, 5, 7, 9})
    for (int n = 1; n <= 9; ++n) {
      const NewtonKernels at_once = newton_kernels(GetParam(), s, n);
      if (!at_once) continue;
      ++known;
      const int stride = padded(n);
      const Factors matrices(GetParam(), s, n);
      const Stages y(1, stride), residual(s, stride), v(s, stride), z(s, stride), d(s, stride),
          stage(s, stride), slope(s, stride), weight(1, stride);
      for (const auto* stages : {&residual, &v})
        for (int i = 0; i < s; ++i) std::fill_n(stages->numbers + i * stride + n, stride - n, 0.0);
      for (const auto* single : {&y, &weight}) std::fill_n(single->numbers + n, stride - n, 0.0);
      const Matrix t = Matrix::Random(s, s), t_inverse = Matrix::Random(s, s),
                   w = Matrix::Random(s, s);
      const double inverse_h = 1.7;

      const StageKernels parts = stage_kernels(GetParam(), s);
      const Stages d2(s, stride), v2(s, stride), z2(s, stride), stage2(s, stride),
          slope2(s, stride);
      std::copy_n(v.numbers, s * stride, v2.numbers);
      parts.combine(s, stride, t_inverse.data(), residual.numbers, d2.numbers);
      matrices.kernels.solve_padded_real(matrices.factors[0], d2.numbers);
      for (int k = 1; k < s; k += 2)
        matrices.kernels.solve_padded_complex(matrices.factors[static_cast<std::size_t>(k + 1) / 2],
                                              d2.numbers + k * stride,
                                              d2.numbers + (k + 1) * stride);
      const double squares2 =
          parts.advance(s, stride, t.data(), weight.numbers, d2.numbers, w.data(), inverse_h,
                        y.numbers, v2.numbers, z2.numbers, stage2.numbers, slope2.numbers);

      // Row-major, as all of them are.
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const auto rows = [s](const Matrix& m) { return Eigen::Map<const RowMajor>(m.data(), s, s); };
      const RowMajor w_t = rows(w) * rows(t);
      const double squares = at_once.correct(
          {t_inverse.data(), t.data(), w_t.data(), matrices.factors.data(), y.numbers,
           residual.numbers, d.numbers, v.numbers, z.numbers, stage.numbers, slope.numbers},
          weight.numbers, inverse_h);
      // The same operations, but for products that are fused into sums here and not there.
      const auto near = [&](const double* a, const double* b) {
        double largest = 1;
        for (int k = 0; k < s * stride; ++k) largest = std::max(largest, std::abs(b[k]));
        for (int i = 0; i < s; ++i)
          for (int k = 0; k < n; ++k)
            EXPECT_NEAR(a[i * stride + k], b[i * stride + k], 1e-14 * s * largest)
                << s << " stages, " << n << " unknowns";
      };
      EXPECT_NEAR(squares, squares2, 1e-13 * squares2);
      near(d.numbers, d2.numbers), near(v.numbers, v2.numbers), near(z.numbers, z2.numbers);
      near(stage.numbers, stage2.numbers), near(slope.numbers, slope2.numbers);

      const Stages last(s, stride), increment(1, stride);
      for (int i = 0; i < s; ++i) std::fill_n(last.numbers + i * stride + n, stride - n, 0.0);
      std::fill_n(increment.numbers + n, stride - n, 0.0);
      const StagePolynomial u(Vector::LinSpaced(s, 1.0 / s, 1), true);
      const StageNodes nodes{u.nodes(), u.weights(), u.is_through_origin()};
      const double ratio = 0.7;
      parts.extrapolate(s, stride, nodes, ratio, last.numbers, increment.numbers, z2.numbers);
      parts.combine(s, stride, t_inverse.data(), z2.numbers, v2.numbers);
      parts.arguments(s, stride, w.data(), inverse_h, y.numbers, z2.numbers, stage2.numbers,
                      slope2.numbers);
      // Slopes are made of v: W T T^-1 = W.
      const RowMajor back = rows(w) * rows(t_inverse).inverse();
      at_once.begin(
          {t_inverse.data(), t.data(), back.data(), matrices.factors.data(), y.numbers,
           residual.numbers, d.numbers, v.numbers, z.numbers, stage.numbers, slope.numbers},
          nodes, ratio, last.numbers, increment.numbers, inverse_h);
      near(z.numbers, z2.numbers), near(v.numbers, v2.numbers), near(stage.numbers, stage2.numbers);
      double largest = 0;
      for (int k = 0; k < s * stride; ++k) largest = std::max(largest, std::abs(z2.numbers[k]));
      for (int i = 0; i < s; ++i)
        for (int k = 0; k < n; ++k) {
          const double size = largest * (back.row(i).cwiseAbs() * rows(t_inverse).cwiseAbs()).sum();
          EXPECT_NEAR(slope.numbers[i * stride + k], slope2.numbers[i * stride + k],
                      1e-11 * (1 + size));  // a random matrix was inverted
        }
    }
  EXPECT_GE(known, 6);
}

TEST_P(StageKernelsOf, SplitOffTheRatesOfAConstantMass) {
  // F = E y' - f with y' = W T v / h and W T = T Lambda: by its residuals, and by f alone.
  for (const int s : {3, 5, 7})
    for (int n = 1; n <= 8; ++n)
      for (const bool is_diagonal : {true, false}) {
        const NewtonKernels at_once = newton_kernels(GetParam(), s, n);
        if (!at_once) continue;
        const int stride = padded(n);
        const Factors matrices(GetParam(), s, n);
        const Stages y(1, stride), f(s, stride), v(s, stride), z(s, stride), d(s, stride),
            stage(s, stride), slope(s, stride), weight(1, stride);
        for (const auto* stages : {&f, &v})
          for (int i = 0; i < s; ++i)
            std::fill_n(stages->numbers + i * stride + n, stride - n, 0.0);
        for (const auto* single : {&y, &weight}) std::fill_n(single->numbers + n, stride - n, 0.0);
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const RowMajor t = RowMajor::Identity(s, s) + 0.2 * RowMajor::Random(s, s);
        const RowMajor t_inverse = t.inverse();
        const Vector lambda = Vector::Random(s);
        RowMajor blocks = RowMajor::Zero(s, s);
        blocks(0, 0) = lambda[0];
        for (int k = 1; k < s; k += 2) {
          blocks(k, k) = blocks(k + 1, k + 1) = lambda[k];
          blocks(k, k + 1) = lambda[k + 1], blocks(k + 1, k) = -lambda[k + 1];
        }
        const RowMajor w_t = t * blocks;
        const double inverse_h = 1.7;
        Matrix e = Matrix::Random(n, n);
        if (is_diagonal) e = e.diagonal().asDiagonal().toDenseMatrix();
        Vector diagonal = Vector::Zero(stride);
        diagonal.head(n) = e.diagonal();

        const Stages residual(s, stride), d2(s, stride), v2(s, stride), z2(s, stride),
            stage2(s, stride), slope2(s, stride);
        std::copy_n(v.numbers, s * stride, v2.numbers);
        std::fill_n(residual.numbers, s * stride, 0.0);
        for (int i = 0; i < s; ++i) {
          Vector rate = Vector::Zero(n);
          for (int j = 0; j < s; ++j)
            rate += inverse_h * w_t(i, j) * Eigen::Map<const Vector>(v.numbers + j * stride, n);
          Eigen::Map<Vector>(residual.numbers + i * stride, n) =
              e * rate - Eigen::Map<const Vector>(f.numbers + i * stride, n);
        }
        const double squares2 = at_once.correct(
            {t_inverse.data(), t.data(), w_t.data(), matrices.factors.data(), y.numbers,
             residual.numbers, d2.numbers, v2.numbers, z2.numbers, stage2.numbers, slope2.numbers},
            weight.numbers, inverse_h);
        const NewtonMass mass = {lambda.data(), is_diagonal ? diagonal.data() : nullptr, e.data()};
        const double squares = at_once.correct(
            {t_inverse.data(), t.data(), w_t.data(), matrices.factors.data(), y.numbers, f.numbers,
             d.numbers, v.numbers, z.numbers, stage.numbers, nullptr, mass},
            weight.numbers, inverse_h);
        // Rounding errors of the right-hand side, as the matrices magnify them.
        double largest = 1;
        for (int k = 0; k < s * stride; ++k) largest = std::max(largest, std::abs(d2.numbers[k]));
        for (int i = 0; i < s; ++i)
          for (int k = 0; k < n; ++k)
            for (const auto& [a, b] : {std::pair{&d, &d2}, {&z, &z2}, {&stage, &stage2}})
              EXPECT_NEAR(a->numbers[i * stride + k], b->numbers[i * stride + k], 1e-11 * largest)
                  << s << " stages, " << n << " unknowns";
        EXPECT_NEAR(squares, squares2, 1e-10 * std::max(1.0, squares2));
      }
}

INSTANTIATE_TEST_SUITE_P(All, StageKernelsOf, testing::ValuesIn(sets_of_this_machine()));

}  // namespace
}  // namespace daedalus
