// Kernels of fronts for any machine, and which one to take.
#include "linear/front_kernels.h"
// clang-format off
#define DAEDALUS_LANES 2
#include "linear/dense_lanes.h"
#include "linear/dense_tile.h"
#include "linear/front_lanes.h"
#include "linear/front_solve_lanes.h"
// clang-format on

namespace daedalus {

FrontKernels portable_front_kernels() {
  return {FrontLu::factor, FrontSolve::forward, FrontSolve::backward};
}

FrontKernels front_kernels([[maybe_unused]] InstructionSet set) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_front_kernels();
  if (set == InstructionSet::avx2) return avx2_front_kernels();
#endif
  return portable_front_kernels();
}

}  // namespace daedalus
