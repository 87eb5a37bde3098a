// Solutions with the factors of one front. Those of a large matrix come from memory, each entry
// once, so what counts is to keep it busy: eight columns are subtracted in one pass over the
// right-hand side, and what will be read some thousand bytes further on is asked for in time,
// since most fronts are too short for the machine to see what comes next. For the instruction set
// of the file that includes this one.
namespace daedalus {
namespace {

struct FrontSolve {
  static constexpr int group = front_group;
  static constexpr int registers = group / width;
  static constexpr int ahead = 512;  // doubles

  static void forward(const FrontColumns& f, double* x) {
    const double* l = f.lower;
    for (int k = 0; k < f.pivots; k += group) {
      const int count = f.pivots - k < group ? f.pivots - k : group, rows = f.stride - k;
      Lanes here[registers];
      double t[group] = {};
      take(x + k, here);
#pragma GCC unroll 8
      for (int c = 0; c < group; ++c) {
        if (c == count) break;
        t[c] = here[c / width][c % width];
        subtract_column(l + c * rows, t[c], here);
      }
      give(x + k, here);
      subtract(l + group, rows, t, count, x + k + group, rows - group);
      l += static_cast<long long>(count) * rows;
    }
  }

  static void backward(const FrontColumns& f, double* x, const double* below) {
    const double* u = f.upper;
    const int height = (f.pivots + group - 1) / group * group;
    for (int j = f.size - f.pivots; j > 0; j -= group) {
      const int count = j < group ? j : group;
      subtract(u, height, below, count, x, height);
      u += static_cast<long long>(count) * height, below += count;
    }
    for (int k = height - group; k >= 0; k -= group) {
      const int count = f.pivots - k < group ? f.pivots - k : group, rows = k + group;
      Lanes here[registers];
      double t[group] = {};
      take(x + k, here);
#pragma GCC unroll 8
      for (int c = group - 1; c >= 0; --c) {
        if (c >= count) continue;
        t[c] = here[c / width][c % width] * f.inverse[k + c];
        subtract_column(u + c * rows + k, t[c], here);
      }
      for (int c = 0; c < count; ++c) x[k + c] = t[c];
      subtract(u, rows, t, count, x, k);
      u += static_cast<long long>(count) * rows;
    }
  }

 private:
  static void take(const double* x, Lanes (&here)[registers]) {
    for (int r = 0; r < registers; ++r) here[r] = load(x + r * width);
  }
  static void give(double* x, const Lanes (&here)[registers]) {
    for (int r = 0; r < registers; ++r) store(x + r * width, here[r]);
  }
  static void subtract_column(const double* a, double t, Lanes (&here)[registers]) {
    __builtin_prefetch(a + ahead);
#pragma GCC unroll 4
    for (int r = 0; r < registers; ++r) here[r] -= spread(t) * load(a + r * width);
  }

  /// y -= sum_c t_c a_c over `rows`, a multiple of eight.
  static void subtract(const double* a, long long stride, const double* t, int count, double* y,
                       int rows) {
    switch (count) {
      case 1:
        return subtract_all<1>(a, stride, t, y, rows);
      case 2:
        return subtract_all<2>(a, stride, t, y, rows);
      case 3:
        return subtract_all<3>(a, stride, t, y, rows);
      case 4:
        return subtract_all<4>(a, stride, t, y, rows);
      case 5:
        return subtract_all<5>(a, stride, t, y, rows);
      case 6:
        return subtract_all<6>(a, stride, t, y, rows);
      case 7:
        return subtract_all<7>(a, stride, t, y, rows);
      default:
        return subtract_all<group>(a, stride, t, y, rows);
    }
  }

  template <int columns>
  static void subtract_all(const double* a, long long stride, const double* t, double* y,
                           int rows) {
    // Of long columns the next ones are meant, of short ones more than the next.
    const long long next = columns * stride > ahead ? columns * stride : ahead;
    Lanes factor[columns];
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) factor[c] = spread(t[c]);
    for (int i = 0; i < rows; i += group) {
      Lanes sum[registers];
      take(y + i, sum);
#pragma GCC unroll 8
      for (int c = 0; c < columns; ++c) {
        const double* const column = a + c * stride + i;
        __builtin_prefetch(column + next);
#pragma GCC unroll 4
        for (int r = 0; r < registers; ++r) sum[r] -= factor[c] * load(column + r * width);
      }
      give(y + i, sum);
    }
  }
};

}  // namespace
}  // namespace daedalus
