// Kernels of one size as a table, for the instruction set of the file that includes this one.
namespace daedalus {
namespace {

template <class Real, class Complex>
DenseKernels kernels_of() {
  return {Real::factor,
          Real::template solve<false>,
          Complex::factor,
          Complex::template solve<false>,
          subtract_columns,
          Real::template solve<true>,
          Complex::template solve<true>};
}

template <int n>
DenseKernels tiny_kernels() {
  return kernels_of<RealTiny<n>, ComplexTiny<n>>();
}

}  // namespace
}  // namespace daedalus
