// Kernels of stage_kernels.h for the instruction set of the file that includes this one. S = 0
// stands for any number of stages; a fixed one keeps all stages in registers.
namespace daedalus {
namespace {

template <int S>
struct StagesOf {
  static constexpr int most = S > 0 ? S : max_stages;
  static constexpr int columns = (most + 7) / 8 * 8;

  static void combine(int s_given, int n, const double* m, const double* in, double* out) {
    const int s = S > 0 ? S : s_given;
    for (int k = 0; k < n; k += width) {
      Lanes x[most];
      for (int j = 0; j < s; ++j) x[j] = load(in + j * n + k);
      for (int i = 0; i < s; ++i) store(out + i * n + k, row(s, m + i * s, x));
    }
  }

  static void arguments(int s_given, int n, const double* w, double inverse_h, const double* y,
                        const double* z, double* stage, double* slope) {
    const int s = S > 0 ? S : s_given;
    for (int k = 0; k < n; k += width) {
      const Lanes from = load(y + k);
      Lanes x[most];
      for (int j = 0; j < s; ++j) {
        x[j] = load(z + j * n + k);
        store(stage + j * n + k, from + x[j]);
      }
      for (int i = 0; i < s; ++i) store(slope + i * n + k, inverse_h * row(s, w + i * s, x));
    }
  }

  static double advance(int s_given, int n, const double* t, const double* weight, const double* d,
                        const double* w, double inverse_h, const double* y, double* v, double* z,
                        double* stage, double* slope) {
    const int s = S > 0 ? S : s_given;
    Lanes squares{};
    for (int k = 0; k < n; k += width) {
      const Lanes scale = load_unaligned(weight + k), from = load(y + k);
      Lanes x[most], moved[most];
      for (int j = 0; j < s; ++j) {
        const Lanes change = load(d + j * n + k);
        const Lanes scaled = change * scale;
        squares += scaled * scaled;
        x[j] = load(v + j * n + k) - change;
        store(v + j * n + k, x[j]);
      }
      for (int i = 0; i < s; ++i) {
        moved[i] = row(s, t + i * s, x);
        store(z + i * n + k, moved[i]);
        store(stage + i * n + k, from + moved[i]);
      }
      for (int i = 0; i < s; ++i) store(slope + i * n + k, inverse_h * row(s, w + i * s, moved));
    }
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += squares[i];
    return sum;
  }

  /// A column of the matrix for each basis, a lane for each stage.
  static void bases_ahead(int s, const StageNodes& nodes, double ratio, double* m) {
    for (int i = 0; i < s; i += width) {
      const Lanes theta = 1 + ratio * load_first(nodes.c + i, s - i);
      Lanes product = nodes.through_origin ? theta : spread(1.0);
      Lanes basis[most];
      basis[0] = product * nodes.weight[0];
      if (!nodes.without_first) product *= theta - nodes.c[0];
      for (int j = 1; j < s; ++j) {
        basis[j] = product * nodes.weight[j];
        product *= theta - nodes.c[j];
      }
      product = spread(1.0);
      for (int j = s - 1; j >= 0; --j) {
        store(m + j * columns + i, basis[j] * product);
        product *= theta - nodes.c[j];
      }
    }
  }

  static void extrapolate(int s_given, int n, const StageNodes& nodes, double ratio,
                          const double* last, const double* increment, double* z) {
    const int s = S > 0 ? S : s_given;
    alignas(64) double m[most * columns];
    bases_ahead(s, nodes, ratio, m);
    for (int k = 0; k < n; k += width) {
      const Lanes reached = load(increment + k);
      Lanes x[most];
      for (int j = 0; j < s; ++j) x[j] = load(last + j * n + k);
      for (int i = 0; i < s; ++i) {
        Lanes u = m[i] * x[0];
        for (int j = 1; j < s; ++j) u += m[j * columns + i] * x[j];
        store(z + i * n + k, u - reached);
      }
    }
  }

  static void sum(int s_given, int n, const double* m, const double* in, double* out) {
    const int s = S > 0 ? S : s_given;
    for (int k = 0; k < n; k += width) {
      Lanes total = m[0] * load(in + k);
      for (int j = 1; j < s; ++j) total += m[j] * load(in + j * n + k);
      store(out + k, total);
    }
  }

 private:
  static Lanes row(int s, const double* m, const Lanes* x) {
    Lanes sum = m[0] * x[0];
    for (int j = 1; j < (S > 0 ? S : s); ++j) sum += m[j] * x[j];
    return sum;
  }
};

template <int S>
StageKernels kernels_of_stages() {
  return {StagesOf<S>::combine, StagesOf<S>::arguments, StagesOf<S>::advance,
          StagesOf<S>::extrapolate, StagesOf<S>::sum};
}

[[maybe_unused]] StageKernels stage_kernels_for(int s) {
  switch (s) {
    case 1:
      return kernels_of_stages<1>();
    case 2:
      return kernels_of_stages<2>();
    case 3:
      return kernels_of_stages<3>();
    case 5:
      return kernels_of_stages<5>();
    case 7:
      return kernels_of_stages<7>();
  }
  return kernels_of_stages<0>();
}

}  // namespace
}  // namespace daedalus
