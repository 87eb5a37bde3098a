// LU with partial pivoting for a matrix that fits into registers, a column in each: n <= width.
// Nothing is loaded or stored between the first column and the last, and the pivot row never
// leaves the vector unit, where the latency of the elimination lies. For the instruction set of
// the file that includes this one.
namespace daedalus {
namespace {

template <int n>
struct RealTiny {
  static int factor(const DenseFactor& lu, const double* e, const double* a, double shift) {
    const Mask lanes = lane_numbers(0);
    Mask active = (Mask)(lanes < spread((long long)n));
    Mask order{};
    Lanes x[n];
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j)
      x[j] = spread(shift) * load_first(e + j * n, n) + load_first(a + j * n, n);
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) {
      const Lanes inverses = 1 / x[k];  // of all rows: earlier than after the search for one
      const Mask p = row_of(largest(key(absolute(x[k]), lanes) & active));
      const Mask here = (Mask)(lanes == p);
      const Lanes t = permute(inverses, p);
      lu.pivot[k] = p[0];
      lu.inverse_re[k] = t[0];
      order |= spread((long long)k) & here;
      active &= ~here;
      const Lanes scaled = x[k] * t;
      store(lu.re + k * lu.stride, scaled);
      const Lanes l = keep(scaled, active);
#pragma GCC unroll 8
      for (int j = k + 1; j < n; ++j) x[j] -= permute(x[j], p) * l;
    }
    store_unaligned(lu.order, order);
    return first_irregular(lu.inverse_re, nullptr, n);
  }

  static Lanes solved(const DenseFactor& lu, Lanes x) {
    const Mask order = load_unaligned(lu.order);
#pragma GCC unroll 8
    for (int k = 0; k < n - 1; ++k)
      x -= permute(x, spread(lu.pivot[k])) *
           keep(load(lu.re + k * lu.stride), (Mask)(order > spread((long long)k)));
#pragma GCC unroll 8
    for (int k = n - 1; k > 0; --k)
      x -= permute(x, spread(lu.pivot[k])) *
           keep(load(lu.re + k * lu.stride), (Mask)(order < spread((long long)k)));
    return permute(x, load_unaligned(lu.pivot)) * load(lu.inverse_re);
  }

  template <bool is_padded>
  static void solve(const DenseFactor& lu, double* b) {
    give<is_padded>(b, solved(lu, take<is_padded>(b, n)), n);
  }
};

template <int n>
struct ComplexTiny {
  static int factor(const DenseFactor& lu, const double* e, const double* a, double re, double im) {
    const Mask lanes = lane_numbers(0);
    Mask active = (Mask)(lanes < spread((long long)n));
    Mask order{};
    Lanes x[n], y[n];
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
      const Lanes ej = load_first(e + j * n, n);
      x[j] = spread(re) * ej + load_first(a + j * n, n);
      y[j] = spread(im) * ej;
    }
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) {
      const Lanes inverses = 1 / (x[k] * x[k] + y[k] * y[k]);
      const Mask p = row_of(largest(key(absolute(x[k]) + absolute(y[k]), lanes) & active));
      const Mask here = (Mask)(lanes == p);
      const Lanes tr = permute(x[k] * inverses, p);
      const Lanes ti = permute(-y[k] * inverses, p);
      lu.pivot[k] = p[0];
      lu.inverse_re[k] = tr[0];
      lu.inverse_im[k] = ti[0];
      order |= spread((long long)k) & here;
      active &= ~here;
      const Lanes real = x[k] * tr - y[k] * ti;
      const Lanes imag = x[k] * ti + y[k] * tr;
      store(lu.re + k * lu.stride, real);
      store(lu.im + k * lu.stride, imag);
      const Lanes lr = keep(real, active);
      const Lanes li = keep(imag, active);
#pragma GCC unroll 8
      for (int j = k + 1; j < n; ++j) {
        const Lanes ur = permute(x[j], p), ui = permute(y[j], p);
        x[j] = x[j] - ur * lr + ui * li;
        y[j] = y[j] - ur * li - ui * lr;
      }
    }
    store_unaligned(lu.order, order);
    return first_irregular(lu.inverse_re, lu.inverse_im, n);
  }

  static void solve(const DenseFactor& lu, Lanes& x, Lanes& y) {
    const Mask order = load_unaligned(lu.order);
#pragma GCC unroll 8
    for (int k = 0; k < n - 1; ++k) subtract(lu, k, (Mask)(order > spread((long long)k)), x, y);
#pragma GCC unroll 8
    for (int k = n - 1; k > 0; --k) subtract(lu, k, (Mask)(order < spread((long long)k)), x, y);
    const Mask pivot = load_unaligned(lu.pivot);
    const Lanes s = permute(x, pivot), t = permute(y, pivot);
    const Lanes tr = load(lu.inverse_re), ti = load(lu.inverse_im);
    x = s * tr - t * ti;
    y = s * ti + t * tr;
  }

  template <bool is_padded>
  static void solve(const DenseFactor& lu, double* re, double* im) {
    Lanes x = take<is_padded>(re, n);
    Lanes y = take<is_padded>(im, n);
    solve(lu, x, y);
    give<is_padded>(re, x, n);
    give<is_padded>(im, y, n);
  }

  static void subtract(const DenseFactor& lu, int k, Mask rows, Lanes& x, Lanes& y) {
    const Mask p = spread(lu.pivot[k]);
    const Lanes s = permute(x, p), t = permute(y, p);
    const Lanes lr = keep(load(lu.re + k * lu.stride), rows);
    const Lanes li = keep(load(lu.im + k * lu.stride), rows);
    x = x - s * lr + t * li;
    y = y - s * li - t * lr;
  }
};

}  // namespace
}  // namespace daedalus
