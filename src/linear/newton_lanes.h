// Kernels of newton_kernels.h for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

template <int S, int n>
struct NewtonOf {
  static constexpr int stride = 8;

  static double correct(const StageCorrection& c, const double* weight, double inverse_h) {
    Lanes x[S], d[S];
#pragma GCC unroll 8
    for (int j = 0; j < S; ++j) x[j] = load(c.residual + j * stride);
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) d[i] = row(c.t_inverse + i * S, x);
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
    const Lanes from = load(c.y);
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) {
      d[i] = row(c.t + i * S, x);
      store(c.z + i * stride, d[i]);
      store(c.stage + i * stride, from + d[i]);
    }
#pragma GCC unroll 8
    for (int i = 0; i < S; ++i) store(c.slope + i * stride, inverse_h * row(c.w + i * S, d));
    double sum = 0;
#pragma GCC unroll 8
    for (int i = 0; i < (n < width ? n : width); ++i) sum += squares[i];
    return sum;
  }

  static Lanes row(const double* m, const Lanes* x) {
    Lanes sum = m[0] * x[0];
#pragma GCC unroll 8
    for (int j = 1; j < S; ++j) sum += m[j] * x[j];
    return sum;
  }
};

template <int n>
NewtonKernel newton_kernel_of(int s) {
  switch (s) {
    case 3:
      return NewtonOf<3, n>::correct;
    case 5:
      return NewtonOf<5, n>::correct;
    case 7:
      return NewtonOf<7, n>::correct;
  }
  return nullptr;
}

NewtonKernel newton_kernel_for(int s, int n) {
  if (n == 1) return newton_kernel_of<1>(s);
  if (n == 2) return newton_kernel_of<2>(s);
  if constexpr (width >= 4) {
    if (n == 3) return newton_kernel_of<3>(s);
    if (n == 4) return newton_kernel_of<4>(s);
  }
  if constexpr (width >= 8) {
    if (n == 5) return newton_kernel_of<5>(s);
    if (n == 6) return newton_kernel_of<6>(s);
    if (n == 7) return newton_kernel_of<7>(s);
    if (n == 8) return newton_kernel_of<8>(s);
  }
  return nullptr;
}

}  // namespace
}  // namespace daedalus
