#include "formulation/force_derivatives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "linear/long_vectors.h"

namespace daedalus {

ForceDerivatives::ForceDerivatives(Function<2> force, int coordinates)
    : force_(std::move(force)), n_(coordinates) {
  const std::size_t n = static_cast<std::size_t>(n_);
  if (!force_.is_differentiable()) {
    point_.resize(2 * n), base_.resize(n), moved_.resize(n);
    return;
  }
  in_.resize(2 * n), out_.resize(n), along_random_.resize(n);
  rows_of_.resize(2 * n), columns_of_.resize(n + 1);
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  for (int j = 0; j < n_; ++j) {
    rows_of_[j] = all, rows_of_[n_ + j] = {j};
    columns_of_[j] = {j}, columns_of_[n_].push_back(n_ + j);
  }
  for (int j = 0; j < 2 * n_; ++j) random_.push_back(1.5 + std::sin(7.0 * (j + 1)));
}

/// Adds the entries that are not zero, once the guess was given up, and shares directions out anew.
void ForceDerivatives::learn(const double* rows) {
  const int columns = 2 * n_;
  if (std::exchange(guessed_, false))
    for (auto& list : rows_of_) list.clear();
  std::vector<char> seen(static_cast<std::size_t>(n_)), taken;  // taken: rows of each direction
  columns_of_.clear();
  for (int j = 0; j < columns; ++j) {
    std::vector<int>& list = rows_of_[static_cast<std::size_t>(j)];
    std::fill(seen.begin(), seen.end(), 0);
    for (const int i : list) seen[i] = 1;
    for (int i = 0; i < n_; ++i)
      if (rows[i * columns + j] != 0 && !seen[i]) list.push_back(i);
    const auto meets = [&](std::size_t d) {
      return std::any_of(list.begin(), list.end(), [&](int i) {
        return taken[d * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i)];
      });
    };
    std::size_t d = 0;
    while (d < columns_of_.size() && meets(d)) ++d;
    if (d == columns_of_.size())
      columns_of_.emplace_back(), taken.resize(columns_of_.size() * static_cast<std::size_t>(n_));
    columns_of_[d].push_back(j);
    for (const int i : list)
      taken[d * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i)] = 1;
  }
}

void ForceDerivatives::evaluate(double t, const double* q, const double* v, double* rows) {
  if (!force_.is_differentiable()) return differences(t, q, v, rows);
  for (int j = 0; j < n_; ++j) in_[j] = Dual(q[j]), in_[n_ + j] = Dual(v[j]);
  along_directions(t, rows);
  if (agrees(rows)) return;
  one_by_one(t, rows);
  learn(rows);
}

/// The first of the columns that these directions are, if they are full ones side by side; else -1.
int ForceDerivatives::full_columns(int first) const {
  if (first + dual_directions > static_cast<int>(columns_of_.size())) return -1;
  const int column = columns_of_[static_cast<std::size_t>(first)].front();
  for (int lane = 0; lane < dual_directions; ++lane) {
    const std::vector<int>& own = columns_of_[static_cast<std::size_t>(first + lane)];
    if (own.size() != 1 || own.front() != column + lane ||
        static_cast<int>(rows_of_[static_cast<std::size_t>(column + lane)].size()) < n_)
      return -1;
  }
  return column;
}

/// With the one at random behind them.
void ForceDerivatives::along_directions(double t, double* rows) {
  const int columns = 2 * n_, directions = static_cast<int>(columns_of_.size());
  std::fill(rows, rows + n_ * columns, 0.0);
  const auto each_column = [&](int first, auto act) {
    for (int lane = 0; lane < dual_directions && first + lane < directions; ++lane)
      for (const int j : columns_of_[static_cast<std::size_t>(first + lane)])
        act(j, static_cast<std::size_t>(lane));
  };
  for (int first = 0; first <= directions; first += dual_directions) {
    each_column(first, [&](int j, std::size_t lane) { in_[j].d[lane] = 1; });
    const std::size_t random = static_cast<std::size_t>(directions - first);
    const bool last = directions - first < dual_directions;
    for (int j = 0; last && j < columns; ++j) in_[j].d[random] = random_[j];
    std::fill(out_.begin(), out_.end(), Dual());
    force_(Dual(t), {InputOf<Dual>(in_.data(), n_), InputOf<Dual>(in_.data() + n_, n_)},
           OutputOf<Dual>(out_.data(), n_));
    const int full = full_columns(first);
    for (int i = 0; full >= 0 && i < n_; ++i)
      std::copy_n(out_[static_cast<std::size_t>(i)].d.begin(), dual_directions,
                  rows + i * columns + full);
    each_column(first, [&](int j, std::size_t lane) {
      in_[j].d[lane] = 0;
      if (full >= 0) return;
      for (const int i : rows_of_[static_cast<std::size_t>(j)])
        rows[i * columns + j] = out_[i].d[lane];
    });
    for (int j = 0; last && j < columns; ++j) in_[j].d[random] = 0;
    for (int i = 0; last && i < n_; ++i) along_random_[i] = out_[i].d[random];
  }
}

void ForceDerivatives::one_by_one(double t, double* rows) {
  const int columns = 2 * n_;
  for (int first = 0; first < columns; first += dual_directions) {
    const int width = std::min(dual_directions, columns - first);
    for (int j = 0; j < columns; ++j) {
      Dual& x = in_[static_cast<std::size_t>(j)];
      x.d.fill(0);
      if (j >= first && j < first + width) x.d[static_cast<std::size_t>(j - first)] = 1;
    }
    std::fill(out_.begin(), out_.end(), Dual());
    force_(Dual(t), {InputOf<Dual>(in_.data(), n_), InputOf<Dual>(in_.data() + n_, n_)},
           OutputOf<Dual>(out_.data(), n_));
    for (int i = 0; i < n_; ++i)
      std::copy_n(out_[static_cast<std::size_t>(i)].d.begin(), width, rows + i * columns + first);
  }
}

/// An entry that is not in its place changes the derivative along a direction at random.
bool ForceDerivatives::agrees(const double* rows) const {
  constexpr double rounding = 1e-9;
  const int columns = 2 * n_;
  for (int i = 0; i < n_; ++i, rows += columns) {
    const double along = along_random_[i];
    const double apart =
        std::abs(long_dot(rows, random_.data(), static_cast<std::size_t>(columns)) - along);
    if (apart <= rounding * std::abs(along)) continue;
    // Terms may cancel.
    double size = 0;
    for (int j = 0; j < columns; ++j) size += std::abs(rows[j] * random_[j]);
    if (apart > rounding * size) return false;
  }
  return true;
}

void ForceDerivatives::differences(double t, const double* q, const double* v, double* rows) {
  const int columns = 2 * n_;
  double* point = point_.data();
  std::copy(q, q + n_, point), std::copy(v, v + n_, point + n_);
  const auto force = [&](std::vector<double>& to) {
    std::fill(to.begin(), to.end(), 0.0);
    force_(t, {Input(point, n_), Input(point + n_, n_)}, Output(to.data(), n_));
  };
  force(base_);
  for (int j = 0; j < columns; ++j) {
    const double x = point[j];
    point[j] = x + std::sqrt(std::numeric_limits<double>::epsilon() * std::max(1e-5, std::abs(x)));
    const double delta = point[j] - x;
    force(moved_);
    point[j] = x;
    for (int i = 0; i < n_; ++i) rows[i * columns + j] = (moved_[i] - base_[i]) / delta;
  }
}

}  // namespace daedalus
