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

/// Work of a sparse LU after a fill-reducing ordering, without pivoting off the diagonal.
struct SparseWork {
  double flops = 0;
  double entries = 0;  ///< of L and U
};
SparseWork sparse_work(const Pattern& pattern);

}  // namespace daedalus
