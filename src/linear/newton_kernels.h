#pragma once
// One correction of simplified Newton on the stages of a system so small that a vector fits into a
// register: between the residuals and the next arguments of the equations nothing waits for memory.
// For methods with one real eigenvalue and pairs of complex ones, as Radau IIA with odd stages.
#include "linear/dense_kernels.h"

namespace daedalus {

/// Stages one behind the other in padded vectors; matrices are s x s, row-major.
struct StageCorrection {
  const double *t_inverse, *t, *w;
  const DenseFactor* factors;  ///< the real one, then the complex ones
  const double* y;
  const double* residual;
  double *d, *v, *z, *stage, *slope;
};

/// d solves the transformed systems, v -= d, z = T v, stage_i = y + z_i and slope_i = inverse_h
/// sum_j w_ij z_j; returns sum (weight d)^2 over all stages.
using NewtonKernel = double (*)(const StageCorrection&, const double* weight, double inverse_h);

/// Null: for other numbers of stages and of unknowns the parts are called one by one.
NewtonKernel newton_kernel(InstructionSet set, int s, int n);

NewtonKernel portable_newton_kernel(int s, int n);
NewtonKernel avx2_newton_kernel(int s, int n);
NewtonKernel avx512_newton_kernel(int s, int n);

}  // namespace daedalus
