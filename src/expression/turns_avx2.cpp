// Sines and cosines for x86 with AVX2. What follows the pragma must not use inline functions of
// other headers: the linker might keep this version of them for the whole program.
#include "expression/turns.h"
#include "linear/dense_kernels.h"

#if defined(DAEDALUS_HAS_AVX_KERNELS)
#include <immintrin.h>

#pragma GCC target("avx2,fma,bmi,bmi2")
// clang-format off
#define DAEDALUS_LANES 4
#include "linear/dense_lanes.h"
#include "expression/fused_numbers.h"
// clang-format on

namespace daedalus {
namespace {

/// Beyond, n times what is missing of pi/2 would be seen in the result.
constexpr double largest_turn = 1e6;

inline Mask bits_of(Lanes x) {
  return (Mask)x;
}
inline long long bits_of(double x) {
  return __builtin_bit_cast(long long, x);
}
inline void put_bits(Mask x, Lanes& to) {
  to = (Lanes)x;
}
inline void put_bits(long long x, double& to) {
  to = __builtin_bit_cast(double, x);
}

/// Minimax polynomials on |r| <= pi/4, highest power of r^2 first: (sin r - r) / r^3 and
/// (cos r - 1 + r^2/2) / r^4, errors below 2^-58. [fdlibm, k_sin.c and k_cos.c]
constexpr double sine_series[] = {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                                  2.75573137070700676789e-06, -1.98412698298579493134e-04,
                                  8.33333333332248946124e-03, -1.66666666666666324348e-01};
constexpr double cosine_series[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                    -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                    -1.38888888888741095749e-03, 4.16666666666666019037e-02};

/// x = n pi/2 + r: fused, x - n p1 is exact, and p1 + p2 is pi/2 to 107 bits.
template <class Number>
inline void turn(Number x, Number& sine, Number& cosine) {
  const Number one = all<Number>(1), per_quarter = all<Number>(0x1.45f306dc9c883p-1),
               p1 = all<Number>(0x1.921fb54442d18p+0), p2 = all<Number>(0x1.1a62633145c07p-54);
  const Number to_integer = all<Number>(0x1.8p52);  // in sums with it the last place counts ones
  const Number shifted = fused(x, per_quarter, to_integer), n = shifted - to_integer;
  const Number r = fused(-n, p2, fused(-n, p1, x)), z = r * r;
  const Number s = fused(r * z, sum_of_powers(z, sine_series), r);
  const Number half = z * all<Number>(0.5), most = one - half;
  const Number c = most + fused(z * z, sum_of_powers(z, cosine_series), (one - most) - half);

  // Odd quarters change places; the second and third, the first and second change signs.
  const auto quarter = bits_of(shifted);
  const auto swap = -(quarter & 1);
  const auto a = bits_of(s), b = bits_of(c), change = (a ^ b) & swap;
  put_bits((a ^ change) ^ ((quarter & 2) << 62), sine);
  put_bits((b ^ change) ^ (((quarter + 1) & 2) << 62), cosine);
}

void turn_all(double* memory, const Turn* list, int count) {
  for (; count > 0; list += width, count -= width) {
    const int own = count < width ? count : width;
    Lanes x{}, sine, cosine;
    for (int k = 0; k < own; ++k) x[k] = memory[list[k].argument];
    const Mask large = ~(absolute(x) <= spread(largest_turn));
    turn(x, sine, cosine);
    bool any = false;
    for (int k = 0; k < own; ++k) {
      memory[list[k].sine] = sine[k], memory[list[k].cosine] = cosine[k];
      any = any || large[k];
    }
    for (int k = 0; any && k < own; ++k)
      if (large[k]) turn_by_library(x[k], &memory[list[k].sine], &memory[list[k].cosine]);
  }
}

}  // namespace

TurnKernel fused_turn_kernel() {
  return turn_all;
}

void fused_sine_and_cosine(double x, double* sine, double* cosine) {
  if (__builtin_fabs(x) <= largest_turn)
    turn(x, *sine, *cosine);
  else
    turn_by_library(x, sine, cosine);
}

}  // namespace daedalus
#endif
