// The kernel of sum_kernels.h for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

/// Several registers at once, so that a term need not wait for the one before it.
void sum_of_terms(int n, int count, const double* weight, const double* const* term,
                  const double* from, double* to) {
  constexpr int registers = 4;
  int k = 0;
  for (; k + registers * width <= n; k += registers * width) {
    Lanes x[registers];
    for (int r = 0; r < registers; ++r)
      x[r] = from ? load_unaligned(from + k + r * width) : Lanes{};
    for (int j = 0; j < count; ++j) {
      const Lanes w = spread(weight[j]);
      for (int r = 0; r < registers; ++r) x[r] += w * load_unaligned(term[j] + k + r * width);
    }
    for (int r = 0; r < registers; ++r) store_upto(to + k + r * width, x[r], width);
  }
  for (; k < n; k += width) {
    Lanes x = from ? load_first(from + k, n - k) : Lanes{};
    for (int j = 0; j < count; ++j) x += spread(weight[j]) * load_first(term[j] + k, n - k);
    store_upto(to + k, x, n - k);
  }
}

}  // namespace
}  // namespace daedalus
