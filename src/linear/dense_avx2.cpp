// Dense kernels for x86 with AVX2. What follows the pragma must not use inline functions of other
// headers: the linker might keep this version of them for the whole program.
#include "linear/dense_kernels.h"
#include "linear/newton_kernels.h"
#include "linear/stage_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 4
#include "linear/dense_lanes.h"
#include "linear/dense_tiny.h"
#include "linear/dense_small.h"
#include "linear/dense_tile.h"
#include "linear/dense_large.h"
#include "linear/dense_columns.h"
#include "linear/dense_table.h"
#include "linear/dense_dispatch.h"
#include "linear/stage_lanes.h"
#include "linear/newton_lanes.h"
// clang-format on

namespace daedalus {
DenseKernels avx2_kernels(int n) {
  return kernels_for(n);
}
StageKernels avx2_stage_kernels(int s) {
  return stage_kernels_for(s);
}
NewtonKernels avx2_newton_kernels(int s, int n) {
  return newton_kernels_for(s, n);
}
}  // namespace daedalus
#endif
