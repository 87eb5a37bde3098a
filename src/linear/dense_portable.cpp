// Dense kernels for any machine.
#include "linear/dense_kernels.h"
// clang-format off
#include "linear/dense_lanes.h"
#include "linear/dense_small.h"
#include "linear/dense_large.h"
#include "linear/dense_dispatch.h"
// clang-format on

namespace daedalus {
const DenseKernels portable_kernels{"portable", factor_real, solve_real, factor_complex,
                                    solve_complex};
}
