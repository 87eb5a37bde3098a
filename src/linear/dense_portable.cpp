// Dense kernels for any machine.
#include "linear/dense_kernels.h"
#include "linear/newton_kernels.h"
#include "linear/stage_kernels.h"
// clang-format off
#define DAEDALUS_LANES 2
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
DenseKernels portable_kernels(int n) {
  return kernels_for(n);
}
StageKernels portable_stage_kernels(int s) {
  return stage_kernels_for(s);
}
NewtonKernels portable_newton_kernels(int s, int n) {
  return newton_kernels_for(s, n);
}
}  // namespace daedalus
