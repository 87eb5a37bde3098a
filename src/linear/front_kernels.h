#pragma once
// Partial LU of the dense fronts of which sparse factors are made, and solutions with it, compiled
// once per instruction set as the other dense kernels are.
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

inline constexpr int front_group = 8;  ///< columns that a solution takes at a time

/// What is kept of a front, in the order in which a solution reads it and nothing else, all columns
/// at cache lines. Where a group of columns meets the diagonal, the triangle that is not meant is
/// zero.
struct FrontColumns {
  int size;
  int pivots;
  int stride;
  const double* lower;  ///< of the first `pivots` columns, groups of them from their first row on
  /// The first `pivots` rows, padded, of the other columns; then of the pivots, the last group
  /// first, each down to its last row.
  const double* upper;
  const double* inverse;  ///< of the pivots
};

struct FrontKernels {
  /// Returns front_done, front_unstable or the singular column.
  int (*factor)(const Front& front);
  /// In place, `stride` rows of x: those beyond the pivots get what is to be added to them.
  void (*forward)(const FrontColumns& front, double* x);
  /// In place, `pivots` rows of x, padded; `below`: the solution in the other rows.
  void (*backward)(const FrontColumns& front, double* x, const double* below);
};
FrontKernels front_kernels(InstructionSet set);

FrontKernels portable_front_kernels();
FrontKernels avx2_front_kernels();
FrontKernels avx512_front_kernels();

}  // namespace daedalus
