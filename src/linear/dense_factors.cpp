// Dense LU of a pencil by the best kernels of this machine.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linear/condensed_rows.h"
#include "linear/dense_kernels.h"
#include "linear/factors.h"
#include "linear/newton_kernels.h"
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

NewtonKernels newton_kernels([[maybe_unused]] InstructionSet set, int s, int n) {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (set == InstructionSet::avx512) return avx512_newton_kernels(s, n);
  if (set == InstructionSet::avx2) return avx2_newton_kernels(s, n);
#endif
  return portable_newton_kernels(s, n);
}

namespace {

constexpr int line = 8;  // doubles in a cache line

}  // namespace

double* at_cache_line(double* place) {
  const auto past = reinterpret_cast<std::uintptr_t>(place) / sizeof(double) % line;
  return place + (line - past) % line;
}

DenseFactor lay_out_factor(int n, int parts, double* numbers, long long* rows) {
  const std::size_t stride = static_cast<std::size_t>(padded(n)), square = stride * stride;
  double* const re = numbers;
  double* const im = parts > 1 ? re + square + 2 * stride : nullptr;
  const auto at = [](double* part, std::size_t place) { return part ? part + place : nullptr; };
  return {.n = n,
          .stride = static_cast<int>(stride),
          .re = re,
          .im = im,
          .inverse_re = at(re, square),
          .inverse_im = at(im, square),
          .work_re = at(re, square + stride),
          .work_im = at(im, square + stride),
          .pivot = rows,
          .order = rows + stride};
}

namespace {

/// Owns what a DenseFactor points to.
template <int parts>
class DenseMemory {
 public:
  explicit DenseMemory(int n) {
    numbers_.assign(doubles_of_factor(n, parts) + line, 0.0);
    rows_.assign(2 * static_cast<std::size_t>(padded(n)), 0);
    lay_out(n);
  }
  DenseMemory(const DenseMemory&) = delete;
  DenseMemory& operator=(const DenseMemory&) = delete;

  /// For a matrix that is no larger than the one of the constructor.
  void hold(int n) {
    if (n == factor.n) return;
    std::fill(numbers_.begin(), numbers_.end(), 0.0);
    std::fill(rows_.begin(), rows_.end(), 0);
    lay_out(n);
  }

  DenseFactor factor;

 private:
  void lay_out(int n) {
    factor = lay_out_factor(n, parts, at_cache_line(numbers_.data()), rows_.data());
  }

  std::vector<double> numbers_;
  std::vector<long long> rows_;
};

/// Kernels and their memory, for the whole matrix or for what a Condensation leaves of it.
template <class T>
class DenseFactorization {
 public:
  DenseFactorization(int n, InstructionSet set)
      : set_(set), kernels_(dense_kernels(set, n)), memory_(n) {}

  bool is_condensed() const { return is_condensed_; }
  CondensedRows<T>& condensed() { return condensed_; }
  const DenseKernels& kernels() const { return kernels_; }
  const DenseFactor& factor() const { return memory_.factor; }

  /// True: the matrix that remains is at `re` and `im`.
  bool condense(const Pencil& pencil, T shift, double*& re, double*& im) {
    const Condensation* const found = pencil.condensation.get();
    if (!found && !is_condensed_) return false;
    is_condensed_ = found;
    if (is_condensed_) {
      const int r = found->remaining();
      re = found->scratch(), im = re + static_cast<std::ptrdiff_t>(r) * r;
      is_condensed_ =
          condensed_.form(*found, pencil.size(), pencil.e.data(), pencil.a.data(), shift, re, im);
    }
    const int n = is_condensed_ ? condensed_.remaining() : pencil.size();
    if (n != memory_.factor.n) kernels_ = dense_kernels(set_, n), memory_.hold(n);
    return is_condensed_;
  }
  int in_whole_matrix(const Pencil& pencil, int column) const {
    return column < 0 ? column : pencil.condensation.get()->kept_column()[column];
  }

 private:
  InstructionSet set_;
  DenseKernels kernels_;
  DenseMemory<sizeof(T) / sizeof(double)> memory_;
  bool is_condensed_ = false;
  CondensedRows<T> condensed_;
};

/// Owns what a DenseFactor of one cache line of rows points to, without further allocations.
template <int parts>
class TinyMemory {
 public:
  // An aligned object would have to be allocated in a way that takes longer.
  explicit TinyMemory(int n) : factor(lay_out_factor(n, parts, at_cache_line(numbers_), rows_)) {}
  TinyMemory(const TinyMemory&) = delete;
  TinyMemory& operator=(const TinyMemory&) = delete;

 private:
  double numbers_[parts * line * (line + 2) + line] = {};
  long long rows_[2 * line] = {};

 public:
  DenseFactor factor;
};

template <class Memory>
class DenseRealFactors final : public RealFactors {
 public:
  DenseRealFactors(int n, InstructionSet set) : kernels_(dense_kernels(set, n)), memory_(n) {}

  bool factor(const Pencil& pencil, double shift) override {
    singular_column_ =
        kernels_.factor_real(memory_.factor, pencil.e.data(), pencil.a.data(), shift);
    return singular_column_ < 0;
  }
  void solve(double* x) const override { kernels_.solve_real(memory_.factor, x); }

 private:
  DenseKernels kernels_;
  Memory memory_;
};

template <class Memory>
class DenseComplexFactors final : public ComplexFactors {
 public:
  DenseComplexFactors(int n, InstructionSet set) : kernels_(dense_kernels(set, n)), memory_(n) {}

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
  Memory memory_;
};

class CondensedRealFactors final : public RealFactors {
 public:
  CondensedRealFactors(int n, InstructionSet set) : lu_(n, set) {}

  bool factor(const Pencil& pencil, double shift) override {
    double *re = nullptr, *im = nullptr;
    if (lu_.condense(pencil, shift, re, im)) {
      const int column = lu_.kernels().factor_real(lu_.factor(), re, re, 0);
      singular_column_ = lu_.in_whole_matrix(pencil, column);
    } else {
      singular_column_ =
          lu_.kernels().factor_real(lu_.factor(), pencil.e.data(), pencil.a.data(), shift);
    }
    return singular_column_ < 0;
  }
  void solve(double* x) const override {
    if (!lu_.is_condensed()) return lu_.kernels().solve_real(lu_.factor(), x);
    lu_.kernels().solve_real(lu_.factor(), lu_.condensed().reduce(lu_.kernels(), x, nullptr));
    lu_.condensed().expand(x, nullptr);
  }

 private:
  mutable DenseFactorization<double> lu_;
};

class CondensedComplexFactors final : public ComplexFactors {
 public:
  CondensedComplexFactors(int n, InstructionSet set) : lu_(n, set) {}

  bool factor(const Pencil& pencil, double shift_re, double shift_im) override {
    double *re = nullptr, *im = nullptr;
    if (lu_.condense(pencil, Split(shift_re, shift_im), re, im)) {
      const int column = lu_.kernels().factor_complex(lu_.factor(), im, re, 0, 1);
      singular_column_ = lu_.in_whole_matrix(pencil, column);
    } else {
      singular_column_ = lu_.kernels().factor_complex(lu_.factor(), pencil.e.data(),
                                                      pencil.a.data(), shift_re, shift_im);
    }
    return singular_column_ < 0;
  }
  void solve(double* re, double* im) const override {
    if (!lu_.is_condensed()) return lu_.kernels().solve_complex(lu_.factor(), re, im);
    double* const b = lu_.condensed().reduce(lu_.kernels(), re, im);
    lu_.kernels().solve_complex(lu_.factor(), b, b + lu_.condensed().stride());
    lu_.condensed().expand(re, im);
  }

 private:
  mutable DenseFactorization<Split> lu_;
};

}  // namespace

std::unique_ptr<RealFactors> make_dense_real_factors(int n, InstructionSet set) {
  if (n > largest_uncondensed) return std::make_unique<CondensedRealFactors>(n, set);
  if (n <= 8) return std::make_unique<DenseRealFactors<TinyMemory<1>>>(n, set);
  return std::make_unique<DenseRealFactors<DenseMemory<1>>>(n, set);
}

std::unique_ptr<ComplexFactors> make_dense_complex_factors(int n, InstructionSet set) {
  if (n > largest_uncondensed) return std::make_unique<CondensedComplexFactors>(n, set);
  if (n <= 8) return std::make_unique<DenseComplexFactors<TinyMemory<2>>>(n, set);
  return std::make_unique<DenseComplexFactors<DenseMemory<2>>>(n, set);
}

}  // namespace daedalus
