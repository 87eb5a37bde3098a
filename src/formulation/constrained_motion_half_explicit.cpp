// Substeps of half-explicit methods: multipliers from a point ahead of the force that they make.
#include <algorithm>
#include <cmath>

#include "formulation/constrained_motion.h"
#include "linear/small_vectors.h"

namespace daedalus {

/// The mass, and L^-1 G^T, of a point.
void ConstrainedMotion::look_here(double t, const double* q) {
  rows_here_.resize(n_, m_), rows_ahead_.resize(n_, m_), coupled_.resize(m_, m_);
  for (Vector* list : {&unit_, &driven_, &lambda_}) list->resize(m_);
  equations_->jacobian(t, q, rows_here_.data());
  for (int i = 0; i < m_; ++i) to_scaled_force(rows_here_.col(i).data());
}

/// G(ahead) M^-1 G^T lambda = driven. In units of the rows: small pivots mean that the constraints
/// are nearly dependent, which is left to others.
bool ConstrainedMotion::solve_coupled() {
  for (int i = 0; i < m_; ++i) to_scaled_force(rows_ahead_.col(i).data());
  coupled_.noalias() = rows_ahead_.transpose() * rows_here_;
  for (int i = 0; i < m_; ++i) {
    const double size = rows_ahead_.col(i).norm();
    coupled_.row(i) /= size, driven_[i] /= size;
    unit_[i] = 1 / rows_here_.col(i).norm();
  }
  for (int i = 0; i < m_; ++i) coupled_.col(i) *= unit_[i];
  coupling_.compute(coupled_);
  ++factorizations;
  constexpr double limit = ConstraintMatrix::suspicious * ConstraintMatrix::suspicious;
  for (int i = 0; i < m_; ++i)
    if (!(std::abs(coupling_.matrixLU()(i, i)) > limit)) return false;
  lambda_ = coupling_.solve(driven_);
  lambda_.array() *= unit_.array();
  return true;
}

/// M(q) a = f - G(q)^T lambda,   d/dt g = 0 at (t_a, q_a = bq + w v, bv + w a),
/// which is linear, G(q_a) M^-1 G^T lambda = G(q_a) M^-1 f + (d/dt g)(t_a, q_a, bv) / w, and needs
/// no second derivative of g. [BraseyHairer1993]
bool ConstrainedMotion::constrained_slope(double t, const double* x, const Ahead& ahead,
                                          double* xp) {
  if (m_ == 0) return slope(t, x, xp);
  const double *q = x, *v = x + n_;
  prepared_ = false;  // the mass is that of this point from now on
  if (!prepare_mass(t, q)) return false;
  look_here(t, q);
  for (int j = 0; j < n_; ++j) projected_[j] = ahead.y[j] + ahead.weight * v[j];
  equations_->jacobian(ahead.t, projected_.data(), rows_ahead_.data());
  equations_->velocities(ahead.t, projected_.data(), ahead.y + n_, residual_.data());
  equations_->force(t, q, v, force_.data());
  to_scaled_force(force_.data()), from_scaled_motion(force_.data());  // M^-1 f
  for (int i = 0; i < m_; ++i)
    driven_[i] = dot(rows_ahead_.col(i).data(), force_.data(), n_) + residual_[i] / ahead.weight;
  if (!solve_coupled()) return false;
  Eigen::Map<Vector> acceleration(xp + n_, n_);
  acceleration.noalias() = rows_here_ * lambda_;
  from_scaled_motion(xp + n_);
  for (int j = 0; j < n_; ++j) xp[n_ + j] = force_[j] - xp[n_ + j];
  std::copy(v, v + n_, xp);
  return std::isfinite(acceleration.sum());
}

/// With s = h (Euler) or h/2 (RATTLE), and w in the place of v in the first force of RATTLE,
///   w = v + s M^-1 (f(q, v) - G(q)^T lambda),   q1 = q + h w,   g(q1) = 0;
///   RATTLE: v1 = w + s M(q1)^-1 (f(q1, w) - G(q1)^T mu),   d/dt g(q1, v1) = 0,
/// which is symmetric for forces and masses of any kind. [HairerLubichWanner2006, VII.1]
bool ConstrainedMotion::position_step(double t, double* x, double h, bool symmetric,
                                      double* multipliers) {
  constexpr int most_iterations = 40;  // forces of velocities contract slowly
  double *q = x, *v = x + n_, *w = extra_.data(), *ahead = projected_.data();
  const double s = symmetric ? h / 2 : h;
  prepared_ = false;
  if (!prepare_mass(t, q)) return false;
  look_here(t, q);
  std::copy(v, v + n_, w);
  std::copy(q, q + n_, unprojected_.begin());
  Eigen::Map<Vector> found(multipliers, m_);
  double before = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    equations_->force(t, q, symmetric ? w : v, force_.data());
    to_scaled_force(force_.data());
    Eigen::Map<Vector>(force_.data(), n_).noalias() -= rows_here_ * found;
    from_scaled_motion(force_.data());
    double moved = 0, size = 0;
    for (int j = 0; j < n_; ++j) {
      w[j] = v[j] + s * force_[j];
      ahead[j] = q[j] + h * w[j];
      moved += std::pow(ahead[j] - unprojected_[j], 2), size += ahead[j] * ahead[j] + q[j] * q[j];
      unprojected_[j] = ahead[j];
    }
    if (!std::isfinite(moved) || k > most_iterations) return false;
    // Quadratic convergence, or down to rounding.
    if (k > 0 && moved <= 1e-31 * size) break;
    if (k > 2 && moved >= before && moved <= 1e-26 * size) break;
    before = moved;
    if (m_ == 0) continue;
    equations_->positions(t + h, ahead, residual_.data());
    equations_->jacobian(t + h, ahead, rows_ahead_.data());
    for (int i = 0; i < m_; ++i) driven_[i] = residual_[i] / (h * s);
    if (!solve_coupled()) return false;
    found += lambda_;
  }
  std::copy(ahead, ahead + n_, q);
  std::copy(w, w + n_, v);
  if (!symmetric) return true;
  if (!prepare_mass(t + h, q)) return false;
  equations_->force(t + h, q, w, force_.data());
  to_scaled_force(force_.data()), from_scaled_motion(force_.data());
  for (int j = 0; j < n_; ++j) v[j] += s * force_[j];
  if (m_ == 0) return true;
  look_here(t + h, q);
  equations_->jacobian(t + h, q, rows_ahead_.data());
  equations_->velocities(t + h, q, v, residual_.data());
  for (int i = 0; i < m_; ++i) driven_[i] = residual_[i];
  if (!solve_coupled()) return false;
  Eigen::Map<Vector> change(force_.data(), n_);
  change.noalias() = rows_here_ * lambda_;
  from_scaled_motion(force_.data());
  for (int j = 0; j < n_; ++j) v[j] -= force_[j];
  return true;
}

}  // namespace daedalus
