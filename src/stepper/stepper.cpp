#include "stepper/stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace daedalus {

void Stepper::aim_at(double limit, bool fixed) {
  limit_ = limit;
  reached_ = fixed ? std::abs(limit - state_.t) <= std::abs(h_) * (1 + 1e-6)
                   : (limit - state_.t - 1.0001 * h_) * (h_ > 0 ? 1 : -1) <= 0;
  if (reached_) h_ = limit - state_.t;
}

bool Stepper::step_is_too_small() const {
  // At t = 0 a step can shrink without end; the interval gives the unit there.
  const double unit = std::max(std::abs(state_.t), 1e-12 * std::abs(limit_ - state_.t));
  return std::abs(h_) <= 16 * std::numeric_limits<double>::epsilon() * unit &&
         !(reached_ && std::abs(h_) > 0);
}

std::string Stepper::where() const {
  return fmt::format("at t = {:.10g}, step size {:.3g}", state_.t, h_);
}

bool Stepper::fail_not_differentiable(const std::string& equation) {
  return fail(Reason::not_finite,
              {"a derivative of the equations is not finite",
               fmt::format("{}: equation \"{}\"", where(), equation),
               "the equation is not differentiable or not defined at this point",
               "smooth the equation there, or restrict its arguments"});
}

}  // namespace daedalus
