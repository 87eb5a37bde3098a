// Dense LU of a pencil by the best kernels of this machine.
#include <cstdint>
#include <vector>

#include "linear/dense_kernels.h"
#include "linear/factors.h"
#include "linear/stage_kernels.h"

namespace daedalus {

bool is_available(InstructionSet set) {
  if (set == InstructionSet::portable) return true;
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2");
  if (set == InstructionSet::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

namespace {

InstructionSet best_of_this_machine() {
  for (InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2})
    if (is_available(set)) return set;
  return InstructionSet::portable;
}

}  // namespace

InstructionSet best_instruction_set() {
  static const InstructionSet best = best_of_this_machine();
  return best;
}

DenseKernels dense_kernels([[maybe_unused]] InstructionSet set, int n) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_kernels(n);
  if (set == InstructionSet::avx2) return avx2_kernels(n);
#endif
  return portable_kernels(n);
}

StageKernels stage_kernels([[maybe_unused]] InstructionSet set, int s) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_stage_kernels(s);
  if (set == InstructionSet::avx2) return avx2_stage_kernels(s);
#endif
  return portable_stage_kernels(s);
}

namespace {

/// Owns what a DenseFactor points to.
class DenseMemory {
 public:
  DenseMemory(int n, int parts) {
    constexpr int line = 8;  // doubles in a cache line
    const std::size_t stride = (n + line - 1) / line * line;
    const std::size_t per_part = stride * stride + 2 * stride;
    numbers_.assign(parts * per_part + line, 0.0);
    rows_.assign(2 * stride, 0);
    const auto past = reinterpret_cast<std::uintptr_t>(numbers_.data()) / sizeof(double) % line;
    double* const re = numbers_.data() + (line - past) % line;
    double* const im = parts > 1 ? re + per_part : nullptr;
    const auto at = [](double* part, std::size_t place) { return part ? part + place : nullptr; };
    const std::size_t square = stride * stride;
    factor = {.n = n,
              .stride = static_cast<int>(stride),
              .re = re,
              .im = im,
              .inverse_re = at(re, square),
              .inverse_im = at(im, square),
              .work_re = at(re, square + stride),
              .work_im = at(im, square + stride),
              .pivot = rows_.data(),
              .order = rows_.data() + stride};
  }
  DenseMemory(const DenseMemory&) = delete;
  DenseMemory& operator=(const DenseMemory&) = delete;

  DenseFactor factor;

 private:
  std::vector<double> numbers_;
  std::vector<long long> rows_;
};

class DenseRealFactors final : public RealFactors {
 public:
  DenseRealFactors(int n, InstructionSet set) : kernels_(dense_kernels(set, n)), memory_(n, 1) {}

  bool factor(const Pencil& pencil, double shift) override {
    singular_column_ =
        kernels_.factor_real(memory_.factor, pencil.e.data(), pencil.a.data(), shift);
    return singular_column_ < 0;
  }
  void solve(double* x) const override { kernels_.solve_real(memory_.factor, x); }

 private:
  DenseKernels kernels_;
  DenseMemory memory_;
};

class DenseComplexFactors final : public ComplexFactors {
 public:
  DenseComplexFactors(int n, InstructionSet set) : kernels_(dense_kernels(set, n)), memory_(n, 2) {}

  bool factor(const Pencil& pencil, double re, double im) override {
    singular_column_ =
        kernels_.factor_complex(memory_.factor, pencil.e.data(), pencil.a.data(), re, im);
    return singular_column_ < 0;
  }
  void solve(double* re, double* im) const override {
    kernels_.solve_complex(memory_.factor, re, im);
  }

 private:
  DenseKernels kernels_;
  DenseMemory memory_;
};

}  // namespace

std::unique_ptr<RealFactors> make_dense_real_factors(int n, InstructionSet set) {
  return std::make_unique<DenseRealFactors>(n, set);
}

std::unique_ptr<ComplexFactors> make_dense_complex_factors(int n, InstructionSet set) {
  return std::make_unique<DenseComplexFactors>(n, set);
}

}  // namespace daedalus
