// LU with partial pivoting for large n: panels of eight columns, rows interchanged in a panel and
// right of it. The panels left of it stay (as in LINPACK), so the solve interchanges panel by
// panel. Padding rows are zero and stay zero, so every loop runs over whole registers. For the
// instruction set of the file that includes this one.
namespace daedalus {
namespace {

struct Large {
  static constexpr int block = 8;

  /// Registers and columns of a tile.
  static constexpr int tall = 2;
  static constexpr int wide = 4;

  static double magnitude(double x) { return __builtin_fabs(x); }
  static bool is_regular(double x) { return magnitude(x) > 0 && magnitude(x) < __builtin_inf(); }
  /// Row >= first with the largest |x| + |y|; y may be null. A column of zeros may yield a padding
  /// row, whose zero is as good; NaN is never larger, but its row becomes a pivot in the end.
  static int largest_row(const double* x, const double* y, int first, int stride) {
    Mask row = lane_numbers(first / width * width);
    Mask best_row = row;
    Lanes best = spread(-1.0);
    const Mask from = spread((long long)first);
    for (int i = first / width * width; i < stride; i += width, row += width) {
      Lanes size = absolute(load(x + i));
      if (y) size += absolute(load(y + i));
      const Mask larger = (Mask)(size > best) & (Mask)(row >= from);
      best = larger ? size : best;
      best_row = larger ? row : best_row;
    }
    int lane = 0;
    for (int r = 1; r < width; ++r)
      if (best[r] > best[lane]) lane = r;
    return best[lane] >= 0 ? static_cast<int>(best_row[lane]) : first;
  }

  static int factor(const DenseFactor& lu, const double* e, const double* a, double shift) {
    const int n = lu.n;
    double* const matrix = lu.re;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) matrix[j * lu.stride + i] = shift * e[j * n + i] + a[j * n + i];
    for (int first = 0; first < n; first += block) {
      const int column = factor_panel(lu, first);
      if (column >= 0) return column;
      int j = first + block;
      for (; j + wide <= n; j += wide) update<wide>(lu, first, j);
      for (; j < n; ++j) update<1>(lu, first, j);
    }
    return -1;
  }

  static int factor_panel(const DenseFactor& lu, int first) {
    const int n = lu.n, stride = lu.stride;
    const int last = first + block < n ? first + block : n;
    double* const matrix = lu.re;
    for (int k = first; k < last; ++k) {
      double* const x = matrix + k * stride;
      const int p = largest_row(x, nullptr, k, stride);
      lu.pivot[k] = p;
      const double t = lu.inverse_re[k] = 1 / x[p];
      if (!is_regular(t)) return k;
      for (int j = first; j < last; ++j) exchange(matrix[j * stride + k], matrix[j * stride + p]);
      eliminate_column(matrix, stride, n, k, last, t);
    }
    return -1;
  }

  /// Subtracts what the panel at `first` contributes to the columns from j on.
  template <int columns>
  static void update(const DenseFactor& lu, int first, int j) {
    const int stride = lu.stride;
    const double* const l = lu.re + first * stride;
    double* const y = lu.re + j * stride;
    double u[block][columns];
    bool zero = true;
    for (int c = 0; c < columns; ++c) {
      double* const column = y + c * stride;
      for (int k = 0; k < block; ++k) exchange(column[first + k], column[lu.pivot[first + k]]);
#pragma GCC unroll 8
      for (int k = 0; k < block; ++k) {
        u[k][c] = column[first + k];
        zero = zero & (u[k][c] == 0);
      }
    }
    if (zero) return;
#pragma GCC unroll 8
    for (int m = 0; m < block; ++m)
#pragma GCC unroll 8
      for (int k = m + 1; k < block; ++k)
        for (int c = 0; c < columns; ++c) u[k][c] -= u[m][c] * l[m * stride + first + k];
    for (int c = 0; c < columns; ++c)
      for (int k = 0; k < block; ++k) y[c * stride + first + k] = u[k][c];
    int i = first + block;
    for (; i + tall * width <= stride; i += tall * width)
      subtract_tile<columns, tall, block>(l + i, u, y + i, stride);
    for (; i < stride; i += width) subtract_tile<columns, 1, block>(l + i, u, y + i, stride);
  }

  static void solve(const DenseFactor& lu, double* b) {
    const int n = lu.n, stride = lu.stride;
    const double* const matrix = lu.re;
    double* const x = lu.work_re;
    for (int i = 0; i < n; ++i) x[i] = b[i];
    int first = 0;
    for (; first < n; first += block) {
      const int last = first + block < n ? first + block : n;
      for (int k = first; k < last; ++k) exchange(x[k], x[lu.pivot[k]]);
      double s[block][1] = {};
      for (int k = first; k < last; ++k) {
        double t = x[k];
        for (int m = first; m < k; ++m) t -= s[m - first][0] * matrix[m * stride + k];
        s[k - first][0] = x[k] = t;
      }
      if (last < n)
        for (int i = last; i < stride; i += width)
          subtract_tile<1, 1, block>(matrix + first * stride + i, s, x + i, stride);
    }
    for (first -= block; first >= 0; first -= block) {
      const int last = first + block < n ? first + block : n;
      double s[block][1] = {};
      for (int k = last - 1; k >= first; --k) {
        double t = x[k];
        for (int m = last - 1; m > k; --m) t -= s[m - first][0] * matrix[m * stride + k];
        s[k - first][0] = b[k] = t * lu.inverse_re[k];
      }
      for (int i = 0; i < first; i += width)
        subtract_tile<1, 1, block>(matrix + first * stride + i, s, x + i, stride);
    }
  }
};

struct LargeComplex {
  static constexpr int block = Large::block;
  static constexpr int tall = 2;
  static constexpr int wide = 2;

  static int factor(const DenseFactor& lu, const double* e, const double* a, double re, double im) {
    const int n = lu.n;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        lu.re[j * lu.stride + i] = re * e[j * n + i] + a[j * n + i];
        lu.im[j * lu.stride + i] = im * e[j * n + i];
      }
    for (int first = 0; first < n; first += block) {
      const int column = factor_panel(lu, first);
      if (column >= 0) return column;
      int j = first + block;
      for (; j + wide <= n; j += wide) update<wide>(lu, first, j);
      for (; j < n; ++j) update<1>(lu, first, j);
    }
    return -1;
  }

  static int factor_panel(const DenseFactor& lu, int first) {
    const int n = lu.n, stride = lu.stride;
    const int last = first + block < n ? first + block : n;
    double* const re = lu.re;
    double* const im = lu.im;
    for (int k = first; k < last; ++k) {
      double* const xr = re + k * stride;
      double* const xi = im + k * stride;
      const int p = Large::largest_row(xr, xi, k, stride);
      lu.pivot[k] = p;
      const double t = 1 / (xr[p] * xr[p] + xi[p] * xi[p]);
      const double tr = lu.inverse_re[k] = xr[p] * t;
      const double ti = lu.inverse_im[k] = -xi[p] * t;
      if (!Large::is_regular(Large::magnitude(tr) + Large::magnitude(ti))) return k;
      for (int j = first; j < last; ++j) {
        exchange(re[j * stride + k], re[j * stride + p]);
        exchange(im[j * stride + k], im[j * stride + p]);
      }
#pragma GCC ivdep
      for (int i = k + 1; i < n; ++i) {
        const double real = xr[i] * tr - xi[i] * ti;
        xi[i] = xr[i] * ti + xi[i] * tr;
        xr[i] = real;
      }
      for (int j = k + 1; j < last; ++j) {
        double* const yr = re + j * stride;
        double* const yi = im + j * stride;
        const double ur = yr[k], ui = yi[k];
        if (ur == 0 && ui == 0) continue;
#pragma GCC ivdep
        for (int i = k + 1; i < n; ++i) {
          yr[i] = yr[i] - ur * xr[i] + ui * xi[i];
          yi[i] = yi[i] - ur * xi[i] - ui * xr[i];
        }
      }
    }
    return -1;
  }

  template <int columns>
  static void update(const DenseFactor& lu, int first, int j) {
    const int stride = lu.stride;
    const double* const lr = lu.re + first * stride;
    const double* const li = lu.im + first * stride;
    double* const yr = lu.re + j * stride;
    double* const yi = lu.im + j * stride;
    double ur[block][columns], ui[block][columns];
    bool zero = true;
    for (int c = 0; c < columns; ++c) {
      double* const zr = yr + c * stride;
      double* const zi = yi + c * stride;
      for (int k = 0; k < block; ++k) {
        exchange(zr[first + k], zr[lu.pivot[first + k]]);
        exchange(zi[first + k], zi[lu.pivot[first + k]]);
      }
#pragma GCC unroll 8
      for (int k = 0; k < block; ++k) {
        ur[k][c] = zr[first + k];
        ui[k][c] = zi[first + k];
        zero = zero & (ur[k][c] == 0) & (ui[k][c] == 0);
      }
    }
    if (zero) return;
#pragma GCC unroll 8
    for (int m = 0; m < block; ++m)
#pragma GCC unroll 8
      for (int k = m + 1; k < block; ++k) {
        const double r = lr[m * stride + first + k], q = li[m * stride + first + k];
        for (int c = 0; c < columns; ++c) {
          ur[k][c] = ur[k][c] - ur[m][c] * r + ui[m][c] * q;
          ui[k][c] = ui[k][c] - ur[m][c] * q - ui[m][c] * r;
        }
      }
    for (int c = 0; c < columns; ++c)
      for (int k = 0; k < block; ++k) {
        yr[c * stride + first + k] = ur[k][c];
        yi[c * stride + first + k] = ui[k][c];
      }
    int i = first + block;
    for (; i + tall * width <= stride; i += tall * width)
      tile<columns, tall>(lr + i, li + i, ur, ui, yr + i, yi + i, stride);
    for (; i < stride; i += width) tile<columns, 1>(lr + i, li + i, ur, ui, yr + i, yi + i, stride);
  }

  template <int columns, int registers>
  static void tile(const double* lr, const double* li, const double (&ur)[block][columns],
                   const double (&ui)[block][columns], double* yr, double* yi, int stride) {
    Lanes re[columns][registers], im[columns][registers];
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        re[c][r] = load(yr + c * stride + r * width);
        im[c][r] = load(yi + c * stride + r * width);
      }
#pragma GCC unroll 8
    for (int k = 0; k < block; ++k)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        const Lanes x = load(lr + k * stride + r * width);
        const Lanes y = load(li + k * stride + r * width);
#pragma GCC unroll 8
        for (int c = 0; c < columns; ++c) {
          re[c][r] = re[c][r] - spread(ur[k][c]) * x + spread(ui[k][c]) * y;
          im[c][r] = im[c][r] - spread(ur[k][c]) * y - spread(ui[k][c]) * x;
        }
      }
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c)
#pragma GCC unroll 8
      for (int r = 0; r < registers; ++r) {
        store(yr + c * stride + r * width, re[c][r]);
        store(yi + c * stride + r * width, im[c][r]);
      }
  }

  static void solve(const DenseFactor& lu, double* re, double* im) {
    const int n = lu.n, stride = lu.stride;
    const double* const lr = lu.re;
    const double* const li = lu.im;
    double* const xr = lu.work_re;
    double* const xi = lu.work_im;
    for (int i = 0; i < n; ++i) xr[i] = re[i], xi[i] = im[i];
    int first = 0;
    for (; first < n; first += block) {
      const int last = first + block < n ? first + block : n;
      for (int k = first; k < last; ++k) {
        exchange(xr[k], xr[lu.pivot[k]]);
        exchange(xi[k], xi[lu.pivot[k]]);
      }
      double s[block][1] = {}, t[block][1] = {};
      for (int k = first; k < last; ++k) {
        for (int m = first; m < k; ++m) {
          const double a = lr[m * stride + k], b = li[m * stride + k];
          xr[k] = xr[k] - s[m - first][0] * a + t[m - first][0] * b;
          xi[k] = xi[k] - s[m - first][0] * b - t[m - first][0] * a;
        }
        s[k - first][0] = xr[k], t[k - first][0] = xi[k];
      }
      if (last < n)
        for (int i = last, p = first * stride; i < stride; i += width)
          tile<1, 1>(lr + p + i, li + p + i, s, t, xr + i, xi + i, stride);
    }
    for (first -= block; first >= 0; first -= block) {
      const int last = first + block < n ? first + block : n;
      double s[block][1] = {}, t[block][1] = {};
      for (int k = last - 1; k >= first; --k) {
        for (int m = last - 1; m > k; --m) {
          const double a = lr[m * stride + k], b = li[m * stride + k];
          xr[k] = xr[k] - s[m - first][0] * a + t[m - first][0] * b;
          xi[k] = xi[k] - s[m - first][0] * b - t[m - first][0] * a;
        }
        const double a = lu.inverse_re[k], b = lu.inverse_im[k];
        s[k - first][0] = re[k] = xr[k] * a - xi[k] * b;
        t[k - first][0] = im[k] = xr[k] * b + xi[k] * a;
      }
      for (int i = 0, p = first * stride; i < first; i += width)
        tile<1, 1>(lr + p + i, li + p + i, s, t, xr + i, xi + i, stride);
    }
  }
};

}  // namespace
}  // namespace daedalus
