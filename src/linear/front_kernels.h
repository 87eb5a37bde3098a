#pragma once
// Partial LU of the dense fronts of which sparse factors are made, compiled once per instruction
// set as the other dense kernels are.
#include "linear/dense_kernels.h"

namespace daedalus {

/// A square matrix by columns of `stride` rows, a multiple of eight, that start at cache lines;
/// rows beyond `size` are zero. The first `pivots` columns are eliminated, with pivots in the first
/// `pivots` rows; what remains of the others is their Schur complement.
struct Front {
  int size;
  int pivots;
  int stride;
  double* matrix;
  double* inverse;  ///< of the pivots
  int* exchanged;   ///< with which row each pivot row was exchanged
};

inline constexpr int front_done = -1;
/// The rows that may be pivots are too small beside the others.
inline constexpr int front_unstable = -2;

/// Returns front_done, front_unstable or the singular column.
using FrontKernel = int (*)(const Front&);
FrontKernel front_kernel(InstructionSet set);

int portable_front(const Front& front);
int avx2_front(const Front& front);
int avx512_front(const Front& front);

}  // namespace daedalus
