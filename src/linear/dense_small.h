// LU with partial pivoting for n <= 64, rows never moved: a vector of flags tells which rows are
// still to be eliminated. Four columns make a panel; the trailing columns are then updated by all
// four at once, which saves three of four loads and stores. For the instruction set of the file
// that includes this one.
namespace daedalus {
namespace {

constexpr int panel = 4;

/// Row of the largest entry among the active rows, in every lane.
template <int registers>
Mask largest_row(const Lanes* size, const Mask* active) {
  Mask best{};
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r)
    best = larger(best, key(size[r], lane_numbers(r * width)) & active[r]);
  return row_of(largest(best));
}

/// Loading a row just after storing its register takes longer than permuting registers, where a
/// machine can do that.
constexpr bool permutes = width == 8;

/// Row p of a vector in every lane: from the registers, or else from their copy in memory.
template <int registers>
Lanes row(const Lanes* x, const double* copy, Mask p) {
  if constexpr (!permutes) {
    return spread(copy[p[0]]);
  } else if constexpr (registers == 1) {
    return permute(x[0], p);
  } else if constexpr (registers == 2) {
    return permute(x[0], x[1], p);
  } else {
    constexpr int half = registers <= 4 ? 2 : 4;
    const Lanes low = row<half>(x, copy, p);
    const Lanes high = row<registers - half>(x + half, copy, p);
    return (Mask)((p & (half * width)) != 0) ? high : low;
  }
}

template <int registers>
struct RealSmall {
  static constexpr int rows = registers * width;

  struct Panel {
    alignas(64) double l[panel][rows];  ///< minus the multipliers
    long long pivot[panel];
  };

  static int factor(const DenseFactor& lu, const double* e, const double* a, double shift) {
    const int n = lu.n;
    for (int j = 0; j < n; ++j)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r)
        store(lu.re + j * lu.stride + r * width,
              spread(shift) * load_first(e + j * n + r * width, n - r * width) +
                  load_first(a + j * n + r * width, n - r * width));

    Mask active[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    Panel done{};
    for (int first = 0; first < n; first += panel) {
      factor_panel(lu, first, active, done);
      update(lu, first + panel, done);
    }
    return first_irregular(lu.inverse_re, nullptr, n);
  }

  /// The last panel may reach into the columns of padding, which are not eliminated.
  static void factor_panel(const DenseFactor& lu, int first, Mask* active, Panel& done) {
    double* const matrix = lu.re + first * lu.stride;
    Lanes x[panel][registers];
#pragma GCC unroll 8
    for (int k = 0; k < panel; ++k)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) x[k][r] = load(matrix + k * lu.stride + r * width);
#pragma GCC unroll 8
    for (int k = 0; k < panel; ++k) {
      if (first + k >= lu.n) break;
      double* const column = matrix + k * lu.stride;
      Lanes size[registers];
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) size[r] = absolute(x[k][r]);
      const Mask p = largest_row<registers>(size, active);
      const Lanes t = 1 / row<registers>(x[k], column, p);
      done.pivot[k] = lu.pivot[first + k] = p[0];
      lu.order[p[0]] = first + k;
      lu.inverse_re[first + k] = t[0];
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        active[r] &= (Mask)(lane_numbers(r * width) != p);
        x[k][r] *= t;
        store(column + r * width, x[k][r]);
        x[k][r] = keep(-x[k][r], active[r]);
        store(done.l[k] + r * width, x[k][r]);
      }
#pragma GCC unroll 8
      for (int j = k + 1; j < panel; ++j) {
        const Lanes u = row<registers>(x[j], matrix + j * lu.stride, p);
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          x[j][r] += u * x[k][r];
          if constexpr (!permutes) store(matrix + j * lu.stride + r * width, x[j][r]);
        }
      }
    }
  }

  static void update(const DenseFactor& lu, int first, const Panel& done) {
    const long long* const q = done.pivot;
    const auto& l = done.l;
    for (int j = first; j < lu.n; ++j) {
      double* const y = lu.re + j * lu.stride;
      const double u0 = y[q[0]];
      const double u1 = y[q[1]] + u0 * l[0][q[1]];
      const double u2 = y[q[2]] + u0 * l[0][q[2]] + u1 * l[1][q[2]];
      const double u3 = y[q[3]] + u0 * l[0][q[3]] + u1 * l[1][q[3]] + u2 * l[2][q[3]];
      if (u0 == 0 && u1 == 0 && u2 == 0 && u3 == 0) continue;
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const int i = r * width;
        store(y + i, load(y + i) + spread(u0) * load(l[0] + i) + spread(u1) * load(l[1] + i) +
                         spread(u2) * load(l[2] + i) + spread(u3) * load(l[3] + i));
      }
    }
  }

  template <bool is_padded>
  static void solve(const DenseFactor& lu, double* b) {
    const int n = lu.n;
    const double* const matrix = lu.re;
    alignas(64) double w[rows];
    Lanes x[registers];
    Mask order[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      store(w + r * width, x[r] = take<is_padded>(b + r * width, n - r * width));
      order[r] = load_unaligned(lu.order + r * width);
    }
    for (int k = 0; k < n; ++k) {
      const Lanes s = row<registers>(x, w, spread(lu.pivot[k]));
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask below = (Mask)(order[r] > spread((long long)k));
        x[r] -= s * keep(load(matrix + k * lu.stride + r * width), below);
        if constexpr (!permutes) store(w + r * width, x[r]);
      }
    }
    for (int k = n - 1; k > 0; --k) {
      const Lanes s = row<registers>(x, w, spread(lu.pivot[k]));
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask above = (Mask)(order[r] < spread((long long)k));
        x[r] -= s * keep(load(matrix + k * lu.stride + r * width), above);
        if constexpr (!permutes) store(w + r * width, x[r]);
      }
    }
    if constexpr (is_padded && permutes && registers <= 2) {
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask p = load_unaligned(lu.pivot + r * width);
        store(b + r * width, row<registers>(x, w, p) * load(lu.inverse_re + r * width));
      }
      return;
    }
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) store(w + r * width, x[r]);
    for (int k = 0; k < n; ++k) b[k] = w[lu.pivot[k]] * lu.inverse_re[k];
  }
};

template <int registers>
struct ComplexSmall {
  static constexpr int rows = registers * width;

  struct Panel {
    alignas(64) double lr[panel][rows];  ///< minus the multipliers
    alignas(64) double li[panel][rows];
    long long pivot[panel];
  };

  static int factor(const DenseFactor& lu, const double* e, const double* a, double re, double im) {
    const int n = lu.n;
    for (int j = 0; j < n; ++j)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Lanes x = load_first(e + j * n + r * width, n - r * width);
        store(lu.re + j * lu.stride + r * width,
              spread(re) * x + load_first(a + j * n + r * width, n - r * width));
        store(lu.im + j * lu.stride + r * width, spread(im) * x);
      }

    Mask active[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    Panel done{};
    for (int first = 0; first < n; first += panel) {
      const int last = first + panel < n ? first + panel : n;
      for (int k = first; k < last; ++k) eliminate(lu, first, k, last, active, done);
      update(lu, last, done);
    }
    return first_irregular(lu.inverse_re, lu.inverse_im, n);
  }

  /// More registers leave too few to permute them at a profit.
  static Lanes pivot_row(const Lanes* x, const double* copy, Mask p) {
    if constexpr (registers <= 2)
      return row<registers>(x, copy, p);
    else
      return spread(copy[p[0]]);
  }

  /// Column k of the panel [first, last). A complex panel would fill all registers by itself.
  static void eliminate(const DenseFactor& lu, int first, int k, int last, Mask* active,
                        Panel& done) {
    double* const cr = lu.re + k * lu.stride;
    double* const ci = lu.im + k * lu.stride;
    Lanes x[registers], y[registers], size[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      x[r] = load(cr + r * width);
      y[r] = load(ci + r * width);
      size[r] = absolute(x[r]) + absolute(y[r]);
    }
    const Mask p = largest_row<registers>(size, active);
    const Lanes pr = pivot_row(x, cr, p), pi = pivot_row(y, ci, p);
    const Lanes t = 1 / (pr * pr + pi * pi);
    const Lanes tr = pr * t, ti = -pi * t;
    done.pivot[k - first] = lu.pivot[k] = p[0];
    lu.order[p[0]] = k;
    lu.inverse_re[k] = tr[0];
    lu.inverse_im[k] = ti[0];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      active[r] &= (Mask)(lane_numbers(r * width) != p);
      const Lanes real = x[r] * tr - y[r] * ti;
      const Lanes imag = x[r] * ti + y[r] * tr;
      store(cr + r * width, real);
      store(ci + r * width, imag);
      store(done.lr[k - first] + r * width, x[r] = keep(-real, active[r]));
      store(done.li[k - first] + r * width, y[r] = keep(-imag, active[r]));
    }
    for (int j = k + 1; j < last; ++j) {
      double* const zr = lu.re + j * lu.stride;
      double* const zi = lu.im + j * lu.stride;
      Lanes vr[registers], vi[registers];
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r)
        vr[r] = load(zr + r * width), vi[r] = load(zi + r * width);
      const Lanes ur = pivot_row(vr, zr, p), ui = pivot_row(vi, zi, p);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        store(zr + r * width, vr[r] + ur * x[r] - ui * y[r]);
        store(zi + r * width, vi[r] + ur * y[r] + ui * x[r]);
      }
    }
  }

  static void update(const DenseFactor& lu, int first, const Panel& done) {
    for (int j = first; j < lu.n; ++j) {
      double* const zr = lu.re + j * lu.stride;
      double* const zi = lu.im + j * lu.stride;
      double ur[panel], ui[panel];
      bool zero = true;
#pragma GCC unroll 8
      for (int k = 0; k < panel; ++k) {
        const long long p = done.pivot[k];
        ur[k] = zr[p], ui[k] = zi[p];
#pragma GCC unroll 8
        for (int m = 0; m < k; ++m) {
          ur[k] += ur[m] * done.lr[m][p] - ui[m] * done.li[m][p];
          ui[k] += ur[m] * done.li[m][p] + ui[m] * done.lr[m][p];
        }
        zero = zero & (ur[k] == 0) & (ui[k] == 0);
      }
      if (zero) continue;
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const int i = r * width;
        Lanes x = load(zr + i), y = load(zi + i);
#pragma GCC unroll 8
        for (int k = 0; k < panel; ++k) {
          const Lanes vr = load(done.lr[k] + i), vi = load(done.li[k] + i);
          x = x + spread(ur[k]) * vr - spread(ui[k]) * vi;
          y = y + spread(ur[k]) * vi + spread(ui[k]) * vr;
        }
        store(zr + i, x);
        store(zi + i, y);
      }
    }
  }

  template <bool is_padded>
  static void solve(const DenseFactor& lu, double* re, double* im) {
    const int n = lu.n;
    alignas(64) double wr[rows], wi[rows];
    Lanes x[registers], y[registers];
    Mask order[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      store(wr + r * width, x[r] = take<is_padded>(re + r * width, n - r * width));
      store(wi + r * width, y[r] = take<is_padded>(im + r * width, n - r * width));
      order[r] = load_unaligned(lu.order + r * width);
    }
    for (int k = 0; k < n; ++k) {
      const Mask p = spread(lu.pivot[k]);
      const Lanes s = row<registers>(x, wr, p), t = row<registers>(y, wi, p);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r)
        subtract(lu, k, r, (Mask)(order[r] > spread((long long)k)), s, t, x, y, wr, wi);
    }
    for (int k = n - 1; k > 0; --k) {
      const Mask p = spread(lu.pivot[k]);
      const Lanes s = row<registers>(x, wr, p), t = row<registers>(y, wi, p);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r)
        subtract(lu, k, r, (Mask)(order[r] < spread((long long)k)), s, t, x, y, wr, wi);
    }
    if constexpr (is_padded && permutes && registers <= 2) {
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask p = load_unaligned(lu.pivot + r * width);
        const Lanes s = row<registers>(x, wr, p), t = row<registers>(y, wi, p);
        const Lanes tr = load(lu.inverse_re + r * width), ti = load(lu.inverse_im + r * width);
        store(re + r * width, s * tr - t * ti);
        store(im + r * width, s * ti + t * tr);
      }
      return;
    }
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) store(wr + r * width, x[r]), store(wi + r * width, y[r]);
    for (int k = 0; k < n; ++k) {
      const double s = wr[lu.pivot[k]], t = wi[lu.pivot[k]];
      const double tr = lu.inverse_re[k], ti = lu.inverse_im[k];
      re[k] = s * tr - t * ti;
      im[k] = s * ti + t * tr;
    }
  }

  static void subtract(const DenseFactor& lu, int k, int r, Mask applies, Lanes s, Lanes t,
                       Lanes* x, Lanes* y, double* wr, double* wi) {
    const int i = k * lu.stride + r * width;
    const Lanes lr = keep(load(lu.re + i), applies);
    const Lanes li = keep(load(lu.im + i), applies);
    x[r] = x[r] - s * lr + t * li;
    y[r] = y[r] - s * li - t * lr;
    if constexpr (!permutes) store(wr + r * width, x[r]), store(wi + r * width, y[r]);
  }
};

}  // namespace
}  // namespace daedalus
