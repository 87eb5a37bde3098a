// Kernels of fronts for any machine, and which one to take.
#include "linear/front_kernels.h"
// clang-format off
#define DAEDALUS_LANES 2
#include "linear/dense_lanes.h"
#include "linear/dense_tile.h"
#include "linear/front_lanes.h"
// clang-format on

namespace daedalus {

int portable_front(const Front& front) {
  return FrontLu::factor(front);
}

FrontKernel front_kernel([[maybe_unused]] InstructionSet set) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_front;
  if (set == InstructionSet::avx2) return avx2_front;
#endif
  return portable_front;
}

}  // namespace daedalus
