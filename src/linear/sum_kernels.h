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
  /// The sum of (x_i / (atol_i + rtol max(|a_i|, |b_i|)))^2.
  double (*weighted_squares)(int n, double rtol, const double* atol, const double* a,
                             const double* b, const double* x);
};

SumKernels sum_kernels(InstructionSet set);

SumKernels portable_sum_kernels();
SumKernels avx2_sum_kernels();
SumKernels avx512_sum_kernels();

}  // namespace daedalus
