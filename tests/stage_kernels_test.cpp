// The sums over stages of every instruction set against plain loops.
#include "linear/stage_kernels.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "daedalus/vector.h"
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

INSTANTIATE_TEST_SUITE_P(All, StageKernelsOf, testing::ValuesIn(sets_of_this_machine()));

}  // namespace
}  // namespace daedalus
