#include "bvp/element.h"

#include <cmath>

#include "bvp/householder.h"

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

ElementKernel::ElementKernel(CollocationSystem system, const Basis& basis)
    : system_(std::move(system)),
      basis_(basis),
      n_(system_.components()),
      d_(system_.algebraic()),
      states_(system_.states()),
      rows_(system_.rows()),
      k_(basis.points()) {
  jacobian_.resize(rows_, system_.slots());
  rotated_.resize(rows_, system_.slots());
  local_.resize(k_ * n_, k_ * n_);
  of_left_.resize(k_ * n_, states_);
  y_part_.resize(rows_, d_);
  points_.resize(states_, states_);
  s_.resize(system_.slots());
  tau_.resize(std::max(1, d_));
  rhs_.resize(k_ * rows_);
  part_.resize(std::max(states_ + n_, k_ * n_));
  powers_.assign(at(basis.highest() + 1), 1);
  weights_.resize(at(k_));
}

void ElementKernel::set_length(double h) {
  for (std::size_t r = 1; r < powers_.size(); ++r) powers_[r] = powers_[r - 1] * h;
}

void ElementKernel::states_at(int i, double h, const double* left, const double* w,
                              double* z) const {
  const double step = (i < k_ ? basis_.rho(i) : 1.0) * h;
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)], first = system_.offset[at(c)];
    for (int l = 0; l < m; ++l) {
      double sum = 0;
      for (int p = m - 1; p > l; --p) sum = (sum + left[first + p]) * step / (p - l);
      sum += left[first + l];
      double own = 0;
      for (int j = 0; j < k_; ++j) own += basis_.integral(m - l, j, i) * w[j * n_ + c];
      z[first + l] = sum + std::pow(h, m - l) * own;
    }
  }
}

void ElementKernel::slots_at(int i, double h, const double* left, const double* w, const double* y,
                             double* s) {
  states_at(i, h, left, w, s);
  const auto copy = [&](const double* from, int count, double* to) {
    for (int c = 0; c < count; ++c) {
      if (i < k_) {
        to[c] = from[i * count + c];
        continue;
      }
      to[c] = 0;
      for (int j = 0; j < k_; ++j) to[c] += basis_.integral(0, j, k_) * from[j * count + c];
    }
  };
  copy(w, n_, s + states_);
  copy(y, d_, s + states_ + n_);
}

void ElementKernel::slots_inside(double sigma, double h, const double* left, const double* w,
                                 const double* y, double* s) {
  std::fill(s, s + system_.slots(), 0.0);
  const double step = sigma * h;
  for (int r = 0; r <= basis_.highest(); ++r) {
    basis_.integrals(r, sigma, weights_.data());
    const double scale = std::pow(h, r);
    for (int c = 0; c < n_; ++c) {
      const int m = system_.order[at(c)];
      if (r > m) continue;
      double sum = 0;
      for (int j = 0; j < k_; ++j) sum += weights_[at(j)] * w[j * n_ + c];
      s[r == 0 ? states_ + c : system_.offset[at(c)] + m - r] += scale * sum;
    }
    if (r > 0) continue;
    for (int c = 0; c < d_; ++c)
      for (int j = 0; j < k_; ++j) s[states_ + n_ + c] += weights_[at(j)] * y[j * d_ + c];
  }
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)], first = system_.offset[at(c)];
    for (int l = 0; l < m; ++l) {
      double sum = 0;
      for (int p = m - 1; p > l; --p) sum = (sum + left[first + p]) * step / (p - l);
      s[first + l] += sum + left[first + l];
    }
  }
}

void ElementKernel::residual(double t, double h, const double* left, const double* w,
                             const double* y, double* f, double* end) {
  for (int i = 0; i < k_; ++i) {
    slots_at(i, h, left, w, y, s_.data());
    system_.residual(t + basis_.rho(i) * h, s_.data(), f + i * rows_);
  }
  states_at(k_, h, left, w, end);
}

void ElementKernel::factor(double t, double h, const double* left, const double* w, const double* y,
                           ElementFactors& to) {
  to.q.resize(rows_, rows_ * k_), to.r.resize(d_, d_ * k_);
  to.top.resize(d_, (states_ + n_) * k_), to.scale.resize(k_ * n_);
  set_length(h);
  to.is_regular = true;
  for (int i = 0; i < k_; ++i) {
    slots_at(i, h, left, w, y, s_.data());
    system_.jacobian(t + basis_.rho(i) * h, s_.data(), jacobian_);
    auto q = to.q.middleCols(i * rows_, rows_);
    q.setIdentity();
    if (d_ > 0) {
      y_part_ = jacobian_.rightCols(d_);
      reflect(y_part_, tau_.data());
      apply_reflections(y_part_, tau_.data(), q);
      rotated_ = jacobian_.leftCols(states_ + n_);
      auto left_columns = rotated_.leftCols(states_ + n_);
      apply_reflections(y_part_, tau_.data(), left_columns);
      to.r.middleCols(i * d_, d_) = y_part_.topRows(d_);
      to.top.middleCols(i * (states_ + n_), states_ + n_) = left_columns.topRows(d_);
      const auto diagonal = y_part_.diagonal().cwiseAbs();
      if (!(diagonal.minCoeff() > 0)) to.is_regular = false;
    } else {
      rotated_.leftCols(states_ + n_) = jacobian_.leftCols(states_ + n_);
    }
    // Rows of w: F_w where j = i, and F_z Q_ij.
    const auto fz = rotated_.block(d_, 0, n_, states_);
    for (int j = 0; j < k_; ++j)
      for (int c = 0; c < n_; ++c) {
        auto column = local_.block(i * n_, j * n_ + c, n_, 1);
        const int m = system_.order[at(c)], first = system_.offset[at(c)];
        if (i == j)
          column = rotated_.block(d_, states_ + c, n_, 1);
        else
          column.setZero();
        for (int l = 0; l < m; ++l)
          column += power(m - l) * basis_.integral(m - l, j, i) * fz.col(first + l);
      }
    // F_z P_i
    const double step = basis_.rho(i) * h;
    for (int c = 0; c < n_; ++c) {
      const int m = system_.order[at(c)], first = system_.offset[at(c)];
      for (int p = 0; p < m; ++p) {
        auto column = of_left_.block(i * n_, first + p, n_, 1);
        column = fz.col(first + p);
        double taylor = 1;
        for (int l = p - 1; l >= 0; --l) {
          taylor *= step / (p - l);
          column += taylor * fz.col(first + l);
        }
      }
    }
  }
  for (int row = 0; row < k_ * n_; ++row) {
    const double largest = local_.row(row).cwiseAbs().maxCoeff();
    if (!(largest > 0) || !std::isfinite(largest)) to.is_regular = false;
    to.scale[row] = largest > 0 && std::isfinite(largest) ? 1 / largest : 1;
    local_.row(row) *= to.scale[row];
    of_left_.row(row) *= -to.scale[row];
  }
  to.lu.compute(local_);
  const auto pivots = to.lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > 1e-15 * pivots.maxCoeff())) to.is_regular = false;
  to.w_of_left = to.lu.solve(of_left_);
  if (d_ == 0) {
    to.y_of_left.resize(0, states_);
    return;
  }
  to.y_of_left.resize(k_ * d_, states_);
  Vector unit = Vector::Zero(states_), zero = Vector::Zero(std::max(1, k_ * d_));
  for (int column = 0; column < states_; ++column) {
    unit[column] = 1;
    for (int i = 0; i < k_; ++i) {
      slots_at(i, h, unit.data(), to.w_of_left.col(column).data(), zero.data(), s_.data());
      auto part = to.y_of_left.block(i * d_, column, d_, 1);
      part.noalias() = -to.top.middleCols(i * (states_ + n_), states_ + n_) * s_.head(states_ + n_);
      to.r.middleCols(i * d_, d_).triangularView<Eigen::Upper>().solveInPlace(part);
    }
    unit[column] = 0;
  }
}

void ElementKernel::solve(const ElementFactors& factors, double h, const double* f, double* dw,
                          double* dy) {
  Output solution(dw, k_ * n_);
  for (int i = 0; i < k_; ++i) {
    rhs_.segment(i * rows_, rows_).noalias() =
        -factors.q.middleCols(i * rows_, rows_) * Input(f + i * rows_, rows_);
    solution.segment(i * n_, n_) = rhs_.segment(i * rows_ + d_, n_);
  }
  solution.array() *= factors.scale.array();
  part_.head(k_ * n_) = solution;
  solution = factors.lu.solve(part_.head(k_ * n_));
  if (d_ == 0) return;
  Output algebraic(dy, k_ * d_);
  algebraic.setZero();
  points_.col(0).setZero();
  for (int i = 0; i < k_; ++i) {
    slots_at(i, h, points_.col(0).data(), dw, dy, s_.data());
    auto part = algebraic.segment(i * d_, d_);
    part = rhs_.segment(i * rows_, d_);
    part.noalias() -=
        factors.top.middleCols(i * (states_ + n_), states_ + n_) * s_.head(states_ + n_);
    factors.r.middleCols(i * d_, d_).triangularView<Eigen::Upper>().solveInPlace(part);
  }
}

void ElementKernel::add_end(double h, const double* dw, double* end) const {
  for (int c = 0; c < n_; ++c) {
    const int m = system_.order[at(c)], first = system_.offset[at(c)];
    for (int l = 0; l < m; ++l) {
      double own = 0;
      for (int j = 0; j < k_; ++j) own += basis_.integral(m - l, j, k_) * dw[j * n_ + c];
      end[first + l] += std::pow(h, m - l) * own;
    }
  }
}

void ElementKernel::transfer(const ElementFactors& factors, double h, Matrix& to) const {
  to.resize(states_, states_);
  Vector unit = Vector::Zero(states_);
  for (int column = 0; column < states_; ++column) {
    unit[column] = 1;
    states_at(k_, h, unit.data(), factors.w_of_left.col(column).data(), to.col(column).data());
    unit[column] = 0;
  }
}

}  // namespace daedalus::bvp
