#include "analysis/transversal_scaling.h"

#include <cmath>
#include <limits>
#include <vector>

namespace daedalus {

/// Successive shortest augmenting paths on the costs log(largest of the column) - log |a_ij|,
/// dense; the prices are the logarithms of the scales.
bool scale_by_transversal(Matrix& a) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const int n = static_cast<int>(a.rows());
  Matrix cost(n, n);
  Vector largest = a.cwiseAbs().colwise().maxCoeff();
  for (int j = 0; j < n; ++j) {
    if (!(largest[j] > 0)) return false;
    for (int i = 0; i < n; ++i)
      cost(i, j) = a(i, j) == 0 ? infinite : std::log(largest[j] / std::abs(a(i, j)));
  }
  // Row and column n are not there: the root of a search hangs on column n.
  std::vector<double> u(n + 1, 0.0), v(n + 1, 0.0);
  std::vector<int> row_of(n + 1, -1), before(n + 1, n);
  for (int root = 0; root < n; ++root) {
    row_of[n] = root;
    std::vector<double> distance(n + 1, infinite);
    std::vector<char> done(n + 1, 0);
    int column = n;
    while (row_of[column] >= 0) {
      done[column] = 1;
      const int i = row_of[column];
      double least = infinite;
      int next = -1;
      for (int j = 0; j < n; ++j) {
        if (done[j]) continue;
        if (const double d = cost(i, j) - u[i] - v[j]; d < distance[j])
          distance[j] = d, before[j] = column;
        if (distance[j] < least) least = distance[j], next = j;
      }
      if (next < 0) return false;
      for (int j = 0; j <= n; ++j) {
        if (done[j])
          u[row_of[j]] += least, v[j] -= least;
        else
          distance[j] -= least;
      }
      column = next;
    }
    while (column != n) {
      row_of[column] = row_of[before[column]];
      column = before[column];
    }
  }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (a(i, j) != 0) a(i, j) = std::copysign(std::exp(u[i] + v[j] - cost(i, j)), a(i, j));
  return true;
}

}  // namespace daedalus
