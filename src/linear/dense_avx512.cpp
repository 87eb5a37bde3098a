// Dense kernels for x86 with AVX512. What follows the pragma must not use inline functions of other
// headers: the linker might keep this version of them for the whole program.
#include "linear/dense_kernels.h"
#include "linear/newton_kernels.h"
#include "linear/stage_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 8
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
DenseKernels avx512_kernels(int n) {
  if (n <= most_narrow) return avx512_narrow_kernels(n);
  return kernels_for(n);
}
StageKernels avx512_stage_kernels(int s) {
  return stage_kernels_for(s);
}
NewtonKernels avx512_newton_kernels(int s, int n) {
  if (n <= most_narrow) return avx512_narrow_newton_kernels(s, n);
  return newton_kernels_for(s, n);
}
}  // namespace daedalus
#endif
