// RADAU5 [HairerWanner1996] and DASPK 2.0 [BrownHindmarshPetzold1994] as they stand in the R
// package deSolve (Debian: r-cran-desolve): its library is opened, R is not started. Whatever makes
// them print through R ends the process.
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

#include "peer.h"

namespace daedalus::peers {
namespace {

GivenSystem* current = nullptr;  // Fortran knows no closures

void* desolve_symbol(const char* name) {
  static void* const library = [] {
    const char* told = std::getenv("DAEDALUS_DESOLVE");
    const std::vector<std::string> places = {
        told ? told : "", "/usr/lib/R/site-library/deSolve/libs/deSolve.so",
        "/usr/local/lib/R/site-library/deSolve/libs/deSolve.so",
        "/usr/lib/R/library/deSolve/libs/deSolve.so"};
    for (const std::string& place : places)
      if (!place.empty() && std::filesystem::exists(place))
        if (void* opened = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL)) return opened;
    return static_cast<void*>(nullptr);
  }();
  return library ? dlsym(library, name) : nullptr;
}

/// A number each, or a list each.
struct Tolerances {
  std::vector<double> absolute, relative;
  int are_many;

  Tolerances(const GivenSystem& system, double rtol, double atol)
      : absolute(system.tolerances(atol)),
        relative(absolute.size(), rtol),
        are_many(system.has_own_tolerances()) {}
};

struct BandStorage {
  int diagonal_row;  ///< (row, column) is kept at row - column + diagonal_row
  double& at(double* matrix, int leading, int row, int column) const {
    return matrix[row - column + diagonal_row + static_cast<std::ptrdiff_t>(column) * leading];
  }
};

// --- RADAU5
// ---------------------------------------------------------------------------------------

int skipped_rows = 0;  // M1

void radau_f(int*, double* t, double* y, double* out, double*, int*) {
  current->f(*t, y, out);
}

void radau_jacobian(int* n, double* t, double* y, int* lower, int* upper, double* matrix,
                    int* leading, double*, int*) {
  std::fill(matrix, matrix + static_cast<std::ptrdiff_t>(*leading) * *n, 0.0);
  const bool is_full = *lower >= *n - skipped_rows;
  const BandStorage band = {*upper};
  const int skipped = skipped_rows, rows = *leading;
  current->jacobian(*t, y, [&](int i, int j, double value) {
    if (i < skipped) return;
    if (is_full)
      matrix[i - skipped + static_cast<std::ptrdiff_t>(j) * rows] = value;
    else
      band.at(matrix, rows, i, j) = value;
  });
}

void radau_mass(int* n, double* matrix, int* leading, double*, int*) {
  std::fill(matrix, matrix + static_cast<std::ptrdiff_t>(*leading) * *n, 0.0);
  const int width = current->mass_bandwidth();
  const BandStorage band = {width};
  for (const Mass::Entry& e : current->mass())
    if (e.row >= skipped_rows)
      band.at(matrix, *leading, e.row - skipped_rows, e.column - skipped_rows) += e.value;
}

void no_output() {}

using Radau5 = void(int*, decltype(&radau_f), double*, double*, double*, double*, double*, double*,
                    int*, decltype(&radau_jacobian), int*, int*, int*, decltype(&radau_mass), int*,
                    int*, int*, void (*)(), int*, double*, int*, int*, int*, double*, int*, int*);

// --- DASPK
// ----------------------------------------------------------------------------------------

void daspk_residual(double* t, double* y, double* slope, double*, double* out, int*, double*,
                    int*) {
  current->residual(*t, y, slope, out);
}

bool daspk_is_banded = false;

void daspk_jacobian(double* t, double* y, double* slope, double* matrix, double* shift, double*,
                    int*) {
  const int n = current->size(), lower = current->lower(), upper = current->upper();
  const int leading = daspk_is_banded ? 2 * lower + upper + 1 : n;
  const BandStorage band = {lower + upper};
  const auto at = [&](int i, int j) -> double& {
    return daspk_is_banded ? band.at(matrix, leading, i, j)
                           : matrix[i + static_cast<std::ptrdiff_t>(j) * n];
  };
  std::fill(matrix, matrix + static_cast<std::ptrdiff_t>(leading) * n, 0.0);
  current->pencil(*t, y, slope, *shift, [&](int i, int j, double value) { at(i, j) += value; });
}

using Daspk = void(decltype(&daspk_residual), int*, double*, double*, double*, double*, int*,
                   double*, double*, int*, double*, int*, int*, int*, double*, int*,
                   decltype(&daspk_jacobian), void (*)());

}  // namespace

std::vector<std::string> desolve_variants(const std::string& solver, const GivenSystem& system) {
  if (!desolve_symbol(solver == "radau5" ? "radau5_" : "ddaspk_")) return {};
  std::vector<std::string> list;
  if (system.is_banded() && system.lower() <= widest_band)
    list.push_back("band");
  else if (!system.is_banded() && system.size() <= most_for_dense)
    list.push_back("dense");
  if (solver == "radau5" && !system.is_banded() && system.trivial_rows().count > 0)
    list.push_back("m1");
  return list;
}

PeerRun run_radau5(GivenSystem& system, const std::string& variant, double rtol, double atol) {
  const auto radau5 = reinterpret_cast<Radau5*>(desolve_symbol("radau5_"));
  Tolerances tolerances(system, rtol, atol);
  const double before = cpu_microseconds();
  PeerRun run;
  current = &system;
  int n = system.size(), has_jacobian = 1, has_mass = 1, no_solout = 0;
  const auto [trivial, shift] = system.trivial_rows();
  skipped_rows = variant == "m1" ? trivial : 0;
  const bool is_banded = variant == "band";
  int lower = is_banded ? system.lower() : n - skipped_rows, upper = is_banded ? system.upper() : 0;
  if (!is_banded) upper = n - skipped_rows;
  int mass_lower = system.mass_bandwidth(), mass_upper = mass_lower;
  const int own = n - skipped_rows;
  const std::ptrdiff_t jacobian_rows = is_banded ? lower + upper + 1 : own;
  const std::ptrdiff_t factor_rows = is_banded ? 2 * lower + upper + 1 : own;
  const std::ptrdiff_t mass_rows = mass_lower + mass_upper + 1;
  int work_size = static_cast<int>(n * (jacobian_rows + 12) + own * (mass_rows + 3 * factor_rows) +
                                   20 + 16 * n);
  int index_size = 3 * n + 40;
  std::vector<double> work(static_cast<std::size_t>(work_size), 0.0);
  std::vector<int> counts(static_cast<std::size_t>(index_size), 0);
  counts[1] = 100'000'000;
  for (const int index : system.statement().problem.variable_index)
    ++counts[static_cast<std::size_t>(3 + index)];
  if (skipped_rows > 0) counts[8] = trivial, counts[9] = shift;
  run.y = system.start();
  double t = system.statement().problem.t_span.begin, end = system.statement().problem.t_span.end;
  double h = 0, parameters = 0;
  int integers = 0, outcome = 0;
  radau5(&n, radau_f, &t, run.y.data(), &end, &h, tolerances.relative.data(),
         tolerances.absolute.data(), &tolerances.are_many, radau_jacobian, &has_jacobian, &lower,
         &upper, radau_mass, &has_mass, &mass_lower, &mass_upper, no_output, &no_solout,
         work.data(), &work_size, counts.data(), &index_size, &parameters, &integers, &outcome);
  run.cpu_us = cpu_microseconds() - before;
  run.succeeded = outcome > 0;
  if (!run.succeeded) run.message = "IDID = " + std::to_string(outcome);
  run.rhs = counts[13], run.jacobians = counts[14], run.steps = counts[16];
  run.rejected = counts[17], run.factorizations = counts[18], run.solves = counts[19];
  return run;
}

PeerRun run_daspk(GivenSystem& system, const std::string& variant, double rtol, double atol) {
  const auto daspk = reinterpret_cast<Daspk*>(desolve_symbol("ddaspk_"));
  Vector slope = system.start_slope();
  const std::vector<char> controlled = system.is_controlled();
  Tolerances tolerances(system, rtol, atol);
  const double before = cpu_microseconds();
  PeerRun run;
  current = &system;
  daspk_is_banded = variant == "band";
  int n = system.size();
  std::vector<int> info(30, 0);
  info[1] = tolerances.are_many;
  info[3] = 1;  // never step beyond the end
  info[4] = 1;  // exact Jacobian
  info[5] = daspk_is_banded ? 1 : 0;
  const bool leave_out_algebraic = system.statement().highest_index > 1;
  info[15] = leave_out_algebraic ? 1 : 0;
  const std::size_t size = static_cast<std::size_t>(n);
  const std::size_t matrix =
      daspk_is_banded
          ? size * static_cast<std::size_t>(2 * system.lower() + system.upper() + 1) +
                2 * (size / static_cast<std::size_t>(system.lower() + system.upper() + 1) + 1)
          : size * size;
  std::vector<double> work(50 + 11 * size + matrix, 0.0);
  std::vector<int> counts(40 + 3 * size, 0);
  if (daspk_is_banded) counts[0] = system.lower(), counts[1] = system.upper();
  if (leave_out_algebraic)
    for (std::size_t i = 0; i < size; ++i) counts[40 + i] = controlled[i] ? 1 : -1;
  int work_size = static_cast<int>(work.size()), index_size = static_cast<int>(counts.size());
  run.y = system.start();
  double t = system.statement().problem.t_span.begin, end = system.statement().problem.t_span.end;
  work[0] = end;
  double parameters = 0;
  int integers = 0, outcome = -1;
  // -1: 500 steps were made, and more are wanted.
  for (int calls = 0; calls < 200'000 && outcome == -1; ++calls) {
    daspk(daspk_residual, &n, &t, run.y.data(), slope.data(), &end, info.data(),
          tolerances.relative.data(), tolerances.absolute.data(), &outcome, work.data(), &work_size,
          counts.data(), &index_size, &parameters, &integers, daspk_jacobian, no_output);
    if (outcome == 1) outcome = -1;
    info[0] = 1;
  }
  run.cpu_us = cpu_microseconds() - before;
  run.succeeded = outcome > 0;
  if (!run.succeeded) run.message = "IDID = " + std::to_string(outcome);
  run.steps = counts[10], run.rhs = counts[11], run.jacobians = run.factorizations = counts[12];
  run.rejected = counts[13] + counts[14], run.solves = counts[18];
  return run;
}

}  // namespace daedalus::peers
