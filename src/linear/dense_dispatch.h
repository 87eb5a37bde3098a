// The kernels of the instruction set of the file that includes this one, by size.
namespace daedalus {
namespace {

template <int registers>
DenseKernels small_kernels() {
  return kernels_of<RealSmall<registers>, ComplexSmall<registers>>();
}

DenseKernels large_kernels() {
  return {Large::factor,    Large::solve, LargeComplex::factor, LargeComplex::solve,
          subtract_columns, Large::solve, LargeComplex::solve};
}

/// More than eight rows come in steps of eight: finer ones would gain little and cost code.
DenseKernels kernels_for(int n) {
  constexpr int per_eight = 8 / width;
  if constexpr (width <= 4) {
    if (n == 1) return tiny_kernels<1>();
    if (n == 2) return tiny_kernels<2>();
  }
  if constexpr (width == 4) {
    if (n == 3) return tiny_kernels<3>();
    if (n == 4) return tiny_kernels<4>();
  }
  if constexpr (width >= 8) {
    if (n == 5) return tiny_kernels<5>();
    if (n == 6) return tiny_kernels<6>();
    if (n == 7) return tiny_kernels<7>();
    if (n == 8) return tiny_kernels<8>();
  }
  if constexpr (width == 2) {
    if (n <= 4) return small_kernels<2>();
    if (n <= 6) return small_kernels<3>();
  }
  // Two lanes are too narrow for whole columns in registers.
  if (width == 2 && n > 16) return large_kernels();
  switch ((n + 7) / 8) {
    case 1:
      return small_kernels<1 * per_eight>();
    case 2:
      return small_kernels<2 * per_eight>();
    case 3:
      return small_kernels<3 * per_eight>();
    case 4:
      return small_kernels<4 * per_eight>();
    case 5:
      return small_kernels<5 * per_eight>();
    case 6:
      return small_kernels<6 * per_eight>();
    case 7:
      return small_kernels<7 * per_eight>();
    case 8:
      return small_kernels<8 * per_eight>();
  }
  return large_kernels();
}

}  // namespace
}  // namespace daedalus
