// Implicit steps: how large their errors are.
#include <algorithm>
#include <cmath>

#include "stepper/implicit_stepper.h"

namespace daedalus {

void ImplicitStepper::refer_to_state() {
  norm_.set_reference(state_.y.data());
  if (eliminated_) eliminated_->sharpen(norm_, state_.t, state_.y.data());
}

double ImplicitStepper::error_size() {
  const double own = norm_(error_.data());
  if (!eliminated_ || !std::isfinite(own)) return own;
  return eliminated_->joined(own, state_.t, state_.y.data(), error_.data(), norm_.rtol(), h_);
}

double ImplicitStepper::estimate_error() {
  constexpr double shortest_by_error = 1e-3;  // of the last step: what is left is not its error
  // Newton's iteration may have left more in the last step than its matrix told, that of a diode
  // which had not begun to conduct: no step is so short that it would not see that.
  current()->forgive_start(rejected_ && !first_ &&
                           std::abs(h_) < shortest_by_error * std::abs(last_h_));
  current()->estimate(state_, h_, error_.data(), false, statistics_);
  double error = error_size();
  if (error >= 1 && (first_ || rejected_)) {
    current()->estimate(state_, h_, error_.data(), true, statistics_);
    const double refined = error_size();
    if (std::isfinite(refined)) error = refined;
  }
  return std::isfinite(error) ? std::max(error, 1e-10) : 1e10;
}

}  // namespace daedalus
