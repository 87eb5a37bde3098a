#include "bvp/node_projection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/LU>

namespace daedalus::bvp {
namespace {

/// Pivots of the equilibrated matrix below this part of the largest are taken for zero.
constexpr double rank_tolerance = 1e-7;

}  // namespace

Projector::Projector(const CollocationSystem& system) : system_(system), rows_(system.rows()) {
  const auto n = static_cast<std::size_t>(rows_);
  jacobian_.resize(n * static_cast<std::size_t>(system.slots()));
  a_.resize(2 * n * n);
  row_scale_.resize(n), column_scale_.resize(n), r_.resize(n);
  row_order_.resize(n), column_order_.resize(n);
}

void Projector::evaluate(double t, const double* s) {
  const int n = rows_, slots = system_.slots(), first = slots - n;
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  system_.jacobians({1, 1, &t, s}, {jacobian_.data(), 0, slots, 1}, scratch_);
  const auto usable = [](double x) { return x > 0 && std::isfinite(x); };
  const auto largest_of = [](const double* x, int count, int step) {
    double largest = 0;
    for (int k = 0; k < count; ++k) largest = std::max(largest, std::abs(x[k * step]));
    return largest;
  };
  for (int i = 0; i < n; ++i) {
    // A row without w and y keeps the size of its derivatives in z.
    const double* from = jacobian_.data() + i * slots;
    double largest = largest_of(from + first, n, 1);
    if (!usable(largest)) largest = largest_of(from, slots, 1);
    const double scale = usable(largest) ? 1 / largest : 1;
    row_scale_[static_cast<std::size_t>(i)] = scale;
    for (int j = 0; j < n; ++j) row(i)[j] = scale * from[first + j], row(i)[n + j] = 0;
    row(i)[n + i] = 1;
  }
  for (int j = 0; j < n; ++j) {
    const double largest = largest_of(a_.data() + j, n, 2 * n);
    const double scale = usable(largest) ? 1 / largest : 1;
    column_scale_[static_cast<std::size_t>(j)] = scale;
    for (int i = 0; i < n; ++i) row(i)[j] *= scale;
  }
}

int Projector::eliminate(int steps, bool reveals_rank) {
  const int n = rows_;
  std::iota(row_order_.begin(), row_order_.end(), 0);
  std::iota(column_order_.begin(), column_order_.end(), 0);
  double first = 0;
  for (int step = 0; step < steps; ++step) {
    double largest = 0;
    int p = step, q = step;
    for (int i = step; i < n; ++i)
      for (int j = step; j < n; ++j) {
        const double size = std::abs(row(
            row_order_[static_cast<std::size_t>(i)])[column_order_[static_cast<std::size_t>(j)]]);
        if (size > largest) largest = size, p = i, q = j;
      }
    if (step == 0) first = largest;
    if (reveals_rank && !(largest > rank_tolerance * first)) return step;
    std::swap(row_order_[static_cast<std::size_t>(step)], row_order_[static_cast<std::size_t>(p)]);
    std::swap(column_order_[static_cast<std::size_t>(step)],
              column_order_[static_cast<std::size_t>(q)]);
    double* pivot = row(row_order_[static_cast<std::size_t>(step)]);
    const int column = column_order_[static_cast<std::size_t>(step)];
    const double inverse = 1 / pivot[column];
    for (int j = 0; j < 2 * n; ++j) pivot[j] *= inverse;
    for (int i = 0; i < n; ++i) {
      double* other = row(i);
      const double factor = other[column];
      if (other == pivot || factor == 0) continue;
      for (int j = 0; j < 2 * n; ++j) other[j] -= factor * pivot[j];
    }
  }
  return steps;
}

int Projector::count(double t, const double* s) {
  evaluate(t, s);
  return rows_ - eliminate(rows_, true);
}

/// After the elimination the rows that were no pivots are combinations that vanish, and the
/// columns that were none depend on the pivots' as the entries in their rows tell.
void Projector::null_vectors(int rank, NodeProjection& to) {
  const int n = rows_, d = n - rank;
  const auto at = [](const auto& list, int i) { return list[static_cast<std::size_t>(i)]; };
  to.u.resize(n, d);
  to.e.setZero(system_.states(), d);
  const auto top_slot = [&](int c) { return at(system_.offset, c) + at(system_.order, c) - 1; };
  for (int k = 0; k < d; ++k) {
    const double* own = row(at(row_order_, rank + k)) + n;
    for (int i = 0; i < n; ++i) to.u(i, k) = at(row_scale_, i) * own[i];
    const int free = at(column_order_, rank + k);
    if (free < system_.components()) to.e(top_slot(free), k) = at(column_scale_, free);
    for (int step = 0; step < rank; ++step)
      if (const int c = at(column_order_, step); c < system_.components())
        to.e(top_slot(c), k) = -at(column_scale_, c) * row(at(row_order_, step))[free];
  }
}

void Projector::linearize(double t, const double* s, int constraints, bool with_lower,
                          NodeProjection& to) {
  const int states = system_.states(), slots = system_.slots(), d = constraints;
  to.is_regular = true;
  if (d > 0) {
    evaluate(t, s);
    eliminate(rows_ - d, false);
    null_vectors(rows_ - d, to);
    to.g.setZero(d, states);
    for (int k = 0; k < d; ++k) {
      if (const double size = to.e.col(k).norm(); size > 0) to.e.col(k) /= size;
      for (int i = 0; i < rows_; ++i) {
        const double* from = jacobian_.data() + i * slots;
        for (int j = 0; j < states; ++j) to.g(k, j) += to.u(i, k) * from[j];
      }
      if (const double size = to.g.row(k).norm(); size > 0) {
        to.g.row(k) /= size;
        to.u.col(k) /= size;
      }
    }
    product_.resize(d, d);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) product_(i, j) = to.g.row(i).dot(to.e.col(j));
    if (d == 1) {
      to.ge_inverse.resize(1, 1);
      to.ge_inverse(0, 0) = 1 / product_(0, 0);
      to.is_regular = std::isfinite(product_(0, 0)) && std::abs(product_(0, 0)) > 1e-12;
    } else {
      const Eigen::FullPivLU<Matrix> lu(product_);
      to.is_regular = product_.allFinite() && lu.rcond() > 1e-12;
      to.ge_inverse = lu.inverse();
    }
  }
  const int count = system_.lower.rows();
  if (count == 0 || !with_lower) return;
  lower_.setZero(count, slots);
  system_.lower.add_jacobian(t, s, lower_, scratch_);
  to.lower_g = lower_.leftCols(states);
  to.lower_e = to.lower_g.transpose();
  to.lower_inverse = Eigen::FullPivLU<Matrix>(to.lower_g * to.lower_e).inverse();
}

void Projector::residual(double t, const double* s, const NodeProjection& at, double* g) {
  system_.residual(t, s, r_.data(), scratch_);
  for (int k = 0; k < at.u.cols(); ++k) g[k] = at.u.col(k).dot(Input(r_.data(), rows_));
}

void Projector::lower(double t, const double* s, double* to) {
  std::fill_n(to, system_.lower.rows(), 0.0);
  system_.lower.add_residual(t, s, to, scratch_);
}

namespace {

/// Columns of delta less E (G E)^-1 (G delta + g); g may be null.
void subtract(const Matrix& e, const Matrix& inverse, const Matrix& g, const double* constant,
              Eigen::Ref<Matrix> delta) {
  if (e.cols() == 1) {
    for (int c = 0; c < delta.cols(); ++c) {
      double sum = constant ? *constant : 0.0;
      for (int j = 0; j < delta.rows(); ++j) sum += g(0, j) * delta(j, c);
      sum *= inverse(0, 0);
      for (int j = 0; j < delta.rows(); ++j) delta(j, c) -= sum * e(j, 0);
    }
    return;
  }
  Matrix sums = g * delta;
  if (constant) sums.colwise() += Input(constant, e.cols());
  delta -= e * (inverse * sums);
}

}  // namespace

void project(const NodeProjection& at, const double* g, const double* lower,
             Eigen::Ref<Matrix> delta, bool with_constraints) {
  if (with_constraints && at.e.cols() > 0) subtract(at.e, at.ge_inverse, at.g, g, delta);
  if (at.lower_e.cols() > 0) subtract(at.lower_e, at.lower_inverse, at.lower_g, lower, delta);
}

}  // namespace daedalus::bvp
