#pragma once
// Reflections of short columns, in place and without memory of their own.
#include <cmath>

namespace daedalus::bvp {

/// Makes the first `reflected` of `columns` columns upper triangular; below their diagonals remain
/// the vectors of the reflections, whose first entry is 1.
inline void reflect(double* a, int rows, int reflected, int columns, double* tau) {
  for (int j = 0; j < reflected; ++j) {
    double* own = a + j * rows;
    double below = 0;
    for (int i = j + 1; i < rows; ++i) below += own[i] * own[i];
    tau[j] = 0;
    if (below == 0) continue;
    const double alpha = own[j], norm = std::sqrt(alpha * alpha + below);
    const double beta = alpha > 0 ? -norm : norm, scale = 1 / (alpha - beta);
    tau[j] = (beta - alpha) / beta;
    for (int i = j + 1; i < rows; ++i) own[i] *= scale;
    own[j] = beta;
    for (int c = j + 1; c < columns; ++c) {
      double* other = a + c * rows;
      double sum = other[j];
      for (int i = j + 1; i < rows; ++i) sum += own[i] * other[i];
      sum *= tau[j];
      other[j] -= sum;
      for (int i = j + 1; i < rows; ++i) other[i] -= sum * own[i];
    }
  }
}

/// b <- Q^T b.
inline void apply_reflections(const double* a, int rows, int reflected, const double* tau,
                              double* b) {
  for (int j = 0; j < reflected; ++j) {
    const double* own = a + j * rows;
    double sum = b[j];
    for (int i = j + 1; i < rows; ++i) sum += own[i] * b[i];
    sum *= tau[j];
    b[j] -= sum;
    for (int i = j + 1; i < rows; ++i) b[i] -= sum * own[i];
  }
}

}  // namespace daedalus::bvp
