// Events of a run: steps cut at them, and what goes on behind them.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ivp/run.h"

namespace daedalus {

/// Finds what happens in the step just attempted, and cuts the step there.
void Integrator::Run::look_for_events() {
  pending_reset_ = -1;
  pending_switch_ = at_the_start_ = false;
  fired_.clear(), approach_.clear();
  const std::size_t known = solution_.events.size();
  covering_h_ =
      std::max(std::abs(interpolant_.t1 - interpolant_.t0), std::abs(stepper_->next_step()));
  const double t0 = interpolant_.t0, span = interpolant_.t1 - t0, end = problem_.t_span.end;
  const double instant =
      std::max(1e-12 * std::abs(span), 16 * std::numeric_limits<double>::epsilon() * std::abs(t0));
  const int first_relation = static_cast<int>(options_.events.size());
  if (!options_.events.empty() || !switches_->is_planned()) {
    const auto& found = events_->search(t0, interpolant_.t1, [this](double time, double* y) {
      options_.events.empty() ? interpolant_.evaluate(time, switches_->read(), y)
                              : interpolant_.evaluate(time, y);
    });
    for (const EventFinder::Found& f : found) {
      const bool relation = f.event >= first_relation;
      // At the stop time values are limits from before.
      if (relation && std::abs(f.t - end) <= instant) continue;
      if (events_->has_to_leave(f.event) && std::abs(f.t - t0) <= instant)
        return come_back_at_once(f, known);
      if (relation) {
        for (const EventFinder::Found& other : found)
          if (other.event >= first_relation && std::abs(other.t - f.t) <= instant)
            fired_.push_back(other.event - first_relation);
        at_the_start_ = std::abs(f.t - t0) <= instant;
        pending_switch_ = !at_the_start_;
        if (at_the_start_) return note_approach(t0);
        const std::string& name = switches_->name(f.event - first_relation);
        if (!land_on(f)) return look_closer(known);
        note_approach(stepper_->next().t);
        if (is_not_back(f.event)) return come_back_at_once(f, known);
        solution_.events.push_back({stepper_->next().t, -1, name});
        return;
      }
      const Event& event = options_.events[f.event];
      if (!event.terminal && !event.reset) {
        solution_.events.push_back({polished(f), f.event, event.name});
        continue;
      }
      if (!land_on(f)) return look_closer(known);
      note_approach(stepper_->next().t);
      if (is_not_back(f.event)) return come_back_at_once(f, known);
      solution_.events.push_back({stepper_->next().t, f.event, event.name});
      if (event.terminal)
        stop(Status::event, Reason::terminal_event);
      else
        pending_reset_ = f.event;
      return;
    }
    events_->advance();
  }
  if (!stepper_->reached_limit() || limit_is_pulse_ || stepper_->next().t == end) return;
  switches_->due(stepper_->next().t, span > 0 ? 1 : -1, fired_);
  pending_switch_ = true;
  for (const int k : fired_)
    solution_.events.push_back({stepper_->next().t, -1, switches_->name(k)});
}

/// How far the event is from `time`, where its function is `value`: one step of Newton, with the
/// slope of the polynomial, or of the secant once two values are known.
double Integrator::Run::distance_to(const EventFinder::Found& found, double time, double value,
                                    Secant& secant) {
  const double span = interpolant_.t1 - interpolant_.t0, eps = 1e-6 * span;
  double slope = (value - secant.value) / (time - secant.t);
  if (!secant.known || slope == 0 || !std::isfinite(slope)) {
    interpolant_.evaluate(time + eps, row_.data());
    const double ahead = events_->value(found.event, time + eps, row_.data());
    interpolant_.evaluate(time - eps, row_.data());
    slope = (ahead - events_->value(found.event, time - eps, row_.data())) / (2 * eps);
  }
  secant = {time, value, true};
  const double move = -value / slope;
  // Far away means that the slope is no guide: a graze.
  return std::isfinite(move) && std::abs(move) <= 0.1 * std::abs(span) ? move : 0.0;
}

/// The search saw the polynomial of the step; the output is better, above all the multipliers'.
double Integrator::Run::polished(const EventFinder::Found& found) {
  const double t0 = interpolant_.t0, span = interpolant_.t1 - t0;
  double time = found.t;
  Secant secant;
  for (int k = 0; k < most_corrections; ++k) {
    output().evaluate(interpolant_, anchor_, time, row_.data());
    const double value = events_->value(found.event, time, row_.data());
    const double move = distance_to(found, time, value, secant);
    const double theta = (time + move - t0) / span;
    if (!(theta > 0 && theta <= 1)) break;
    time += move;
    if (std::abs(move) <= 1e-14 * std::abs(span)) break;
  }
  return enclosed(found, time);
}

/// Where the polynomial is a poor guide, as that of a long step of a method that has none of its
/// own: the sign that changes between the ends of the step, by regula falsi (Illinois).
double Integrator::Run::enclosed(const EventFinder::Found& found, double time) {
  const auto value_at = [&](double t) {
    output().evaluate(interpolant_, anchor_, t, row_.data());
    return events_->value(found.event, t, row_.data());
  };
  double a = interpolant_.t0, b = interpolant_.t1;
  const double value = value_at(time), span = std::abs(b - a);
  double fa = value_at(a), fb = value_at(b);
  if (!(fa * fb < 0) || std::abs(value) <= 1e-6 * (std::abs(fa) + std::abs(fb))) return time;
  for (int k = 0; k < 60 && std::abs(b - a) > 1e-13 * span; ++k) {
    const double t = (a * fb - b * fa) / (fb - fa), f = value_at(t);
    if (f == 0) return t;
    if (f * fb < 0)
      a = b, fa = fb;
    else
      fa *= 0.5;
    b = t, fb = f;
  }
  return b;
}

/// A step that cannot be ended at the event inside of it has not seen what happens there: a pulse
/// between its stages. It is made anew, shorter.
void Integrator::Run::look_closer(std::size_t events_before) {
  ++closer_looks_;
  solution_.events.erase(solution_.events.begin() + static_cast<std::ptrdiff_t>(events_before),
                         solution_.events.end());
  looks_closer_ = true, pending_switch_ = false;
}

/// Repeats the step so that it ends at the event: the end of a step is more accurate than what
/// lies inside it, so the time is corrected there, from that of the output only where this is far
/// from that of the polynomial. Where no such step is found shorter ones are tried (false), and in
/// the end the step that covers the event serves.
bool Integrator::Run::land_on(const EventFinder::Found& found) {
  constexpr int most_closer_looks = 20, most_steps = 4;
  constexpr double far = 1e-3;
  const double t0 = interpolant_.t0, span = interpolant_.t1 - t0;
  double time = found.t;
  Secant secant;
  for (int k = 0; k < most_steps; ++k) {
    if (!stepper_->attempt_exactly(time - t0, interpolant_)) {
      if (closer_looks_ < most_closer_looks && stepper_->shorten(0.5 * (time - t0))) return false;
      time = polished(found);
      landed_.resize(static_cast<std::size_t>(system_->size));
      output().evaluate(interpolant_, anchor_, time, landed_.data());
      stepper_->end_at(time, landed_);
      return true;
    }
    landed_ = stepper_->next().y;
    if (!mesh_points_need_none_) projection().apply(anchor_, time, landed_.data(), true);
    const double value = events_->value(found.event, stepper_->next().t, landed_.data());
    const double move = distance_to(found, time, value, secant);
    if (k == 0 && (move == 0 ? value != 0 : std::abs(move) > far * std::abs(span))) {
      time = polished(found), secant = {};
      continue;
    }
    if (std::abs(move) <= 1e-14 * std::abs(span) || time + move == time) break;
    if (k == most_steps - 1 || !((time + move - t0) / span > 0)) break;
    time += move;
  }
  stepper_->interpolant(interpolant_);
  return true;
}

/// What bounced is past its zero again, and no hop is seen in between. Shorter steps from there see
/// shorter ones; where there is none in the end it is not to be passed as if nothing happened.
void Integrator::Run::come_back_at_once(const EventFinder::Found& found,
                                        std::size_t events_before) {
  constexpr int most_closer_looks = 20;
  const double h = 0.1 * (interpolant_.t1 - interpolant_.t0), t0 = interpolant_.t0;
  if (t0 == restarted_at_ && closer_looks_ < most_closer_looks &&
      std::abs(h) > 1e-14 * std::abs(t0)) {
    stepper_->start(State(stepper_->state()), h);
    return look_closer(events_before);
  }
  const int relation = found.event - static_cast<int>(options_.events.size());
  // What decays onto its threshold is on neither side beyond what the run can tell from zero.
  if (relation >= 0 && !switches_->has_actions() &&
      switches_->widen_slack(relation, blur(stepper_->state())[relation])) {
    closer_looks_ = 0;
    stepper_->start(State(stepper_->state()), covering_h_ * (h > 0 ? 1 : -1));
    return look_closer(events_before);
  }
  solution_.events.push_back(
      {t0, relation < 0 ? found.event : -1,
       relation < 0 ? options_.events[found.event].name : switches_->name(relation)});
  stop_accumulating(t0, "it is back before it can be told from the one before");
}

/// How the functions come to the event at an end of the step.
void Integrator::Run::note_approach(double time) {
  const double t0 = interpolant_.t0, part = 0.01 * (stepper_->next().t - t0);
  const double from = time == t0 ? t0 : time - part, to = time == t0 ? t0 + part : time;
  std::vector<double> before;
  interpolant_.evaluate(from, row_.data());
  events_->values(from, row_.data(), before);
  interpolant_.evaluate(to, row_.data());
  events_->values(to, row_.data(), approach_);
  for (std::size_t e = 0; e < before.size(); ++e)
    approach_[e] = (approach_[e] - before[e]) / std::abs(part);
}

/// d/dt of an event of the user along the run, after it.
double Integrator::Run::rate_of(int event, const State& state) {
  const double h = 1e-3 * covering_h_, dt = problem_.t_span.end > state.t ? h : -h;
  std::vector<double> here, ahead;
  std::vector<double> y = state.y;
  events_->values(state.t, y.data(), here);
  for (std::size_t j = 0; j < y.size(); ++j)
    if (rate_known_[j]) y[j] += dt * state.yp[j];
  events_->values(state.t + dt, y.data(), ahead);
  return (ahead[event] - here[event]) / h;
}

/// Of its value, if all variables are as inexact as they may be.
double Integrator::Run::rounding_of(int event, const State& state) {
  std::vector<double> here, there, y = state.y;
  events_->values(state.t, y.data(), here);
  double most = 0;
  for (const bool alternate : {false, true}) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      const double change = 1e-13 * std::max(scale_[j], std::abs(state.y[j]));
      y[j] = state.y[j] + (alternate && j % 2 == 1 ? -change : change);
    }
    events_->values(state.t, y.data(), there);
    most = std::max(most, std::abs(there[event] - here[event]));
  }
  return most;
}

/// Goes over to the other side of the events at the present state.
void Integrator::Run::pass_event() {
  State state = stepper_->state();
  at_zero_.clear();
  const int e = pending_reset_, first_relation = static_cast<int>(options_.events.size());
  double within = 0;
  if (e >= 0) {
    std::vector<double> g;
    events_->values(state.t, state.y.data(), g);
    within = 2 * std::abs(g[e]);
    reset_by(options_.events[e], state);
  }
  if (!settle(state)) return;
  if (e >= 0) {
    const double before = approach_[e], after = rate_of(e, state);
    const bool bounces = before * after < -least_bounce * before * before;
    at_zero_.push_back(
        {e, within, rounding_of(e, state), (before > 0) == bounces ? -1.0 : 1.0, bounces});
  }
  const double h = first_step(state);
  stepper_->start(state, std::copysign(std::min(covering_h_, std::abs(h)), h));
  restarted_at_ = state.t, leaps_ = 0;
  if (output_) output_->forget();
  calibrate_switches(state);
  for (EventFinder::AtZero& zero : at_zero_)
    if (zero.event >= first_relation)
      zero.rounding = switches_->slack()[zero.event - first_relation];
  events_->start(state.t, state.y.data(), at_zero_);
  move_anchor(true);
  if (dense_) dense_->set_end(anchor_);
  record_other_side();
  check_assertions();
  if (!over_ && std::abs(problem_.t_span.end - state.t) <= 1e-14 * std::abs(state.t))
    stop(Status::success, Reason::finished);
}

/// What the event says of variables that are none of the system follows from those that are.
void Integrator::Run::reset_by(const Event& event, State& state) {
  if (!expansion_) return event.reset(state.t, Output(state.y.data(), system_->visible));
  Vector y = shown(state.t, state.y.data());
  event.reset(state.t, Output(y.data(), y.size()));
  const std::vector<int>& kept = expansion_->kept();
  for (std::size_t j = 0; j < kept.size() && kept[j] < y.size(); ++j) state.y[j] = y[kept[j]];
}

/// Right behind a bounce it happens again, though it does not move there: the hop in between is not
/// that of the solution.
bool Integrator::Run::is_not_back(int event) const {
  return events_->has_to_leave(event) && !(events_->has_to_leave_to(event) * approach_[event] < 0);
}

/// At an event the output has two rows, however many changes it took.
void Integrator::Run::record_other_side() {
  const std::size_t rows = solution_.t.size();
  if (!options_.record) return;
  // A branch may begin some roundings later (`enter_branch`).
  const auto is_now = [&](std::size_t row) {
    return std::abs(solution_.t[row] - t()) <= instant(t());
  };
  if (!outputs_.empty() && (rows == 0 || !is_now(rows - 1))) return;
  const double time = rows > 0 && is_now(rows - 1) ? solution_.t[rows - 1] : t();
  if (rows >= 2 && solution_.t[rows - 1] == time && solution_.t[rows - 2] == time) {
    solution_.t.pop_back();
    solution_.values.resize(solution_.values.size() - solution_.variables.size());
  }
  record_mesh_point(time, stepper_->state().y);
}

}  // namespace daedalus
