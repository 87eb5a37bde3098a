// LU with partial pivoting for a matrix that fits into registers, a column in each: n <= width.
// Nothing is loaded or stored between the first column and the last, and the pivot row never
// leaves the vector unit, where the latency of the elimination lies. For the instruction set of
// the file that includes this one.
namespace daedalus {
namespace {

template <int n>
struct RealTiny {
  /// A factorisation under way.
  struct Elimination {
    Lanes x[n];
    Mask active, order;
  };

  [[gnu::always_inline]] static inline void begin(Elimination& m, const double* e, const double* a,
                                                  double shift) {
    m.active = (Mask)(lane_numbers(0) < spread((long long)n));
    m.order = Mask{};
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j)
      m.x[j] = spread(shift) * load_first(e + j * n, n) + load_first(a + j * n, n);
  }

  [[gnu::always_inline]] static inline void eliminate(Elimination& m, const DenseFactor& lu,
                                                      int k) {
    const Mask lanes = lane_numbers(0);
    const Lanes inverses = 1 / m.x[k];  // of all rows: earlier than after the search for one
    const Mask p = row_of(largest(key(absolute(m.x[k]), lanes) & m.active));
    const Mask here = (Mask)(lanes == p);
    const Lanes t = permute(inverses, p);
    lu.pivot[k] = p[0];
    lu.inverse_re[k] = t[0];
    m.order |= spread((long long)k) & here;
    m.active &= ~here;
    const Lanes scaled = m.x[k] * t;
    store(lu.re + k * lu.stride, scaled);
    const Lanes l = keep(scaled, m.active);
#pragma GCC unroll 8
    for (int j = k + 1; j < n; ++j) m.x[j] -= permute(m.x[j], p) * l;
  }

  [[gnu::always_inline]] static inline int finish(const Elimination& m, const DenseFactor& lu) {
    store_unaligned(lu.order, m.order);
    return first_irregular(lu.inverse_re, nullptr, n);
  }

  static int factor(const DenseFactor& lu, const double* e, const double* a, double shift) {
    Elimination m;
    begin(m, e, a, shift);
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) eliminate(m, lu, k);
    return finish(m, lu);
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
  struct Elimination {
    Lanes x[n], y[n];
    Mask active, order;
  };

  [[gnu::always_inline]] static inline void begin(Elimination& m, const double* e, const double* a,
                                                  double re, double im) {
    m.active = (Mask)(lane_numbers(0) < spread((long long)n));
    m.order = Mask{};
#pragma GCC unroll 8
    for (int j = 0; j < n; ++j) {
      const Lanes ej = load_first(e + j * n, n);
      m.x[j] = spread(re) * ej + load_first(a + j * n, n);
      m.y[j] = spread(im) * ej;
    }
  }

  [[gnu::always_inline]] static inline void eliminate(Elimination& m, const DenseFactor& lu,
                                                      int k) {
    const Mask lanes = lane_numbers(0);
    const Lanes inverses = 1 / (m.x[k] * m.x[k] + m.y[k] * m.y[k]);
    const Mask p = row_of(largest(key(absolute(m.x[k]) + absolute(m.y[k]), lanes) & m.active));
    const Mask here = (Mask)(lanes == p);
    const Lanes tr = permute(m.x[k] * inverses, p);
    const Lanes ti = permute(-m.y[k] * inverses, p);
    lu.pivot[k] = p[0];
    lu.inverse_re[k] = tr[0];
    lu.inverse_im[k] = ti[0];
    m.order |= spread((long long)k) & here;
    m.active &= ~here;
    const Lanes real = m.x[k] * tr - m.y[k] * ti;
    const Lanes imag = m.x[k] * ti + m.y[k] * tr;
    store(lu.re + k * lu.stride, real);
    store(lu.im + k * lu.stride, imag);
    const Lanes lr = keep(real, m.active);
    const Lanes li = keep(imag, m.active);
#pragma GCC unroll 8
    for (int j = k + 1; j < n; ++j) {
      const Lanes ur = permute(m.x[j], p), ui = permute(m.y[j], p);
      m.x[j] = m.x[j] - ur * lr + ui * li;
      m.y[j] = m.y[j] - ur * li - ui * lr;
    }
  }

  [[gnu::always_inline]] static inline int finish(const Elimination& m, const DenseFactor& lu) {
    store_unaligned(lu.order, m.order);
    return first_irregular(lu.inverse_re, lu.inverse_im, n);
  }

  static int factor(const DenseFactor& lu, const double* e, const double* a, double re, double im) {
    Elimination m;
    begin(m, e, a, re, im);
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) eliminate(m, lu, k);
    return finish(m, lu);
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
