// Exponentials for x86 with AVX2. What follows the pragma must not use inline functions of other
// headers: the linker might keep this version of them for the whole program.
#include "expression/exponentials.h"
#include "linear/dense_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>
#include <math.h>

#pragma GCC target("avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 4
#include "linear/dense_lanes.h"
#include "expression/fused_numbers.h"
// clang-format on

namespace daedalus {
namespace {

/// Beyond, 2^n is no normal number.
constexpr double largest_exponent = 708;

/// 1/k! for even and odd k from 2 on, highest first: on |r| <= log(2)/2 what is left out is below
/// r^14/14! < 2^-57.
constexpr double even_series[] = {1.0 / 479001600, 1.0 / 3628800, 1.0 / 40320,
                                  1.0 / 720,       1.0 / 24,      1.0 / 2};
constexpr double odd_series[] = {1.0 / 6227020800, 1.0 / 39916800, 1.0 / 362880,
                                 1.0 / 5040,       1.0 / 120,      1.0 / 6};

/// x = n log 2 + r + c: l1 has so few digits that x - n l1 is exact, and c is what r was rounded
/// by.
///   e^x = 2^n (1 + (r + (c + r^2 (1/2! + r/3! + ...))))
inline Lanes raised(Lanes x) {
  const Lanes per_log = spread(0x1.71547652b82fep+0), l1 = spread(0x1.62e42feep-1),
              l2 = spread(0x1.a39ef35793c76p-33);
  const Lanes to_integer = spread(0x1.8p52);  // in sums with it the last place counts ones
  const Lanes shifted = fused(x, per_log, to_integer), n = shifted - to_integer;
  const Lanes most = fused(-n, l1, x), rest = n * l2, r = most - rest, c = (most - r) - rest;
  const Lanes z = r * r;
  const Lanes series = fused(r, sum_of_powers(z, odd_series), sum_of_powers(z, even_series));
  using Bits = unsigned long long __attribute__((vector_size(sizeof(Lanes))));
  const Lanes power = spread(1.0) + (r + fused(z, series, c));
  return (Lanes)((Bits)power + ((Bits)shifted << 52));
}

}  // namespace

void fused_four_exponentials(double* target, const double* x) {
  const Lanes given = load_unaligned(x);
  _mm256_storeu_pd(target, (__m256d)raised(given));
  const Mask large = ~(absolute(given) <= spread(largest_exponent));
  if (!_mm256_movemask_pd((__m256d)large)) return;
  for (int i = 0; i < width; ++i)
    if (large[i]) target[i] = ::exp(given[i]);
}

}  // namespace daedalus
#endif
