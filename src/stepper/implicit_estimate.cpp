// Implicit steps: how large their errors are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "stepper/implicit_stepper.h"

namespace daedalus {
namespace {

// Tolerances that an estimate may have, as users are told; two estimates are more reliable.
constexpr double most_relief = 30, most_relief_of_two = 100;
constexpr int few_stages = 3;                 // that are enough wherever Newton's iteration is slow
constexpr double sharp_for_growth = 0.99e-4;  // tolerance, below which steps become long
constexpr double aimed_rate = 0.2;            // of Newton's iteration after steps grew
constexpr double growth_after_failure = 3;    // of steps, while it was not
constexpr double rate_after_failure = 0.3;    // aimed at, by shorter steps if need be
constexpr double least_after_failure = 0.2;   // of a step

}  // namespace

ImplicitStepper::Relief ImplicitStepper::relief_of(const StageConstants& constants) const {
  // The estimate is O(h^(k+1)), the error of the step O(h^(p+1)): the tolerance on the estimate is
  // relaxed so that the error of the step meets the tolerance asked for.
  const Tableau& method = constants.method;
  const double k = constants.estimate_order;
  const int index = *std::max_element(system_.variable_index.begin(), system_.variable_index.end());
  const int order =
      index == 3 ? std::max(1, method.order - 1) : method.order;  // 2s - 2 for index 3
  // With many stages superconvergence is the first thing that stiffness takes away, so the relief
  // ends at that of three stages.
  const double exponent = std::clamp((k + 1) / (order + 1), 2.0 / 3.0, 1.0);
  const double relieved = 0.1 * std::pow(options_.rtol, exponent);
  // Errors of stiff components are no smaller than their estimate: |y - cos t| with
  // y' = -100 (y - cos t) - sin t was 450 rtol at 1e-11 without this, and 30 with it.
  // From sharp tolerances on steps are so long that one estimate in a hundred is far too small: of
  // 800 runs of this equation, with rates from 100 to 1e6, the worst was off by 743 rtol, and with
  // two estimates by 36 with up to a quarter more evaluations. Between stages index 1 alone is as
  // exact as at them.
  const bool doubts = options_.rtol < sharp_for_growth && !constants.doubts.empty() && index == 1;
  const double most = (doubts ? most_relief_of_two : most_relief) * options_.rtol;
  return {exponent, relieved, constants.is_stiffly_accurate ? std::min(relieved, most) : relieved,
          doubts};
}

/// What two stages fewer would leave of a step, in their tolerance: estimates are (h/r)^(s+1).
double ImplicitStepper::error_of_fewer_stages(double error) const {
  const int s = current()->stages();
  return std::pow(error * norm_.rtol(), (s - 1.0) / (s + 1.0)) / tolerance_of_fewer_;
}

/// Of the estimate, and of Newton's iteration.
void ImplicitStepper::set_tolerances() {
  const Tableau& method = current()->method();
  const int index = *std::max_element(system_.variable_index.begin(), system_.variable_index.end());
  const auto [exponent, relieved, rtol, doubts] = relief_of(*methods_[active_]);
  // At sharper tolerances excursions to three stages leave errors of up to 1000 rtol in the ring
  // modulator, at 2 of 50, where otherwise there are none above 30.
  const bool may_take_fewer = active_ > 0 && method.stages > few_stages && options_.rtol > sharp;
  tolerance_of_fewer_ = may_take_fewer ? relief_of(*methods_[active_ - 1]).rtol : 0;
  current()->doubt_growth(doubts);
  norm_.set_tolerance(rtol);
  newton_.rounding = std::max(rounding_, 10 * std::numeric_limits<double>::epsilon() / rtol);
  // A small part of rtol itself.
  newton_.tolerance = std::max(
      newton_.rounding, std::min(0.03, std::pow(relieved, 1 / exponent - 1) * relieved / rtol));
  // Where h^(s+1) y^(s+1)/(s+1)! is of the size of the tolerance, as q^(s+1) is, the polynomial of
  // degree s is off by about (q (1 + ratio))^(s+1) at the end of a step `ratio` times as long. At
  // crude tolerances that is more than one of lower degree is off by: with five stages and
  // rtol = 1e-3 Robertson's problem takes a sixth fewer evaluations so. Multipliers of index 2 were
  // found to be farther off. (From 1e-4 to 1e-5 dry friction slips too late at 184 of 401
  // tolerances with it, and at 69 without.)
  constexpr double worse_beyond = 0.76;
  if (options_.rtol >= crude && system_.is_index_one())
    newton_.far = worse_beyond / std::pow(rtol, 1.0 / (method.stages + 1)) - 1;
  // Rows E(y) y' with E frozen: what Newton leaves in y' comes back divided by h. So does what it
  // leaves in variables of index 2, and equations that are not linear in them converge the slower
  // the farther they are off: a rate that was seen before the error came up must not be trusted.
  if (index == 2) newton_.measure_rate = true;
  if (!system_.constant_mass || index == 2)
    newton_.tolerance = std::max(newton_.rounding, 0.1 * newton_.tolerance);
  // What Newton leaves in a position constraint comes back in the estimate of the next step as
  // gamma^2 times itself, whatever the step size: it must stay well below the tolerance.
  if (index == 3) newton_.tolerance = std::max(newton_.rounding, 0.02 * newton_.tolerance);
  newton_.tolerance = std::max(newton_.rounding, newton_share_ * newton_.tolerance);
}

/// Of variables that follow from others, the current of a diode, the estimate may show what
/// Newton's iteration left of these, which is the same however short the step: it is to leave less
/// then.
void ImplicitStepper::ask_more_of_newton(double own, double error) {
  constexpr double large = 0.1, less = 0.1, least = 1e-4;
  if (options_.fixed_step > 0 || error < large || own > newton_.tolerance || newton_share_ <= least)
    return;
  newton_share_ *= less;
  newton_.tolerance = std::max(newton_.rounding, less * newton_.tolerance);
}

/// By unknown: what the rounding of all of them does to a correction.
std::vector<double> ImplicitStepper::rounding_of_corrections(double h) {
  constexpr int rounds = 3;
  const std::size_t n = state_.y.size();
  const auto factors = make_real_factors(pencil_);
  if (!factors->factor(pencil_, 1 / h)) return {};
  std::vector<double> largest(n, 0.0), exact(n), moved(n), y(n);
  system_.residual(state_.t, state_.y.data(), state_.yp.data(), exact.data());
  std::minstd_rand sign;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t k = 0; k < n; ++k)
      y[k] = std::nextafter(state_.y[k], sign() % 2 == 0 ? HUGE_VAL : -HUGE_VAL);
    system_.residual(state_.t, y.data(), state_.yp.data(), moved.data());
    for (std::size_t k = 0; k < n; ++k) moved[k] -= exact[k];
    factors->solve(moved.data());
    for (std::size_t k = 0; k < n; ++k) largest[k] = std::max(largest[k], std::abs(moved[k]));
  }
  statistics_.rhs += 1 + rounds, statistics_.solves += rounds, ++statistics_.factorizations;
  return largest;
}

/// The rate of a current is a difference of voltages over an inductance, which may be rounded more
/// than its tolerance allows: then no step is so short that Newton's iteration would end. True:
/// from now on it may. (A ring modulator without capacities, at 1e-10.)
bool ImplicitStepper::allow_for_rounding(double h) {
  constexpr double part = 0.03;     // of the tolerance, that rounding may be
  constexpr double largest = 3e-6;  // tolerance for its sake; beyond the matrix is to blame
  constexpr double margin = 3;
  // Next to singular points of a manifold there is more to shorten steps.
  if (pencil_.storage == Storage::krylov || norm_.scaled_by_step() ||
      options_.formulation == Formulation::manifold)
    return false;
  const std::vector<double> rounding = rounding_of_corrections(h);
  const auto needed = [&](int k) { return rounding[static_cast<std::size_t>(k)] / part; };
  const int n = static_cast<int>(rounding.size());
  if (n == 0) return false;
  for (int k = 0; k < n; ++k) {
    const double size =
        std::max(std::abs(state_.y[static_cast<std::size_t>(k)]), norm_.atol(k) / norm_.rtol());
    if (!(needed(k) <= largest * size)) return false;
  }
  bool matters = false;
  for (int k = 0; k < n; ++k) {
    const double size = std::abs(state_.y[static_cast<std::size_t>(k)]);
    if (!(needed(k) > norm_.atol(k) + norm_.rtol() * size)) continue;
    norm_.raise_atol(k, needed(k)), matters = true;
  }
  if (matters) refer_to_state();
  const double left = margin * norm_(rounding.data());
  matters = matters || left > newton_.tolerance;
  if (!matters) return false;
  rounding_ = std::max(rounding_, left);
  set_tolerances(), refer_to_state();
  return true;
}

void ImplicitStepper::refer_to_state() {
  norm_.set_reference(state_.y.data());
  if (eliminated_) eliminated_->sharpen(norm_, state_.t, state_.y.data());
}

double ImplicitStepper::error_size() {
  const double own = norm_(error_.data());
  if (!eliminated_ || !std::isfinite(own)) return own;
  const double all =
      eliminated_->joined(own, state_.t, state_.y.data(), error_.data(), norm_.rtol(), h_);
  ask_more_of_newton(own, all);
  return all;
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

/// So that Newton's iteration may follow: its rate grows with the step, and after a failure longer
/// steps fail again, or such as were just short enough. [GustafssonSoderlind1997] (Diodes of a ring
/// modulator that begin to conduct: three attempts at each step, the last one of ten iterations.)
void ImplicitStepper::limit_growth(double before) {
  double most = std::numeric_limits<double>::infinity();
  if (last_newton_.iterations > 1 && last_newton_.rate > 0)
    most = newton_failed_ ? std::max(least_after_failure, rate_after_failure / last_newton_.rate)
                          : std::max(1.0, aimed_rate / last_newton_.rate);
  steps_since_failure_ = newton_failed_ ? 0 : std::min(steps_since_failure_ + 1, long_ago);
  newton_failed_ = false;
  if (steps_since_failure_ < long_ago) most = std::min(most, growth_after_failure);
  if (std::abs(h_) > most * std::abs(before)) h_ = most * before;
}

}  // namespace daedalus
