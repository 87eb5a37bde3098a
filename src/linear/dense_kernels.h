#pragma once
// The dense LU kernels, compiled once per instruction set; the best one the machine has is chosen
// at run time, so that a portable binary is as fast as one built for its machine.
#include <cstddef>
#include <vector>

namespace daedalus {

/// Doubles that start at a cache line and are zero at first.
class AlignedArray {
 public:
  explicit AlignedArray(std::size_t size) : memory_(size + 8, 0.0) {
    const std::size_t past = reinterpret_cast<std::size_t>(memory_.data()) / sizeof(double) % 8;
    start_ = memory_.data() + (8 - past) % 8;
  }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  double* data() { return start_; }
  const double* data() const { return start_; }

 private:
  std::vector<double> memory_;
  double* start_;
};

/// Row i of the matrix is eliminated in step order[i] (it is never moved if n is small); step k
/// has its pivot in row pivot[k]. Column k holds, divided by its pivot, L in the rows of later
/// steps and U in the rows of earlier ones.
struct DenseFactor {
  DenseFactor(int n, int parts)
      : n(n),
        stride((n + 7) / 8 * 8),
        re(static_cast<std::size_t>(stride) * stride),
        im(parts > 1 ? static_cast<std::size_t>(stride) * stride : 0),
        inverse_re(stride),
        inverse_im(parts > 1 ? stride : 0),
        work_re(stride),
        work_im(parts > 1 ? stride : 0),
        pivot(stride),
        order(stride) {}

  int n;
  int stride;
  AlignedArray re, im;
  AlignedArray inverse_re, inverse_im;  ///< of the pivots
  mutable AlignedArray work_re, work_im;
  std::vector<int> pivot;
  std::vector<long long> order;
};

/// `factor` returns the singular column or -1.
struct DenseKernels {
  const char* name;
  int (*factor_real)(DenseFactor&, const double* e, const double* a, double shift);
  void (*solve_real)(const DenseFactor&, double* x);
  int (*factor_complex)(DenseFactor&, const double* e, const double* a, double re, double im);
  void (*solve_complex)(const DenseFactor&, double* re, double* im);
};

extern const DenseKernels portable_kernels;
extern const DenseKernels avx2_kernels;
extern const DenseKernels avx512_kernels;

/// All that this machine can run, the fastest first.
std::vector<const DenseKernels*> dense_kernels();

}  // namespace daedalus
