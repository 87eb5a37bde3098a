// Kernels of fronts for x86 with AVX512. What follows the pragma must not use inline functions of
// other headers: the linker might keep this version of them for the whole program.
#include "linear/front_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 8
#include "linear/dense_lanes.h"
#include "linear/dense_tile.h"
#include "linear/front_lanes.h"
#include "linear/front_solve_lanes.h"
// clang-format on

namespace daedalus {
FrontKernels avx512_front_kernels() {
  return {FrontLu::factor, FrontSolve::forward, FrontSolve::backward};
}
}  // namespace daedalus
#endif
