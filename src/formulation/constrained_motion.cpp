#include "formulation/constrained_motion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/small_vectors.h"
#include "problem/system_of.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr double multipliers_exist = 1e-6;
constexpr int most_corrections = 6;
// Of rows around the start: they may change by so much of what they are there.
constexpr double longest_change = 3;
constexpr double vanishing_at_start = 1e-8;  // beside their change
constexpr double unchanged = 1e-9;           // by more than rounding
constexpr auto everything = [](const double*, double, double) { return true; };

}  // namespace

ConstrainedMotion::ConstrainedMotion(std::shared_ptr<MotionEquations> equations, Solves solves)
    : equations_(std::move(equations)),
      solves_(solves),
      n_(equations_->coordinates),
      m_(equations_->constraints()),
      constraints_(make_constraints(solves, m_, n_)),
      mass_(n_, n_),
      root_(n_) {
  differential = 2 * n_;
  algebraic = m_ + static_cast<int>(equations_->shown_accelerations.size());
  const std::size_t n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* list : {&at_q_, &force_, &zh_, &step_, &extra_, &projected_, &unprojected_})
    list->resize(n);
  for (auto* list : {&gamma_, &right_side_, &residual_, &third_values_}) list->resize(m);
  for (auto* list : {&rate_, &added_}) list->resize(n * m);
  slope_t_q_v_.resize(1 + 2 * n);
  coded_acceleration_.resize(n), aside_.resize(2 * n);
  shown_.resize(equations_->shown_accelerations.size());
  if (!equations_->constant_mass) return;
  mass_.setZero();
  equations_->mass(0, at_q_.data(), MatrixOutput(mass_.data(), n_, n_));
  require(root_.factor(mass_.data()),
          "explicit methods need a positive definite mass matrix: this one is not; give massless "
          "coordinates a mass, or use an implicit method such as radau");
  diagonal_ = mass_.isDiagonal(0);
  identity_ = diagonal_ && mass_.isIdentity(0);
  for (int j = 0; diagonal_ && j < n_; ++j) inverse_root_.push_back(1 / std::sqrt(mass_(j, j)));
}

bool ConstrainedMotion::prepare_mass(double t, const double* q) {
  if (equations_->constant_mass) return true;
  mass_.setZero();
  equations_->mass(t, q, MatrixOutput(mass_.data(), n_, n_));
  return root_.factor(mass_.data());
}

void ConstrainedMotion::to_scaled_force(double* x) const {
  if (identity_) return;
  if (diagonal_) {
    for (int j = 0; j < n_; ++j) x[j] *= inverse_root_[j];
    return;
  }
  root_.forward(x);
}

void ConstrainedMotion::from_scaled_motion(double* x) const {
  if (identity_ || diagonal_) return to_scaled_force(x);
  root_.back(x);
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
      (!decompose || constraints_->is_decomposed()))
    return true;
  prepared_ = false;
  if (!prepare_mass(t, q)) return false;
  if (m_ > 0) equations_->jacobian(t, q, constraints_->row(0));
  for (int i = 0; i < m_; ++i) to_scaled_force(constraints_->row(i));
  if (learning_) constraints_->learn();
  const auto made = constraints_->factorizations;
  if (m_ > 0 && !(decompose ? constraints_->decompose() : constraints_->factor())) return false;
  factorizations += constraints_->factorizations - made;
  at_t_ = t;
  std::copy(q, q + n_, at_q_.begin());
  return prepared_ = true;
}

bool ConstrainedMotion::slope(double t, const double* x, double* xp) {
  const double *q = x, *v = x + n_;
  slope_is_by_code_ = slope_by_code(t, x, xp);
  if (slope_is_by_code_) return true;
  if (!prepare(t, q, false)) return false;
  equations_->force(t, q, v, force_.data());
  to_scaled_force(force_.data());
  if (m_ > 0) equations_->curvature(t, q, v, gamma_.data());
  for (int i = 0; i < m_; ++i)
    right_side_[i] = dot(constraints_->row(i), force_.data(), n_) + gamma_[i];
  slope_t_q_v_[0] = t;
  std::copy(x, x + 2 * n_, slope_t_q_v_.begin() + 1);
  undetermined_ = false;
  const auto made = constraints_->iterations;
  const bool crossing = constraints_->is_decomposed() && constraints_->health() < nearly_singular;
  constraints_->solve(right_side_.data(), zh_.data(), crossing ? nearly_singular : 0);
  if (crossing && !add_derivative_rows(t, q, v)) return false;
  iterations += constraints_->iterations - made;
  double sum = 0;
  for (int j = 0; j < n_; ++j) xp[j] = v[j], xp[n_ + j] = force_[j] - zh_[j];
  from_scaled_motion(xp + n_);
  for (int j = 0; j < n_; ++j) sum += xp[n_ + j] + v[j];
  for (std::size_t k = 0; k < shown_.size(); ++k)
    shown_[k] = xp[n_ + equations_->shown_accelerations[k]];
  return std::isfinite(sum);
}

void ConstrainedMotion::multipliers(double* z) const {
  auto& self = const_cast<ConstrainedMotion&>(*this);
  if (slope_is_by_code_) {
    show_accelerations(z + m_);
    copy_singly(equations_->straight()->multipliers(), m_, z);
  } else {
    std::copy(shown_.begin(), shown_.end(), z + m_);
    self.constraints_->multipliers(right_side_.data(), z, undetermined_ ? 0 : nearly_singular);
  }
  if (!slope_is_by_code_ && undetermined_ && constraints_->health() < multipliers_exist)
    return std::fill(z, z + m_, std::numeric_limits<double>::quiet_NaN());
  const StraightMotion::Point at = slope_point();
  equations_->to_user(at.t, at.q, z);
}

/// x less the minimal correction in the metric of M; components along small singular values only as
/// `keep` says. The size of what is done.
template <class Keep>
double ConstrainedMotion::correct(const double* residual, double* x, double drop_below, Keep keep) {
  constraints_->solve_where(residual, step_.data(), drop_below,
                            [&](const double* component, double sigma) {
                              std::copy(component, component + n_, projected_.begin());
                              const double size = norm(projected_);
                              from_scaled_motion(projected_.data());
                              return keep(projected_.data(), size, sigma);
                            });
  const double size = norm(step_);
  from_scaled_motion(step_.data());
  for (int k = 0; k < n_; ++k) x[k] -= step_[k];
  return size;
}

void ConstrainedMotion::correct_velocity(double t, const double* q, double* v, double drop_below) {
  equations_->velocities(t, q, v, residual_.data());
  correct(residual_.data(), v, drop_below, everything);
}

/// Gauss-Newton with fresh matrices; it converges quadratically, so that a small correction means
/// that the next one would be rounding.
bool ConstrainedMotion::correct_position(double t, double* q, double drop_below, int iterations) {
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < iterations; ++k) {
    if (!prepare(t, q, false)) return false;
    equations_->positions(t, q, residual_.data());
    const double size = correct(residual_.data(), q, drop_below, everything);
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
  if (equations_->position > 0) {
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
  if (m_ == 0 || project_by_code(t, x)) return true;
  double *q = x, *v = x + n_;
  double untrusted = 0;  // the largest singular value whose component was left out
  if (equations_->position > 0) {
    double before = std::numeric_limits<double>::infinity();
    // The factors of the last stage, which was near this point, serve while they contract.
    bool fresh = !prepared_ || constraints_->is_decomposed();
    for (int k = 0; k < 2 * most_corrections; ++k) {
      if (fresh && !prepare(t, q, false)) return false;
      equations_->positions(t, q, residual_.data());
      const double size =
          correct(residual_.data(), q, 0, [&](const double* move, double length, double sigma) {
            // A correction that is not small beside the distance from the singular point may lead
            // to another branch.
            const bool trusted = length <= 0.1 * sigma * size_ && stays_within(move, tolerance, n_);
            if (!trusted) untrusted = std::max(untrusted, sigma);
            return trusted;
          });
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
  equations_->velocities(t, q, v, residual_.data());
  correct(residual_.data(), v, nearly_singular, [&](const double* move, double, double sigma) {
    return sigma > untrusted && stays_within(move, tolerance + n_, n_);
  });
  return true;
}

double ConstrainedMotion::find_distance(double t, const double* x) {
  if (!prepare(t, x, false)) return std::numeric_limits<double>::infinity();
  equations_->positions(t, x, residual_.data());
  constraints_->solve(residual_.data(), step_.data(), nearly_singular);
  double far = norm(step_) / size_;
  // Where rows vanish or depend on each other no step changes what they miss.
  for (int i = 0; i < equations_->position; ++i) {
    const double left = residual_[i] - dot(constraints_->row(i), step_.data(), n_);
    if (left != 0) far += std::abs(left) / (constraints_->scale(i) * size_);
  }
  equations_->velocities(t, x, x + n_, residual_.data());
  constraints_->solve(residual_.data(), step_.data(), nearly_singular);
  const double speed = scaled_size(x + n_);
  return far + norm(step_) / (speed > 0 ? speed : 1);
}

double ConstrainedMotion::reach() const {
  if (equations_->position == 0) return ProjectedField::reach();
  double longest = 0;
  for (int i = 0; i < equations_->position; ++i)
    longest = std::max(longest, constraints_->scale(i));
  return longest * size_;
}

/// x counts from an origin that may be far from everything that moves. A link of length 1 at 1e6
/// has rows at a tenth of that which are 1e5 times as long as any on its way; beside them its own
/// would seem to vanish. So points around the start are to be nearer by this factor, as far as all
/// rows tell that change: next to a singular point some do as much, others do not.
double ConstrainedMotion::nearness(double t, const double* x) {
  constexpr int most_rounds = 4;  // as many as a change of high degree may take
  double factor = 1;
  std::vector<double> here(static_cast<std::size_t>(n_) * static_cast<std::size_t>(m_));
  std::vector<double> change(static_cast<std::size_t>(m_));
  const auto make_rows = [&](const double* q) {
    prepared_ = false;
    if (!prepare_mass(t, q)) return false;
    equations_->jacobian(t, q, constraints_->row(0));
    for (int i = 0; i < m_; ++i) to_scaled_force(constraints_->row(i));
    return true;
  };
  if (!make_rows(x)) return factor;
  std::copy_n(constraints_->row(0), here.size(), here.begin());
  for (int round = 0; round < most_rounds; ++round) {
    std::fill(change.begin(), change.end(), 0.0);
    bool is_start = true;
    around(x, n_, unprojected_.data(), [&](double* q) {
      for (int j = 0; j < n_; ++j) q[j] = x[j] + factor * (q[j] - x[j]);
      if (std::exchange(is_start, false) || !make_rows(q)) return;
      const double* row = here.data();
      for (int i = 0; i < m_; ++i, row += n_) {
        for (int j = 0; j < n_; ++j) step_[j] = constraints_->row(i)[j] - row[j];
        change[i] = std::max(change[i], norm(step_));
      }
    });
    double least = std::numeric_limits<double>::infinity();
    const double* row = here.data();
    for (int i = 0; i < m_; ++i, row += n_) {
      const double size = std::sqrt(dot(row, row, n_));
      if (change[i] > unchanged * size && factor * size > vanishing_at_start * change[i])
        least = std::min(least, change[i] / size);
    }
    if (!(least > longest_change) || !std::isfinite(least)) break;
    factor *= longest_change / least;
  }
  return factor;
}

void ConstrainedMotion::begin(double t, const double* x) {
  if (m_ == 0) return;
  // What was learnt before would be a part of the answer.
  std::vector<double> point(x, x + n_);
  point.push_back(t);
  const bool fresh = solves_ == Solves::by_factors && constraints_->reference() == 0;
  KnownStart* known = fresh ? equations_->known_start(point) : nullptr;
  if (std::vector<double> learnt =
          known ? known->recall(KnownStart::scales, point) : std::vector<double>();
      !learnt.empty()) {
    const double made = learnt.back();
    SavedState memory(learnt);
    restore(memory);
    factorizations = static_cast<std::int64_t>(made);
    prepare_mass(t, x);
    return;
  }
  const double factor = nearness(t, x);
  around(x, n_, unprojected_.data(), [&](double* q) {
    for (int j = 0; factor < 1 && j < n_; ++j) q[j] = x[j] + factor * (q[j] - x[j]);
    if (prepare(t, q, false)) constraints_->learn_reference();
  });
  prepared_ = false;
  if (!prepare(t, x, false)) return;
  size_ = scaled_size(x);
  if (!(size_ > 0)) size_ = 1;
  prepared_ = false;
  if (!known) return;
  std::vector<double> learnt;
  save(learnt);
  learnt.push_back(static_cast<double>(factorizations));
  known->keep(KnownStart::scales, point, std::move(learnt));
}

/// In the metric of M: an error of zh is one of the accelerations divided by a root of a mass.
void ConstrainedMotion::ask_for(double slope_error) {
  double lightest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < n_; ++j) lightest = std::min(lightest, std::abs(mass_(j, j)));
  constraints_->set_accuracy(slope_error * std::sqrt(lightest));
}

ConstrainedMotion::ConstrainedMotion(const ConstrainedMotion& other, Independent)
    : ConstrainedMotion(other) {
  equations_ = other.equations_->copy();
  constraints_ = other.constraints_->copy();
}

std::unique_ptr<ProjectedField> ConstrainedMotion::copy() const {
  return std::unique_ptr<ProjectedField>(new ConstrainedMotion(*this, Independent{}));
}

std::unique_ptr<ProjectedField> ConstrainedMotion::for_output() const {
  std::unique_ptr<ConstrainedMotion> worker(new ConstrainedMotion(*this, Independent{}));
  worker->equations_->forget_code();  // nobody would tell it when it no longer holds
  worker->constraints_->freeze();
  worker->learning_ = worker->prepared_ = worker->slope_is_by_code_ = false;
  return worker;
}

std::vector<std::string> ConstrainedMotion::notes() const {
  if (!dependent_) return {};
  return {
      "constraints depend on each other: the motion is as usual, of the multipliers the smallest "
      "that explain it are given"};
}

void ConstrainedMotion::save(std::vector<double>& memory) const {
  constraints_->save(memory);
  for (const double x : {size_, dependent_ ? 1.0 : 0.0, prepared_ ? 1.0 : 0.0, at_t_})
    memory.push_back(x);
  save_list(memory, at_q_);
}

void ConstrainedMotion::restore(SavedState& memory) {
  constraints_->restore(memory);
  size_ = memory.number(), dependent_ = memory.flag();
  prepared_ = memory.flag(), at_t_ = memory.number();
  memory.list(at_q_);
  prepared_ = prepared_ && prepare_mass(at_t_, at_q_.data());
  factorizations = 0;
}

}  // namespace daedalus
