#pragma once
// The vector work of simplified Newton on s stages of length n, one behind the other: every sum
// over stages is formed in one pass, in registers, by the instruction set of this machine. All
// vectors but the weights begin at cache lines, and n is a multiple of eight: see `padded`.
#include "daedalus/method.h"
#include "linear/dense_kernels.h"

namespace daedalus {

/// Where the polynomial of a step is known, and what its bases are divided by.
struct StageNodes {
  const double* c;
  const double* weight;
  bool through_origin;         ///< zero at the beginning of the step
  bool without_first = false;  ///< its weight is zero
};

/// Matrices are s x s, row-major.
struct StageKernels {
  /// out_i = sum_j m_ij in_j.
  void (*combine)(int s, int n, const double* m, const double* in, double* out);
  /// The arguments of the equations: stage_i = y + z_i and slope_i = inverse_h sum_j w_ij z_j.
  void (*arguments)(int s, int n, const double* w, double inverse_h, const double* y,
                    const double* z, double* stage, double* slope);
  /// v -= d, z = T v and the arguments that follow from z; returns sum (weight d)^2 over all
  /// stages.
  double (*advance)(int s, int n, const double* t, const double* weight, const double* d,
                    const double* w, double inverse_h, const double* y, double* v, double* z,
                    double* stage, double* slope);
  /// z_i = u(1 + c_i ratio) - increment, where u is the polynomial through `last`.
  void (*extrapolate)(int s, int n, const StageNodes& nodes, double ratio, const double* last,
                      const double* increment, double* z);
  /// out = sum_j m_j in_j.
  void (*sum)(int s, int n, const double* m, const double* in, double* out);
};

/// For s stages; s is passed to them nevertheless.
StageKernels stage_kernels(InstructionSet set, int s);

StageKernels portable_stage_kernels(int s);
StageKernels avx2_stage_kernels(int s);
StageKernels avx512_stage_kernels(int s);

}  // namespace daedalus
