#include "linear/iterated_constraints.h"

#include <cmath>
#include <limits>
#include <utility>

#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon();
constexpr int most_iterations = 12;
constexpr int most_tracked = 2;
constexpr int turns_at_once = 4;    // from vectors that know nothing
constexpr int solves_per_turn = 8;  // while nothing is suspicious

}  // namespace

IteratedConstraints::IteratedConstraints(int rows, int columns)
    : ConstraintMatrix(rows, columns),
      tracked_(rows <= 1 ? rows : std::min(most_tracked, rows - 1)),
      rows_(area(rows, columns)),
      column_(area(rows, columns)),
      row_end_(static_cast<std::size_t>(rows)),
      block_(area(tracked_, rows)),
      lift_(area(tracked_, rows)),
      image_(area(tracked_, columns)) {
  for (auto* list : {&warm_, &scaled_, &y_, &r_, &w_, &p_, &q_, &s_})
    list->resize(static_cast<std::size_t>(rows));
  for (auto* list : {&x_, &z_, &t_}) list->resize(static_cast<std::size_t>(columns));
  double fraction = 0;
  for (double& entry : block_) entry = 2 * (fraction = std::fmod(fraction + 0.618034, 1.0)) - 1;
}

std::shared_ptr<ConstraintMatrix> IteratedConstraints::copy() const {
  return std::make_shared<IteratedConstraints>(*this);
}

bool IteratedConstraints::take_rows() {
  if (!scale_rows(rows_.data())) return false;
  pairs_ = 0;
  std::size_t count = 0;
  for (int i = 0; i < m_; ++i) {
    for (int k = 0; k < n_; ++k)
      if (rows_[area(i, n_) + static_cast<std::size_t>(k)] != 0)
        rows_[count] = rows_[area(i, n_) + static_cast<std::size_t>(k)], column_[count++] = k;
    row_end_[static_cast<std::size_t>(i)] = count;
  }
  return true;
}

void IteratedConstraints::to_columns(const double* y, double* x) const {
  std::fill(x, x + n_, 0.0);
  std::size_t k = 0;
  for (int i = 0; i < m_; ++i)
    for (; k < row_end_[static_cast<std::size_t>(i)]; ++k) x[column_[k]] += rows_[k] * y[i];
}

void IteratedConstraints::to_rows(const double* x, double* y) const {
  std::size_t k = 0;
  for (int i = 0; i < m_; ++i) {
    double sum = 0;
    for (; k < row_end_[static_cast<std::size_t>(i)]; ++k) sum += rows_[k] * x[column_[k]];
    y[i] = sum;
  }
}

void IteratedConstraints::leave_pairs_out(double* y) const {
  for (int i = 0; decomposed_ && i < pairs_; ++i) {
    const double* u = u_.data() + area(i, m_);
    const double part = dot(u, y, m_);
    for (int k = 0; k < m_; ++k) y[k] -= part * u[k];
  }
}

/// w with (eps I + Gh Gh^T) w = r, known pairs left out.  [HestenesStiefel1952]
void IteratedConstraints::conjugate_gradients(const double* r, double eps, double relative,
                                              double* w) {
  std::fill(w, w + m_, 0.0);
  std::copy(r, r + m_, s_.begin());
  leave_pairs_out(s_.data());  // what r has of them no iteration would take away
  p_ = s_;
  double square = dot(s_.data(), s_.data(), m_);
  const double enough = relative * relative * square;
  for (int k = 0; k < 2 * m_ + 10 && square > enough; ++k) {
    to_columns(p_.data(), t_.data());
    to_rows(t_.data(), q_.data());
    for (int i = 0; i < m_; ++i) q_[i] += eps * p_[i];
    leave_pairs_out(q_.data());
    const double curvature = dot(p_.data(), q_.data(), m_);
    if (!(curvature > 0)) break;
    const double length = square / curvature;
    for (int i = 0; i < m_; ++i) w[i] += length * p_[i], s_[i] -= length * q_[i];
    const double next = dot(s_.data(), s_.data(), m_);
    for (int i = 0; i < m_; ++i) p_[i] = s_[i] + next / square * p_[i];
    square = next;
  }
}

/// What a residual may count in x, and what eps is measured by.
double IteratedConstraints::least_of_rest() const {
  const double known = decomposed_ && pairs_ > 0 ? sigma_[pairs_ - 1] : health_ * reference_;
  return std::clamp(known, 0.1 * suspicious * reference_, suspicious * reference_);
}

void IteratedConstraints::iterate(const double* c, double* x, double* y, double accuracy) {
  const double least = least_of_rest();
  double before = std::numeric_limits<double>::infinity();
  leave_pairs_out(y);
  for (int s = 0; s <= most_iterations; ++s) {
    to_columns(y, x);
    to_rows(x, r_.data());
    for (int i = 0; i < m_; ++i) r_[i] = c[i] - r_[i];
    leave_pairs_out(r_.data());
    const double left = norm(r_), target = std::max(accuracy * least, unit_roundoff * norm(c, m_));
    if (left > before) {  // rounding
      for (int i = 0; i < m_; ++i) y[i] -= w_[i];
      return to_columns(y, x);
    }
    if (!(left > target) || s == most_iterations || left > 0.9 * before) return;
    before = left;
    const double gain = std::clamp(std::sqrt(target / left), 1e-7, 0.1);
    conjugate_gradients(r_.data(), gain * least * least, 0.3 * gain, w_.data());
    for (int i = 0; i < m_; ++i) y[i] += w_[i];
    leave_pairs_out(y);
    ++iterations;
  }
}

void IteratedConstraints::solve_rest(const double* c, double* x, bool warm) {
  for (int i = 0; i < m_; ++i) scaled_[i] = scaled(i, c[i]);
  if (!warm || frozen_) std::fill(y_.begin(), y_.end(), 0.0);
  if (warm && !frozen_) y_ = warm_;
  iterate(scaled_.data(), x, y_.data(), warm ? accuracy_ : 0);
  if (warm) warm_ = y_;
}

double IteratedConstraints::coupling(int i, const double* x) const {
  return dot(image(i), x, n_);
}

void IteratedConstraints::leave_rest(double* x) {
  to_rows(x, scaled_.data());
  std::fill(y_.begin(), y_.end(), 0.0);
  iterate(scaled_.data(), z_.data(), y_.data(), 0);
  for (int k = 0; k < n_; ++k) x[k] -= z_[k];
}

/// y' + sum of the components along the pairs, each lifted.
void IteratedConstraints::multipliers(const double* c, double* y, double drop_below) {
  solve_rest(c, x_.data(), true);
  std::copy(warm_.begin(), warm_.end(), y);
  for (int i = 0; decomposed_ && i < pairs_; ++i) {
    if (sigma_[i] == 0 || relative_sigma(i) < drop_below) continue;
    const double size = (left(i, c) - coupling(i, x_.data())) / sigma_[i];
    for (int k = 0; k < m_; ++k) y[k] += lift(i)[k] * size;
    for (int k = 0; k < n_; ++k) x_[k] += right(i)[k] * size;
  }
  for (int i = 0; i < m_; ++i) y[i] = scaled(i, y[i]);
}

/// The power method; the estimate is a lower bound, good to a few percent.
void IteratedConstraints::learn_reference() {
  for (int i = 0; i < m_; ++i) y_[i] = 1 + 0.1 * std::sin(i + 1.0);
  double sigma = 0;
  for (int k = 0; k < 12; ++k) {
    const double size = norm(y_);
    if (!(size > 0)) return;
    for (double& entry : y_) entry /= size;
    to_columns(y_.data(), x_.data());
    sigma = norm(x_);
    to_rows(x_.data(), y_.data());
  }
  reference_ = std::max(reference_, sigma);
}

/// Inverse iteration, then the combinations in which two vectors are singular ones.
void IteratedConstraints::turn_block(int rounds) {
  since_turned_ = 0;
  const double shift = 1e-12 * reference_ * reference_;
  for (int round = 0; round < rounds && m_ > 1; ++round) {
    for (int j = 0; j < tracked_; ++j) {
      conjugate_gradients(block(j), shift, 1e-6, w_.data());
      std::copy(w_.begin(), w_.end(), block(j));
      for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < j; ++k) {
          const double part = dot(block(k), block(j), m_);
          for (int i = 0; i < m_; ++i) block(j)[i] -= part * block(k)[i];
        }
        const double size = norm(block(j), m_);
        for (int i = 0; size > 0 && i < m_; ++i) block(j)[i] /= size;
      }
    }
  }
  if (m_ == 1) block_[0] = 1;
  for (int j = 0; j < tracked_; ++j) to_columns(block(j), image(j));
  if (tracked_ < 2) return;
  double *a = image(0), *b = image(1);
  const double aa = dot(a, a, n_), bb = dot(b, b, n_), ab = dot(a, b, n_);
  const double angle = 0.5 * std::atan2(2 * ab, bb - aa), c = std::cos(angle), s = std::sin(angle);
  const auto turn = [c, s](double* x, double* y, int count) {
    for (int k = 0; k < count; ++k) {
      const double xk = x[k];
      x[k] = c * xk - s * y[k], y[k] = s * xk + c * y[k];
    }
  };
  turn(a, b, n_), turn(block(0), block(1), m_);
}

double IteratedConstraints::smallest_in_block() {
  double smallest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < tracked_; ++j) {
    to_columns(block(j), image(j));
    smallest = std::min(smallest, norm(image(j), n_));
  }
  return reference_ > 0 ? smallest / reference_ : 0;
}

bool IteratedConstraints::factor() {
  if (!take_rows()) return false;
  if (reference_ == 0) return decompose();
  if (frozen_) return decompose();
  health_ = smallest_in_block();
  if (++since_turned_ >= solves_per_turn || health_ < 2 * suspicious) {
    turn_block(1);
    health_ = smallest_in_block();
  }
  return health_ < suspicious ? decompose() : true;
}

bool IteratedConstraints::decompose() {
  if (!take_rows()) return false;
  const bool known = reference_ > 0 && !frozen_;
  if (reference_ == 0) learn_reference();
  if (frozen_) block_ = frozen_block_;
  turn_block(known ? 1 : turns_at_once);
  health_ = smallest_in_block();
  std::copy(block_.begin(), block_.end(), u_.begin());
  for (; pairs_ < tracked_; ++pairs_) {
    sigma_[pairs_] = norm(image(pairs_), n_);
    // The second vector settles slowly while its singular value is one of many.
    if (!(sigma_[pairs_] < (pairs_ == 0 ? in_sight : suspicious) * reference_)) break;
  }
  decomposed_ = true;
  for (int i = 0; i < pairs_; ++i) {
    double* v = v_.data() + area(i, n_);
    std::copy(image(i), image(i) + n_, v);
    leave_rest(v);  // with y_ the combination of the other rows
    for (int k = 0; k < m_; ++k) lift(i)[k] = block(i)[k] - y_[k];
    for (int j = 0; j < i; ++j) {
      const double part = dot(right(j), v, n_);
      for (int k = 0; k < n_; ++k) v[k] -= part * right(j)[k];
      for (int k = 0; k < m_; ++k) lift(i)[k] -= part * lift(j)[k];
    }
    sigma_[i] = norm(v, n_);
    for (int k = 0; sigma_[i] > 0 && k < n_; ++k) v[k] /= sigma_[i];
    for (int k = 0; sigma_[i] > 0 && k < m_; ++k) lift(i)[k] /= sigma_[i];
    health_ = std::min(health_, relative_sigma(i));
  }
  return true;
}

void IteratedConstraints::freeze() {
  frozen_ = true;
  frozen_block_ = block_;
  accuracy_ = 0;
}

void IteratedConstraints::save(std::vector<double>& memory) const {
  ConstraintMatrix::save(memory);
  for (const auto* list : {&block_, &lift_, &image_, &warm_}) save_list(memory, *list);
  memory.push_back(accuracy_), memory.push_back(since_turned_);
}

void IteratedConstraints::restore(SavedState& memory) {
  ConstraintMatrix::restore(memory);
  const bool decomposed = decomposed_;
  const int pairs = pairs_;
  take_rows();
  decomposed_ = decomposed, pairs_ = std::min(pairs, tracked_);
  for (auto* list : {&block_, &lift_, &image_, &warm_}) memory.list(*list);
  accuracy_ = memory.number(), since_turned_ = static_cast<int>(memory.number());
}

}  // namespace daedalus
