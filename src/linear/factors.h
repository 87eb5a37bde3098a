#pragma once
// One factory per storage (the dense one is in dense_kernels.h); `make_real_factors` and
// `make_complex_factors` choose among them.
#include <memory>

#include "linear/pencil.h"

namespace daedalus {

std::unique_ptr<RealFactors> make_banded_real_factors(const Pencil& pencil);
std::unique_ptr<RealFactors> make_sparse_real_factors(const Pencil& pencil);
std::unique_ptr<ComplexFactors> make_banded_complex_factors(const Pencil& pencil);
std::unique_ptr<ComplexFactors> make_sparse_complex_factors(const Pencil& pencil);

/// Factors of the same pencil: both solutions at once where one would wait for itself.
void solve_beside(const RealFactors& real, double* x, const ComplexFactors& complex, double* re,
                  double* im);

/// Iterations with an incomplete factorisation; factors proper once these fail or cost more.
std::unique_ptr<RealFactors> make_krylov_factors(const Pencil& pencil);

/// Nanoseconds, fitted to bench/linear_bench.cpp: sparse kernels move an entry at a time.
double direct_factor_time(const SparseWork& work);
double direct_solve_time(const SparseWork& work);
double iterated_solve_time(const Pattern& pattern, int iterations);

}  // namespace daedalus
