#include "stepper/bdf_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

constexpr int most_newton_iterations = 5;
// Of the tolerance. What is left after a single iteration on the word of an old rate is seen in
// differences of high order, which then ask for lower orders and short steps: two iterations at
// least, unless the first changes nothing.
constexpr double newton_share = 0.2, negligible = 1e-4;
constexpr double linear_share = 0.02;  // of Newton's: differences of high order see the rest
// Errors of steps add up: this part of the tolerance is what one of them may take.
constexpr double share_of_a_step = 0.2;
// Factors for another leading coefficient serve with scaled corrections while the quotient of the
// two is near 1. [BrenanCampbellPetzold1996, 5.2.2]
constexpr double farthest_shift = 1.25;
constexpr double keep_jacobian_below = 0.02;             // rate of Newton's iteration
constexpr int oldest_jacobian = 20, most_singular = 10;  // steps; matrices in one step

}  // namespace

BdfStepper::BdfStepper(const System& system, Jacobian& jacobian, bool extended,
                       const Options& options, const Vector& atol, Statistics& statistics)
    : system_(system),
      jacobian_(jacobian),
      options_(options),
      statistics_(statistics),
      n_(system.size),
      pencil_(jacobian.make_pencil()),
      factors_(make_real_factors(pencil_)),
      norm_(system.variable_index, options.rtol, atol),
      newton_{most_newton_iterations, newton_share, false, true, system.nonlinear_in_derivatives},
      memory_(n_) {
  for (int j = 0; j < n_; ++j)
    if (system.variable_index[j] > 2)
      throw InvalidInput(fmt::format(
          "method = {}: with variable steps it does not converge for index 3, which {} has; try "
          "radau, or a formulation of lower index",
          options.method, system.variables[j]));
  const int gain = extended ? 1 : 0, most = BackwardDifferences::most_order + gain;
  if (options.max_order == 0) options_.max_order = most;
  if (options_.max_order < 1 + gain || options_.max_order > most)
    throw InvalidInput(fmt::format("max_order = {}, must lie between {} and {}", options.max_order,
                                   1 + gain, most));
  options_.max_order -= gain;  // that of the plain formulas
  if (extended) {
    const std::vector<double> zero(static_cast<std::size_t>(n_), 0.0);
    extended_ = std::make_unique<Extended>(Extended{memory_, zero, zero, zero, zero, zero, zero});
    newton_.tolerance = newton_share * share_of_a_step;
  }
  // Estimates are those of the plain formulas, from which extended ones are far.
  norm_.set_tolerance((extended ? 1 : share_of_a_step) * options.rtol);
  if (options.fixed_step > 0) {
    // The Newton error must not be seen beside the error of the method.
    norm_ = ErrorNorm(system.variable_index, 1e-12, Vector::Constant(n_, 1e-12));
    newton_ = {60, 1, true, false, false};
  }
  for (auto* list : {&predicted_, &predicted_yp_, &y_, &yp_, &d_, &e_, &work_, &counted_})
    list->assign(static_cast<std::size_t>(n_), 0.0);
  // After a change of step or order they are off by one order more, for k steps: that is no error
  // of y, but would ask for ever shorter steps of order 1. [BrenanCampbellPetzold1996, 5.4.2]
  for (int j = 0; j < n_; ++j)
    if (system.algebraic_variable[j] && system.variable_index[j] > 1) left_out_.push_back(j);
  factors_->set_accuracy(norm_.weights(), linear_share * newton_.tolerance);
  if (system.expansion && options.fixed_step == 0)
    eliminated_ = std::make_unique<EliminatedError>(system, options.rtol);
}

void BdfStepper::start(const State& state, double h) {
  state_ = next_ = state;
  h_ = h;
  order_ = order_used_ = next_order_ = 1;
  same_steps_ = order_steps_ = failures_ = singular_ = 0;
  rising_ = true;
  since_failure_ = BackwardDifferences::most_order + 2;
  carried_eta_ = 1;
  jacobian_valid_ = jacobian_current_ = factors_valid_ = false;
  norm_.set_reference(state_.y.data());
  norm_.set_step(h);
  // What is not known of algebraic variables is no slope.
  for (int j = 0; j < n_; ++j)
    work_[j] = system_.algebraic_variable[j] || !std::isfinite(state_.yp[j]) ? 0 : state_.yp[j];
  // The first step is of order 1: it must not move y by more than the tolerance can judge.
  const double rate = norm_(work_.data());
  if (options_.fixed_step == 0 && options_.first_step == 0 && rate * std::abs(h) > 0.5)
    h_ = std::copysign(0.5 / rate, h);
  memory_.begin(state_.y.data(), work_.data(), h_);
}

bool BdfStepper::renew_matrix(double t, double shift) {
  const bool renew =
      !jacobian_valid_ ||
      (!jacobian_current_ && (rate_ > keep_jacobian_below || jacobian_age_ >= oldest_jacobian));
  if (renew) {
    ++statistics_.jacobians;
    if (!jacobian_.evaluate(t, predicted_.data(), predicted_yp_.data(), pencil_)) return false;
    jacobian_valid_ = jacobian_current_ = true;
    jacobian_age_ = 0;
  }
  ++statistics_.factorizations;
  shift_ = shift;
  carried_eta_ = 1;
  return factors_valid_ = factors_->factor(pencil_, shift);
}

BdfStepper::Outcome BdfStepper::iterate(double t, double leading, const NewtonSettings& settings) {
  const double relief = 2 / (1 + leading / shift_);
  y_ = predicted_, yp_ = predicted_yp_;
  std::fill(e_.begin(), e_.end(), 0.0);
  NewtonMonitor monitor(settings, carried_eta_);
  using Verdict = NewtonMonitor::Verdict;
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    ++statistics_.newton, ++statistics_.rhs, ++statistics_.solves;
    system_.residual(t, y_.data(), yp_.data(), d_.data());
    for (int j = 0; j < n_; ++j)
      if (!std::isfinite(d_[j])) return worst_ = j, Outcome::not_finite;
    factors_->solve(d_.data());
    for (double& d : d_) d *= relief;
    const double increment = norm_(d_.data());
    verdict = !std::isfinite(increment) ? Verdict::diverged
              : increment <= negligible ? Verdict::converged
                                        : monitor.judge(increment);
    rate_ = monitor.rate();
    if (verdict == Verdict::diverged || verdict == Verdict::hopeless) {
      worst_ = norm_.worst(d_.data());
      return Outcome::newton_failed;
    }
    for (int j = 0; j < n_; ++j) {
      e_[j] -= d_[j];
      y_[j] = predicted_[j] + e_[j];
      yp_[j] = predicted_yp_[j] + leading * e_[j];
    }
  }
  carried_eta_ = monitor.eta();
  return Outcome::done;
}

BdfStepper::Outcome BdfStepper::solve(double h) {
  norm_.set_step(h);
  memory_.prepare(h, order_);
  memory_.predict(predicted_.data(), predicted_yp_.data());
  const double shift = memory_.leading_coefficient() / h, t = state_.t + h;
  const double quotient = shift / shift_;
  const bool near = quotient > 1 / farthest_shift && quotient < farthest_shift;
  for (bool again = false;; again = true) {
    if (again || !factors_valid_ || !near || (options_.fixed_step > 0 && quotient != 1)) {
      factors_valid_ = false;
      if (!renew_matrix(t, shift))
        return jacobian_valid_
                   ? Outcome::singular
                   : (worst_ = std::max(0, jacobian_.nonfinite_row()), Outcome::not_finite);
    }
    const Outcome outcome = iterate(t, shift, newton_);
    if (outcome == Outcome::done && extended_) extend(h, shift);
    if (outcome == Outcome::done || jacobian_current_) return outcome;
    jacobian_valid_ = false;  // an old matrix may be all that is wrong
  }
}

double BdfStepper::estimate_of(const std::vector<double>& x) {
  if (left_out_.empty()) return eliminated_weight_ * norm_(x.data());
  counted_ = x;
  for (const int j : left_out_) counted_[j] = 0;
  return eliminated_weight_ * norm_(counted_.data());
}

double BdfStepper::error_size(double h) {
  const double constant = memory_.error_constant();
  for (int j = 0; j < n_; ++j) work_[j] = constant * e_[j];
  for (const int j : left_out_) work_[j] = 0;
  const double own = norm_(work_.data());
  eliminated_weight_ = 1;
  if (!eliminated_ || !std::isfinite(own) || own == 0) return own;
  const double all =
      eliminated_->joined(own, state_.t, state_.y.data(), work_.data(), norm_.rtol(), h);
  eliminated_weight_ = all / own;
  return all;
}

/// The estimate of the order to go on with, which is one lower where the differences do not
/// decrease with their order.
double BdfStepper::of_lower_orders(Estimates& estimates, int& order) {
  const int k = order_;
  estimates.same = memory_.sigma(0) * estimate_of(e_);
  order = k;
  // Multipliers that another order gives make the slopes jump, which is over when the formula sees
  // no older points.
  const bool settling = !rising_ && !left_out_.empty() && order_steps_ < k;
  if (k == 1) return estimates.same;
  const auto add = [&](int i) {
    const double* difference = memory_.scaled_difference(i);
    for (int j = 0; j < n_; ++j) work_[j] += difference[j];
    return estimate_of(work_);
  };
  work_ = e_;
  estimates.lower = memory_.sigma(1) * add(k);
  // Sizes of h^(k+1) y^(k+1), h^k y^(k), ...
  const double same = (k + 1) * estimates.same, lower = k * estimates.lower;
  const bool go_down = k == 2 ? lower <= 0.5 * same
                              : std::max(lower, (k - 1) * memory_.sigma(2) * add(k - 1)) <= same;
  if (!go_down || settling) return estimates.same;
  order = k - 1;
  return estimates.lower;
}

void BdfStepper::plan_next(double h, const Estimates& known, int order) {
  const int k = order_;
  Estimates estimates = known;
  next_order_ = order;
  if (order < k || k == options_.max_order) rising_ = false;
  if (rising_) {
    next_order_ = k + 1;
    h_ = 2 * h;
    return;
  }
  double estimate = order < k ? estimates.lower : estimates.same;
  if (order == k && k < options_.max_order && same_steps_ > k + 1) {
    const double* last = memory_.last_correction();
    for (int j = 0; j < n_; ++j) work_[j] = e_[j] - last[j];
    estimates.higher = estimate_of(work_) / (k + 2);
    const double lower = k * estimates.lower, same = (k + 1) * estimates.same,
                 higher = (k + 2) * estimates.higher;
    if (k > 1 && lower <= std::min(same, higher))
      next_order_ = k - 1, estimate = estimates.lower;
    else if (higher < (k == 1 ? 0.5 : 1.0) * same)
      next_order_ = k + 1, estimate = estimates.higher;
  }
  const double growth = std::pow(2 * estimate + 1e-4, -1.0 / (next_order_ + 1));
  // Steps stay as they are unless they can be doubled: formulas of constant step and the factors
  // are worth more. Nor are they doubled soon after a failure, which would only come again; the
  // order gets its chance first.
  if (growth <= 1)
    h_ = h * std::clamp(growth, 0.5, 0.9);
  else
    h_ = growth >= 2 && since_failure_ > k + 1 ? 2 * h : h;
}

void BdfStepper::reject(double estimate, int order) {
  if (statistics_.steps > 0) ++statistics_.rejected;
  rising_ = false;
  since_failure_ = same_steps_ = 0;
  ++failures_;
  if (failures_ == 1) {
    order_ = order;
    h_ *= std::clamp(0.9 * std::pow(2 * estimate + 1e-4, -1.0 / (order + 1)), 0.25, 0.9);
  } else {
    h_ *= 0.25;
    order_ = failures_ == 2 ? order : 1;  // the past may not be smooth enough for more
  }
}

bool BdfStepper::give_up(Outcome outcome) {
  if (outcome == Outcome::singular) {
    const int column = factors_->singular_column();
    return fail(
        Reason::singular_matrix,
        {"the matrix of Newton's iteration is singular",
         fmt::format("{}{}", where(),
                     column >= 0 ? ": nothing determines " + system_.variables[column] : ""),
         "equations depend on each other, or a variable occurs in none of them",
         "check for repeated or missing equations, or try radau"});
  }
  if (outcome == Outcome::not_finite)
    return fail(
        Reason::not_finite,
        {"the equations are not finite beyond this point",
         fmt::format("{}: equation \"{}\"", where(), system_.equations[std::max(0, worst_)]),
         "every smaller step still leads to a value that is not a finite number",
         "look at the solution near this time, or restrict the arguments of functions"});
  const bool fixed = options_.fixed_step > 0;
  return fail(fixed ? Reason::newton_failed : Reason::step_too_small,
              {fixed ? "Newton's iteration did not converge with the fixed step"
                     : "the step size became too small",
               fmt::format("{}{}", where(),
                           worst_ < 0 ? "" : ": worst variable " + system_.variables[worst_]),
               "a singularity of the solution, an index higher than stated, or a tolerance below "
               "rounding errors",
               "look at the solution near this time; loosen rtol and atol, or try radau"});
}

bool BdfStepper::attempt(double limit) {
  const bool fixed = options_.fixed_step > 0;
  failures_ = singular_ = 0;
  for (Outcome outcome = Outcome::done;;) {
    aim_at(limit, fixed);
    if (step_is_too_small()) return give_up(outcome);
    outcome = solve(h_);
    if (outcome != Outcome::done) {
      ++statistics_.newton_failures;
      if (fixed || (outcome == Outcome::singular && ++singular_ > most_singular))
        return give_up(outcome);
      rising_ = jacobian_valid_ = false;  // it belongs to the end of a step that is too long
      since_failure_ = same_steps_ = 0;
      h_ *= 0.25;
      continue;
    }
    const double h = h_;
    if (!fixed) {
      const double error = error_size(h);
      Estimates estimates;
      int order = order_;
      const double estimate = of_lower_orders(estimates, order);
      if (!(error <= 1)) {
        reject(std::isfinite(estimate) ? estimate : 1e10, order);
        continue;
      }
      estimated_error_ = error;
      plan_next(h, estimates, order);
      if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
    } else {
      next_order_ = std::min(order_ + 1, options_.max_order);
    }
    next_.t = reached_ ? limit : state_.t + h;
    next_.y = y_, next_.yp = yp_;
    h_used_ = h, order_used_ = order_;
    return true;
  }
}

bool BdfStepper::attempt_exactly(double h, const Interpolant&) {
  if (solve(h) != Outcome::done) return false;
  next_.t = state_.t + h;
  next_.y = y_, next_.yp = yp_;
  h_used_ = h, order_used_ = order_;
  reached_ = false;
  return true;
}

void BdfStepper::end_at(double t, const std::vector<double>& y) {
  next_.t = t;
  next_.y = y;
  next_.yp = state_.yp;
  h_used_ = t - state_.t;
  reached_ = false;
}

void BdfStepper::move_end(const std::vector<double>& y) {
  next_.y = y;
  for (int j = 0; j < n_; ++j) e_[j] = y[j] - predicted_[j];
}

void BdfStepper::commit() {
  ++statistics_.steps;
  memory_.advance(e_.data());
  const bool same = next_order_ == order_ && h_ == h_used_;
  same_steps_ = same ? same_steps_ + 1 : 1;
  order_steps_ = next_order_ == order_ ? order_steps_ + 1 : 0;
  order_ = next_order_;
  std::swap(state_, next_);
  jacobian_current_ = false;
  ++jacobian_age_, ++since_failure_;
  norm_.set_reference(state_.y.data());
}

void BdfStepper::interpolant(Interpolant& out) {
  memory_.interpolant(e_.data(), out);
  out.t0 = state_.t, out.t1 = next_.t;
}

void BdfStepper::save(std::vector<double>& memory) const {
  save_state(memory, state_), save_state(memory, next_);
  for (const double x : {h_, h_used_, shift_, rate_, carried_eta_}) memory.push_back(x);
  for (const int x :
       {order_, order_used_, next_order_, same_steps_, order_steps_, jacobian_age_, since_failure_})
    memory.push_back(x);
  for (const bool flag : {rising_, jacobian_valid_, jacobian_current_, factors_valid_})
    memory.push_back(flag ? 1 : 0);
  memory_.save(memory);
  save_list(memory, pencil_.a), save_list(memory, pencil_.e);
  save_list(memory, factors_->pivots());
}

void BdfStepper::restore(SavedState& memory) {
  restore_state(memory, state_), restore_state(memory, next_);
  for (double* x : {&h_, &h_used_, &shift_, &rate_, &carried_eta_}) *x = memory.number();
  for (int* order : {&order_, &order_used_, &next_order_})
    *order = static_cast<int>(memory.position(BackwardDifferences::most_order + 1));
  for (int* count : {&same_steps_, &order_steps_, &jacobian_age_, &since_failure_})
    *count = static_cast<int>(memory.position(std::size_t{1} << 30));
  for (bool* flag : {&rising_, &jacobian_valid_, &jacobian_current_, &factors_valid_})
    *flag = memory.flag();
  memory_.restore(memory);
  memory.list(pencil_.a), memory.list(pencil_.e), pencil_.condense();
  factors_->restore_pivots(pencil_, memory.list());
  norm_.set_reference(state_.y.data());
  if (factors_valid_) factors_valid_ = factors_->factor(pencil_, shift_);
}

}  // namespace daedalus
