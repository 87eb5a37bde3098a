#include "bvp/block_solver.h"

#include <algorithm>

#include "bvp/householder.h"
#include "bvp/parallel.h"

namespace daedalus::bvp {
namespace {

constexpr int smallest_piece = 32, most_pieces = 8;
constexpr int largest_revealed = 240;  ///< beyond, rows are exchanged instead of columns

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

BlockSolver::BlockSolver(int elements, int states, const std::vector<int>& condition_nodes,
                         int threads)
    : elements_(elements), n_(states), threads_(threads) {
  cut_ = condition_nodes;
  const int pieces = std::clamp(elements / smallest_piece, 1, most_pieces);
  for (int p = 0; p <= pieces; ++p)
    cut_.push_back(static_cast<int>(static_cast<long>(elements) * p / pieces));
  std::sort(cut_.begin(), cut_.end());
  cut_.erase(std::unique(cut_.begin(), cut_.end()), cut_.end());
  for (const int node : condition_nodes)
    condition_cut_.push_back(
        static_cast<int>(std::lower_bound(cut_.begin(), cut_.end(), node) - cut_.begin()));
  inner_.resize(at(elements + 1) * at((4 * n_ + 1) * n_));
  left_.resize(cut_.size() - 1), right_.resize(cut_.size() - 1);
  right_side_.resize(n_, elements + 1);
  piece_side_.resize(n_, static_cast<int>(cut_.size()) - 1);
  const int size = n_ * static_cast<int>(cut_.size());
  reduced_.resize(size, size), scale_.resize(size), solution_.resize(size);
  small_ = size <= largest_revealed;
}

void BlockSolver::reduce(int piece, const Matrix& transfer) {
  const int n = n_, rows = 2 * n, first = cut_[at(piece)], last = cut_[at(piece) + 1];
  Matrix &a = left_[at(piece)], &c = right_[at(piece)];
  a = -transfer.middleCols(first * n, n);
  c.setIdentity(n, n);
  // [C A 0; -Gamma 0 I], by columns of 2n; its first third is triangular afterwards.
  std::vector<double> both(at(3 * n * rows));
  const auto column = [&](int j) { return both.data() + j * rows; };
  for (int node = first + 1; node < last; ++node) {
    const Inner here = inner(node);
    const double* gamma = transfer.data() + static_cast<std::ptrdiff_t>(node) * n * n;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        column(j)[i] = c(i, j), column(j)[n + i] = -gamma[j * n + i];
        column(n + j)[i] = a(i, j), column(n + j)[n + i] = 0;
        column(2 * n + j)[i] = 0, column(2 * n + j)[n + i] = i == j;
      }
    reflect(both.data(), rows, n, 3 * n, here.tau);
    std::copy_n(both.data(), rows * n, here.qr);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        here.before[j * n + i] = column(n + j)[i], a(i, j) = column(n + j)[n + i];
        here.after[j * n + i] = column(2 * n + j)[i], c(i, j) = column(2 * n + j)[n + i];
      }
  }
}

bool BlockSolver::factor(const Matrix& transfer, const Matrix& conditions) {
  const int pieces = static_cast<int>(left_.size());
  in_parallel(pieces, threads_, [&](int piece, int) { reduce(piece, transfer); });
  reduced_.setZero();
  for (int p = 0; p < pieces; ++p) {
    reduced_.block(p * n_, p * n_, n_, n_) = left_[at(p)];
    reduced_.block(p * n_, (p + 1) * n_, n_, n_) = right_[at(p)];
  }
  for (std::size_t p = 0; p < condition_cut_.size(); ++p)
    reduced_.block(pieces * n_, condition_cut_[p] * n_, n_, n_) +=
        conditions.middleCols(static_cast<int>(p) * n_, n_);
  for (int row = 0; row < reduced_.rows(); ++row) {
    const double largest = reduced_.row(row).cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    scale_[row] = 1 / largest;
    reduced_.row(row) *= scale_[row];
  }
  if (small_) {
    qr_.compute(reduced_);
    const auto pivots = qr_.matrixR().diagonal().cwiseAbs();
    condition_ = pivots.maxCoeff() / pivots.minCoeff();
  } else {
    lu_.compute(reduced_);
    condition_ = 1 / lu_.rcond();
  }
  return condition_ < 1e15;
}

Vector BlockSolver::free_direction() const {
  const int nodes = static_cast<int>(condition_cut_.size());
  Vector result = Vector::Zero(nodes * n_);
  if (!small_) return result;
  const int size = static_cast<int>(reduced_.rows());
  Vector v = Vector::Zero(size);
  v[size - 1] = 1;
  v.head(size - 1) = -qr_.matrixR().col(size - 1).head(size - 1);
  const Matrix upper = qr_.matrixR().topLeftCorner(size - 1, size - 1);
  Vector head = v.head(size - 1);
  upper.triangularView<Eigen::Upper>().solveInPlace(head);
  v.head(size - 1) = head;
  const Vector direction = qr_.colsPermutation() * v;
  for (int p = 0; p < nodes; ++p)
    result.segment(p * n_, n_) = direction.segment(condition_cut_[at(p)] * n_, n_);
  return result;
}

void BlockSolver::reduce_right_side(int piece, const Matrix& gamma) {
  const int n = n_, first = cut_[at(piece)], last = cut_[at(piece) + 1];
  std::vector<double> both(at(2 * n));
  std::copy_n(gamma.col(first).data(), n, both.data() + n);
  for (int node = first + 1; node < last; ++node) {
    std::copy_n(both.data() + n, n, both.data());
    std::copy_n(gamma.col(node).data(), n, both.data() + n);
    const Inner here = inner(node);
    apply_reflections(here.qr, 2 * n, n, here.tau, both.data());
    std::copy_n(both.data(), n, right_side_.col(node).data());
  }
  std::copy_n(both.data() + n, n, piece_side_.col(piece).data());
}

void BlockSolver::substitute(int piece, Matrix& dz) {
  const int n = n_, first = cut_[at(piece)], last = cut_[at(piece) + 1];
  const double* left = dz.col(first).data();
  for (int node = last - 1; node > first; --node) {
    const Inner here = inner(node);
    double* value = dz.col(node).data();
    const double *next = dz.col(node + 1).data(), *side = right_side_.col(node).data();
    for (int i = 0; i < n; ++i) value[i] = side[i];
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        value[i] -= here.before[j * n + i] * left[j] + here.after[j * n + i] * next[j];
    for (int j = n - 1; j >= 0; --j) {
      const double* column = here.qr + 2 * n * j;
      value[j] /= column[j];
      for (int i = 0; i < j; ++i) value[i] -= column[i] * value[j];
    }
  }
}

void BlockSolver::solve(const Matrix& gamma, const Vector& beta, Matrix& dz) {
  const int pieces = static_cast<int>(left_.size());
  in_parallel(pieces, threads_, [&](int piece, int) { reduce_right_side(piece, gamma); });
  for (int p = 0; p < pieces; ++p) solution_.segment(p * n_, n_) = piece_side_.col(p);
  solution_.tail(n_) = beta;
  solution_.array() *= scale_.array();
  solution_ = small_ ? Vector(qr_.solve(solution_)) : Vector(lu_.solve(solution_));
  dz.resize(n_, elements_ + 1);
  for (std::size_t p = 0; p < cut_.size(); ++p)
    dz.col(cut_[p]) = solution_.segment(static_cast<int>(p) * n_, n_);
  in_parallel(pieces, threads_, [&](int piece, int) { substitute(piece, dz); });
}

}  // namespace daedalus::bvp
