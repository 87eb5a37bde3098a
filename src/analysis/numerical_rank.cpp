#include "analysis/numerical_rank.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>

#include "analysis/transversal_scaling.h"
#include "linear/pencil.h"

namespace daedalus {
namespace {

constexpr double cancelled = 5e-16;  // of its neighbours: what is left is rounding
constexpr double singular = 1e-12;   // smallest over largest singular value, units taken out
constexpr int largest_dense = 150;

using SparseMatrix = Eigen::SparseMatrix<double>;

double smallest_dense(const Matrix& a) {
  if (a.rows() == 1) return a.norm();
  const Eigen::BDCSVD<Matrix> svd(a);
  return a.rows() > a.cols() ? 0.0 : svd.singularValues()[a.rows() - 1];
}

/// Inverse iteration on A A^T.
double smallest_sparse(const SparseMatrix& a) {
  const Eigen::SimplicialLDLT<SparseMatrix> factors(SparseMatrix(a * a.transpose()));
  if (factors.info() != Eigen::Success) return 0;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Vector x = Vector::NullaryExpr(a.rows(), [&] { return normal(random); }).normalized();
  double value = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Vector next = factors.solve(x);
    const double growth = next.norm();
    if (!std::isfinite(growth)) return 0;
    const double last = std::exchange(value, 1 / std::sqrt(growth));
    if (std::abs(value - last) <= 1e-6 * value) break;
    x = next / growth;
  }
  return value;
}

/// Growth of a random right side: within a modest factor of the norm of the inverse.
bool is_singular_sparse(int size, const std::vector<std::pair<int, int>>& places,
                        const std::vector<double>& values) {
  std::vector<double> row(size, 0.0), column(size, 0.0);
  for (std::size_t k = 0; k < values.size(); ++k)
    row[places[k].first] = std::max(row[places[k].first], std::abs(values[k]));
  for (std::size_t k = 0; k < values.size(); ++k)
    column[places[k].second] =
        std::max(column[places[k].second], std::abs(values[k]) / row[places[k].first]);
  Pencil pencil(Storage::sparse, make_pattern(size, places));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto [i, j] = places[k];
    pencil.a[pencil.position(i, j)] += values[k] / (row[i] * column[j]);
  }
  const auto factors = make_real_factors(pencil);
  if (!factors->factor(pencil, 0)) return true;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Vector x = Vector::NullaryExpr(size, [&] { return normal(random); });
  const double before = x.norm();
  factors->solve(x.data());
  return !(x.norm() * singular < before);
}

}  // namespace

SystemJacobian::SystemJacobian(const EquationSet& equations, const StructuralAnalysis& structure,
                               const Point& point)
    : structure_(structure),
      rows_(static_cast<std::size_t>(equations.rows())),
      length_(static_cast<std::size_t>(equations.rows()), 0.0) {
  const auto [entries, values] = JacobianAt(equations, {0, 1}, point);
  std::vector<double> size[2] = {std::vector<double>(length_.size(), 0.0),
                                 std::vector<double>(length_.size(), 0.0)};
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& e = entries[k];
    finite_ = finite_ && std::isfinite(values[k]);
    size[e.order][e.row] = std::hypot(size[e.order][e.row], values[k]);
    if (e.order == 0) length_[e.row] = std::hypot(length_[e.row], values[k]);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& e = entries[k];
    if (e.order != structure.variable_offset[e.variable] - structure.equation_offset[e.row])
      continue;
    // A place may repeat.
    auto& row = rows_[static_cast<std::size_t>(e.row)];
    const auto at = std::find_if(row.begin(), row.end(),
                                 [&](const Entry& x) { return x.variable == e.variable; });
    if (at == row.end())
      row.push_back({e.variable, values[k]});
    else
      at->value += values[k];
  }
  for (std::size_t i = 0; i < rows_.size(); ++i)
    std::erase_if(rows_[i], [&](const Entry& e) {
      const int order = structure.variable_offset[e.variable] - structure.equation_offset[i];
      return !(std::abs(e.value) > cancelled * size[order][i]);
    });
}

bool SystemJacobian::is_singular(const std::vector<int>& rows) const {
  const int size = static_cast<int>(rows.size());
  std::map<int, int> column;
  for (int k = 0; k < size; ++k) column[structure_.match[rows[k]]] = k;
  std::vector<std::pair<int, int>> places;
  std::vector<double> values;
  for (int k = 0; k < size; ++k)
    for (const Entry& e : rows_[static_cast<std::size_t>(rows[k])])
      if (const auto at = column.find(e.variable); at != column.end())
        places.emplace_back(k, at->second), values.push_back(e.value);
  if (size == 1) return values.empty();
  std::vector<char> row_has(size, 0), column_has(size, 0);
  for (const auto& [i, j] : places) row_has[i] = column_has[j] = 1;
  for (int k = 0; k < size; ++k)
    if (!row_has[k] || !column_has[k]) return true;
  if (size > largest_dense) return is_singular_sparse(size, places, values);
  Matrix a = Matrix::Zero(size, size);
  for (std::size_t k = 0; k < values.size(); ++k) a(places[k].first, places[k].second) = values[k];
  if (!scale_by_transversal(a)) return true;
  // Singular values take many times as long as this estimate of the condition, which is right but
  // for a modest factor.
  constexpr double in_doubt = 1e4;
  if (Eigen::PartialPivLU<Matrix>(a).rcond() > in_doubt * singular) return false;
  const Eigen::BDCSVD<Matrix> svd(a);
  return !(svd.singularValues()[size - 1] > singular * svd.singularValues()[0]);
}

std::vector<int> SystemJacobian::singular_part() const {
  const std::vector<std::vector<int>> first = singular_parts(1);
  return first.empty() ? std::vector<int>{} : first[0];
}

std::vector<std::vector<int>> SystemJacobian::singular_parts() const {
  return singular_parts(rows_.size());
}

std::vector<std::vector<int>> SystemJacobian::singular_parts(std::size_t most) const {
  const std::vector<int>& block = structure_.block;
  const int blocks = block.empty() ? 0 : *std::max_element(block.begin(), block.end()) + 1;
  std::vector<std::vector<int>> members(static_cast<std::size_t>(blocks));
  for (std::size_t i = 0; i < block.size(); ++i)
    members[static_cast<std::size_t>(block[i])].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> found;
  for (const std::vector<int>& rows : members)
    if (found.size() < most && is_singular(rows)) found.push_back(rows);
  return found;
}

double SystemJacobian::smallest_singular_value(const std::vector<int>& rows) const {
  // Rows that share a variable belong together.
  const int m = static_cast<int>(rows.size());
  std::vector<int> parent(rows.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int k) {
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
  };
  std::vector<int> owner(rows_.size(), -1);
  for (int k = 0; k < m; ++k)
    for (const Entry& e : rows_[static_cast<std::size_t>(rows[k])]) {
      if (owner[e.variable] < 0)
        owner[e.variable] = k;
      else
        parent[root(k)] = root(owner[e.variable]);
    }
  std::map<int, std::vector<int>> parts;
  for (int k = 0; k < m; ++k) parts[root(k)].push_back(rows[k]);

  double smallest = std::numeric_limits<double>::infinity();
  for (const auto& [first, part] : parts) {
    std::map<int, int> column;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < part.size(); ++k)
      for (const Entry& e : rows_[static_cast<std::size_t>(part[k])]) {
        const int j = column.try_emplace(e.variable, static_cast<int>(column.size())).first->second;
        entries.emplace_back(static_cast<int>(k), j, e.value / length_[part[k]]);
      }
    SparseMatrix a(static_cast<int>(part.size()), static_cast<int>(column.size()));
    a.setFromTriplets(entries.begin(), entries.end());
    const bool dense = a.rows() <= largest_dense && a.cols() <= 10 * largest_dense;
    smallest = std::min(smallest, a.rows() > a.cols() ? 0.0
                                  : dense             ? smallest_dense(Matrix(a))
                                                      : smallest_sparse(a));
  }
  return smallest;
}

}  // namespace daedalus
