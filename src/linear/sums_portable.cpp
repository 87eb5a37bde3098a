// Sums for any machine, and the choice among the others.
#include "linear/sum_kernels.h"
// clang-format off
#define DAEDALUS_LANES 2
#include "linear/dense_lanes.h"
#include "linear/sum_lanes.h"
// clang-format on

namespace daedalus {

SumKernel portable_sum_kernel() {
  return sum_of_terms;
}

SumKernel sum_kernel(InstructionSet set) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_sum_kernel();
  if (set == InstructionSet::avx2) return avx2_sum_kernel();
#endif
  (void)set;
  return portable_sum_kernel();
}

}  // namespace daedalus
