// Sums for any machine, and the choice among the others.
#include "linear/sum_kernels.h"
// clang-format off
#define DAEDALUS_LANES 2
#include "linear/dense_lanes.h"
#include "linear/sum_lanes.h"
// clang-format on

namespace daedalus {

SumKernels portable_sum_kernels() {
  return {sum_of_terms, weighted_squares};
}

SumKernels sum_kernels(InstructionSet set) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_sum_kernels();
  if (set == InstructionSet::avx2) return avx2_sum_kernels();
#endif
  (void)set;
  return portable_sum_kernels();
}

}  // namespace daedalus
