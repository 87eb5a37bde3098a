#include "formulation/constrained_motion.h"

#include <algorithm>
#include <cmath>

#include "linear/small_vectors.h"
#include "problem/system_of.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr double multipliers_exist = 1e-6;
constexpr int most_corrections = 6;

}  // namespace

ConstrainedMotion::ConstrainedMotion(const Mechanical& form)
    : form_(form),
      n_(form.coordinates),
      position_(form.holonomic),
      velocity_(form.nonholonomic),
      m_(position_ + velocity_),
      g_(position_ > 0 ? Differentiated<1>(form.constraint, {n_}, position_) : Differentiated<1>()),
      rolling_(velocity_ > 0 ? Differentiated<2>(form.velocity_constraint, {n_, n_}, velocity_)
                             : Differentiated<2>()),
      third_(g_, n_),
      constraints_(m_, n_),
      identity_(form.mass.is_identity()),
      constant_(form.mass.is_constant()) {
  differential = 2 * n_;
  algebraic = m_;
  const std::size_t n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* list : {&at_q_, &force_, &zh_, &step_, &extra_, &projected_, &unprojected_})
    list->resize(n);
  for (auto* list : {&gamma_, &right_side_, &residual_, &third_values_}) list->resize(m);
  for (auto* list : {&g_columns_, &k_columns_, &rate_, &added_}) list->resize(n * m);
  slope_t_q_v_.resize(1 + 2 * n);
  dual_q_.resize(n), dual_v_.resize(n), dual_jacobian_.resize(n * m);
  if (identity_) return;
  mass_ = Matrix::Zero(n_, n_);
  if (!constant_) return;
  diagonal_ = true;
  for (const Mass::Entry& e : form.mass.entries(n_)) {
    mass_(e.row, e.column) += e.value;
    diagonal_ = diagonal_ && (e.row == e.column || e.value == 0);
  }
  root_.compute(mass_);
  require(root_.info() == Eigen::Success,
          "explicit methods need a positive definite mass matrix: this one is not; give massless "
          "coordinates a mass, or use an implicit method such as radau");
  if (diagonal_)
    for (int j = 0; j < n_; ++j) inverse_root_.push_back(1 / std::sqrt(mass_(j, j)));
}

bool ConstrainedMotion::prepare_mass(double t, const double* q) {
  if (constant_) return true;
  mass_.setZero();
  form_.mass.function()(t, {Input(q, n_)}, MatrixOutput(mass_.data(), n_, n_));
  root_.compute(mass_);
  return root_.info() == Eigen::Success;
}

void ConstrainedMotion::to_scaled_force(double* x) const {
  if (identity_) return;
  if (diagonal_) {
    for (int j = 0; j < n_; ++j) x[j] *= inverse_root_[j];
    return;
  }
  Eigen::Map<Vector> map(x, n_);
  root_.matrixL().solveInPlace(map);
}

void ConstrainedMotion::from_scaled_motion(double* x) const {
  if (identity_ || diagonal_) return to_scaled_force(x);
  Eigen::Map<Vector> map(x, n_);
  root_.matrixU().solveInPlace(map);
}

double ConstrainedMotion::scaled_size(const double* x) const {
  double sum = 0;
  if (identity_) return std::sqrt(dot(x, x, n_));
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < n_; ++i) sum += x[i] * mass_(i, j) * x[j];
  return std::sqrt(sum);
}

bool ConstrainedMotion::prepare(double t, const double* q, bool decompose) {
  if (prepared_ && t == at_t_ && std::equal(q, q + n_, at_q_.begin()) &&
      (!decompose || constraints_.is_decomposed()))
    return true;
  prepared_ = false;
  if (!prepare_mass(t, q)) return false;
  if (position_ > 0) g_.jacobian<double>(t, {q}, 0, g_columns_.data());
  if (velocity_ > 0) {
    std::fill(extra_.begin(), extra_.end(), 0.0);  // affine in v: its value does not matter
    rolling_.jacobian<double>(t, {q, extra_.data()}, 1, k_columns_.data());
  }
  for (int i = 0; i < m_; ++i) {
    double* row = constraints_.row(i);
    for (int j = 0; j < n_; ++j)
      row[j] =
          i < position_ ? g_columns_[i + j * position_] : k_columns_[i - position_ + j * velocity_];
    to_scaled_force(row);
  }
  if (learning_) constraints_.learn();
  ++factorizations;
  if (m_ > 0 && !(decompose ? constraints_.decompose() : constraints_.factor())) return false;
  at_t_ = t;
  std::copy(q, q + n_, at_q_.begin());
  return prepared_ = true;
}

void ConstrainedMotion::position_residual(double t, const double* q, double* r) const {
  if (position_ > 0) g_.value<double>(t, {q}, r);
  std::fill(r + position_, r + m_, 0.0);
}

void ConstrainedMotion::velocity_residual(double t, const double* q, const double* v,
                                          double* r) const {
  if (position_ > 0) g_.first<double>(t, {q}, {v}, r);
  if (velocity_ > 0) rolling_.value<double>(t, {q, v}, r + position_);
}

bool ConstrainedMotion::slope(double t, const double* x, double* xp) {
  const double *q = x, *v = x + n_;
  if (!prepare(t, q, false)) return false;
  form_.force(t, {Input(q, n_), Input(v, n_)}, Output(force_.data(), n_));
  to_scaled_force(force_.data());
  if (position_ > 0) g_.second(t, {q}, {v}, gamma_.data());
  if (velocity_ > 0) rolling_.first<double>(t, {q, v}, {v, nullptr}, gamma_.data() + position_);
  for (int i = 0; i < m_; ++i)
    right_side_[i] = dot(constraints_.row(i), force_.data(), n_) + gamma_[i];
  slope_t_q_v_[0] = t;
  std::copy(x, x + 2 * n_, slope_t_q_v_.begin() + 1);
  undetermined_ = false;
  const bool crossing = constraints_.is_decomposed() && constraints_.health() < nearly_singular;
  constraints_.solve(right_side_.data(), zh_.data(), crossing ? nearly_singular : 0);
  if (crossing && !add_derivative_rows(t, q, v)) return false;
  double sum = 0;
  for (int j = 0; j < n_; ++j) xp[j] = v[j], xp[n_ + j] = force_[j] - zh_[j];
  from_scaled_motion(xp + n_);
  for (int j = 0; j < n_; ++j) sum += xp[n_ + j] + v[j];
  return std::isfinite(sum);
}

void ConstrainedMotion::multipliers(double* z) const {
  auto& self = const_cast<ConstrainedMotion&>(*this);
  self.constraints_.multipliers(right_side_.data(), z, undetermined_ ? 0 : nearly_singular);
  if (undetermined_ && constraints_.health() < multipliers_exist)
    std::fill(z, z + m_, std::numeric_limits<double>::quiet_NaN());
}

/// step_ = minimal correction in the metric of M; a component along a small singular value that
/// would move a coordinate by more than ten tolerances is left out. The size of what is done.
double ConstrainedMotion::guarded(const double* residual, const double* tolerance, double* x,
                                  double drop_below) {
  constraints_.solve_where(residual, step_.data(), drop_below, [&](const double* component) {
    if (!tolerance) return true;
    std::copy(component, component + n_, projected_.begin());
    from_scaled_motion(projected_.data());
    return stays_within(projected_.data(), tolerance, n_);
  });
  const double size = norm(step_);
  from_scaled_motion(step_.data());
  for (int k = 0; k < n_; ++k) x[k] -= step_[k];
  return size;
}

void ConstrainedMotion::correct_velocity(double t, const double* q, double* v, double drop_below) {
  velocity_residual(t, q, v, residual_.data());
  guarded(residual_.data(), nullptr, v, drop_below);
}

/// Gauss-Newton with fresh matrices; it converges quadratically, so that a small correction means
/// that the next one would be rounding.
bool ConstrainedMotion::correct_position(double t, double* q, double drop_below, int iterations) {
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < iterations; ++k) {
    if (!prepare(t, q, false)) return false;
    position_residual(t, q, residual_.data());
    const double size = guarded(residual_.data(), nullptr, q, drop_below);
    if (!std::isfinite(size)) return false;
    if (k > 0 && size > 0.5 * before && before > 1e-10 * size_) return false;
    if (size < (k > 0 ? 1e-9 : 1e-15) * size_) break;
    before = size;
  }
  return true;
}

bool ConstrainedMotion::project_stage(double t, double* x) {
  if (m_ == 0) return true;
  double *q = x, *v = x + n_;
  if (position_ > 0) {
    std::vector<double>& start = unprojected_;
    std::copy(q, q + n_, start.begin());
    if (!correct_position(t, q, 0, most_corrections)) {
      // Towards the singular point the nearest point may be on the other branch.
      std::copy(start.begin(), start.end(), q);
      if (!correct_position(t, q, ConstraintMatrix::suspicious, most_corrections))
        std::copy(start.begin(), start.end(), q);
    }
  }
  if (!prepare(t, q, false)) return false;
  correct_velocity(t, q, v, nearly_singular);
  return true;
}

bool ConstrainedMotion::project_end(double t, double* x, const double* tolerance) {
  if (m_ == 0) return true;
  double *q = x, *v = x + n_;
  if (position_ > 0) {
    double before = std::numeric_limits<double>::infinity();
    // The factors of the last stage, which was near this point, serve while they contract.
    bool fresh = !prepared_ || constraints_.is_decomposed();
    for (int k = 0; k < 2 * most_corrections; ++k) {
      if (fresh && !prepare(t, q, false)) return false;
      position_residual(t, q, residual_.data());
      const double size = guarded(residual_.data(), tolerance, q, 0);
      if (!std::isfinite(size)) return false;
      if (size < 1e-15 * size_) break;
      if (fresh ? k > 0 && size > 0.5 * before : size > 0.05 * before) {
        if (fresh) break;  // rounding, or a component that is left out
        fresh = true;
      }
      // Contraction so far promises that the next correction is rounding.
      if (before < 1e300 && size * size < 1e-16 * size_ * before) break;
      before = size;
    }
  }
  if (!prepare(t, q, false)) return false;
  velocity_residual(t, q, v, residual_.data());
  guarded(residual_.data(), tolerance + n_, v, nearly_singular);
  return true;
}

double ConstrainedMotion::distance(double t, const double* x) {
  if (m_ == 0) return 0;
  if (!prepare(t, x, true)) return std::numeric_limits<double>::infinity();
  position_residual(t, x, residual_.data());
  constraints_.solve(residual_.data(), step_.data(), nearly_singular);
  double far = norm(step_) / size_;
  velocity_residual(t, x, x + n_, residual_.data());
  constraints_.solve(residual_.data(), step_.data(), nearly_singular);
  const double speed = scaled_size(x + n_);
  return far + norm(step_) / (speed > 0 ? speed : 1);
}

void ConstrainedMotion::begin(double t, const double* x) {
  if (m_ == 0) return;
  around(x, n_, unprojected_.data(), [&](const double* q) {
    if (prepare(t, q, true)) constraints_.learn_reference();
  });
  prepared_ = false;
  if (!prepare(t, x, true)) return;
  size_ = scaled_size(x);
  if (!(size_ > 0)) size_ = 1;
  prepared_ = false;
}

std::unique_ptr<ProjectedField> ConstrainedMotion::for_output() const {
  auto copy = std::make_unique<ConstrainedMotion>(*this);
  copy->learning_ = copy->prepared_ = false;
  return copy;
}

std::vector<std::string> ConstrainedMotion::notes() const {
  if (!dependent_) return {};
  return {
      "constraints depend on each other: the motion is as usual, of the multipliers the smallest "
      "that explain it are given"};
}

void ConstrainedMotion::save(std::vector<double>& memory) const {
  constraints_.save(memory);
  for (const double x : {size_, dependent_ ? 1.0 : 0.0, prepared_ ? 1.0 : 0.0,
                         constraints_.is_decomposed() ? 1.0 : 0.0, at_t_})
    memory.push_back(x);
  save_list(memory, at_q_);
}

void ConstrainedMotion::restore(SavedState& memory) {
  constraints_.restore(memory);
  size_ = memory.number(), dependent_ = memory.flag();
  const bool prepared = memory.flag(), decomposed = memory.flag();
  const double t = memory.number();
  memory.list(unprojected_);
  prepared_ = false;
  if (prepared) prepare(t, unprojected_.data(), decomposed);
  factorizations = 0;
}

}  // namespace daedalus
