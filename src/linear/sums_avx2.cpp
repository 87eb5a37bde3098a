// Sums for x86 with AVX2. What follows the pragma must not use inline functions of other headers:
// the linker might keep this version of them for the whole program.
#include "linear/sum_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 4
#include "linear/dense_lanes.h"
#include "linear/sum_lanes.h"
// clang-format on

namespace daedalus {
SumKernels avx2_sum_kernels() {
  return {sum_of_terms, weighted_squares};
}
}  // namespace daedalus
#endif
