#include "bvp/node_projection.h"

#include <cmath>

#include <Eigen/LU>
#include <Eigen/QR>

namespace daedalus::bvp {
namespace {

/// Pivots of the equilibrated matrix below this part of the largest are taken for zero.
constexpr double rank_tolerance = 1e-7;

}  // namespace

struct Projector::Decomposition {
  Eigen::ColPivHouseholderQR<Matrix> qr;
};

Projector::Projector(const CollocationSystem& system) : qr_(std::make_shared<Decomposition>()) {
  jacobian_.resize(system.rows(), system.slots());
  a_.resize(system.rows(), system.rows());
  row_scale_.resize(system.rows()), column_scale_.resize(system.rows()), r_.resize(system.rows());
}

void Projector::decompose(CollocationSystem& system, double t, const double* s) {
  system.jacobian(t, s, jacobian_);
  const int n = system.rows();
  const auto usable = [](double x) { return x > 0 && std::isfinite(x); };
  a_ = jacobian_.rightCols(n);
  for (int i = 0; i < n; ++i) {
    // A row without w and y keeps the size of its derivatives in z.
    double largest = a_.row(i).cwiseAbs().maxCoeff();
    if (!usable(largest)) largest = jacobian_.row(i).cwiseAbs().maxCoeff();
    row_scale_[i] = usable(largest) ? 1 / largest : 1;
    a_.row(i) *= row_scale_[i];
  }
  for (int j = 0; j < n; ++j) {
    const double largest = a_.col(j).cwiseAbs().maxCoeff();
    column_scale_[j] = usable(largest) ? 1 / largest : 1;
    a_.col(j) *= column_scale_[j];
  }
  qr_->qr.compute(a_);
}

int Projector::count(CollocationSystem& system, double t, const double* s) {
  decompose(system, t, s);
  const auto pivots = qr_->qr.matrixR().diagonal().cwiseAbs();
  int rank = 0;
  for (int i = 0; i < pivots.size(); ++i)
    if (pivots[i] > rank_tolerance * pivots[0]) ++rank;
  return system.rows() - rank;
}

void Projector::linearize(CollocationSystem& system, double t, const double* s, int constraints,
                          bool with_lower, NodeProjection& to) {
  const int n = system.rows(), states = system.states(), d = constraints;
  to.is_regular = true;
  if (d > 0) {
    decompose(system, t, s);
    const int rank = n - d;
    to.u.setZero(n, d);
    to.u.bottomRows(d).setIdentity();
    to.u.applyOnTheLeft(qr_->qr.householderQ());
    to.u.array().colwise() *= row_scale_.array();
    Matrix v(n, d);
    v.topRows(rank) = -qr_->qr.matrixR().topRightCorner(rank, d);
    qr_->qr.matrixR()
        .topLeftCorner(rank, rank)
        .triangularView<Eigen::Upper>()
        .solveInPlace(v.topRows(rank));
    v.bottomRows(d).setIdentity();
    v = qr_->qr.colsPermutation() * v;
    v.array().colwise() *= column_scale_.array();
    to.e.setZero(states, d);
    for (int c = 0; c < system.components(); ++c) {
      const int top = system.offset[static_cast<std::size_t>(c)] +
                      system.order[static_cast<std::size_t>(c)] - 1;
      to.e.row(top) = v.row(c);
    }
    for (int j = 0; j < d; ++j) {
      const double size = to.e.col(j).norm();
      if (size > 0) to.e.col(j) /= size;
    }
    to.g.noalias() = to.u.transpose() * jacobian_.leftCols(states);
    for (int j = 0; j < d; ++j) {
      const double size = to.g.row(j).norm();
      if (!(size > 0)) continue;
      to.g.row(j) /= size, to.u.col(j) /= size;
    }
    const Matrix product = to.g * to.e;
    const Eigen::FullPivLU<Matrix> lu(product);
    to.is_regular = product.allFinite() && lu.rcond() > 1e-12;
    to.ge_inverse = lu.inverse();
  }
  const int lower = system.lower.rows();
  if (lower == 0 || !with_lower) return;
  lower_.setZero(lower, system.slots());
  system.lower.add_jacobian(t, s, lower_);
  to.lower_g = lower_.leftCols(states);
  to.lower_e = to.lower_g.transpose();
  to.lower_inverse = Eigen::FullPivLU<Matrix>(to.lower_g * to.lower_e).inverse();
}

void Projector::residual(CollocationSystem& system, double t, const double* s,
                         const NodeProjection& at, double* g) {
  system.residual(t, s, r_.data());
  Output(g, at.u.cols()).noalias() = at.u.transpose() * r_;
}

void project(const NodeProjection& at, const double* g, const double* lower,
             Eigen::Ref<Vector> delta, bool with_constraints) {
  if (with_constraints && at.e.cols() > 0) {
    const Vector lambda = at.ge_inverse * (at.g * delta + Input(g, at.e.cols()));
    delta -= at.e * lambda;
  }
  if (at.lower_e.cols() > 0) {
    const Vector mu = at.lower_inverse * (at.lower_g * delta + Input(lower, at.lower_e.cols()));
    delta -= at.lower_e * mu;
  }
}

}  // namespace daedalus::bvp
