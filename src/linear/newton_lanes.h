// Kernels of newton_kernels.h for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

template <int S, int n>
struct NewtonOf {
  static constexpr int stride = 8;

  static int factor(const DenseFactor* factors, const double* e, const double* a, double gamma,
                    const double* re, const double* im) {
    using Real = RealTiny<n>;
    using Complex = ComplexTiny<n>;
    constexpr int pairs = S / 2;
    constexpr int registers = 28;
    int singular = -1;
    if constexpr (S * n <= registers) {
      typename Real::Elimination real;
      typename Complex::Elimination complex[pairs];
      Real::begin(real, e, a, gamma);
#pragma GCC unroll 8
      for (int i = 0; i < pairs; ++i) Complex::begin(complex[i], e, a, re[i], im[i]);
#pragma GCC unroll 8
      for (int k = 0; k < n; ++k) {
        Real::eliminate(real, factors[0], k);
#pragma GCC unroll 8
        for (int i = 0; i < pairs; ++i) Complex::eliminate(complex[i], factors[1 + i], k);
      }
      singular = Real::finish(real, factors[0]);
#pragma GCC unroll 8
      for (int i = 0; i < pairs; ++i) {
        const int found = Complex::finish(complex[i], factors[1 + i]);
        if (singular < 0) singular = found;
      }
      return singular;
    } else {
      singular = Real::factor(factors[0], e, a, gamma);
      for (int i = 0; i < pairs && singular < 0; ++i)
        singular = Complex::factor(factors[1 + i], e, a, re[i], im[i]);
    }
    return singular;
  }

  static void begin(const NewtonStages& c, const StageNodes& nodes, double ratio,
                    const double* last, const double* increment, double inverse_h) {
    alignas(64) double m[S * StagesOf<S>::columns];
    StagesOf<S>::bases_ahead(S, nodes, ratio, m);
    Lanes x[S], z[S];
#pragma GCC unroll 8
    for (int j = 0; j < S; ++j) x[j] = load(last + j * stride);
    const Lanes reached = load(increment), from = load_first(c.y, n);
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) {
      z[i] = m[i] * x[0] - reached;
#pragma GCC unroll 8
      for (int j = 1; j < S; ++j) z[i] += m[j * StagesOf<S>::columns + i] * x[j];
      store(c.z + i * stride, z[i]);
      store(c.stage + i * stride, from + z[i]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) {
      x[i] = row(c.t_inverse + i * S, z);
      store(c.v + i * stride, x[i]);
    }
    if (!c.mass) give_slopes(c, x, inverse_h);
  }

  static double correct(const NewtonStages& c, const double* weight, double inverse_h) {
    Lanes x[S], d[S];
#pragma GCC unroll 8
    for (int j = 0; j < S; ++j) x[j] = load(c.residual + j * stride);
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) d[i] = row(c.t_inverse + i * S, x);
    if (c.mass) take_from_rates(c, inverse_h, d);
    d[0] = RealTiny<n>::solved(c.factors[0], d[0]);
#pragma GCC unroll 8
    for (int k = 1; k < S; k += 2) ComplexTiny<n>::solve(c.factors[(k + 1) / 2], d[k], d[k + 1]);
    const Lanes scale = load_unaligned(weight);
    Lanes squares{};
#pragma GCC unroll 8
    for (int j = 0; j < S; ++j) {
      store(c.d + j * stride, d[j]);
      const Lanes scaled = d[j] * scale;
      squares += scaled * scaled;
      x[j] = load(c.v + j * stride) - d[j];
      store(c.v + j * stride, x[j]);
    }
    const Lanes from = load_first(c.y, n);
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) {
      const Lanes z = row(c.t + i * S, x);
      store(c.z + i * stride, z);
      store(c.stage + i * stride, from + z);
    }
    if (!c.mass) give_slopes(c, x, inverse_h);
    double sum = 0;
#pragma GCC unroll 8
    for (int i = 0; i < (n < width ? n : width); ++i) sum += squares[i];
    return sum;
  }

  static void give_slopes(const NewtonStages& c, const Lanes* v, double inverse_h) {
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) store(c.slope + i * stride, inverse_h * row(c.w_t + i * S, v));
  }

  /// d = inverse_h Lambda E V - d
  static void take_from_rates(const NewtonStages& c, double inverse_h, Lanes* d) {
    Lanes u[S];
    if (c.mass.diagonal) {
      const Lanes diagonal = load_unaligned(c.mass.diagonal);
#pragma GCC unroll 8
      for (int i = 0; i < S; ++i) u[i] = diagonal * load(c.v + i * stride);
    } else {
      Lanes column[n];
#pragma GCC unroll 8
      for (int j = 0; j < n; ++j) column[j] = load_first(c.mass.columns + j * n, n);
#pragma GCC unroll 8
      for (int i = 0; i < S; ++i) {
        u[i] = column[0] * c.v[i * stride];
#pragma GCC unroll 8
        for (int j = 1; j < n; ++j) u[i] += column[j] * c.v[i * stride + j];
      }
    }
    d[0] = inverse_h * c.mass.lambda[0] * u[0] - d[0];
#pragma GCC unroll 8
    for (int k = 1; k < S; k += 2) {
      const double alpha = inverse_h * c.mass.lambda[k], beta = inverse_h * c.mass.lambda[k + 1];
      d[k] = alpha * u[k] + beta * u[k + 1] - d[k];
      d[k + 1] = alpha * u[k + 1] - beta * u[k] - d[k + 1];
    }
  }

  static Lanes row(const double* m, const Lanes* x) {
    // Two sums, since nothing else is there to do while one addition waits for the last.
    Lanes sum = m[0] * x[0] + m[1] * x[1], other = m[2] * x[2];
#pragma GCC unroll 8
    for (int j = 3; j < S; j += 2) {
      other += m[j] * x[j];
      sum += m[j + 1] * x[j + 1];
    }
    return sum + other;
  }
};

template <int n>
NewtonKernels newton_kernels_of(int s) {
  switch (s) {
    case 3:
      return {NewtonOf<3, n>::factor, NewtonOf<3, n>::begin, NewtonOf<3, n>::correct};
    case 5:
      return {NewtonOf<5, n>::factor, NewtonOf<5, n>::begin, NewtonOf<5, n>::correct};
    case 7:
      return {NewtonOf<7, n>::factor, NewtonOf<7, n>::begin, NewtonOf<7, n>::correct};
  }
  return {};
}

NewtonKernels newton_kernels_for(int s, int n) {
  if constexpr (width <= 4) {
    if (n == 1) return newton_kernels_of<1>(s);
    if (n == 2) return newton_kernels_of<2>(s);
  }
  if constexpr (width == 4) {
    if (n == 3) return newton_kernels_of<3>(s);
    if (n == 4) return newton_kernels_of<4>(s);
  }
  if constexpr (width >= 8) {
    if (n == 5) return newton_kernels_of<5>(s);
    if (n == 6) return newton_kernels_of<6>(s);
    if (n == 7) return newton_kernels_of<7>(s);
    if (n == 8) return newton_kernels_of<8>(s);
  }
  return {};
}

}  // namespace
}  // namespace daedalus
