// Right-looking LU of fronts in two levels: panels of eight columns within blocks of 32, so that
// what lies right of a block is read and written once for 32 columns. For the instruction set of
// the file that includes this one.
namespace daedalus {
namespace {

struct FrontLu {
  static constexpr int block = 32;
  static constexpr int panel = 8;
  static constexpr int wide = 4;
  static constexpr int tall = width == 8 ? 3 : 2;
  /// Part of the largest entry of a column that a pivot must have; KLU asks for as much.
  static constexpr double threshold = 1e-3;

  static int factor(const Front& f) {
    for (int begin = 0; begin < f.pivots; begin += block) {
      const int end = begin + block < f.pivots ? begin + block : f.pivots;
      for (int first = begin; first < end; first += panel) {
        const int last = first + panel < end ? first + panel : end;
        for (int k = first; k < last; ++k)
          if (const int status = eliminate(f, k, last); status != front_done) return status;
        subtract(f, first, last, last, end);
      }
      subtract(f, begin, end, end, f.size);
    }
    return front_done;
  }

  static int eliminate(const Front& f, int k, int last) {
    const int n = f.size;
    double* const x = f.matrix + static_cast<long long>(k) * f.stride;
    int p = k;
    double best = __builtin_fabs(x[k]), others = 0;
    for (int i = k + 1; i < f.pivots; ++i)
      if (__builtin_fabs(x[i]) > best) best = __builtin_fabs(x[i]), p = i;
    for (int i = f.pivots; i < n; ++i) {
      const double size = __builtin_fabs(x[i]);
      others = size > others ? size : others;
    }
    const double t = 1 / x[p];
    if (!(__builtin_fabs(t) > 0 && __builtin_fabs(t) < __builtin_inf())) return k;
    if (!(best >= threshold * others)) return front_unstable;
    f.exchanged[k] = p;
    f.inverse[k] = t;
    if (p != k)
      for (int j = 0; j < n; ++j) {
        double* const y = f.matrix + static_cast<long long>(j) * f.stride;
        exchange(y[k], y[p]);
      }
    eliminate_column(f.matrix, f.stride, n, k, last, t);
    return front_done;
  }

  /// What the columns first..last contribute to the columns begin..end.
  static void subtract(const Front& f, int first, int last, int begin, int end) {
    int j = begin;
    for (; j + wide <= end; j += wide) subtract_from<wide>(f, first, last, j);
    for (; j < end; ++j) subtract_from<1>(f, first, last, j);
  }

  template <int columns>
  static void subtract_from(const Front& f, int first, int last, int j) {
    const long long stride = f.stride;
    const int depth = last - first;
    const double* const l = f.matrix + first * stride;
    double* const y = f.matrix + j * stride;
    double u[block][columns];
    for (int c = 0; c < columns; ++c)
      for (int k = 0; k < depth; ++k) u[k][c] = y[c * stride + first + k];
    for (int m = 0; m < depth; ++m)
      for (int k = m + 1; k < depth; ++k)
        for (int c = 0; c < columns; ++c) u[k][c] -= l[m * stride + first + k] * u[m][c];
    for (int c = 0; c < columns; ++c)
      for (int k = 0; k < depth; ++k) y[c * stride + first + k] = u[k][c];
    const int aligned = (last + width - 1) / width * width;
    for (int i = last; i < aligned; ++i)
      for (int c = 0; c < columns; ++c) {
        double sum = y[c * stride + i];
        for (int k = 0; k < depth; ++k) sum -= l[k * stride + i] * u[k][c];
        y[c * stride + i] = sum;
      }
    int i = aligned;
    for (; i + tall * width <= f.stride; i += tall * width)
      subtract_tile<columns, tall>(l + i, u, y + i, stride, depth);
    for (; i < f.stride; i += width) subtract_tile<columns, 1>(l + i, u, y + i, stride, depth);
  }
};

}  // namespace
}  // namespace daedalus
