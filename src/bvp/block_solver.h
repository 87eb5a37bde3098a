#pragma once
// The condensed system of a mesh,
//
//   dz_i - Gamma_i dz_{i-1} = gamma_i,  i = 1..N,      sum_p B_p dz_{node p} = beta,
//
// for conditions that may tie any nodes. The mesh is cut at the nodes of the conditions and at a
// few more. Inside a piece every node is eliminated by reflections of the two block rows that hold
// it: orthogonal transformations keep what grows apart from what decays, whichever way it goes,
// and the work is linear in N. The pieces are independent; what is left of them, [A C] for
// the two ends of each, and the conditions form a small dense system. [Wright1992]
#include <Eigen/LU>
#include <Eigen/QR>

#include "daedalus/vector.h"

namespace daedalus::bvp {

class BlockSolver {
 public:
  BlockSolver(int elements, int states, const std::vector<int>& condition_nodes, int threads);

  /// transfer: Gamma_1, Gamma_2, ... side by side; conditions: states x (states * condition nodes).
  /// False: singular to working precision.
  bool factor(const Matrix& transfer, const Matrix& conditions);
  void solve(const Matrix& gamma, const Vector& beta, Matrix& dz);
  /// Estimate of the largest change of dz for changes of size 1 of beta, scaled.
  double condition() const { return condition_; }
  /// Values at the nodes of the conditions that hardly change any equation; size states * nodes.
  Vector free_direction() const;

 private:
  /// What an inner node needs: reflections with R (2n x n), the couplings of its rows to the left
  /// end of the piece and to the next node (n x n each), the factors of the reflections (n).
  struct Inner {
    double *qr, *before, *after, *tau;
  };
  Inner inner(int node) {
    double* first = inner_.data() + static_cast<std::ptrdiff_t>(node) * (4 * n_ + 1) * n_;
    return {first, first + 2 * n_ * n_, first + 3 * n_ * n_, first + 4 * n_ * n_};
  }
  void reduce(int piece, const Matrix& transfer);
  void reduce_right_side(int piece, const Matrix& gamma);
  void substitute(int piece, Matrix& dz);

  int elements_, n_, threads_;
  std::vector<int> cut_;              ///< nodes between the pieces, both ends included
  std::vector<int> condition_cut_;    ///< position in cut_ of each node of the conditions
  std::vector<double> inner_;         ///< of each node
  std::vector<Matrix> left_, right_;  ///< A, C of each piece
  Matrix right_side_;                 ///< of the inner nodes after the reflections
  Matrix piece_side_;                 ///< of the pieces
  Matrix reduced_;
  Vector scale_, solution_;
  bool small_ = true;
  Eigen::ColPivHouseholderQR<Matrix> qr_;
  Eigen::PartialPivLU<Matrix> lu_;
  double condition_ = 0;
};

}  // namespace daedalus::bvp
