// LU with partial pivoting for n <= 64, rows never moved: a vector of flags tells which rows are
// still to be eliminated. Four columns make a panel; the trailing columns are then updated by all
// four at once, which saves three of four loads and stores. For the instruction set of the file
// that includes this one.
namespace daedalus {
namespace {

constexpr int panel = 4;
constexpr int most_rows = 64;

template <int registers>
struct Small {
  static constexpr int rows = registers * width;

  /// Row of the largest entry. The low six bits of the magnitude give way to the row number, so
  /// one maximum yields both; entries that agree in 46 bits are equally good pivots.
  static int largest_row(const Lanes* size, const Mask* active) {
    Mask best{};
    for (int r = 0; r < registers; ++r) {
      const Mask key = ((Mask)size[r] & spread(~63LL)) | lane_numbers(r * width);
      best = larger(best, key & active[r]);
    }
    return static_cast<int>(largest(best) & 63);
  }

  static Lanes load_rows(const double* column, int r, int n) {
    const int count = n - r * width;
    if (count <= 0) return Lanes{};
    return count >= width ? load_unaligned(column + r * width)
                          : load_first(column + r * width, count);
  }

  /// A zero or non-finite pivot makes its inverse zero or non-finite.
  static int first_irregular(const double* inverse, const double* imaginary, int n) {
    for (int k = 0; k < n; ++k) {
      const double size =
          __builtin_fabs(inverse[k]) + (imaginary ? __builtin_fabs(imaginary[k]) : 0);
      if (!(size > 0 && size < __builtin_inf())) return k;
    }
    return -1;
  }

  static int factor(DenseFactor& lu, const double* e, const double* a, double shift) {
    const int n = lu.n;
    const int stride = lu.stride;
    double* const matrix = lu.re.data();
    for (int j = 0; j < n; ++j)
      for (int r = 0; r < registers; ++r)
        store(matrix + j * stride + r * width,
              spread(shift) * load_rows(e + j * n, r, n) + load_rows(a + j * n, r, n));

    Mask active[registers];
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    alignas(64) double l[panel][rows];  // minus the multipliers of the panel
    int q[panel];

    for (int first = 0; first < n; first += panel) {
      const int last = first + panel < n ? first + panel : n;
      for (int k = first; k < last; ++k) {
        double* const column = matrix + k * stride;
        double* const multipliers = l[k - first];
        Lanes x[registers], size[registers];
        for (int r = 0; r < registers; ++r) {
          x[r] = load(column + r * width);
          size[r] = absolute(x[r]);
        }
        const int p = largest_row(size, active);
        const double t = 1 / column[p];
        q[k - first] = lu.pivot[k] = p;
        lu.order[p] = k;
        lu.inverse_re.data()[k] = t;
        for (int r = 0; r < registers; ++r) {
          active[r] &= (Mask)(lane_numbers(r * width) != spread((long long)p));
          x[r] *= spread(t);
          store(column + r * width, x[r]);
          x[r] = keep(-x[r], active[r]);
          store(multipliers + r * width, x[r]);
        }
        for (int j = k + 1; j < last; ++j) {
          double* const y = matrix + j * stride;
          const Lanes u = spread(y[p]);
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
        for (int r = 0; r < registers; ++r) {
          const int i = r * width;
          store(y + i, load(y + i) + spread(u0) * load(l[0] + i) + spread(u1) * load(l[1] + i) +
                           spread(u2) * load(l[2] + i) + spread(u3) * load(l[3] + i));
        }
      }
    }
    return first_irregular(lu.inverse_re.data(), nullptr, n);
  }

  static void solve(const DenseFactor& lu, double* b) {
    const int n = lu.n;
    const double* const matrix = lu.re.data();
    alignas(64) double w[rows];
    Lanes x[registers];
    Mask order[registers];
    for (int r = 0; r < registers; ++r) {
      store(w + r * width, x[r] = load_rows(b, r, n));
      order[r] = load_unaligned(lu.order.data() + r * width);
    }
    const auto subtract = [&](int k, auto applies) {
      const Lanes s = spread(w[lu.pivot[k]]);
      for (int r = 0; r < registers; ++r) {
        x[r] -= s * keep(load(matrix + k * lu.stride + r * width), applies(order[r], k));
        store(w + r * width, x[r]);
      }
    };
    for (int k = 0; k < n; ++k)
      subtract(k, [](Mask o, long long k) { return (Mask)(o > spread(k)); });
    for (int k = n - 1; k > 0; --k)
      subtract(k, [](Mask o, long long k) { return (Mask)(o < spread(k)); });
    for (int k = 0; k < n; ++k) b[k] = w[lu.pivot[k]] * lu.inverse_re.data()[k];
  }

  static int factor(DenseFactor& lu, const double* e, const double* a, double re, double im) {
    const int n = lu.n;
    const int stride = lu.stride;
    double* const matrix_re = lu.re.data();
    double* const matrix_im = lu.im.data();
    for (int j = 0; j < n; ++j)
      for (int r = 0; r < registers; ++r) {
        const Lanes ej = load_rows(e + j * n, r, n);
        store(matrix_re + j * stride + r * width, spread(re) * ej + load_rows(a + j * n, r, n));
        store(matrix_im + j * stride + r * width, spread(im) * ej);
      }

    Mask active[registers];
    for (int r = 0; r < registers; ++r)
      active[r] = (Mask)(lane_numbers(r * width) < spread((long long)n));
    alignas(64) double lr[panel][rows], li[panel][rows];
    int q[panel];

    for (int first = 0; first < n; first += panel) {
      const int last = first + panel < n ? first + panel : n;
      for (int k = first; k < last; ++k) {
        double* const cr = matrix_re + k * stride;
        double* const ci = matrix_im + k * stride;
        Lanes x[registers], y[registers], size[registers];
        for (int r = 0; r < registers; ++r) {
          x[r] = load(cr + r * width);
          y[r] = load(ci + r * width);
          size[r] = absolute(x[r]) + absolute(y[r]);
        }
        const int p = largest_row(size, active);
        const double t = 1 / (cr[p] * cr[p] + ci[p] * ci[p]);
        const double tr = cr[p] * t, ti = -ci[p] * t;
        q[k - first] = lu.pivot[k] = p;
        lu.order[p] = k;
        lu.inverse_re.data()[k] = tr;
        lu.inverse_im.data()[k] = ti;
        for (int r = 0; r < registers; ++r) {
          active[r] &= (Mask)(lane_numbers(r * width) != spread((long long)p));
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
          const int p = q[k];
          ur[k] = zr[p], ui[k] = zi[p];
          for (int m = 0; m < k; ++m) {
            ur[k] += ur[m] * lr[m][p] - ui[m] * li[m][p];
            ui[k] += ur[m] * li[m][p] + ui[m] * lr[m][p];
          }
          zero = zero && ur[k] == 0 && ui[k] == 0;
        }
        if (zero) continue;
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
    return first_irregular(lu.inverse_re.data(), lu.inverse_im.data(), n);
  }

  static void solve(const DenseFactor& lu, double* re, double* im) {
    const int n = lu.n;
    alignas(64) double wr[rows], wi[rows];
    Lanes x[registers], y[registers];
    Mask order[registers];
    for (int r = 0; r < registers; ++r) {
      store(wr + r * width, x[r] = load_rows(re, r, n));
      store(wi + r * width, y[r] = load_rows(im, r, n));
      order[r] = load_unaligned(lu.order.data() + r * width);
    }
    const auto subtract = [&](int k, auto applies) {
      const Lanes s = spread(wr[lu.pivot[k]]), t = spread(wi[lu.pivot[k]]);
      for (int r = 0; r < registers; ++r) {
        const int i = k * lu.stride + r * width;
        const Mask rows_left = applies(order[r], k);
        const Lanes lr = keep(load(lu.re.data() + i), rows_left);
        const Lanes li = keep(load(lu.im.data() + i), rows_left);
        x[r] = x[r] - s * lr + t * li;
        y[r] = y[r] - s * li - t * lr;
        store(wr + r * width, x[r]);
        store(wi + r * width, y[r]);
      }
    };
    for (int k = 0; k < n; ++k)
      subtract(k, [](Mask o, long long k) { return (Mask)(o > spread(k)); });
    for (int k = n - 1; k > 0; --k)
      subtract(k, [](Mask o, long long k) { return (Mask)(o < spread(k)); });
    for (int k = 0; k < n; ++k) {
      const double s = wr[lu.pivot[k]], t = wi[lu.pivot[k]];
      const double tr = lu.inverse_re.data()[k], ti = lu.inverse_im.data()[k];
      re[k] = s * tr - t * ti;
      im[k] = s * ti + t * tr;
    }
  }
};

}  // namespace
}  // namespace daedalus
