#pragma once
// Sums of vectors and over vectors with weights in one pass, by the instruction set of this
// machine.
#include "linear/dense_kernels.h"

namespace daedalus {

/// Of vectors of length n; a multiple of eight (`padded`) is fastest.
struct SumKernels {
  /// to = from + sum_j weight_j term_j; from null: without.
  void (*sum)(int n, int count, const double* weight, const double* const* term, const double* from,
              double* to);
  /// Of one or two vectors x the sums of (x_i / (atol_i + rtol max(|a_i|, |b_i|)))^2.
  void (*weighted_squares)(int n, double rtol, const double* atol, const double* a, const double* b,
                           int count, const double* const* x, double* sums);
};

SumKernels sum_kernels(InstructionSet set);

SumKernels portable_sum_kernels();
SumKernels avx2_sum_kernels();
SumKernels avx512_sum_kernels();

}  // namespace daedalus
