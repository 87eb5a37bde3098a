#pragma once
// Q R of a tall matrix by reflections, in place and without memory of its own: below the diagonal
// the vectors of the reflections, whose first entry is 1.
#include <cmath>

#include <Eigen/Core>

namespace daedalus::bvp {

using MatrixRef = Eigen::Ref<Eigen::MatrixXd>;

inline void reflect(MatrixRef a, double* tau) {
  const Eigen::Index rows = a.rows(), columns = std::min(a.cols(), rows);
  for (Eigen::Index j = 0; j < columns; ++j) {
    const double below = a.col(j).tail(rows - j - 1).squaredNorm();
    tau[j] = 0;
    if (below == 0) continue;
    const double alpha = a(j, j), norm = std::sqrt(alpha * alpha + below);
    const double beta = alpha > 0 ? -norm : norm;
    tau[j] = (beta - alpha) / beta;
    a.col(j).tail(rows - j - 1) /= alpha - beta;
    a(j, j) = beta;
    for (Eigen::Index c = j + 1; c < a.cols(); ++c) {
      const double sum =
          tau[j] * (a(j, c) + a.col(j).tail(rows - j - 1).dot(a.col(c).tail(rows - j - 1)));
      a(j, c) -= sum;
      a.col(c).tail(rows - j - 1) -= sum * a.col(j).tail(rows - j - 1);
    }
  }
}

/// b <- Q^T b.
template <class Derived>
void apply_reflections(const Eigen::Ref<const Eigen::MatrixXd>& a, const double* tau,
                       Eigen::MatrixBase<Derived>& b) {
  const Eigen::Index rows = a.rows(), columns = std::min(a.cols(), rows);
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (tau[j] == 0) continue;
    for (Eigen::Index c = 0; c < b.cols(); ++c) {
      const double sum =
          tau[j] * (b(j, c) + a.col(j).tail(rows - j - 1).dot(b.col(c).tail(rows - j - 1)));
      b(j, c) -= sum;
      b.col(c).tail(rows - j - 1) -= sum * a.col(j).tail(rows - j - 1);
    }
  }
}

}  // namespace daedalus::bvp
