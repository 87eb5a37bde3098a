#include "formulation/sparse_motion.h"

#include <algorithm>
#include <cmath>

#include "linear/long_vectors.h"
#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr int largest_block = 24;  // of the mass matrix
constexpr double most_fill = 0.5;  // of the factors, relative to dense ones
constexpr int most_corrections = 6;
// Squares of the distance of a row from the others, relative to its own length: where the dense
// equations are to take over, and where digits are lost if there are none. A straight chain of m
// links comes down to 1 / (2 m).
constexpr double nearly_dependent = 1e-3, dependent = 1e-10;

}  // namespace

SparseMotion::SparseMotion(MotionSets sets, std::shared_ptr<const std::vector<double>> modes,
                           Dense dense)
    : n_(sets.coordinates),
      m_(sets.constraints.rows()),
      modes_(std::move(modes)),
      make_dense_(std::move(dense)),
      level_{sets.constraints, sets.constraints.differentiated_forwards()},
      curvature_(level_[1].differentiated_forwards_holding(1)),
      force_set_(std::move(sets.force)),
      force_function_(std::move(sets.force_function)),
      jacobian_(sets.constraints, {0}),
      mass_entries_(std::move(sets.mass)),
      directions_(std::move(sets.directions)),
      mass_(n_, mass_entries_.at) {
  differential = 2 * n_;
  // Rows of G in whole blocks of M, so that G L^-T has the same pattern.
  std::vector<std::vector<int>> blocks(static_cast<std::size_t>(m_));
  for (const auto& entry : jacobian_.entries())
    blocks[entry.row].push_back(mass_.block_of(entry.variable));
  start_ = {0};
  std::vector<std::vector<int>> first_of(static_cast<std::size_t>(m_));
  for (int i = 0; i < m_; ++i) {
    std::vector<int>& list = blocks[i];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (const int b : list) {
      first_of[i].push_back(static_cast<int>(column_.size()));
      segments_.push_back({b, static_cast<int>(column_.size())});
      for (int k = 0; k < mass_.size(b); ++k) column_.push_back(mass_.member(b, k));
    }
    start_.push_back(static_cast<int>(column_.size()));
  }
  const auto slot = [&](int row, int coordinate) {
    const auto& list = blocks[row];
    const auto at = std::lower_bound(list.begin(), list.end(), mass_.block_of(coordinate));
    return at == list.end() || *at != mass_.block_of(coordinate)
               ? -1
               : first_of[row][at - list.begin()] + mass_.within(coordinate);
  };
  for (const auto& entry : jacobian_.entries())
    jacobian_slot_.push_back(slot(entry.row, entry.variable));
  for (const auto& [coordinate, multiplier] : directions_.at)
    direction_slot_.push_back(slot(multiplier, coordinate));
  slots_in_order_ = jacobian_slot_.size() == column_.size();
  for (std::size_t k = 0; slots_in_order_ && k < jacobian_slot_.size(); ++k)
    slots_in_order_ = jacobian_slot_[k] == static_cast<int>(k);
  gram_ = GramFactors(n_, start_, column_);

  const std::size_t n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* list : {&zeros_, &at_q_, &force_, &step_}) list->resize(n);
  for (auto* list : {&length_at_start_, &right_side_, &lambda_, &along_, &square_}) list->resize(m);
  rows_.resize(column_.size()), plain_rows_.resize(column_.size());
  jacobian_values_.resize(jacobian_slot_.size());
  mass_values_.resize(mass_entries_.at.size());
  direction_values_.resize(directions_.at.size());
}

std::unique_ptr<SparseMotion> SparseMotion::make(RecognisedMotion& found, double t, const double* y,
                                                 std::shared_ptr<const std::vector<double>> modes,
                                                 Dense dense) {
  if (found.coordinates() <= few_coordinates || found.multipliers() == 0) return nullptr;
  const auto made = [&] {
    auto field = std::make_unique<SparseMotion>(motion_sets(found), modes, std::move(dense));
    field->places = found.places();
    field->shown_at_ = found.shown_accelerations;
    field->shown_.resize(found.shown_accelerations.size());
    field->algebraic = found.multipliers() + static_cast<int>(field->shown_.size());
    return field;
  };
  auto field = made();
  Vector q(found.coordinates());
  for (int j = 0; j < found.coordinates(); ++j) q[j] = y[found.q[j]];
  // Rows may be written as f - M der(v) = 0 too.
  field->mass_entries_.values.residual(field->point(t, q.data(), nullptr),
                                       field->mass_values_.data());
  bool turned = false;
  for (std::size_t k = 0; k < field->mass_values_.size(); ++k) {
    const auto [row, column] = field->mass_entries_.at[k];
    if (row != column || field->mass_values_[k] >= 0) continue;
    NodeId& balance = found.dynamics[static_cast<std::size_t>(row)];
    balance = found.rows.graph.neg(balance);
    turned = true;
  }
  if (turned) dense = field->make_dense_, field = made();
  if (!field->pays()) return nullptr;
  field->make_code(found.rows.graph, found.constraints, found.acceleration_input(0),
                   found.rows.inputs());
  for (int probe = 0; probe < 3; ++probe) {
    if (!field->forces_are_ideal(t, q.data())) return nullptr;
    for (int j = 0; j < q.size(); ++j)
      q[j] += 0.03 * std::sin(7.0 * (j + 1) + probe) * (1 + std::abs(q[j]));
  }
  field->prepared_ = false;
  return field;
}

bool SparseMotion::pays() const {
  return mass_.largest() <= largest_block && gram_.fill() <= most_fill * 0.5 * m_ * (m_ - 1.0);
}

Point SparseMotion::point(double t, const double* q, const double* v) {
  tables_[0] = q, tables_[1] = v ? v : zeros_.data();
  tables_[2] = zeros_.data();
  return {t, tables_, modes_ ? modes_->data() : nullptr};
}

/// The symmetric mass, and each column of B along a row of G.
bool SparseMotion::forces_are_ideal(double t, const double* q) {
  constexpr double rounding = 1e-9;
  mass_entries_.values.residual(point(t, q, nullptr), mass_values_.data());
  std::vector<std::pair<std::pair<int, int>, double>> sorted;
  double largest = 0;
  for (std::size_t k = 0; k < mass_values_.size(); ++k) {
    const auto [row, column] = mass_entries_.at[k];
    largest = std::max(largest, std::abs(mass_values_[k]));
    if (row != column)
      sorted.push_back({{std::min(row, column), std::max(row, column)},
                        row < column ? mass_values_[k] : -mass_values_[k]});
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t k = 0; k < sorted.size();) {
    double sum = 0;
    const auto at = sorted[k].first;
    for (; k < sorted.size() && sorted[k].first == at; ++k) sum += sorted[k].second;
    if (std::abs(sum) > rounding * largest) return false;
  }
  prepared_ = false;
  prepare(t, q);
  for (const int slot : direction_slot_)
    if (slot < 0) return false;
  compare_directions(t, q);
  // |B_k|^2 |G_k|^2 = (B_k G_k)^2 for parallel vectors.
  std::vector<double> length(static_cast<std::size_t>(m_));
  for (std::size_t k = 0; k < direction_values_.size(); ++k)
    length[directions_.at[k].column] += direction_values_[k] * direction_values_[k];
  for (int k = 0; k < m_; ++k) {
    const double product = length[k] * square_[k];
    if (!(product > 0) || product - along_[k] * along_[k] > rounding * product) return false;
    directions_differ_ = directions_differ_ || std::abs(along_[k] / square_[k] - 1) > 1e-14;
  }
  return true;
}

void SparseMotion::find_rows(double t, const double* q) {
  const Point here = point(t, q, nullptr);
  if (slots_in_order_) return jacobian_.evaluate(here, plain_rows_.data());
  jacobian_.evaluate(here, jacobian_values_.data());
  std::fill(plain_rows_.begin(), plain_rows_.end(), 0.0);
  for (std::size_t k = 0; k < jacobian_slot_.size(); ++k)
    plain_rows_[jacobian_slot_[k]] += jacobian_values_[k];
}

/// With the rows of this point.
void SparseMotion::compare_directions(double t, const double* q) {
  directions_.values.residual(point(t, q, nullptr), direction_values_.data());
  std::fill(along_.begin(), along_.end(), 0.0);
  for (std::size_t k = 0; k < direction_values_.size(); ++k)
    along_[directions_.at[k].column] += direction_values_[k] * plain_rows_[direction_slot_[k]];
  for (int k = 0; k < m_; ++k)
    square_[k] = dot(plain_rows_.data() + start_[k], plain_rows_.data() + start_[k],
                     start_[k + 1] - start_[k]);
}

bool SparseMotion::prepare(double t, const double* q) {
  if (prepared_ && t == at_t_ && std::equal(q, q + n_, at_q_.begin())) return true;
  prepared_ = false;
  if (!mass_known_) {
    mass_entries_.values.residual(point(t, q, nullptr), mass_values_.data());
    if (!mass_.factor(mass_values_.data())) return false;
    mass_known_ = mass_entries_.constant;
  }
  find_rows(t, q);
  if (mass_.is_diagonal()) {
    const double* root = mass_.inverse_root();
    const int* column = column_.data();
    const double* plain = plain_rows_.data();
    double* row = rows_.data();
    for (std::size_t k = 0; k < rows_.size(); ++k) row[k] = plain[k] * root[column[k]];
  } else {
    std::copy(plain_rows_.begin(), plain_rows_.end(), rows_.begin());
    for (const Segment& s : segments_) mass_.to_scaled_force(s.block, rows_.data() + s.first);
  }
  ++factorizations;
  const bool positive = gram_.factor(rows_.data());
  at_t_ = t;
  std::copy(q, q + n_, at_q_.begin());
  return prepared_ = positive;
}

template <class Square, class Pivot>
bool SparseMotion::are_independent(Square square, Pivot pivot) const {
  const double part = make_dense_ ? nearly_dependent : dependent;
  for (int i = 0; i < m_; ++i)
    if (!(pivot(i) > part * std::max(square(i), length_at_start_[i]))) return false;
  return true;
}

bool SparseMotion::is_regular(const StraightMotion::Rows& rows) {
  prepared_ = false;
  return rows.positive_mass && are_independent([&](int i) { return rows.squares[i]; },
                                               [&](int i) { return rows.pivots[i]; });
}

/// The dense equations, from the moment on at which they are needed; null: not yet, or never.
ProjectedField* SparseMotion::dense_at(double t, const double* x) {
  if (dense_) return dense_.get();
  const bool safe = prepare(t, x) && are_independent([&](int i) { return gram_.square(i); },
                                                     [&](int i) { return gram_.pivot(i); });
  lost_ = !safe && !make_dense_;
  if (safe || lost_) return nullptr;
  dense_ = make_dense_();
  dense_->begin(t, x);
  return dense_.get();
}

void SparseMotion::find_force(double t, const double* q, const double* v) {
  if (!force_function_) return force_set_.residual(point(t, q, v), force_.data());
  std::fill(force_.begin(), force_.end(), 0.0);
  force_function_(t, {Input(q, n_), Input(v, n_)}, Output(force_.data(), n_));
}

bool SparseMotion::slope(double t, const double* x, double* xp) {
  return slope_by_code(t, x, xp) || slope_by_matrices(t, x, xp);
}

bool SparseMotion::slope_by_matrices(double t, const double* x, double* xp) {
  slope_is_by_code_ = false;
  if (ProjectedField* dense = dense_at(t, x)) {
    const auto made = dense->factorizations;
    const bool finite = dense->slope(t, x, xp);
    factorizations += dense->factorizations - made;
    return finite;
  }
  if (lost_ || !prepared_) return false;
  const double *q = x, *v = x + n_;
  const Point here = point(t, q, v);
  find_force(t, q, v);
  mass_.to_scaled_force(force_.data());
  curvature_.residual(here, right_side_.data());
  const int *start = start_.data(), *column = column_.data();
  const double *row = rows_.data(), *force = force_.data();
  for (int i = 0; i < m_; ++i) {
    double sum = right_side_[i];
    for (int k = start[i]; k < start[i + 1]; ++k) sum += row[k] * force[column[k]];
    lambda_[i] = sum;
  }
  gram_.solve(lambda_.data());
  double* a = xp + n_;
  std::copy(force, force + n_, a);
  for (int i = 0; i < m_; ++i) {
    const double pull = lambda_[i];
    for (int k = start[i]; k < start[i + 1]; ++k) a[column[k]] -= row[k] * pull;
  }
  mass_.from_scaled_motion(a);
  std::copy(v, v + n_, xp);
  show_accelerations(a);
  return are_finite(xp, static_cast<std::size_t>(2 * n_));
}

void SparseMotion::show_accelerations(const double* a) {
  for (std::size_t k = 0; k < shown_.size(); ++k) shown_[k] = a[shown_at_[k]];
}

void SparseMotion::multipliers(double* z) const {
  if (dense_) return dense_->multipliers(z);
  if (slope_is_by_code_)
    std::copy_n(code_->multipliers(), m_, z);
  else
    std::copy(lambda_.begin(), lambda_.end(), z);
  std::copy(shown_.begin(), shown_.end(), z + m_);
  if (!directions_differ_) return;
  auto& self = const_cast<SparseMotion&>(*this);
  const double t = slope_is_by_code_ ? code_->point().t : at_t_;
  const double* q = slope_is_by_code_ ? code_->point().q : at_q_.data();
  if (slope_is_by_code_) self.find_rows(t, q), self.prepared_ = false;
  self.compare_directions(t, q);
  for (int k = 0; k < m_; ++k) z[k] *= square_[k] / along_[k];
}

/// x less the minimal correction in the metric of M; its size.
double SparseMotion::correct(double* x) {
  gram_.solve(right_side_.data());
  std::fill(step_.begin(), step_.end(), 0.0);
  for (int i = 0; i < m_; ++i)
    for (int k = start_[i]; k < start_[i + 1]; ++k) step_[column_[k]] += rows_[k] * right_side_[i];
  const double size = norm(step_);
  mass_.from_scaled_motion(step_.data());
  for (int k = 0; k < n_; ++k) x[k] -= step_[k];
  return size;
}

bool SparseMotion::project_stage(double t, double* x) {
  return dense_ ? dense_->project_stage(t, x) : true;
}

bool SparseMotion::project_end(double t, double* x, const double* tolerance) {
  if (project_by_code(t, x)) return true;
  if (!prepared_) dense_at(t, x);
  if (dense_) return dense_->project_end(t, x, tolerance);
  if (lost_ || !prepared_) return false;
  double *q = x, *v = x + n_;
  double before = std::numeric_limits<double>::infinity();
  // The factors of the last stage, which was near this point, serve while they contract.
  bool fresh = false;
  for (int k = 0; k < 2 * most_corrections; ++k) {
    if (fresh && !prepare(t, q)) return false;
    level_[0].residual(point(t, q, nullptr), right_side_.data());
    const double size = correct(q);
    if (!std::isfinite(size)) return false;
    if (size < 1e-15 * size_) break;
    if (fresh ? k > 0 && size > 0.5 * before : size > 0.05 * before) {
      if (fresh) break;
      fresh = true;
    }
    // Contraction so far promises that the next correction is rounding.
    if (before < 1e300 && size * size < 1e-16 * size_ * before) break;
    before = size;
  }
  if (!prepare(t, q)) return dense_at(t, x) != nullptr;
  level_[1].residual(point(t, q, v), right_side_.data());
  return std::isfinite(correct(v));
}

double SparseMotion::distance(double t, const double* x) {
  if (ProjectedField* dense = dense_at(t, x)) return dense->distance(t, x);
  if (lost_ || !prepared_) return std::numeric_limits<double>::infinity();
  std::vector<double> moved(x, x + n_);
  level_[0].residual(point(t, x, nullptr), right_side_.data());
  double far = correct(moved.data()) / size_;
  level_[1].residual(point(t, x, x + n_), right_side_.data());
  const double speed = mass_.size_of(x + n_);
  return far + correct(moved.data()) / (speed > 0 ? speed : 1);
}

double SparseMotion::since_singular() {
  return dense_ ? dense_->since_singular() : std::numeric_limits<double>::infinity();
}

int SparseMotion::leave_rest(double t, double* x, int branch, double speed) {
  ProjectedField* dense = dense_at(t, x);
  return dense ? dense->leave_rest(t, x, branch, speed) : 0;
}

void SparseMotion::begin(double t, const double* x) {
  if (dense_at(t, x) || !prepared_) return;
  for (int i = 0; i < m_; ++i) length_at_start_[i] = gram_.square(i);
  size_ = mass_.size_of(x);
  if (!(size_ > 0)) size_ = 1;
}

}  // namespace daedalus
