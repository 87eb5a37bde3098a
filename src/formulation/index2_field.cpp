#include "formulation/index2_field.h"

#include <algorithm>
#include <cmath>

#include "linear/small_vectors.h"
#include "stepper/saved_state.h"

namespace daedalus {
namespace {

constexpr double limit_below = 1e-6;     // health from which on y' is taken as a limit
constexpr double limit_distance = 1e-5;  // of the time in which y changes by its size
constexpr double drops_out = 1e-7;
// Of multipliers by products: eps over the size of G B, and the tolerance of each iteration.
constexpr double regularisation = 1e-4;
constexpr double contraction = 0.01;
constexpr int most_corrections = 6, most_iterations = 10;

}  // namespace

Index2Field::Index2Field(std::shared_ptr<Index2Equations> equations, Solves solves)
    : equations_(std::move(equations)),
      n_(equations_->differential),
      m_(equations_->algebraic),
      solves_(solves),
      constraints_(make_constraints(solves, m_, n_)),
      matrix_(m_, m_),
      change_(m_),
      rest_(m_),
      factors_(m_),
      krylov_(m_) {
  differential = n_;
  algebraic = m_;
  const std::size_t n = static_cast<std::size_t>(n_), m = static_cast<std::size_t>(m_);
  for (auto* list : {&at_x_, &step_, &moved_, &side_, &direction_, &unprojected_}) list->resize(n);
  for (auto* list : {&drift_, &residual_, &z_, &guess_}) list->resize(m);
  for (auto* list : {&directions_, &rate_}) list->resize(n * m);
  slope_t_x_.resize(1 + n);
}

bool Index2Field::prepare(double t, const double* x) {
  if (prepared_ && t == at_t_ && std::equal(x, x + n_, at_x_.begin())) return true;
  prepared_ = false;
  equations_->jacobian(t, x, constraints_->row(0));
  return factor(t, x);
}

bool Index2Field::factor(double t, const double* x) {
  if (learning_) constraints_->learn();
  const auto made = constraints_->factorizations;
  if (!constraints_->factor()) return false;
  factorizations += constraints_->factorizations - made;
  at_t_ = t;
  std::copy(x, x + n_, at_x_.begin());
  return prepared_ = true;
}

/// All at this point at once, x' with the last z.
bool Index2Field::linearize(double t, const double* x, double* xp) {
  prepared_ = false;
  equations_->linearize(t, x, z_.data(),
                        {xp, directions_.data(), drift_.data(), constraints_->row(0)});
  return factor(t, x);
}

/// (g_y f_z) change = rest. Rows that are small are divided by their size, which cancels, so that
/// LU stays accurate however near the singular point.
void Index2Field::find_change(const double* rows) {
  if (m_ == 1) {
    change_[0] = rest_[0] / dot(rows, directions_.data(), n_);
    return;
  }
  for (int i = 0; i < m_; ++i) {
    const double* row = rows + static_cast<std::ptrdiff_t>(i) * n_;
    double largest = 0;
    for (int c = 0; c < m_; ++c) {
      double sum = 0;
      for (int j = 0; j < n_; ++j) sum += row[j] * directions_[c + j * m_];
      matrix_(i, c) = sum;
      largest = std::max(largest, std::abs(sum));
    }
    matrix_.row(i) /= largest;
    rest_[i] /= largest;
  }
  factors_.compute(matrix_);
  change_.noalias() = factors_.solve(rest_);
}

/// The same by products: sequential regularisation with E = I,
///   (eps I + g_y f_z) (z_s - z_{s-1}) = -(g_y f(z_{s-1}) + g_t),
/// eps with the sign of the trace of g_y f_z. Its iterations are those of `regular_slope`.
void Index2Field::iterate_change() {
  double trace = 0;
  for (int i = 0; i < m_; ++i) {
    for (int j = 0; j < n_; ++j)
      trace += constraints_->row(i)[j] * directions_[i + j * m_] / constraints_->scale(i);
    rest_[i] /= constraints_->scale(i);
  }
  const double eps = regularisation * trace / m_;
  krylov_.solve(
      [&](const double* w, double* out) {
        for (int j = 0; j < n_; ++j) step_[j] = dot(&directions_[j * m_], w, m_);
        for (int i = 0; i < m_; ++i)
          out[i] =
              eps * w[i] + dot(constraints_->row(i), step_.data(), n_) / constraints_->scale(i);
      },
      rest_.data(), regularisation, change_.data());
  ++iterations;
}

/// |f_z change|.
double Index2Field::slope_change() const {
  double sum = 0;
  for (int j = 0; j < n_; ++j)
    sum += std::pow(dot(&directions_[static_cast<std::size_t>(j * m_)], change_.data(), m_), 2);
  return std::sqrt(sum);
}

/// After `linearize`.
bool Index2Field::affine_slope(double* xp) {
  for (int i = 0; i < m_; ++i) rest_[i] = -(dot(constraints_->row(i), xp, n_) + drift_[i]);
  find_change(constraints_->row(0));
  for (int c = 0; c < m_; ++c) z_[c] += change_[c];
  double sum = 0;
  for (int j = 0; j < n_; ++j) {
    xp[j] += dot(&directions_[static_cast<std::size_t>(j * m_)], change_.data(), m_);
    sum += xp[j];
  }
  return std::isfinite(sum);
}

/// Newton's iteration for z; one step where f is affine in z and G B is factored.
bool Index2Field::regular_slope(double t, const double* x, double* xp) {
  if (!prepare(t, x)) return false;
  equations_->drift(t, x, drift_.data());
  equations_->slopes(t, x, z_.data(), xp);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_iterations; ++k) {
    equations_->directions(t, x, z_.data(), directions_.data());
    for (int i = 0; i < m_; ++i) rest_[i] = -(dot(constraints_->row(i), xp, n_) + drift_[i]);
    solves_ == Solves::by_factors ? find_change(constraints_->row(0)) : iterate_change();
    double moved = 0, size = 0;
    for (int c = 0; c < m_; ++c) {
      z_[c] += change_[c];
      moved += change_[c] * change_[c], size += z_[c] * z_[c];
    }
    if (!std::isfinite(moved)) return false;
    equations_->slopes(t, x, z_.data(), xp);
    if (moved <= 1e-28 * size || (k > 0 && moved >= before)) break;
    if (k == 0 && is_affine_ && solves_ == Solves::by_factors) break;
    if (solves_ == Solves::by_products && contraction * slope_change() <= accuracy_) break;
    before = moved;
  }
  return std::isfinite(norm(xp, n_));
}

/// Newton's iteration for z in g(t_a, y + w f(t, x, z)) = 0.
bool Index2Field::constrained_slope(double t, const double* x, const Ahead& ahead, double* xp) {
  double before = std::numeric_limits<double>::infinity();
  equations_->slopes(t, x, z_.data(), xp);
  for (int k = 0; k < most_iterations; ++k) {
    for (int j = 0; j < n_; ++j) moved_[j] = ahead.y[j] + ahead.weight * xp[j];
    equations_->constraint(ahead.t, moved_.data(), residual_.data());
    equations_->jacobian(ahead.t, moved_.data(), rate_.data());
    equations_->directions(t, x, z_.data(), directions_.data());
    for (int i = 0; i < m_; ++i) rest_[i] = -residual_[i] / ahead.weight;
    find_change(rate_.data());
    double moved = 0, size = 0;
    for (int c = 0; c < m_; ++c) {
      z_[c] += change_[c];
      moved += change_[c] * change_[c], size += z_[c] * z_[c];
    }
    equations_->slopes(t, x, z_.data(), xp);
    if (!std::isfinite(moved) || !std::isfinite(norm(xp, n_))) return z_ = guess_, false;
    // It converges quadratically, down to rounding errors of g over the weight.
    if (moved <= 1e-17 * size || (k > 1 && moved >= before)) return moved <= 1e-8 * size;
    before = moved;
  }
  return false;
}

bool Index2Field::limit_slope(double t, const double* x, double* xp) {
  const double speed = norm(direction_.data(), n_);
  const double d = limit_distance * (speed > 0 ? std::min(1.0, size_ / speed) : 1);
  std::fill(xp, xp + n_, 0.0);
  for (const double sign : {-1.0, 1.0}) {
    for (int j = 0; j < n_; ++j) moved_[j] = x[j] + sign * d * direction_[j];
    if (!project_stage(t + sign * d, moved_.data()) ||
        !regular_slope(t + sign * d, moved_.data(), side_.data()))
      return false;
    for (int j = 0; j < n_; ++j) xp[j] += 0.5 * side_[j];
  }
  return true;
}

bool Index2Field::slope(double t, const double* x, double* xp) {
  const bool at_once = is_affine_ && solves_ == Solves::by_factors;
  if (!learning_) z_ = guess_;  // output does not depend on what was asked before
  if (!(at_once ? linearize(t, x, xp) : prepare(t, x))) return false;
  health_ = constraints_->health();
  undetermined_ = health_ < limit_below;
  slope_t_x_[0] = t;
  std::copy(x, x + n_, slope_t_x_.begin() + 1);
  if (!undetermined_) {
    if (!(at_once ? affine_slope(xp) : regular_slope(t, x, xp))) return false;
  } else {
    if (!known_) {
      std::fill(z_.begin(), z_.end(), 0.0);
      equations_->slopes(t, x, z_.data(), direction_.data());
    }
    // Without a slope before, the direction is found together with the limit.
    for (int k = 0; k < (known_ ? 1 : 4); ++k) {
      if (!limit_slope(t, x, xp)) return false;
      std::copy(xp, xp + n_, direction_.begin());
    }
  }
  std::copy(xp, xp + n_, direction_.begin());
  return known_ = true;
}

void Index2Field::guess_multipliers(const double* z) {
  for (int i = 0; i < m_; ++i)
    if (std::isfinite(z[i])) z_[i] = guess_[i] = z[i];
}

void Index2Field::multipliers(double* z) const {
  for (int i = 0; i < m_; ++i)
    z[i] = undetermined_ ? std::numeric_limits<double>::quiet_NaN() : z_[i];
}

double Index2Field::since_singular() {
  constexpr double none = std::numeric_limits<double>::infinity();
  const double* x = slope_t_x_.data() + 1;
  if (!equations_->jacobian_rate(slope_t_x_[0], x, direction_.data(), rate_.data()) ||
      !prepare(slope_t_x_[0], x))
    return none;
  if (!constraints_->is_decomposed() && !constraints_->decompose()) return none;
  return constraints_->since_crossing(
      rate_.data(), drops_out * norm(direction_.data(), n_) * constraints_->reference() / size_);
}

bool Index2Field::correct(double t, double* x, double drop_below, const double* tolerance) {
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_corrections; ++k) {
    if (!prepare(t, x)) return false;
    equations_->constraint(t, x, residual_.data());
    constraints_->solve_where(residual_.data(), step_.data(), drop_below,
                              [&](const double* component, double) {
                                return !tolerance || stays_within(component, tolerance, n_);
                              });
    for (int j = 0; j < n_; ++j) x[j] -= step_[j];
    const double size = norm(step_.data(), n_);
    if (!std::isfinite(size)) return false;
    if (k > 0 && size > 0.5 * before && before > 1e-10 * size_) return false;
    if (size < (k > 0 ? 1e-9 : 1e-15) * size_) break;
    before = size;
  }
  return true;
}

bool Index2Field::project_stage(double t, double* x) {
  std::copy(x, x + n_, unprojected_.begin());
  if (correct(t, x, 0, nullptr)) return true;
  std::copy(unprojected_.begin(), unprojected_.end(), x);
  if (!correct(t, x, ConstraintMatrix::suspicious, nullptr))
    std::copy(unprojected_.begin(), unprojected_.end(), x);
  return true;
}

bool Index2Field::project_end(double t, double* x, const double* tolerance) {
  std::copy(x, x + n_, unprojected_.begin());
  if (!correct(t, x, 0, tolerance)) std::copy(unprojected_.begin(), unprojected_.end(), x);
  return prepare(t, x);
}

double Index2Field::distance(double t, const double* x) {
  if (!prepare(t, x)) return std::numeric_limits<double>::infinity();
  equations_->constraint(t, x, residual_.data());
  constraints_->solve(residual_.data(), step_.data(), limit_below);
  return norm(step_.data(), n_) / size_;
}

void Index2Field::begin(double t, const double* x) {
  around(x, n_, moved_.data(), [&](const double* point) {
    prepared_ = false;
    if (prepare(t, point) && constraints_->decompose()) constraints_->learn_reference();
  });
  prepared_ = false;
  size_ = norm(x, n_);
  if (!(size_ > 0)) size_ = 1;
  if (!prepare(t, x) || constraints_->health() < limit_below) return;
  // Whether one step of Newton's iteration is all it takes.
  if (!regular_slope(t, x, side_.data())) return;
  std::copy(directions_.begin(), directions_.end(), rate_.begin());
  for (double& z : z_) z += 1 + std::abs(z);
  equations_->directions(t, x, z_.data(), directions_.data());
  is_affine_ = directions_ == rate_;
  std::fill(z_.begin(), z_.end(), 0.0);
}

Index2Field::Index2Field(const Index2Field& other, Independent) : Index2Field(other) {
  equations_ = other.equations_->copy();
  constraints_ = other.constraints_->copy();
}

std::unique_ptr<ProjectedField> Index2Field::copy() const {
  return std::unique_ptr<ProjectedField>(new Index2Field(*this, Independent{}));
}

std::unique_ptr<ProjectedField> Index2Field::for_output() const {
  std::unique_ptr<Index2Field> worker(new Index2Field(*this, Independent{}));
  worker->constraints_->freeze();
  worker->accuracy_ = 0;
  worker->learning_ = worker->prepared_ = false;
  return worker;
}

void Index2Field::save(std::vector<double>& memory) const {
  constraints_->save(memory);
  memory.push_back(size_), memory.push_back(known_ ? 1 : 0), memory.push_back(is_affine_ ? 1 : 0);
  save_list(memory, z_), save_list(memory, direction_);
  for (const double value : {prepared_ ? 1.0 : 0.0, at_t_, accuracy_}) memory.push_back(value);
  save_list(memory, at_x_);
}

void Index2Field::restore(SavedState& memory) {
  constraints_->restore(memory);
  size_ = memory.number(), known_ = memory.flag(), is_affine_ = memory.flag();
  memory.list(z_), memory.list(direction_);
  prepared_ = memory.flag(), at_t_ = memory.number(), accuracy_ = memory.number();
  memory.list(at_x_);
  factorizations = 0;
}

}  // namespace daedalus
