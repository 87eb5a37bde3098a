#pragma once
// The dense LU kernels, compiled once per instruction set; the best one the machine has is chosen
// at run time, so that a portable binary is as fast as one built for its machine. Plain pointers
// only: see the kernel files for why.
#include <cstddef>
#include <memory>

// Clang does not know the pragma that switches instruction sets within a program.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define DAEDALUS_HAS_AVX_KERNELS
#endif

namespace daedalus {

class RealFactors;
class ComplexFactors;

enum class InstructionSet { portable, avx2, avx512 };

/// Columns of `stride` rows, a multiple of eight, that start at cache lines; rows beyond n are
/// zero. For small n, row i of the matrix is eliminated in step order[i] and never moved, step k
/// has its pivot in row pivot[k], and column k holds, divided by its pivot, L in the rows of later
/// steps and U in the rows of earlier ones. For large n rows move: see dense_large.h.
struct DenseFactor {
  int n;
  int stride;
  double* re;
  double* im;
  double* inverse_re;  ///< of the pivots
  double* inverse_im;
  double* work_re;  ///< stride places for a solve
  double* work_im;
  long long* pivot;
  long long* order;
};

/// Kernels for one n. `factor` returns the singular column or -1.
struct DenseKernels {
  int (*factor_real)(const DenseFactor&, const double* e, const double* a, double shift);
  void (*solve_real)(const DenseFactor&, double* x);
  int (*factor_complex)(const DenseFactor&, const double* e, const double* a, double re, double im);
  void (*solve_complex)(const DenseFactor&, double* re, double* im);
  /// re -= C t_re and im -= C t_im (unless null), with columns of `stride` rows, a multiple of 8.
  void (*subtract_columns)(int stride, int columns, const double* c, const double* t_re,
                           const double* t_im, double* re, double* im);
  /// The same as above for vectors of `stride` places, zero behind the first n, at cache lines.
  void (*solve_padded_real)(const DenseFactor&, double* x);
  void (*solve_padded_complex)(const DenseFactor&, double* re, double* im);
};

/// Places of a vector, or of a column, that ends with a cache line.
inline int padded(int n) {
  return (n + 7) / 8 * 8;
}
/// What a DenseFactor of n rows points to: doubles, from a cache line on, and row numbers.
inline std::size_t doubles_of_factor(int n, int parts) {
  const std::size_t stride = static_cast<std::size_t>(padded(n));
  return static_cast<std::size_t>(parts) * stride * (stride + 2);
}
DenseFactor lay_out_factor(int n, int parts, double* numbers, long long* rows);
/// The first double from here on at a cache line.
double* at_cache_line(double* place);

bool is_available(InstructionSet set);
InstructionSet best_instruction_set();
DenseKernels dense_kernels(InstructionSet set, int n);

std::unique_ptr<RealFactors> make_dense_real_factors(int n, InstructionSet set);
std::unique_ptr<ComplexFactors> make_dense_complex_factors(int n, InstructionSet set);

DenseKernels portable_kernels(int n);
DenseKernels avx2_kernels(int n);
DenseKernels avx512_kernels(int n);
/// For up to so many rows.
inline constexpr int most_narrow = 4;
DenseKernels avx512_narrow_kernels(int n);

}  // namespace daedalus
