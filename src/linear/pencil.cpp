// Storage of a pencil and the choice of its factorisation.
#include "linear/pencil.h"

#include <algorithm>
#include <utility>

#include "daedalus/error.h"
#include "linear/dense_kernels.h"
#include "linear/factors.h"

namespace daedalus {

Pencil::Pencil(Storage storage, Pattern pattern, SparseWork work)
    : storage(storage),
      pattern(storage == Storage::dense && pattern.nonzeros() < pattern.size * pattern.size
                  ? dense_pattern(pattern.size)
                  : std::move(pattern)),
      e(this->pattern.row.size(), 0.0),
      a(this->pattern.row.size(), 0.0),
      work(work) {}

std::size_t Pencil::position(int row, int column) const {
  const auto begin = pattern.row.begin() + pattern.column_start[column],
             end = pattern.row.begin() + pattern.column_start[column + 1];
  return static_cast<std::size_t>(std::lower_bound(begin, end, row) - pattern.row.begin());
}

std::unique_ptr<RealFactors> make_real_factors(const Pencil& pencil) {
  switch (pencil.storage) {
    case Storage::dense:
      return make_dense_real_factors(pencil.size(), best_instruction_set());
    case Storage::banded:
      return make_banded_real_factors(pencil);
    case Storage::krylov:
      return make_krylov_factors(pencil);
    case Storage::sparse:
      break;
  }
  return make_sparse_real_factors(pencil);
}

std::unique_ptr<ComplexFactors> make_complex_factors(const Pencil& pencil) {
  switch (pencil.storage) {
    case Storage::dense:
      return make_dense_complex_factors(pencil.size(), best_instruction_set());
    case Storage::banded:
      return make_banded_complex_factors(pencil);
    case Storage::krylov:
      throw InvalidInput(
          "linear_algebra = krylov: this method solves with complex matrices, for which there are "
          "no iterations; try bdf, mebdf, seulex or rodas_4, or linear_algebra = sparse");
    case Storage::sparse:
      break;
  }
  return make_sparse_complex_factors(pencil);
}

}  // namespace daedalus
