#pragma once
// Sums of vectors with weights in one pass, by the instruction set of this machine.
#include "linear/dense_kernels.h"

namespace daedalus {

/// to = from + sum_j weight_j term_j over vectors of length n; from null: without.
using SumKernel = void (*)(int n, int count, const double* weight, const double* const* term,
                           const double* from, double* to);

SumKernel sum_kernel(InstructionSet set);

SumKernel portable_sum_kernel();
SumKernel avx2_sum_kernel();
SumKernel avx512_sum_kernel();

}  // namespace daedalus
