// Events of a run: steps cut at them, modes switched, the other side made consistent.
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
  fired_.clear();
  const std::size_t known = solution_.events.size();
  covering_h_ =
      std::max(std::abs(interpolant_.t1 - interpolant_.t0), std::abs(stepper_->next_step()));
  const double t0 = interpolant_.t0, span = interpolant_.t1 - t0, end = problem_.t_span.end;
  const double instant =
      std::max(1e-12 * std::abs(span), 16 * std::numeric_limits<double>::epsilon() * std::abs(t0));
  const int first_relation = static_cast<int>(options_.events.size());
  if (!events_->empty()) {
    const auto& found = events_->search(
        t0, interpolant_.t1, [this](double time, double* y) { interpolant_.evaluate(time, y); });
    for (const EventFinder::Found& f : found) {
      const bool relation = f.event >= first_relation;
      // At the stop time values are limits from before.
      if (relation && std::abs(f.t - end) <= instant) continue;
      if (relation) {
        for (const EventFinder::Found& other : found)
          if (other.event >= first_relation && std::abs(other.t - f.t) <= instant)
            fired_.push_back(other.event - first_relation);
        at_the_start_ = std::abs(f.t - t0) <= instant;
        pending_switch_ = !at_the_start_;
        if (at_the_start_) return;
        const std::string& name = switches_->name(f.event - first_relation);
        if (!land_on({polished(f), f.event})) return look_closer(known);
        solution_.events.push_back({stepper_->next().t, -1, name});
        return;
      }
      const Event& event = options_.events[f.event];
      const EventFinder::Found here{polished(f), f.event};
      if (!event.terminal && !event.reset) {
        solution_.events.push_back({here.t, here.event, event.name});
        continue;
      }
      if (!land_on(here)) return look_closer(known);
      solution_.events.push_back({stepper_->next().t, here.event, event.name});
      if (event.terminal)
        stop(Status::event, Reason::terminal_event);
      else
        pending_reset_ = here.event;
      return;
    }
    events_->advance();
  }
  if (!stepper_->reached_limit() || stepper_->next().t == end) return;
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
/// lies inside it, so the time is corrected once more. Where no such step is found shorter ones
/// are tried (false), and in the end the step that covers the event serves.
bool Integrator::Run::land_on(const EventFinder::Found& found) {
  constexpr int most_closer_looks = 20;
  const double t0 = interpolant_.t0, span = interpolant_.t1 - t0;
  double time = found.t;
  Secant secant;
  for (int k = 0; k < 3; ++k) {
    if (!stepper_->attempt_exactly(time - t0, interpolant_)) {
      if (closer_looks_ < most_closer_looks && stepper_->shorten(0.5 * (time - t0))) return false;
      landed_.resize(static_cast<std::size_t>(system_->size));
      output().evaluate(interpolant_, anchor_, time, landed_.data());
      stepper_->end_at(time, landed_);
      return true;
    }
    landed_ = stepper_->next().y;
    if (!mesh_points_need_none_) projection().apply(anchor_, time, landed_.data(), true);
    const double value = events_->value(found.event, stepper_->next().t, landed_.data());
    const double move = distance_to(found, time, value, secant);
    if (std::abs(move) <= 1e-14 * std::abs(span) + 1e-15 * std::abs(time)) break;
    if (k == 2 || !((time + move - t0) / span > 0)) break;
    time += move;
  }
  stepper_->interpolant(interpolant_);
  return true;
}

/// Goes over to the other side of the events at the present state.
void Integrator::Run::pass_event() {
  State state = stepper_->state();
  std::vector<int> happened;
  if (pending_reset_ >= 0) {
    reset_by(options_.events[pending_reset_], state);
    happened.push_back(pending_reset_);
  }
  for (const int k : fired_) happened.push_back(static_cast<int>(options_.events.size()) + k);
  if (!settle(state)) return;
  const double h = first_step(state);
  stepper_->start(state, std::copysign(std::min(covering_h_, std::abs(h)), h));
  restarted_at_ = state.t, leaps_ = 0;
  if (output_) output_->forget();
  calibrate_switches(state);
  events_->start(state.t, state.y.data(), happened);
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

bool Integrator::Run::settle(State& state) {
  if (too_many_at_once(state.t)) return false;
  std::vector<double> keep(static_cast<std::size_t>(switches_->count()));
  const int first_relation = static_cast<int>(options_.events.size());
  for (int k = 0; k < switches_->count(); ++k)
    keep[k] = EventFinder::noise * events_->size_of(first_relation + k);
  for (const int k : fired_) keep[k] = 1e-6 * events_->size_of(first_relation + k);
  switches_->toggle(state.t, state.y.data(), fired_);
  if (!settle_once(state, keep)) return false;
  // What the event brought about may turn a relation back at once, as an impact does. If they
  // never agree the next step will tell.
  constexpr int most_turns = 8;
  for (int turn = 0; turn < most_turns; ++turn) {
    const std::vector<int> back = about_to_turn(state, keep);
    if (back.empty()) break;
    switches_->toggle(state.t, state.y.data(), back);
    if (!settle_once(state, keep)) return false;
  }
  return true;
}

/// Relations at their zero that move to the side on which they are not.
std::vector<int> Integrator::Run::about_to_turn(const State& state,
                                                const std::vector<double>& keep) {
  std::vector<int> list;
  if (switches_->empty()) return list;
  std::vector<double> g(keep.size()), rate(keep.size()), noise(state.y.size());
  switches_->indicators(state.t, state.y.data(), g.data());
  switches_->rates(state.t, state.y.data(), state.yp.data(), rate_known_, rate.data());
  for (std::size_t j = 0; j < noise.size(); ++j)
    noise[j] = 0.03 * (atol_[j] + options_.rtol * std::abs(state.y[j]));
  // Below what the run can tell from zero the way it moves says which side comes next.
  const std::vector<double> blur = switches_->blur(state.t, state.y.data(), noise);
  const double soon = 1e-3 * covering_h_ * (problem_.t_span.end > state.t ? 1 : -1);
  const int first_relation = static_cast<int>(options_.events.size());
  for (int k = 0; k < switches_->count(); ++k) {
    const double seen = EventFinder::noise * events_->size_of(first_relation + k);
    if (std::abs(g[k]) <= std::max(keep[k], blur[k]) &&
        soon * rate[k] < -std::max(std::abs(g[k]), seen))
      list.push_back(k);
  }
  return list;
}

/// Auxiliary variables follow their definitions, and the modes what they say, before equations are
/// solved that have a solution only in the right modes. True: modes have changed.
bool Integrator::Run::assign_definitions(State& state, const std::vector<double>& keep) {
  const bool any = system_->definitions && !system_->definitions->variable.empty();
  // Where definitions stand inside of relations, one mode tells another.
  if (!any && !expansion_) return false;
  constexpr int longest_chain = 30;
  bool changed = false;
  for (int sweep = 0; sweep < longest_chain; ++sweep) {
    const bool moved = any && follow_definitions(state);
    if (!moved && !expansion_) break;
    const bool renewed = switches_->renew(state.t, state.y.data(), keep);
    changed = changed || renewed;
    if (!moved && !renewed) break;
  }
  return changed;
}

/// True: something moved.
bool Integrator::Run::follow_definitions(State& state) const {
  const Definitions& definitions = *system_->definitions;
  std::vector<double> r(definitions.variable.size());
  const double* x[] = {state.y.data(), state.yp.data()};
  definitions.equations.residual({state.t, x, system_->modes->data()}, r.data());
  bool moved = false;
  for (std::size_t k = 0; k < r.size(); ++k) {
    const int v = definitions.variable[k];
    if (!std::isfinite(r[k]) || std::abs(r[k]) <= 1e-9 * std::max(scale_[v], std::abs(state.y[v])))
      continue;
    state.y[v] -= definitions.sign[k] * r[k];
    moved = true;
  }
  return moved;
}

/// Modes, when clauses and the consistent point depend on each other: in turn until all hold.
bool Integrator::Run::settle_once(State& state, const std::vector<double>& keep) {
  const std::vector<char> free(system_->size, 0);
  std::vector<char> fixed = free;
  Names wrong;
  for (int round = 0; round < most_rounds; ++round) {
    SwitchBoard::Outcome outcome;
    switches_->act(state.t, state.y.data(), outcome);
    if (outcome.terminate) {
      stop(Status::event, Reason::terminal_event,
           {outcome.message, fmt::format("at t = {:.10g}", state.t),
            "a when clause of the model ends the run", "nothing, this is what the model says"});
      return false;
    }
    for (const int j : outcome.reinitialized) fixed[j] = 1;
    const bool followed = assign_definitions(state, keep);
    const State before = state;
    Message message;
    bool consistent = reinitialize(state, fixed, false, message);
    if (!consistent && fixed != free)
      state = before, consistent = reinitialize(state, free, false, message);
    if (!consistent && switches_->renew(state.t, state.y.data(), keep)) {
      state = before;  // with wrong modes there may be no solution at all
      continue;
    }
    if (!consistent) {
      message.what = fmt::format("no consistent state after the event \"{}\"",
                                 solution_.events.empty() ? "" : solution_.events.back().name);
      stop(Status::failed, Reason::inconsistent_start, message);
      return false;
    }
    if (round + 1 == most_rounds) wrong = switches_->on_wrong_side(state.t, state.y.data());
    const bool changed = switches_->renew(state.t, state.y.data(), keep);
    switches_->settle();
    if (!changed && !followed && !outcome.changed) return true;
  }
  stop(Status::failed, Reason::too_many_events, SwitchBoard::unsettled(state.t, wrong));
  return false;
}

/// Many at one instant, or ever faster ones that have come close to it: after an accumulation the
/// model would go on as if nothing happened any more.
bool Integrator::Run::too_many_at_once(double time) {
  constexpr int most_at_once = 100, most_shrinking = 20;
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  const double instant = 1e-13 * std::max(std::abs(time), span);
  const double interval = std::abs(time - last_switch_);
  switches_at_once_ = interval <= instant ? switches_at_once_ + 1 : 0;
  if (interval > instant) {
    shrinking_ = interval < 0.99 * last_interval_ ? shrinking_ + 1 : 0;
    last_interval_ = interval;
  }
  last_switch_ = time;
  const bool accumulate = shrinking_ >= most_shrinking && interval < 1e-7 * span;
  if (switches_at_once_ <= most_at_once && !accumulate) return false;
  stop(Status::failed, Reason::too_many_events,
       {"events accumulate",
        fmt::format("at t = {:.10g}, last \"{}\"", time,
                    solution_.events.empty() ? "" : solution_.events.back().name),
        accumulate ? fmt::format("each of the last {} came sooner than the one before", shrinking_)
                   : fmt::format("{} of them within {:.1g}", most_at_once, instant),
        "end the run before, or let the model stick: a mode for rest beside that for motion"});
  return true;
}

/// At an event the output has two rows, however many changes it took.
void Integrator::Run::record_other_side() {
  const std::size_t rows = solution_.t.size();
  if (!options_.record || (!outputs_.empty() && (rows == 0 || solution_.t.back() != t()))) return;
  if (rows >= 2 && solution_.t[rows - 1] == t() && solution_.t[rows - 2] == t()) {
    solution_.t.pop_back();
    solution_.values.resize(solution_.values.size() - solution_.variables.size());
  }
  record_mesh_point(t(), stepper_->state().y);
}

}  // namespace daedalus
