// Written out instead of Eigen's FullPivLU: twenty lines compile at once, that header in seconds.
#include "method/inverse.h"

#include <cmath>
#include <utility>
#include <vector>

namespace daedalus {

std::optional<ExtendedMatrix> inverse_if_regular(ExtendedMatrix a) {
  // Tableaus are rounded to double: smaller pivots are noise. Regular ones stay above 1e-4.
  constexpr long double relative_zero = 1e-13L;
  const Eigen::Index n = a.rows();
  if (n == 0 || !a.allFinite()) return std::nullopt;
  const long double size = a.cwiseAbs().maxCoeff();
  std::vector<std::pair<Eigen::Index, Eigen::Index>> swaps;
  for (Eigen::Index k = 0; k < n; ++k) {
    Eigen::Index row = 0;
    Eigen::Index column = 0;
    const long double largest =
        a.bottomRightCorner(n - k, n - k).cwiseAbs().maxCoeff(&row, &column);
    if (largest <= relative_zero * size) return std::nullopt;
    row += k;
    column += k;
    a.row(k).swap(a.row(row));
    a.col(k).swap(a.col(column));
    swaps.emplace_back(row, column);
    // In place: column k becomes the k-th column of the inverse of the eliminated part.
    const long double pivot = a(k, k);
    a(k, k) = 1;
    a.row(k) /= pivot;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (i == k) continue;
      const long double factor = a(i, k);
      a(i, k) = 0;
      a.row(i) -= factor * a.row(k);
    }
  }
  // With P A Q = B the inverse is Q B^-1 P: undo in reverse, rows and columns exchanged.
  for (Eigen::Index k = n - 1; k >= 0; --k) {
    const auto [row, column] = swaps[static_cast<std::size_t>(k)];
    a.row(k).swap(a.row(column));
    a.col(k).swap(a.col(row));
  }
  return a;
}

}  // namespace daedalus
