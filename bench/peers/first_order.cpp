#include "first_order.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <Eigen/QR>

namespace daedalus::peers {
namespace {

const LinearlyImplicit& form_of(const reproduce::Statement& statement) {
  return std::get<LinearlyImplicit>(statement.problem.form);
}

/// What Daedalus starts with: the others have no way to find the algebraic values.
Vector consistent_start(const reproduce::Statement& statement) {
  Vector y = Vector::Zero(form_of(statement).size);
  y.head(statement.problem.start.size()) = statement.problem.start.vector();
  if (!statement.start_is_guess) return y;
  return Integrator(statement.problem, {.rtol = 1e-12}).y();
}

}  // namespace

FirstOrderSystem::FirstOrderSystem(const reproduce::Statement& statement)
    : statement_(statement),
      size_(form_of(statement).size),
      f_(form_of(statement).f),
      mass_(form_of(statement).mass.entries(size_)),
      start_(consistent_start(statement)),
      point_(static_cast<std::size_t>(size_)),
      slope_(static_cast<std::size_t>(size_)) {
  find_pattern();
  group_columns();
  if (!statement_.is_sparse) find_trivial_rows();
}

int FirstOrderSystem::mass_bandwidth() const {
  int width = 0;
  for (const Mass::Entry& e : mass_) width = std::max(width, std::abs(e.row - e.column));
  return width;
}

std::vector<char> FirstOrderSystem::is_controlled() const {
  std::vector<char> result(static_cast<std::size_t>(size_), 0);
  for (const Mass::Entry& e : mass_)
    if (e.value != 0) result[static_cast<std::size_t>(e.column)] = 1;
  const std::vector<int>& index = statement_.problem.variable_index;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] > 1) result[i] = 0;
  return result;
}

Vector FirstOrderSystem::start_slope() const {
  Vector right(size_);
  f(statement_.problem.t_span.begin, start_.data(), right.data());
  if (mass_bandwidth() == 0) {
    Vector slope = Vector::Zero(size_);
    for (const Mass::Entry& e : mass_)
      if (e.value != 0) slope[e.row] = right[e.row] / e.value;
    return slope;
  }
  Matrix full = Matrix::Zero(size_, size_);
  for (const Mass::Entry& e : mass_) full(e.row, e.column) += e.value;
  return full.completeOrthogonalDecomposition().solve(right);
}

Matrix FirstOrderSystem::dense_jacobian(double t, const Vector& y) const {
  Matrix j(size_, size_);
  std::vector<Dual> point(y.begin(), y.end()), slope(static_cast<std::size_t>(size_));
  for (int first = 0; first < size_; first += dual_directions) {
    const int count = std::min(dual_directions, size_ - first);
    for (int k = 0; k < count; ++k)
      point[static_cast<std::size_t>(first + k)].d[static_cast<std::size_t>(k)] = 1;
    f_(Dual(t), {InputOf<Dual>(point.data(), size_)}, OutputOf<Dual>(slope.data(), size_));
    for (int k = 0; k < count; ++k) {
      point[static_cast<std::size_t>(first + k)].d[static_cast<std::size_t>(k)] = 0;
      for (int i = 0; i < size_; ++i)
        j(i, first + k) = slope[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(k)];
    }
  }
  return j;
}

void FirstOrderSystem::find_pattern() {
  std::vector<std::pair<int, int>> entries;  // column, row
  if (statement_.problem.sparsity) {
    for (const auto& [row, column] : *statement_.problem.sparsity)
      entries.emplace_back(column, row);
  } else {
    // At random points no derivative vanishes by chance.
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> shift(0.02, 0.1);
    Matrix seen = Matrix::Zero(size_, size_);
    for (int trial = 0; trial < 3; ++trial) {
      Vector y = start_;
      for (double& value : y) value += shift(generator) * (1 + std::abs(value));
      const Interval& span = statement_.problem.t_span;
      seen +=
          dense_jacobian(span.begin + (0.1 + 0.3 * trial) * (span.end - span.begin), y).cwiseAbs();
    }
    for (int j = 0; j < size_; ++j)
      for (int i = 0; i < size_; ++i)
        if (seen(i, j) != 0) entries.emplace_back(j, i);
  }
  std::sort(entries.begin(), entries.end());
  entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
  begin_.assign(static_cast<std::size_t>(size_) + 1, 0);
  for (const auto& [column, row] : entries) {
    rows_.push_back(row);
    ++begin_[static_cast<std::size_t>(column) + 1];
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(size_); ++j) begin_[j + 1] += begin_[j];
}

void FirstOrderSystem::group_columns() {
  // Greedily: the first group in which all rows of the column are still free.
  std::vector<std::vector<char>> taken;
  for (int j = 0; j < size_; ++j) {
    const int begin = begin_[static_cast<std::size_t>(j)],
              end = begin_[static_cast<std::size_t>(j) + 1];
    std::size_t g = 0;
    for (; g < taken.size(); ++g) {
      bool is_free = true;
      for (int e = begin; is_free && e < end; ++e)
        is_free = !taken[g][static_cast<std::size_t>(rows_[static_cast<std::size_t>(e)])];
      if (is_free) break;
    }
    if (g == taken.size()) {
      taken.emplace_back(static_cast<std::size_t>(size_), 0);
      groups_.emplace_back();
    }
    for (int e = begin; e < end; ++e)
      taken[g][static_cast<std::size_t>(rows_[static_cast<std::size_t>(e)])] = 1;
    groups_[g].push_back({j, begin, end});
  }
}

void FirstOrderSystem::find_trivial_rows() {
  const Matrix j = dense_jacobian(statement_.problem.t_span.begin, start_);
  std::vector<double> diagonal(static_cast<std::size_t>(size_), 0);
  std::vector<std::vector<int>> columns(static_cast<std::size_t>(size_));
  for (const Mass::Entry& e : mass_)
    if (e.row == e.column && e.value == 1) diagonal[static_cast<std::size_t>(e.row)] = 1;
  for (int c = 0; c < size_; ++c)
    for (int e = begin_[static_cast<std::size_t>(c)]; e < begin_[static_cast<std::size_t>(c) + 1];
         ++e)
      columns[static_cast<std::size_t>(rows_[static_cast<std::size_t>(e)])].push_back(c);
  const auto shift_of = [&](int i) {
    const auto& list = columns[static_cast<std::size_t>(i)];
    return diagonal[static_cast<std::size_t>(i)] == 1 && list.size() == 1 && list[0] > i &&
                   j(i, list[0]) == 1
               ? list[0] - i
               : 0;
  };
  const int shift = shift_of(0);
  int count = 0;
  while (shift > 0 && count < size_ && shift_of(count) == shift) ++count;
  if (shift > 0) trivial_ = {count - count % shift, shift};
}

}  // namespace daedalus::peers
