// Arithmetic that is the same for a number and for four in a vector register, for files that have
// chosen their instruction set and included linear/dense_lanes.h.
namespace daedalus {
namespace {

inline Lanes fused(Lanes a, Lanes b, Lanes c) {
  return (Lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// The same number in all lanes.
template <class Number>
inline Number all(double value) {
  return Number{} + value;
}

/// Highest power first.
template <class Number, int count>
inline Number sum_of_powers(Number z, const double (&series)[count]) {
  Number sum = all<Number>(series[0]);
  for (int k = 1; k < count; ++k) sum = fused(z, sum, all<Number>(series[k]));
  return sum;
}

}  // namespace
}  // namespace daedalus
