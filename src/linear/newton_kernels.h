#pragma once
// Simplified Newton on the stages of a system so small that a vector fits into a register: between
// the residuals and the next arguments of the equations nothing waits for memory.
// For methods with one real eigenvalue and pairs of complex ones, as Radau IIA with odd stages.
#include "linear/stage_kernels.h"

namespace daedalus {

/// Where F = E y' - f with constant E: `residual` is f, and no slopes are wanted, since
///   T^-1 F = (1/h) Lambda E V - T^-1 f,   W T = T Lambda,
/// takes their place. [HairerWanner1996, IV.8]
struct NewtonMass {
  const double* lambda = nullptr;  ///< gamma, then alpha and beta of each pair; null: no such form
  const double* diagonal = nullptr;  ///< of E, padded, if it has nothing else
  const double* columns = nullptr;   ///< of E else, not padded
  explicit operator bool() const { return lambda; }
};

/// Stages one behind the other in padded vectors; matrices are s x s, row-major.
struct NewtonStages {
  const double *t_inverse, *t, *w_t;
  const DenseFactor* factors;  ///< the real one, then the complex ones
  const double* y;             ///< not padded
  const double* residual;
  double *d, *v, *z, *stage, *slope;
  NewtonMass mass = {};
};

struct NewtonKernels {
  /// All matrices, gamma E + A and (re_k + i im_k) E + A, one step of the elimination of each after
  /// the other: there is time for all while one waits for its pivot. The singular column or -1.
  int (*factor)(const DenseFactor* real_then_complex, const double* e, const double* a,
                double gamma, const double* re, const double* im);
  /// z_i = u(1 + c_i ratio) - increment, where u is the polynomial through `last`; v = T^-1 z, and
  /// with it the arguments stage_i = y + z_i, slope = inverse_h W T v (slopes where wanted).
  void (*begin)(const NewtonStages&, const StageNodes& nodes, double ratio, const double* last,
                const double* increment, double inverse_h);
  /// d solves the transformed systems, v -= d, z = T v, and the arguments; returns sum (weight d)^2
  /// over all stages.
  double (*correct)(const NewtonStages&, const double* weight, double inverse_h);
  explicit operator bool() const { return correct; }
};

/// Null: for other numbers of stages and of unknowns the parts are called one by one.
NewtonKernels newton_kernels(InstructionSet set, int s, int n);

NewtonKernels portable_newton_kernels(int s, int n);
NewtonKernels avx2_newton_kernels(int s, int n);
NewtonKernels avx512_newton_kernels(int s, int n);
NewtonKernels avx512_narrow_newton_kernels(int s, int n);

}  // namespace daedalus
