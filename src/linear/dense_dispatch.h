// The kernel table of the instruction set of the file that includes this one.
namespace daedalus {
namespace {

/// Calls `run` with the number of registers that hold n rows. More than eight rows come in steps
/// of eight: finer ones would gain little and cost code.
template <class Run>
auto with_registers(int n, Run run) {
  constexpr int per_eight = 8 / width;
  if constexpr (width == 2) {
    if (n <= 2) return run.template operator()<1>();
    if (n <= 6 && n > 4) return run.template operator()<3>();
  }
  if constexpr (width <= 4) {
    if (n <= 4) return run.template operator()<per_eight / 2>();
  }
  switch ((n + 7) / 8) {
    case 1:
      return run.template operator()<1 * per_eight>();
    case 2:
      return run.template operator()<2 * per_eight>();
    case 3:
      return run.template operator()<3 * per_eight>();
    case 4:
      return run.template operator()<4 * per_eight>();
    case 5:
      return run.template operator()<5 * per_eight>();
    case 6:
      return run.template operator()<6 * per_eight>();
    case 7:
      return run.template operator()<7 * per_eight>();
    default:
      return run.template operator()<8 * per_eight>();
  }
}

int factor_real(DenseFactor& lu, const double* e, const double* a, double shift) {
  if (lu.n > most_rows) return Large::factor(lu, e, a, shift);
  return with_registers(lu.n, [&]<int r>() { return Small<r>::factor(lu, e, a, shift); });
}

void solve_real(const DenseFactor& lu, double* x) {
  if (lu.n > most_rows) return Large::solve(lu, x);
  with_registers(lu.n, [&]<int r>() { Small<r>::solve(lu, x); });
}

int factor_complex(DenseFactor& lu, const double* e, const double* a, double re, double im) {
  if (lu.n > most_rows) return LargeComplex::factor(lu, e, a, re, im);
  return with_registers(lu.n, [&]<int r>() { return Small<r>::factor(lu, e, a, re, im); });
}

void solve_complex(const DenseFactor& lu, double* re, double* im) {
  if (lu.n > most_rows) return LargeComplex::solve(lu, re, im);
  with_registers(lu.n, [&]<int r>() { Small<r>::solve(lu, re, im); });
}

}  // namespace
}  // namespace daedalus
