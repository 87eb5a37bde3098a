// Starts from which no step is found. At a corner of the equations (the threshold of a transistor)
// rounding errors of the start decide which slopes it has, and derivatives of the equations are as
// large as the distance from the corner is small: the error of the first step does not shrink with
// its size. So many roundings of the time later the corner is out of reach, which is as if the
// event had been that much later. So it is with points at which a step has left algebraic equations
// unsolved, since its matrix did not see a threshold: no shorter step gets away from there either.
// And a branch of the equations may end where another begins: the level of a tank that runs empty,
// h' = -sqrt(h) while h > 0, comes to its threshold but never falls below.
#include <cmath>
#include <limits>

#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr double roundings = 256, longer = 8;
constexpr int most_leaps = 2;
constexpr double apart = 1e-4;  // of the interval: points that are left in this way

}  // namespace

/// The nearest point that satisfies all equations differs by more than the tolerance.
bool Integrator::Run::stands_beside_solution() {
  State solved = stepper_->state();
  const std::vector<char> none(static_cast<std::size_t>(system_->size), 0);
  Message message;
  if (!reinitialize(solved, none, false, message)) return false;
  const std::vector<double>& y = stepper_->state().y;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (std::abs(solved.y[i] - y[i]) > atol_[static_cast<int>(i)] + options_.rtol * std::abs(y[i]))
      return true;
  return false;
}

bool Integrator::Run::leap_from_start(double limit) {
  const Reason reason = stepper_->reason();
  if (field_ || options_.fixed_step > 0 ||
      (reason != Reason::step_too_small && reason != Reason::not_finite))
    return false;
  if (t() != restarted_at_) {
    const double span = problem_.t_span.end - problem_.t_span.begin;
    if (std::abs(t() - restarted_at_) < apart * std::abs(span) || !stands_beside_solution())
      return false;
    leaps_ = 0;
  } else if (leaps_ == most_leaps || reason == Reason::not_finite) {
    return false;
  }
  const double rest = limit - t();
  const double unit = std::max(std::abs(t()), 1e-12 * std::abs(rest));
  const double size =
      roundings * std::pow(longer, leaps_++) * std::numeric_limits<double>::epsilon() * unit;
  if (size > 0.1 * std::abs(rest)) return false;
  const double h = std::copysign(size, rest);
  State end = stepper_->state();
  end.t += h;
  for (int i = 0; i < system_->size; ++i)
    if (!system_->algebraic_variable[i]) end.y[i] += h * end.yp[i];
  const std::vector<char> none(static_cast<std::size_t>(system_->size), 0);
  Message message;
  if (!reinitialize(end, none, false, message)) return false;
  const State& begin = stepper_->state();
  interpolant_.t0 = begin.t, interpolant_.t1 = end.t, interpolant_.size = system_->size;
  interpolant_.basis = nullptr, interpolant_.nested = 1;
  interpolant_.data = begin.y;
  for (int i = 0; i < system_->size; ++i) interpolant_.data.push_back(end.y[i] - begin.y[i]);
  stepper_->end_at(end.t, end.y);
  leap_ = std::move(end);
  return true;
}

/// Relations that cannot be told from zero turn, once at a time.
bool Integrator::Run::turn_at_threshold() {
  const Reason reason = stepper_->reason();
  return (reason == Reason::step_too_small || reason == Reason::not_finite) &&
         turn_what_is_at_zero();
}

/// Steps beyond a branch of the equations are not defined, and those so short that rounding keeps
/// them on its threshold succeed for ever: levels of two tanks that become equal, while others
/// move.
bool Integrator::Run::creeps() {
  constexpr int many = 64;
  constexpr double nowhere = 1e-9;                                   // of the interval
  if (switches_->empty() || switches_->has_actions()) return false;  // a ball would fall on
  const double span = problem_.t_span.end - problem_.t_span.begin;
  creeping_ = std::abs(stepper_->step()) < nowhere * std::abs(span) ? creeping_ + 1 : 0;
  if (creeping_ < many) return false;
  creeping_ = 0;
  return true;
}

bool Integrator::Run::turn_what_is_at_zero() {
  if (switches_->empty() || options_.fixed_step > 0 || t() == turned_at_) return false;
  const State& state = stepper_->state();
  const std::vector<double> unsure = blur(state);
  std::vector<double> g(unsure.size());
  switches_->indicators(state.t, state.y.data(), g.data());
  fired_.clear(), approach_.clear();
  for (std::size_t k = 0; k < g.size(); ++k)
    if (std::abs(g[k]) <= unsure[k]) fired_.push_back(static_cast<int>(k));
  if (fired_.empty()) return false;
  turned_at_ = t();
  for (const int k : fired_) solution_.events.push_back({t(), -1, switches_->name(k)});
  pending_reset_ = -1, at_the_start_ = true;
  pass_event();
  return true;
}

void Integrator::Run::restart_behind_leap() {
  const State state = *leap_;
  leap_.reset();
  if (state.t != t()) return;  // it was cut by an event
  restarted_at_ = state.t;
  stepper_->start(state, first_step(state));
  if (output_) output_->forget();
}

}  // namespace daedalus
