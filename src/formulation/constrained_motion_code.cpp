// Mechanical systems where their constraints are regular: slopes and projections as straight-line
// code, as long as the pivots tell that nothing is near that the long way would have to look at.
#include <algorithm>
#include <cmath>

#include "formulation/constrained_motion.h"

namespace daedalus {

/// The matrices of the long way are not those of this point afterwards.
bool ConstrainedMotion::is_regular(const StraightMotion::Rows& rows) {
  prepared_ = false;
  return rows.positive_mass &&
         (m_ == 0 || constraints_->are_regular(rows.squares, rows.pivots, learning_));
}

/// With the code, whose last slope is here.
bool ConstrainedMotion::functions_agree(double t, const double* x) {
  StraightMotion& code = *equations_->straight();
  const auto agree_at = [&](const double* at) {
    return equations_->agree({t, at, at + n_}, code.force(), code.level(0, t, at), reach());
  };
  if (agree_at(x)) return true;
  // Forces in balance differ by the rounding of what they are made of, which is seen beside it.
  constexpr double off_balance = 1e-3;
  double* const aside = aside_.data();
  for (int j = 0; j < 2 * n_; ++j) aside[j] = x[j] + off_balance * (x[j] != 0 ? x[j] : 1);
  code.accelerate(t, aside, coded_acceleration_.data());
  const bool agree = agree_at(aside);
  code.accelerate(t, x, coded_acceleration_.data());
  return agree;
}

void ConstrainedMotion::renew(double t, const double* x, bool asks) {
  StraightMotion* code = equations_->straight();
  if (!code) return;
  const auto is = [n = n_](const double* a, const double* b) {
    bool same = true;
    for (int j = 0; j < n; ++j) same &= a[j] == b[j];
    return same;
  };
  const StraightMotion::Point last = slope_point();
  const bool known = slope_is_by_code_ && last.t == t && is(last.q, x) && is(last.v, x + n_);
  // Before it goes with the code, or with what this has left of its last slope.
  const auto keep_slope = [&] {
    if (!slope_is_by_code_) return;
    slope_t_q_v_[0] = last.t;
    std::copy(last.q, last.q + n_, slope_t_q_v_.begin() + 1);
    std::copy(last.v, last.v + n_, slope_t_q_v_.begin() + 1 + n_);
    show_accelerations(shown_.data());
  };
  if (!known) keep_slope(), code->accelerate(t, x, coded_acceleration_.data());
  slope_is_by_code_ = known;
  if (!asks || functions_agree(t, x)) return;
  if (known) keep_slope(), slope_is_by_code_ = false;
  equations_->forget_code();
}

bool ConstrainedMotion::slope_by_code(double t, const double* x, double* xp) {
  StraightMotion* code = equations_->straight();
  if (!code) return false;
  const StraightMotion::Acceleration made = code->accelerate(t, x, xp + n_);
  if (!is_regular(made.rows)) return false;
  ++factorizations;
  std::copy(x + n_, x + 2 * n_, xp);
  return made.is_finite;
}

std::optional<ProjectedField::MadeStages> ConstrainedMotion::make_stages(const Stages& step) {
  StraightMotion* code = equations_->straight();
  if (!code || !code->has_stages(step.terms)) return std::nullopt;
  const StraightMotion::MadeStages made =
      code->make_stages({step.t, step.h, step.end, step.x, step.slope + n_});
  if (!is_regular(made.rows) || !are_finite(made.end, 2 * static_cast<std::size_t>(n_)))
    return std::nullopt;
  factorizations += step.terms.stages - 1;
  return MadeStages{made.slopes, made.point, made.end, made.estimates};
}

bool ConstrainedMotion::end_stages(double* x, double* xp) {
  StraightMotion& code = *equations_->straight();
  const StraightMotion::MadeEnd made = code.end_of_stages();
  if (StraightMotion::progress(made.move.first, made.move.second, made.there.distance, size_) !=
      StraightMotion::Progress::arrived)
    return false;
  // The rows of the arrival are those of the slope.
  if (!is_regular(made.move.rows) || !is_regular(made.rows)) return false;
  double sum = 0;
  for (int j = 0; j < n_; ++j) {
    x[j] = made.move.q[j], x[n_ + j] = xp[j] = made.there.v[j];
    sum += xp[n_ + j] = made.acceleration[j];
  }
  if (!std::isfinite(sum)) return false;
  factorizations += 3;
  code.take_end_of_stages();
  return slope_is_by_code_ = true;
}

/// Of the last slope by code.
void ConstrainedMotion::show_accelerations(double* a) const {
  const StraightMotion& code = *equations_->straight();
  for (const int j : equations_->shown_accelerations) *a++ = code.acceleration(j);
}

bool ConstrainedMotion::project_by_code(double t, double* x) {
  StraightMotion* code = equations_->straight();
  return code && code->project(t, x, size_, [this](const StraightMotion::Rows& rows) {
    return is_regular(rows) && ++factorizations > 0;
  });
}

}  // namespace daedalus
