// Dense LU of a pencil by the best kernels of this machine.
#include "linear/dense_kernels.h"
#include "linear/factors.h"

namespace daedalus {

std::vector<const DenseKernels*> dense_kernels() {
  std::vector<const DenseKernels*> kernels;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    kernels.push_back(&avx512_kernels);
  if (has_avx2) kernels.push_back(&avx2_kernels);
#endif
  kernels.push_back(&portable_kernels);
  return kernels;
}

namespace {

class DenseRealFactors final : public RealFactors {
 public:
  DenseRealFactors(int n, const DenseKernels& kernels) : kernels_(kernels), lu_(n, 1) {}

  bool factor(const Pencil& pencil, double shift) override {
    singular_column_ = kernels_.factor_real(lu_, pencil.e.data(), pencil.a.data(), shift);
    return singular_column_ < 0;
  }
  void solve(double* x) const override { kernels_.solve_real(lu_, x); }

 private:
  const DenseKernels& kernels_;
  DenseFactor lu_;
};

class DenseComplexFactors final : public ComplexFactors {
 public:
  DenseComplexFactors(int n, const DenseKernels& kernels) : kernels_(kernels), lu_(n, 2) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    singular_column_ = kernels_.factor_complex(lu_, pencil.e.data(), pencil.a.data(), re, im);
    return singular_column_ < 0;
  }
  void solve(double* re, double* im) const override { kernels_.solve_complex(lu_, re, im); }

 private:
  const DenseKernels& kernels_;
  DenseFactor lu_;
};

const DenseKernels& best_kernels() {
  static const DenseKernels& best = *dense_kernels().front();
  return best;
}

}  // namespace

std::unique_ptr<RealFactors> make_dense_real_factors(const Pencil& pencil) {
  return std::make_unique<DenseRealFactors>(pencil.size(), best_kernels());
}

std::unique_ptr<ComplexFactors> make_dense_complex_factors(const Pencil& pencil) {
  return std::make_unique<DenseComplexFactors>(pencil.size(), best_kernels());
}

}  // namespace daedalus
