// What right-looking factorisations have in common. For the instruction set of the file that
// includes this one.
namespace daedalus {
namespace {

inline void exchange(double& x, double& y) {
  const double t = x;
  x = y;
  y = t;
}

/// Divides column k by its pivot and subtracts its multiples from the columns up to `last`.
inline void eliminate_column(double* matrix, long long stride, int n, int k, int last,
                             double inverse) {
  double* const x = matrix + k * stride;
  for (int i = k + 1; i < n; ++i) x[i] *= inverse;
  for (int j = k + 1; j < last; ++j) {
    double* const y = matrix + j * stride;
    const double u = y[k];
    if (u == 0) continue;
#pragma GCC ivdep
    for (int i = k + 1; i < n; ++i) y[i] -= u * x[i];
  }
}

template <int columns, int registers>
[[gnu::always_inline]] inline void subtract_product(const double* l, const double (&u)[columns],
                                                    Lanes (&sum)[columns][registers]) {
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r) {
    const Lanes x = load(l + r * width);
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) sum[c][r] -= spread(u[c]) * x;
  }
}

/// y -= l u, with l of `depth` columns, of which the compiler may know how many. One register of a
/// column is one chain of additions; several registers of several columns are enough chains to
/// keep the units busy.
template <int columns, int registers, int known = 0>
[[gnu::always_inline]] inline void subtract_tile(const double* l, const double (*u)[columns],
                                                 double* y, long long stride, int depth = known) {
  Lanes sum[columns][registers];
#pragma GCC unroll 8
  for (int c = 0; c < columns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) sum[c][r] = load(y + c * stride + r * width);
  if constexpr (known > 0) {
#pragma GCC unroll 8
    for (int k = 0; k < known; ++k) subtract_product(l + k * stride, u[k], sum);
  } else {
    for (int k = 0; k < depth; ++k) subtract_product(l + k * stride, u[k], sum);
  }
#pragma GCC unroll 8
  for (int c = 0; c < columns; ++c)
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) store(y + c * stride + r * width, sum[c][r]);
}

}  // namespace
}  // namespace daedalus
