// LU with partial pivoting for n <= 64, rows never moved: a vector of flags tells which rows are
// still to be eliminated. Four columns make a panel; the trailing columns are then updated by all
// four at once, which saves three of four loads and stores. For the instruction set of the file
// that includes this one.
namespace daedalus {
namespace {

constexpr int panel = 4;
constexpr int most_rows = 64;

/// Row of the largest entry among the active rows.
template <int registers>
long long largest_row(const Lanes* size, const Mask* active) {
  Mask best{};
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r)
    best = larger(best, key(size[r], lane_numbers(r * width)) & active[r]);
  return row_of(largest(best))[0];
}

/// A row of a vector in every lane: from the registers where the machine can permute them, else
/// from the copy in memory.
template <int registers>
constexpr bool in_registers = width == 8 && registers <= 2;

template <int registers>
Lanes row(const Lanes* x, const double* copy, long long p) {
  if constexpr (!in_registers<registers>)
    return spread(copy[p]);
  else if constexpr (registers == 1)
    return __builtin_shuffle(x[0], spread(p));
  else
    return __builtin_shuffle(x[0], x[1], spread(p));
}

template <int registers>
struct RealSmall {
  static constexpr int rows = registers * width;

  static int factor(const DenseFactor& lu, const double* e, const double* a, double shift) {
    const int n = lu.n;
    const int stride = lu.stride;
    double* const matrix = lu.re;
    for (int j = 0; j < n; ++j)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r)
        store(matrix + j * stride + r * width,
              spread(shift) * load_first(e + j * n + r * width, n - r * width) +
                  load_first(a + j * n + r * width, n - r * width));

    Mask active[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    alignas(64) double l[panel][rows];  // minus the multipliers of the panel
    long long q[panel];

    for (int first = 0; first < n; first += panel) {
      const int last = first + panel < n ? first + panel : n;
      for (int k = first; k < last; ++k) {
        double* const column = matrix + k * stride;
        double* const multipliers = l[k - first];
        Lanes x[registers], size[registers];
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          x[r] = load(column + r * width);
          size[r] = absolute(x[r]);
        }
        const long long p = largest_row<registers>(size, active);
        const double t = 1 / column[p];
        q[k - first] = lu.pivot[k] = p;
        lu.order[p] = k;
        lu.inverse_re[k] = t;
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          active[r] &= (Mask)(lane_numbers(r * width) != spread(p));
          x[r] *= spread(t);
          store(column + r * width, x[r]);
          x[r] = keep(-x[r], active[r]);
          store(multipliers + r * width, x[r]);
        }
        for (int j = k + 1; j < last; ++j) {
          double* const y = matrix + j * stride;
          const Lanes u = spread(y[p]);
#pragma GCC unroll 8
          for (int r = 0; r < registers; ++r) store(y + r * width, load(y + r * width) + u * x[r]);
        }
      }
      for (int j = last; j < n; ++j) {
        double* const y = matrix + j * stride;
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
    return first_irregular(lu.inverse_re, nullptr, n);
  }

  static void solve(const DenseFactor& lu, double* b) {
    const int n = lu.n;
    const double* const matrix = lu.re;
    alignas(64) double w[rows];
    Lanes x[registers];
    Mask order[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      store(w + r * width, x[r] = load_first(b + r * width, n - r * width));
      order[r] = load_unaligned(lu.order + r * width);
    }
    for (int k = 0; k < n; ++k) {
      const Lanes s = row<registers>(x, w, lu.pivot[k]);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask below = (Mask)(order[r] > spread((long long)k));
        x[r] -= s * keep(load(matrix + k * lu.stride + r * width), below);
        if constexpr (!in_registers<registers>) store(w + r * width, x[r]);
      }
    }
    for (int k = n - 1; k > 0; --k) {
      const Lanes s = row<registers>(x, w, lu.pivot[k]);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Mask above = (Mask)(order[r] < spread((long long)k));
        x[r] -= s * keep(load(matrix + k * lu.stride + r * width), above);
        store(w + r * width, x[r]);
      }
    }
    for (int k = 0; k < n; ++k) b[k] = w[lu.pivot[k]] * lu.inverse_re[k];
  }
};

template <int registers>
struct ComplexSmall {
  static constexpr int rows = registers * width;

  static int factor(const DenseFactor& lu, const double* e, const double* a, double re, double im) {
    const int n = lu.n;
    const int stride = lu.stride;
    double* const matrix_re = lu.re;
    double* const matrix_im = lu.im;
    for (int j = 0; j < n; ++j)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Lanes ej = load_first(e + j * n + r * width, n - r * width);
        store(matrix_re + j * stride + r * width,
              spread(re) * ej + load_first(a + j * n + r * width, n - r * width));
        store(matrix_im + j * stride + r * width, spread(im) * ej);
      }

    Mask active[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    alignas(64) double lr[panel][rows], li[panel][rows];
    long long q[panel];

    for (int first = 0; first < n; first += panel) {
      const int last = first + panel < n ? first + panel : n;
      for (int k = first; k < last; ++k) {
        double* const cr = matrix_re + k * stride;
        double* const ci = matrix_im + k * stride;
        Lanes x[registers], y[registers], size[registers];
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          x[r] = load(cr + r * width);
          y[r] = load(ci + r * width);
          size[r] = absolute(x[r]) + absolute(y[r]);
        }
        const long long p = largest_row<registers>(size, active);
        const double t = 1 / (cr[p] * cr[p] + ci[p] * ci[p]);
        const double tr = cr[p] * t, ti = -ci[p] * t;
        q[k - first] = lu.pivot[k] = p;
        lu.order[p] = k;
        lu.inverse_re[k] = tr;
        lu.inverse_im[k] = ti;
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          active[r] &= (Mask)(lane_numbers(r * width) != spread(p));
          const Lanes real = x[r] * spread(tr) - y[r] * spread(ti);
          const Lanes imag = x[r] * spread(ti) + y[r] * spread(tr);
          store(cr + r * width, real);
          store(ci + r * width, imag);
          store(lr[k - first] + r * width, x[r] = keep(-real, active[r]));
          store(li[k - first] + r * width, y[r] = keep(-imag, active[r]));
        }
        for (int j = k + 1; j < last; ++j) {
          double* const zr = matrix_re + j * stride;
          double* const zi = matrix_im + j * stride;
          const Lanes ur = spread(zr[p]), ui = spread(zi[p]);
#pragma GCC unroll 8
          for (int r = 0; r < registers; ++r) {
            const int i = r * width;
            store(zr + i, load(zr + i) + ur * x[r] - ui * y[r]);
            store(zi + i, load(zi + i) + ur * y[r] + ui * x[r]);
          }
        }
      }
      for (int j = last; j < n; ++j) {
        double* const zr = matrix_re + j * stride;
        double* const zi = matrix_im + j * stride;
        double ur[panel], ui[panel];
        bool zero = true;
        for (int k = 0; k < panel; ++k) {
          const long long p = q[k];
          ur[k] = zr[p], ui[k] = zi[p];
          for (int m = 0; m < k; ++m) {
            ur[k] += ur[m] * lr[m][p] - ui[m] * li[m][p];
            ui[k] += ur[m] * li[m][p] + ui[m] * lr[m][p];
          }
          zero = zero && ur[k] == 0 && ui[k] == 0;
        }
        if (zero) continue;
#pragma GCC unroll 8
        for (int r = 0; r < registers; ++r) {
          const int i = r * width;
          Lanes x = load(zr + i), y = load(zi + i);
          for (int k = 0; k < panel; ++k) {
            const Lanes vr = load(lr[k] + i), vi = load(li[k] + i);
            x = x + spread(ur[k]) * vr - spread(ui[k]) * vi;
            y = y + spread(ur[k]) * vi + spread(ui[k]) * vr;
          }
          store(zr + i, x);
          store(zi + i, y);
        }
      }
    }
    return first_irregular(lu.inverse_re, lu.inverse_im, n);
  }

  static void solve(const DenseFactor& lu, double* re, double* im) {
    const int n = lu.n;
    alignas(64) double wr[rows], wi[rows];
    Lanes x[registers], y[registers];
    Mask order[registers];
#pragma GCC unroll 8
    for (int r = 0; r < registers; ++r) {
      store(wr + r * width, x[r] = load_first(re + r * width, n - r * width));
      store(wi + r * width, y[r] = load_first(im + r * width, n - r * width));
      order[r] = load_unaligned(lu.order + r * width);
    }
    for (int k = 0; k < n; ++k) {
      const Lanes s = row<registers>(x, wr, lu.pivot[k]);
      const Lanes t = row<registers>(y, wi, lu.pivot[k]);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const int i = k * lu.stride + r * width;
        const Mask below = (Mask)(order[r] > spread((long long)k));
        const Lanes lr = keep(load(lu.re + i), below);
        const Lanes li = keep(load(lu.im + i), below);
        x[r] = x[r] - s * lr + t * li;
        y[r] = y[r] - s * li - t * lr;
        if constexpr (!in_registers<registers>)
          store(wr + r * width, x[r]), store(wi + r * width, y[r]);
      }
    }
    for (int k = n - 1; k > 0; --k) {
      const Lanes s = row<registers>(x, wr, lu.pivot[k]);
      const Lanes t = row<registers>(y, wi, lu.pivot[k]);
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const int i = k * lu.stride + r * width;
        const Mask above = (Mask)(order[r] < spread((long long)k));
        const Lanes lr = keep(load(lu.re + i), above);
        const Lanes li = keep(load(lu.im + i), above);
        x[r] = x[r] - s * lr + t * li;
        y[r] = y[r] - s * li - t * lr;
        store(wr + r * width, x[r]), store(wi + r * width, y[r]);
      }
    }
    for (int k = 0; k < n; ++k) {
      const double s = wr[lu.pivot[k]], t = wi[lu.pivot[k]];
      const double tr = lu.inverse_re[k], ti = lu.inverse_im[k];
      re[k] = s * tr - t * ti;
      im[k] = s * ti + t * tr;
    }
  }
};

}  // namespace
}  // namespace daedalus
