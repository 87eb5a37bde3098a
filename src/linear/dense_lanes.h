// Vector registers of DAEDALUS_LANES doubles, a macro of the including file. No include
// guard and no inline library functions: every kernel file has its own copy, so that no code for
// a better machine than the present one can leak into the rest of the program.
namespace daedalus {
namespace {

constexpr int width = DAEDALUS_LANES;

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
inline void store_unaligned(long long* p, Mask x) {
  using Memory = long long __attribute__((vector_size(8 * width), aligned(8), may_alias));
  *reinterpret_cast<Memory*>(p) = x;
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

/// Lane i of the result is lane p[i] of x, or of x and y in a row.
template <class Vector>
inline Vector permute(Vector x, Mask p) {
#if defined(__clang__)
  Vector z;
  for (int i = 0; i < width; ++i) z[i] = x[p[i] & (width - 1)];
  return z;
#else
  return __builtin_shuffle(x, p);
#endif
}
inline Lanes permute(Lanes x, Lanes y, Mask p) {
#if defined(__clang__)
  Lanes z;
  for (int i = 0; i < width; ++i) z[i] = (p[i] & width ? y : x)[p[i] & (width - 1)];
  return z;
#else
  return __builtin_shuffle(x, y, p);
#endif
}

/// 0, 1, 2, ... from `first` on.
inline Mask lane_numbers(long long first) {
  Mask lanes;
  for (int i = 0; i < width; ++i) lanes[i] = first + i;
  return lanes;
}

/// The first `count` doubles (all if there are so many) and zeros; touches no memory beyond them.
inline Lanes load_first(const double* p, int count) {
  if (count <= 0) return Lanes{};
  if (count >= width) return load_unaligned(p);
#if DAEDALUS_LANES == 8
  return (Lanes)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p);
#elif DAEDALUS_LANES == 4
  return (Lanes)_mm256_maskload_pd(p, (__m256i)(lane_numbers(0) < spread((long long)count)));
#else
  Lanes x{};
  for (int i = 0; i < count; ++i) x[i] = p[i];
  return x;
#endif
}

/// Padded: there are whole, aligned registers behind p, whatever `count` says. Parts of registers
/// reach the next load late, and not before those of their neighbours are in memory.
template <bool is_padded>
inline Lanes take(const double* p, int count) {
  if constexpr (is_padded)
    return load(p);
  else
    return load_first(p, count);
}

inline void store_first(double* p, Lanes x, int count) {
#if DAEDALUS_LANES == 8
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << count) - 1), (__m512d)x);
#elif DAEDALUS_LANES == 4
  _mm256_maskstore_pd(p, (__m256i)(lane_numbers(0) < spread((long long)count)), (__m256d)x);
#else
  for (int i = 0; i < count; ++i) p[i] = x[i];
#endif
}

inline void store_upto(double* p, Lanes x, int count) {
  using Memory = double __attribute__((vector_size(8 * width), aligned(8), may_alias));
  if (count >= width)
    *reinterpret_cast<Memory*>(p) = x;
  else
    store_first(p, x, count);
}

template <bool is_padded>
inline void give(double* p, Lanes x, int count) {
  if constexpr (is_padded)
    store(p, x);
  else
    store_upto(p, x, count);
}

inline Mask larger(Mask x, Mask y) {
  return x > y ? x : y;
}

/// The largest lane in every lane.
inline Mask largest(Mask x) {
#if DAEDALUS_LANES == 8
  x = larger(x, permute(x, Mask{4, 5, 6, 7, 0, 1, 2, 3}));
  x = larger(x, permute(x, Mask{2, 3, 0, 1, 6, 7, 4, 5}));
  return larger(x, permute(x, Mask{1, 0, 3, 2, 5, 4, 7, 6}));
#elif DAEDALUS_LANES == 4
  x = larger(x, permute(x, Mask{2, 3, 0, 1}));
  return larger(x, permute(x, Mask{1, 0, 3, 2}));
#else
  return larger(x, permute(x, Mask{1, 0}));
#endif
}

/// Row numbers of the largest sizes: the low six bits of a size give way to its row, so one maximum
/// yields both; entries that agree in 46 bits are equally good pivots.
inline Mask key(Lanes size, Mask row) {
  return ((Mask)size & spread(~63LL)) | row;
}
inline Mask row_of(Mask key) {
  return key & spread(63LL);
}

/// A zero or non-finite pivot makes its inverse zero or non-finite. `imaginary` may be null.
inline int first_irregular(const double* inverse, const double* imaginary, int n) {
  for (int k = 0; k < n; ++k) {
    const double size = __builtin_fabs(inverse[k]) + (imaginary ? __builtin_fabs(imaginary[k]) : 0);
    if (!(size > 0 && size < __builtin_inf())) return k;
  }
  return -1;
}

}  // namespace
}  // namespace daedalus
