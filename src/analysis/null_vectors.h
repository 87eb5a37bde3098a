#pragma once
// Null vectors of a singular part of the system Jacobian J_ij = df_i / dx_j^(d_j - c_i).
#include <vector>

#include "analysis/signature.h"
#include "problem/algebraic_rows.h"

namespace daedalus {

/// The rows of a part and the columns they are matched with, as entries (row, column) of a matrix
/// whose k-th row is that of rows[k], whose k-th column is that of its match.
std::vector<Mass::Entry> part_of_jacobian(const std::vector<EquationJacobian::Entry>& entries,
                                          const std::vector<double>& values,
                                          const std::vector<int>& rows,
                                          const StructuralAnalysis& structure);

/// u with u^T J = 0. Weights that are simple numbers but for rounding are made so.
std::vector<RowCombination> left_null_vectors(int size, std::vector<Mass::Entry> part);
/// v with J v = 0, `row` for columns.
std::vector<RowCombination> right_null_vectors(int size, std::vector<Mass::Entry> part);

}  // namespace daedalus
