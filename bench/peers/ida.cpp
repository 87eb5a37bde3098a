// IDA of SUNDIALS [HindmarshBrownEtAl2005] with dense, banded or KLU factors (ordering AMD), or
// with GMRES preconditioned by the blocks of the points of a grid.
#include <algorithm>
#include <numeric>

#include "peer.h"

#ifdef DAEDALUS_HAS_IDA
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <Eigen/LU>

namespace daedalus::peers {
namespace {

int residual(double t, N_Vector y, N_Vector slope, N_Vector out, void* data) {
  GivenSystem& system = *static_cast<GivenSystem*>(data);
  system.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(slope), N_VGetArrayPointer(out));
  return 0;
}

/// at(i, j): the place of that entry of shift dF/dy' + dF/dy, all zero before.
template <class At>
void fill(GivenSystem& system, double t, N_Vector y, N_Vector slope, double shift, At at) {
  system.pencil(t, N_VGetArrayPointer(y), N_VGetArrayPointer(slope), shift,
                [&](int i, int j, double value) { at(i, j) += value; });
}

int dense_jacobian(double t, double shift, N_Vector y, N_Vector slope, N_Vector, SUNMatrix matrix,
                   void* data, N_Vector, N_Vector, N_Vector) {
  SUNMatZero(matrix);
  double** columns = SM_COLS_D(matrix);
  fill(*static_cast<GivenSystem*>(data), t, y, slope, shift,
       [&](int i, int j) -> double& { return columns[j][i]; });
  return 0;
}

int band_jacobian(double t, double shift, N_Vector y, N_Vector slope, N_Vector, SUNMatrix matrix,
                  void* data, N_Vector, N_Vector, N_Vector) {
  SUNMatZero(matrix);
  fill(*static_cast<GivenSystem*>(data), t, y, slope, shift,
       [&](int i, int j) -> double& { return SM_ELEMENT_B(matrix, i, j); });
  return 0;
}

/// The pattern of df/dy together with that of M.
struct SparsePattern {
  std::vector<sunindextype> begin, rows;

  explicit SparsePattern(const GivenSystem& system)
      : begin(static_cast<std::size_t>(system.size()) + 1, 0) {
    std::vector<std::pair<int, int>> list;
    for (const Rates::Entry& e : system.entries()) list.emplace_back(e.column, e.row);
    for (const Mass::Entry& e : system.mass()) list.emplace_back(e.column, e.row);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const auto& [column, row] : list) {
      rows.push_back(row);
      ++begin[static_cast<std::size_t>(column) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
  }
  std::ptrdiff_t place(int i, int j) const {
    const auto first = rows.begin() + begin[static_cast<std::size_t>(j)];
    const auto last = rows.begin() + begin[static_cast<std::size_t>(j) + 1];
    return std::lower_bound(first, last, i) - rows.begin();
  }
};
const SparsePattern* pattern = nullptr;

int sparse_jacobian(double t, double shift, N_Vector y, N_Vector slope, N_Vector, SUNMatrix matrix,
                    void* data, N_Vector, N_Vector, N_Vector) {
  std::copy(pattern->begin.begin(), pattern->begin.end(), SM_INDEXPTRS_S(matrix));
  std::copy(pattern->rows.begin(), pattern->rows.end(), SM_INDEXVALS_S(matrix));
  double* values = SM_DATA_S(matrix);
  std::fill(values, values + pattern->rows.size(), 0.0);
  fill(*static_cast<GivenSystem*>(data), t, y, slope, shift,
       [&](int i, int j) -> double& { return values[pattern->place(i, j)]; });
  return 0;
}

/// Inverses of the diagonal blocks of shift M - df/dy, one after the other, by columns.
struct PointBlocks {
  int block;
  std::vector<double> inverse;

  explicit PointBlocks(const GivenSystem& system)
      : block(system.statement().per_point),
        inverse(static_cast<std::size_t>(system.size()) * static_cast<std::size_t>(block)) {}
};
PointBlocks* blocks = nullptr;

int set_up_blocks(double t, N_Vector y, N_Vector slope, N_Vector, double shift, void* data) {
  GivenSystem& system = *static_cast<GivenSystem*>(data);
  const int b = blocks->block;
  double* values = blocks->inverse.data();
  std::fill(blocks->inverse.begin(), blocks->inverse.end(), 0.0);
  double outside = 0;
  fill(system, t, y, slope, shift,
       [&](int i, int j) -> double& { return i / b == j / b ? values[j * b + i % b] : outside; });
  for (int first = 0; first < system.size(); first += b) {
    Eigen::Map<Matrix> m(values + first * b, b, b);
    m = m.inverse().eval();
  }
  return 0;
}

int solve_blocks(double, N_Vector, N_Vector, N_Vector, N_Vector right, N_Vector out, double, double,
                 void* data) {
  const int b = blocks->block, n = static_cast<GivenSystem*>(data)->size();
  const double *r = N_VGetArrayPointer(right), *m = blocks->inverse.data();
  double* z = N_VGetArrayPointer(out);
  for (int first = 0; first < n; first += b, r += b, z += b, m += b * b)
    for (int i = 0; i < b; ++i) {
      double sum = 0;
      for (int j = 0; j < b; ++j) sum += m[i + j * b] * r[j];
      z[i] = sum;
    }
  return 0;
}

}  // namespace

std::vector<std::string> ida_variants(const GivenSystem& system) {
  std::vector<std::string> list;
  if (system.is_banded() && system.lower() <= widest_band) list.push_back("band");
  const bool is_grid = system.statement().per_point > 0;
  if (system.statement().is_sparse && is_grid) list.push_back("gmres");
  if (system.statement().is_sparse) list.push_back("klu");
  if (!system.is_banded() && system.size() <= most_for_dense) list.push_back("dense");
  return list;
}

PeerRun run_ida(GivenSystem& system, const std::string& variant, double rtol, double atol) {
  const Vector slope = system.start_slope();
  const std::vector<char> controlled = system.is_controlled();
  static const SparsePattern sparse(system);
  pattern = &sparse;
  const double before = cpu_microseconds();
  PeerRun run;
  run.y = system.start();
  const int n = system.size();
  SUNContext context = nullptr;
  SUNContext_Create(nullptr, &context);
  N_Vector y = N_VNew_Serial(n, context), yp = N_VClone(y), id = N_VClone(y);
  std::copy(run.y.begin(), run.y.end(), N_VGetArrayPointer(y));
  std::copy(slope.begin(), slope.end(), N_VGetArrayPointer(yp));
  for (int i = 0; i < n; ++i)
    N_VGetArrayPointer(id)[i] = controlled[static_cast<std::size_t>(i)] ? 1 : 0;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  IDALsJacFn jacobian = dense_jacobian;
  if (variant == "band") {
    matrix = SUNBandMatrix(n, system.upper(), system.lower(), context);
    linear = SUNLinSol_Band(y, matrix, context);
    jacobian = band_jacobian;
  } else if (variant == "klu") {
    matrix = SUNSparseMatrix(n, n, static_cast<sunindextype>(sparse.rows.size()), CSC_MAT, context);
    linear = SUNLinSol_KLU(y, matrix, context);
    constexpr int amd = 0;
    SUNLinSol_KLUSetOrdering(linear, amd);
    jacobian = sparse_jacobian;
  } else if (variant == "gmres") {
    constexpr int largest_space = 20;
    linear = SUNLinSol_SPGMR(y, SUN_PREC_LEFT, largest_space, context);
  } else {
    matrix = SUNDenseMatrix(n, n, context);
    linear = SUNLinSol_Dense(y, matrix, context);
  }
  const Interval& span = system.statement().problem.t_span;
  void* ida = IDACreate(context);
  IDASetErrFile(ida, nullptr);
  IDAInit(ida, residual, span.begin, y, yp);
  const std::vector<double> absolute = system.tolerances(atol);
  N_Vector absolute_list = nullptr;
  if (system.has_own_tolerances()) {
    absolute_list = N_VClone(y);
    std::copy(absolute.begin(), absolute.end(), N_VGetArrayPointer(absolute_list));
    IDASVtolerances(ida, rtol, absolute_list);
  } else {
    IDASStolerances(ida, rtol, atol);
  }
  IDASetUserData(ida, &system);
  IDASetLinearSolver(ida, linear, matrix);
  PointBlocks point_blocks(system);
  blocks = &point_blocks;
  if (matrix)
    IDASetJacFn(ida, jacobian);
  else
    IDASetPreconditioner(ida, set_up_blocks, solve_blocks);
  IDASetMaxNumSteps(ida, -1);
  IDASetStopTime(ida, span.end);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, system.statement().highest_index > 1);
  double t = span.begin;
  const int outcome = IDASolve(ida, span.end, &t, y, yp, IDA_NORMAL);
  run.cpu_us = cpu_microseconds() - before;
  run.succeeded = outcome >= 0;
  if (!run.succeeded) run.message = IDAGetReturnFlagName(outcome);
  run.y = Input(N_VGetArrayPointer(y), n);
  long failed_tests = 0, failed_newton = 0;
  IDAGetNumSteps(ida, &run.steps);
  IDAGetNumResEvals(ida, &run.rhs);
  IDAGetNumErrTestFails(ida, &failed_tests);
  IDAGetNumNonlinSolvConvFails(ida, &failed_newton);
  run.rejected = failed_tests + failed_newton;
  if (matrix) IDAGetNumJacEvals(ida, &run.jacobians);
  long for_products = 0;
  IDAGetNumLinResEvals(ida, &for_products);
  run.rhs += for_products;
  IDAGetNumLinSolvSetups(ida, &run.factorizations);
  IDAGetNumNonlinSolvIters(ida, &run.solves);
  IDAFree(&ida);
  SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  if (absolute_list) N_VDestroy(absolute_list);
  N_VDestroy(id), N_VDestroy(yp), N_VDestroy(y);
  SUNContext_Free(&context);
  return run;
}

}  // namespace daedalus::peers

#else

namespace daedalus::peers {

std::vector<std::string> ida_variants(const GivenSystem&) {
  return {};
}

PeerRun run_ida(GivenSystem&, const std::string&, double, double) {
  return {.message = "built without SUNDIALS"};
}

}  // namespace daedalus::peers

#endif
