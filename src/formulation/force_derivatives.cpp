#include "formulation/force_derivatives.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

ForceDerivatives::ForceDerivatives(Function<2> force, int coordinates)
    : force_(std::move(force)), n_(coordinates) {
  const std::size_t n = static_cast<std::size_t>(n_);
  if (!force_.is_differentiable()) {
    point_.resize(2 * n), base_.resize(n), moved_.resize(n);
    return;
  }
  in_.resize(2 * n), out_.resize(n), along_random_.resize(n);
  for (int j = 0; j < 2 * n_; ++j) random_.push_back(1.5 + std::sin(7.0 * (j + 1)));
  seen_.assign(2 * n * n, 0);
  std::vector<double> guess(2 * n * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::fill_n(guess.begin() + static_cast<std::ptrdiff_t>(2 * n * i), n, 1.0);
    guess[2 * n * i + n + i] = 1;
  }
  learn(guess.data());
  std::fill(seen_.begin(), seen_.end(), 0);
}

/// Adds the entries that are not zero, and shares directions out anew.
void ForceDerivatives::learn(const double* rows) {
  const int columns = 2 * n_;
  start_ = {0}, column_.clear();
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < columns; ++j) {
      char& seen = seen_[static_cast<std::size_t>(i * columns + j)];
      seen = seen || rows[i * columns + j] != 0;
      if (seen) column_.push_back(j);
    }
    start_.push_back(static_cast<int>(column_.size()));
  }
  direction_of_.assign(static_cast<std::size_t>(columns), 0);
  directions_ = 0;
  std::vector<char> taken;  // rows of each direction
  for (int j = 0; j < columns; ++j) {
    const auto meets = [&](int d) {
      for (int i = 0; i < n_; ++i)
        if (seen_[static_cast<std::size_t>(i * columns + j)] &&
            taken[static_cast<std::size_t>(d * n_ + i)])
          return true;
      return false;
    };
    int d = 0;
    while (d < directions_ && meets(d)) ++d;
    if (d == directions_) ++directions_, taken.resize(static_cast<std::size_t>(directions_ * n_));
    direction_of_[static_cast<std::size_t>(j)] = d;
    for (int i = 0; i < n_; ++i)
      if (seen_[static_cast<std::size_t>(i * columns + j)])
        taken[static_cast<std::size_t>(d * n_ + i)] = 1;
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

void ForceDerivatives::along_directions(double t, double* rows) {
  const int columns = 2 * n_, all = directions_ + 1;  // with the one at random
  std::fill(rows, rows + n_ * columns, 0.0);
  for (int first = 0; first < all; first += dual_directions) {
    const int last = first + dual_directions;
    for (int j = 0; j < columns; ++j) {
      Dual& x = in_[static_cast<std::size_t>(j)];
      const int d = direction_of_[static_cast<std::size_t>(j)];
      x.d.fill(0);
      if (d >= first && d < last) x.d[static_cast<std::size_t>(d - first)] = 1;
      if (directions_ >= first && directions_ < last)
        x.d[static_cast<std::size_t>(directions_ - first)] = random_[static_cast<std::size_t>(j)];
    }
    std::fill(out_.begin(), out_.end(), Dual());
    force_(Dual(t), {InputOf<Dual>(in_.data(), n_), InputOf<Dual>(in_.data() + n_, n_)},
           OutputOf<Dual>(out_.data(), n_));
    for (int i = 0; i < n_; ++i) {
      const auto& d = out_[static_cast<std::size_t>(i)].d;
      for (int k = start_[i]; k < start_[i + 1]; ++k) {
        const int direction = direction_of_[static_cast<std::size_t>(column_[k])];
        if (direction >= first && direction < last)
          rows[i * columns + column_[k]] = d[static_cast<std::size_t>(direction - first)];
      }
      if (directions_ >= first && directions_ < last)
        along_random_[i] = d[static_cast<std::size_t>(directions_ - first)];
    }
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
  for (int i = 0; i < n_; ++i) {
    double sum = 0, size = 0;
    for (int k = start_[i]; k < start_[i + 1]; ++k) {
      const double part =
          rows[i * 2 * n_ + column_[k]] * random_[static_cast<std::size_t>(column_[k])];
      sum += part, size += std::abs(part);
    }
    if (std::abs(sum - along_random_[i]) > rounding * size) return false;
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
