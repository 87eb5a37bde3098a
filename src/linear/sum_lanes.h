// The kernels of sum_kernels.h for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

/// Fused where the machine can, whatever a compiler makes of products and sums: machine code for
/// the stages of a step has the same bits.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if DAEDALUS_LANES == 8
  return (Lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif DAEDALUS_LANES == 4
  return (Lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}

/// Two sums side by side, so that a term waits for the one before the last.
inline Lanes sum_of_short_terms(int k, int rest, int count, const double* weight,
                                const double* const* term, const double* from) {
  Lanes even = from ? load_first(from + k, rest) : Lanes{}, odd{};
  int j = 0;
  for (; j + 2 <= count; j += 2) {
    even = multiply_add(spread(weight[j]), load_first(term[j] + k, rest), even);
    odd = multiply_add(spread(weight[j + 1]), load_first(term[j + 1] + k, rest), odd);
  }
  if (j < count) even = multiply_add(spread(weight[j]), load_first(term[j] + k, rest), even);
  return even + odd;
}

/// Several registers at once, so that a term need not wait for the one before it. The same order of
/// terms for all lengths, which code for single numbers has too.
void sum_of_terms(int n, int count, const double* weight, const double* const* term,
                  const double* from, double* to) {
  constexpr int registers = 4;
  int k = 0;
  for (; k + registers * width <= n; k += registers * width) {
    Lanes even[registers], odd[registers] = {};
    for (int r = 0; r < registers; ++r)
      even[r] = from ? load_unaligned(from + k + r * width) : Lanes{};
    const auto add = [&](Lanes* sum, int j) {
      const Lanes w = spread(weight[j]);
      for (int r = 0; r < registers; ++r)
        sum[r] = multiply_add(w, load_unaligned(term[j] + k + r * width), sum[r]);
    };
    int j = 0;
    for (; j + 2 <= count; j += 2) add(even, j), add(odd, j + 1);
    if (j < count) add(even, j);
    for (int r = 0; r < registers; ++r) store_upto(to + k + r * width, even[r] + odd[r], width);
  }
  for (; k + width <= n; k += width)
    store_upto(to + k, sum_of_short_terms(k, width, count, weight, term, from), width);
  if (k < n) store_upto(to + k, sum_of_short_terms(k, n - k, count, weight, term, from), n - k);
}

inline double total(Lanes sum) {
  double result = 0;
  for (int i = 0; i < width; ++i) result += sum[i];
  return result;
}

void weighted_squares(int n, double rtol, const double* atol, const double* a, const double* b,
                      int count, const double* const* x, double* sums) {
  Lanes first{}, second{};
  const Lanes relative = spread(rtol);
  for (int k = 0; k < n; k += width) {
    const int rest = n - k;
    const Lanes size_a = absolute(load_first(a + k, rest)),
                size_b = absolute(load_first(b + k, rest));
    Lanes weight = load_first(atol + k, rest) + relative * (size_a > size_b ? size_a : size_b);
    if (rest < width) weight += keep(spread(1.0), lane_numbers(0) >= spread((long long)rest));
    const Lanes inverse = spread(1.0) / weight;
    const Lanes part = load_first(x[0] + k, rest) * inverse;
    first += part * part;
    if (count == 1) continue;
    const Lanes other = load_first(x[1] + k, rest) * inverse;
    second += other * other;
  }
  sums[0] = total(first);
  if (count > 1) sums[1] = total(second);
}

}  // namespace
}  // namespace daedalus
