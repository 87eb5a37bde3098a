#include "linear/constraint_matrix.h"

#include <cmath>
#include <limits>

#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr double surely_vanishing = 1e-3;

}  // namespace

ConstraintMatrix::ConstraintMatrix(int rows, int columns)
    : m_(rows),
      n_(columns),
      given_(area(rows, columns)),
      scale_(static_cast<std::size_t>(rows)),
      inverse_scale_(static_cast<std::size_t>(rows), 1.0),
      inverse_square_(static_cast<std::size_t>(rows), 1.0),
      largest_square_(static_cast<std::size_t>(rows)),
      v_(area(rows, columns)),
      u_(area(rows, rows)),
      sigma_(static_cast<std::size_t>(rows)),
      turn_(static_cast<std::size_t>(columns)),
      free_(static_cast<std::size_t>(columns)) {}

void ConstraintMatrix::forget() {
  for (int i = 0; i < m_; ++i)
    largest_square_[i] = scale_[i] = 0, inverse_scale_[i] = inverse_square_[i] = 1;
  kept_square_.clear();
  reference_ = 0, health_ = 1;
  factorizations = iterations = 0;
  decomposed_ = false, has_learnt_ = true;
}

void ConstraintMatrix::learn() {
  for (int i = 0; i < m_; ++i) learn(i, dot(row(i), row(i), n_));
}

void ConstraintMatrix::learn_larger(int i, double square) {
  largest_square_[i] = square;
  has_learnt_ = true;
  set_scale(i, std::sqrt(square));
}

void ConstraintMatrix::set_scale(int i, double scale) {
  scale_[i] = scale;
  inverse_scale_[i] = scale > 0 ? 1 / scale : 1;
  inverse_square_[i] = inverse_scale_[i] * inverse_scale_[i];
}

bool ConstraintMatrix::settle(bool keep) {
  if (!has_learnt_ || (!keep && kept_square_.empty())) return true;
  has_learnt_ = false;
  if (keep) return kept_square_ = largest_square_, true;
  largest_square_ = kept_square_;
  for (int i = 0; i < m_; ++i) set_scale(i, std::sqrt(largest_square_[i]));
  return false;
}

bool ConstraintMatrix::scale_rows(double* to) {
  double sum = 0;
  for (int i = 0; i < m_; ++i) {
    const double factor = inverse_scale_[i];
    const double* from = row(i);
    for (int k = 0; k < n_; ++k) to[k] = from[k] * factor, sum += to[k];
    to += n_;
  }
  decomposed_ = false;
  return std::isfinite(sum);
}

double ConstraintMatrix::left(int i, const double* c) const {
  const double* u = u_.data() + area(i, m_);
  double sum = 0;
  for (int k = 0; k < m_; ++k) sum += u[k] * scaled(k, c[k]);
  return sum;
}

void ConstraintMatrix::solve(const double* c, double* x, double drop_below) {
  solve_rest(c, x, true);
  for (int i = 0; decomposed_ && i < pairs_; ++i) {
    if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
    const double size = (left(i, c) - coupling(i, x)) / sigma_[i];
    for (int k = 0; k < n_; ++k) x[k] += right(i)[k] * size;
  }
}

void ConstraintMatrix::leave_free(double* x, double determined) {
  leave_rest(x);
  for (int k = 0; k < pairs_; ++k) {
    if (relative_sigma(k) < determined) continue;
    const double part = dot(right(k), x, n_);
    for (int j = 0; j < n_; ++j) x[j] -= part * right(k)[j];
  }
}

void ConstraintMatrix::turning(int i, const double* rates, double determined, double* w,
                               double* free) {
  const double* u = u_.data() + area(i, m_);
  std::fill(w, w + n_, 0.0);
  for (int r = 0; r < m_; ++r) {
    const double weight = scaled(r, u[r]);
    for (int k = 0; k < n_; ++k) w[k] += weight * rates[area(r, n_) + static_cast<std::size_t>(k)];
  }
  std::copy(w, w + n_, free);
  leave_free(free, determined);
}

/// On the branch that is followed r = sigma V = (t - t*) w + ..., so t - t* = r w / |w|^2.
double ConstraintMatrix::since_crossing(const double* rates, double slowest) {
  double nearest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < pairs_; ++i) {
    if (relative_sigma(i) > in_sight) continue;
    turning(i, rates, in_sight, turn_.data(), free_.data());
    const double square = dot(free_.data(), free_.data(), n_);
    if (!(square > slowest * slowest)) continue;
    const double along = sigma_[i] > 0 ? dot(right(i), free_.data(), n_) : 0;
    // Where a singular value has its least value and does not vanish, r and w are orthogonal.
    if (relative_sigma(i) > surely_vanishing && along * along < 0.5 * square) continue;
    const double s = sigma_[i] * along / square;
    if (std::abs(s) < std::abs(nearest)) nearest = s;
  }
  return nearest;
}

/// With the factors or pairs of the last point, so that a resumed run need not make them again.
void ConstraintMatrix::save(std::vector<double>& memory) const {
  for (const double x : {reference_, health_, decomposed_ ? 1.0 : 0.0, double(pairs_)})
    memory.push_back(x);
  for (const auto* list : {&given_, &scale_, &largest_square_, &v_, &u_, &sigma_})
    save_list(memory, *list);
}

void ConstraintMatrix::restore(SavedState& memory) {
  reference_ = memory.number(), health_ = memory.number(), decomposed_ = memory.flag();
  pairs_ = static_cast<int>(memory.position(static_cast<std::size_t>(m_) + 1));
  for (auto* list : {&given_, &scale_, &largest_square_, &v_, &u_, &sigma_}) memory.list(*list);
  for (int i = 0; i < m_; ++i) set_scale(i, scale_[i]);
  kept_square_ = largest_square_;
  has_learnt_ = false;
}

}  // namespace daedalus
