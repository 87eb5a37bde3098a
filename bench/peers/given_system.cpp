#include "given_system.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

namespace daedalus::peers {
namespace {

/// What Daedalus starts with: the others have no way to find the algebraic values.
Vector consistent_start(const reproduce::Statement& statement) {
  Vector y = Vector::Zero(size_of(statement.problem.form));
  y.head(statement.problem.start.size()) = statement.problem.start.vector();
  if (!statement.start_is_guess) return y;
  return Integrator(statement.problem, {.rtol = 1e-12}).y();
}

}  // namespace

GivenSystem::GivenSystem(const reproduce::Statement& statement)
    : statement_(statement),
      size_(size_of(statement.problem.form)),
      start_(consistent_start(statement)),
      rates_(rates_of(statement.problem, start_)),
      values_(rates_->entries.size()) {
  if (!statement_.is_sparse && !is_implicit()) find_trivial_rows();
}

int GivenSystem::mass_bandwidth() const {
  int width = 0;
  for (const Mass::Entry& e : mass()) width = std::max(width, std::abs(e.row - e.column));
  return width;
}

std::vector<char> GivenSystem::is_controlled() const {
  std::vector<char> result(static_cast<std::size_t>(size_), is_implicit());
  for (const Mass::Entry& e : mass())
    if (e.value != 0) result[static_cast<std::size_t>(e.column)] = 1;
  const std::vector<int>& index = statement_.problem.variable_index;
  for (std::size_t i = 0; i < index.size(); ++i)
    if (index[i] > 1) result[i] = 0;
  return result;
}

std::vector<double> GivenSystem::tolerances(double tolerance) const {
  if (!has_own_tolerances()) return {tolerance};
  std::vector<double> result;
  for (const double nominal : statement_.nominal.vector()) result.push_back(tolerance * nominal);
  return result;
}

Vector GivenSystem::start_slope() const {
  if (!statement_.problem.start_derivative.empty()) return statement_.problem.start_derivative;
  Vector right(size_);
  f(statement_.problem.t_span.begin, start_.data(), right.data());
  if (mass_bandwidth() == 0) {
    Vector slope = Vector::Zero(size_);
    for (const Mass::Entry& e : mass())
      if (e.value != 0) slope[e.row] = right[e.row] / e.value;
    return slope;
  }
  Matrix full = Matrix::Zero(size_, size_);
  for (const Mass::Entry& e : mass()) full(e.row, e.column) += e.value;
  return full.completeOrthogonalDecomposition().solve(right);
}

void GivenSystem::residual(double t, const double* y, const double* yp, double* out) const {
  rates_->values(t, y, yp, out);
  if (is_implicit()) return;
  for (int i = 0; i < size_; ++i) out[i] = -out[i];
  for (const Mass::Entry& e : mass()) out[e.row] += e.value * yp[e.column];
}

void GivenSystem::find_trivial_rows() {
  struct Row {
    int entries = 0, column = 0;
    double value = 0;
    bool has_own_rate = false;  ///< y_i' and no more
  };
  std::vector<Row> rows(static_cast<std::size_t>(size_));
  for (const Mass::Entry& e : mass())
    if (e.row == e.column && e.value == 1)
      rows[static_cast<std::size_t>(e.row)].has_own_rate = true;
  jacobian(statement_.problem.t_span.begin, start_.data(), [&](int i, int j, double value) {
    Row& row = rows[static_cast<std::size_t>(i)];
    ++row.entries, row.column = j, row.value = value;
  });
  const auto shift_of = [&](int i) {
    const Row& row = rows[static_cast<std::size_t>(i)];
    const bool is_trivial =
        row.has_own_rate && row.entries == 1 && row.column > i && row.value == 1;
    return is_trivial ? row.column - i : 0;
  };
  const int shift = shift_of(0);
  int count = 0;
  while (shift > 0 && count < size_ && shift_of(count) == shift) ++count;
  if (shift > 0) trivial_ = {count - count % shift, shift};
}

}  // namespace daedalus::peers
