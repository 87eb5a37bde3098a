// Vector registers of the instruction set that the including file is compiled for. No include
// guard and no inline library functions: every kernel file has its own copy, so that no code for
// a better machine than the present one can leak into the rest of the program.
namespace daedalus {
namespace {

#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif

using Lanes = double __attribute__((vector_size(8 * width)));
using Mask = long long __attribute__((vector_size(8 * width)));

inline Lanes load(const double* p) {
  using Memory = double __attribute__((vector_size(8 * width), may_alias));
  return *reinterpret_cast<const Memory*>(p);
}
inline void store(double* p, Lanes x) {
  using Memory = double __attribute__((vector_size(8 * width), may_alias));
  *reinterpret_cast<Memory*>(p) = x;
}
inline Lanes load_unaligned(const double* p) {
  using Memory = double __attribute__((vector_size(8 * width), aligned(8), may_alias));
  return *reinterpret_cast<const Memory*>(p);
}
inline Mask load_unaligned(const long long* p) {
  using Memory = long long __attribute__((vector_size(8 * width), aligned(8), may_alias));
  return *reinterpret_cast<const Memory*>(p);
}
inline Lanes spread(double x) {
  return Lanes{} + x;
}
inline Mask spread(long long x) {
  return Mask{} + x;
}
inline Lanes keep(Lanes x, Mask mask) {
  return (Lanes)((Mask)x & mask);
}
inline Lanes absolute(Lanes x) {
  return keep(x, spread(0x7fffffffffffffffLL));
}

/// 0, 1, 2, ... from `first` on.
inline Mask lane_numbers(long long first) {
  Mask lanes;
  for (int i = 0; i < width; ++i) lanes[i] = first + i;
  return lanes;
}

/// The first `count` < width doubles and zeros; touches no memory beyond them.
inline Lanes load_first(const double* p, int count) {
#if defined(__AVX512F__)
  return (Lanes)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p);
#elif defined(__AVX2__)
  return (Lanes)_mm256_maskload_pd(p, (__m256i)(lane_numbers(0) < spread((long long)count)));
#else
  Lanes x{};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
#endif
}

/// Of non-negative numbers; as integers they have the same order.
inline Mask larger(Mask x, Mask y) {
#if defined(__AVX512F__)
  return (Mask)_mm512_max_epi64((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
  return (Mask)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
  return x > y ? x : y;
#endif
}

inline long long largest(Mask x) {
#if defined(__AVX512F__)
  x = larger(x, (Mask)_mm512_shuffle_i64x2((__m512i)x, (__m512i)x, 0x4e));
  x = larger(x, (Mask)_mm512_shuffle_i64x2((__m512i)x, (__m512i)x, 0xb1));
  x = larger(x, (Mask)_mm512_shuffle_pd((__m512d)x, (__m512d)x, 0x55));
  return x[0];
#elif defined(__AVX2__)
  x = larger(x, (Mask)_mm256_permute2f128_pd((__m256d)x, (__m256d)x, 1));
  x = larger(x, (Mask)_mm256_shuffle_pd((__m256d)x, (__m256d)x, 5));
  return x[0];
#else
  return x[0] > x[1] ? x[0] : x[1];
#endif
}

}  // namespace
}  // namespace daedalus
