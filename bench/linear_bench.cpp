// Nanoseconds per factorisation and solve of a pencil, beside Eigen's PartialPivLU. The right-hand
// side of a solve is the solution of the last one, as in a Newton iteration: latency counts.
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <benchmark/benchmark.h>

#include "linear/dense_kernels.h"
#include "linear/pencil.h"

namespace {

using namespace daedalus;

Pencil random_pencil(Storage storage, Pattern pattern) {
  Pencil pencil(storage, std::move(pattern));
  std::mt19937 generator(1);
  std::normal_distribution<double> normal;
  for (double& x : pencil.e) x = normal(generator);
  for (double& x : pencil.a) x = normal(generator);
  return pencil;
}

void real_factor(benchmark::State& state, const Pencil& pencil, RealFactors& factors) {
  for (auto _ : state) benchmark::DoNotOptimize(factors.factor(pencil, 1.0));
}

void complex_factor(benchmark::State& state, const Pencil& pencil, ComplexFactors& factors) {
  for (auto _ : state) benchmark::DoNotOptimize(factors.factor(pencil, 1.0, 2.0));
}

/// Keeps repeated solves in range: a power iteration with the inverse.
void normalise(std::vector<double>& x) {
  double most = 1e-300;
  for (double v : x) most = std::max(most, std::abs(v));
  for (double& v : x) v /= most;
}

void real_solve(benchmark::State& state, const Pencil& pencil, RealFactors& factors) {
  factors.factor(pencil, 1.0);
  std::vector<double> x(pencil.size(), 1.0);
  int count = 0;
  for (auto _ : state) {
    factors.solve(x.data());
    if (++count % 128 == 0) normalise(x);
  }
  benchmark::DoNotOptimize(x.data());
}

void complex_solve(benchmark::State& state, const Pencil& pencil, ComplexFactors& factors) {
  factors.factor(pencil, 1.0, 2.0);
  std::vector<double> x(pencil.size(), 1.0), y = x;
  int count = 0;
  for (auto _ : state) {
    factors.solve(x.data(), y.data());
    if (++count % 128 == 0) normalise(x), normalise(y);
  }
  benchmark::DoNotOptimize(x.data());
}

template <class Scalar, int n>
void eigen_factor(benchmark::State& state, int size) {
  using Matrix = Eigen::Matrix<Scalar, n, n>;
  const Matrix a = Matrix::Random(size, size);
  Eigen::PartialPivLU<Matrix> lu(a);
  for (auto _ : state) {
    lu.compute(a);
    benchmark::DoNotOptimize(&lu);
    benchmark::ClobberMemory();
  }
}

template <class Scalar, int n>
void eigen_solve(benchmark::State& state, int size) {
  using Matrix = Eigen::Matrix<Scalar, n, n>;
  using Vector = Eigen::Matrix<Scalar, n, 1>;
  const Eigen::PartialPivLU<Matrix> lu(Matrix::Random(size, size));
  Vector x = Vector::Ones(size), y = x;
  for (auto _ : state) {
    y = lu.solve(x);
    x = y / (1 + std::abs(y[0]));
  }
  benchmark::DoNotOptimize(x.data());
}

void add(const std::string& name, const Pencil& pencil, std::shared_ptr<RealFactors> real,
         std::shared_ptr<ComplexFactors> complex) {
  const auto add_one = [&](const std::string& what, auto run, auto factors) {
    benchmark::RegisterBenchmark((name + what).c_str(),
                                 [=](benchmark::State& s) { run(s, pencil, *factors); });
  };
  add_one("/real/factor", real_factor, real);
  add_one("/complex/factor", complex_factor, complex);
  add_one("/real/solve", real_solve, real);
  add_one("/complex/solve", complex_solve, complex);
}

void add(const std::string& name, const Pencil& pencil) {
  add(name, pencil, make_real_factors(pencil), make_complex_factors(pencil));
}

template <int n>
void add_eigen(const std::string& name, int size) {
  using benchmark::RegisterBenchmark;
  using Complex = std::complex<double>;
  const auto with = [=](auto run) { return [=](benchmark::State& s) { run(s, size); }; };
  RegisterBenchmark((name + "/real/factor").c_str(), with(eigen_factor<double, n>));
  RegisterBenchmark((name + "/complex/factor").c_str(), with(eigen_factor<Complex, n>));
  RegisterBenchmark((name + "/real/solve").c_str(), with(eigen_solve<double, n>));
  RegisterBenchmark((name + "/complex/solve").c_str(), with(eigen_solve<Complex, n>));
}

template <int n>
void add_dense() {
  const std::string size = "/" + std::to_string(n);
  const Pencil pencil = random_pencil(Storage::dense, dense_pattern(n));
  for (const auto& [set, name] : {std::pair(InstructionSet::avx512, "dense_avx512"),
                                  std::pair(InstructionSet::avx2, "dense_avx2"),
                                  std::pair(InstructionSet::portable, "dense_portable")})
    if (is_available(set))
      add(name + size, pencil, make_dense_real_factors(n, set), make_dense_complex_factors(n, set));
  if constexpr (n <= 27) add_eigen<n>("eigen_fixed" + size, n);
  add_eigen<Eigen::Dynamic>("eigen" + size, n);
}

Pattern band_pattern(int n, int lower, int upper) {
  std::vector<std::pair<int, int>> entries;
  for (int j = 0; j < n; ++j)
    for (int i = std::max(0, j - upper); i <= std::min(n - 1, j + lower); ++i)
      entries.emplace_back(i, j);
  return make_pattern(n, std::move(entries));
}

/// With a large diagonal, so that interchanges are rare as in most discretisations.
Pencil band(int n, int width) {
  Pencil pencil = random_pencil(Storage::banded, band_pattern(n, width, width));
  for (int j = 0; j < n; ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k)
      if (pencil.pattern.row[k] == j) pencil.a[k] = 5 * width;
  return pencil;
}

/// Two species on a square grid: five-point stencil, coupled at every point; diagonally dominant.
Pencil food_web(Storage storage, int side) {
  std::vector<std::pair<int, int>> entries;
  for (int p = 0; p < side * side; ++p)
    for (int s = 0; s < 2; ++s) {
      const int i = p / side, j = p % side, row = 2 * p + s;
      entries.emplace_back(row, 2 * p + 1 - s);
      if (i > 0) entries.emplace_back(row, row - 2 * side);
      if (j > 0) entries.emplace_back(row, row - 2);
      if (i + 1 < side) entries.emplace_back(row, row + 2 * side);
      if (j + 1 < side) entries.emplace_back(row, row + 2);
    }
  Pencil pencil = random_pencil(storage, make_pattern(2 * side * side, std::move(entries)));
  for (int j = 0; j < pencil.size(); ++j)
    for (int k = pencil.pattern.column_start[j]; k < pencil.pattern.column_start[j + 1]; ++k) {
      pencil.e[k] = pencil.pattern.row[k] == j && j % 2 == 0 ? 1 : 0;
      if (pencil.pattern.row[k] == j) pencil.a[k] = 10;
    }
  return pencil;
}

}  // namespace

int main(int argc, char** argv) {
  add_dense<3>();
  add_dense<5>();
  add_dense<8>();
  add_dense<10>();
  add_dense<16>();
  add_dense<27>();
  add_dense<64>();
  add_dense<160>();
  for (int width : {1, 2, 5, 10, 40})
    add("banded/1000x" + std::to_string(width), band(1000, width));
  add("sparse/food_web_12", food_web(Storage::sparse, 12));
  add("sparse/food_web_72", food_web(Storage::sparse, 72));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
