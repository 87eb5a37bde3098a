// Mechanical systems where their constraints are regular: slopes and projections as straight-line
// code, as long as the pivots tell that nothing is near that the long way would have to look at.
#include <algorithm>
#include <cmath>

#include "formulation/constrained_motion.h"
#include "linear/long_vectors.h"

namespace daedalus {

/// The matrices of the long way are not those of this point afterwards.
bool ConstrainedMotion::is_regular(const StraightMotion::Rows& rows) {
  prepared_ = false;
  return rows.positive_mass &&
         (m_ == 0 || constraints_->are_regular(rows.squares, rows.pivots, learning_));
}

void ConstrainedMotion::renew(double t, const double* x) {
  StraightMotion* code = equations_->straight();
  if (!code) return;
  const double* last = slope_point();
  const bool known = slope_is_by_code_ && last[0] == t && std::equal(x, x + 2 * n_, last + 1);
  if (slope_is_by_code_) std::copy(last, last + 1 + 2 * n_, slope_t_q_v_.begin());
  if (!known) code->accelerate(t, x, coded_acceleration_.data());
  code->force(coded_force_.data());
  // Else what the code has left of its last slope is gone.
  slope_is_by_code_ = known;
  if (equations_->has_force(t, x, x + n_, coded_force_.data())) return;
  equations_->forget_code();
  slope_is_by_code_ = false;
}

bool ConstrainedMotion::slope_by_code(double t, const double* x, double* xp) {
  StraightMotion* code = equations_->straight();
  if (!code || !is_regular(code->accelerate(t, x, xp + n_))) return false;
  ++factorizations;
  std::copy(x + n_, x + 2 * n_, xp);
  for (std::size_t k = 0; k < shown_.size(); ++k)
    shown_[k] = xp[n_ + equations_->shown_accelerations[k]];
  return are_finite(xp + n_, static_cast<std::size_t>(n_));
}

bool ConstrainedMotion::project_by_code(double t, double* x) {
  StraightMotion* code = equations_->straight();
  return code && code->project(t, x, size_, [this](const StraightMotion::Rows& rows) {
    return is_regular(rows) && ++factorizations > 0;
  });
}

}  // namespace daedalus
