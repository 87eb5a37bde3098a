// Dense kernels for x86 with AVX512 and matrices of up to four rows, whose columns fill half a
// register: a narrow one does the same with the new instructions, on most machines at twice the
// rate. What follows the pragma must not use inline functions of other headers: the linker might
// keep this version of them for the whole program.
#include "linear/dense_kernels.h"
#include "linear/newton_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 4
#include "linear/dense_lanes.h"
#include "linear/dense_tiny.h"
#include "linear/dense_columns.h"
#include "linear/dense_table.h"
#include "linear/stage_lanes.h"
#include "linear/newton_lanes.h"
// clang-format on

namespace daedalus {
DenseKernels avx512_narrow_kernels(int n) {
  switch (n) {
    case 1:
      return tiny_kernels<1>();
    case 2:
      return tiny_kernels<2>();
    case 3:
      return tiny_kernels<3>();
  }
  return tiny_kernels<4>();
}
NewtonKernels avx512_narrow_newton_kernels(int s, int n) {
  return newton_kernels_for(s, n);
}
}  // namespace daedalus
#endif
