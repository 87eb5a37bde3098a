// What an event leaves behind: modes, when clauses and the consistent point in agreement, or a word
// on why they do not settle.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "ivp/run.h"

namespace daedalus {

bool Integrator::Run::settle(State& state) {
  if (too_many_at_once(state.t)) return false;
  if (!switches_->empty()) before_event_ = {state.y, *system_->modes};
  const bool settled = settle_modes(state);
  before_event_.reset();
  return settled;
}

bool Integrator::Run::settle_modes(State& state) {
  std::vector<double> keep(static_cast<std::size_t>(switches_->count()));
  std::vector<int> turns(keep.size(), 0);
  const int first_relation = static_cast<int>(options_.events.size());
  for (int k = 0; k < switches_->count(); ++k)
    keep[k] = EventFinder::noise * events_->size_of(first_relation + k);
  // Steps end at an event only as exactly as their equations are solved.
  if (!fired_.empty()) {
    const std::vector<double> unsure = blur(state);
    for (const int k : fired_)
      keep[k] = std::max(1e-6 * events_->size_of(first_relation + k), unsure[k]);
  }
  rest_between_opposites(state);
  switches_->toggle(state.t, state.y.data(), fired_);
  enter_branch(state);
  if (!settle_once(state, keep)) return false;
  // What the event brought about may turn a relation back at once, as an impact does. If they
  // never agree the next step will tell.
  constexpr int most_turns = 8;
  bool agreed = false;
  for (int turn = 0; turn < most_turns && !agreed; ++turn) {
    const std::vector<int> back = about_to_turn(state, keep);
    agreed = back.empty();
    if (agreed) break;
    for (const int k : back) ++turns[k];
    switches_->toggle(state.t, state.y.data(), back);
    enter_branch(state);
    if (!settle_once(state, keep)) return false;
  }
  note_turns(turns, keep, agreed);
  return true;
}

/// A level that comes to rest, as with h' = -sign(h) sqrt(|h|), goes to and fro by rounding: from
/// h > 0 to -h > 0 and back at once. Where that begins neither is to hold at first; what moves on
/// turns the other one when its rate says so (`about_to_turn`).
void Integrator::Run::rest_between_opposites(const State& state) {
  constexpr double soon = 1e-6;
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  if (last_interval_ > soon * span || switches_->empty()) return;
  const auto follows = [&](int k) {
    return !switches_->holds(k) && std::any_of(fired_.begin(), fired_.end(), [&](int l) {
      return switches_->holds(l) &&
             switches_->are_opposite(k, l, state.t, state.y.data(), state.y.size());
    });
  };
  std::vector<int> first;
  std::copy_if(fired_.begin(), fired_.end(), std::back_inserter(first),
               [&](int k) { return !follows(k); });
  fired_ = first;
}

/// A branch may not be defined yet at its threshold, sqrt(h) at h = -1e-14: it is on the way, no
/// farther than relations keep their side (`calibrate_switches`).
void Integrator::Run::enter_branch(State& state) {
  if (field_) return;
  std::vector<double> r(state.y.size());
  const auto is_defined = [&](const State& at) {
    system_->residual(at.t, at.y.data(), at.yp.data(), r.data());
    return std::all_of(r.begin(), r.end(), [](double value) { return std::isfinite(value); });
  };
  if (is_defined(state)) return;
  const double ahead = problem_.t_span.end > state.t ? 1 : -1;
  const auto enters = [&](double move, std::size_t first, std::size_t last) {
    State moved = state;
    for (std::size_t i = first; i < last; ++i)
      if (!system_->algebraic_variable[i] && state.yp[i] != 0)
        moved.y[i] +=
            std::copysign(move * std::max(scale_[i], std::abs(state.y[i])), move * state.yp[i]);
    if (!is_defined(moved)) return false;
    state = std::move(moved);
    return true;
  };
  // What comes to rest is where it came from, and others may be at rest beside it. Farther, where
  // another branch was entered on the other side just before.
  for (const double reach : {2e-13 * ahead, 1e-12 * ahead}) {
    if (enters(reach, 0, r.size()) || enters(-reach, 0, r.size())) return;
    for (std::size_t i = 0; i < r.size(); ++i)
      if (enters(reach, i, i + 1) || enters(-reach, i, i + 1)) return;
  }
  // Of what depends on the time alone the run finds the threshold only up to roundings of it.
  State later = state;
  later.t += ahead * instant(state.t);
  if (ahead * (problem_.t_span.end - later.t) > 0 && is_defined(later)) {
    state.t = later.t;
    return;
  }
  // Farther on the other side than that: it is the one of the state.
  const std::vector<double> modes = *system_->modes;
  if (switches_->renew(state.t, state.y.data(), {}) && is_defined(state)) return;
  std::copy(modes.begin(), modes.end(), system_->modes->begin());
}

void Integrator::Run::note_turns(const std::vector<int>& turns, const std::vector<double>& keep,
                                 bool agreed) {
  const int first_relation = static_cast<int>(options_.events.size());
  for (const int k : fired_)
    at_zero_.push_back({first_relation + k, keep[k], 0, 1, agreed && turns[k] % 2 == 1});
}

/// Some roundings of the time.
double Integrator::Run::instant(double time) const {
  constexpr double roundings = 256 * std::numeric_limits<double>::epsilon();
  const double span = std::abs(problem_.t_span.end - problem_.t_span.begin);
  return roundings * std::max(std::abs(time), 1e-12 * span);
}

/// What the run cannot tell from zero, of each relation.
std::vector<double> Integrator::Run::blur(const State& state) const {
  std::vector<double> noise(state.y.size());
  for (std::size_t j = 0; j < noise.size(); ++j)
    noise[j] = 0.03 * (atol_[j] + options_.rtol * std::abs(state.y[j]));
  std::vector<double> unsure = switches_->blur(state.t, state.y.data(), noise);
  // Nor which side sin(time) is on, a few roundings of the time from its zero.
  std::vector<double> here(unsure.size()), there(unsure.size());
  switches_->indicators(state.t, state.y.data(), here.data());
  switches_->indicators(state.t + instant(state.t), state.y.data(), there.data());
  for (std::size_t k = 0; k < unsure.size(); ++k)
    if (const double change = std::abs(there[k] - here[k]); std::isfinite(change))
      unsure[k] += change;
  return unsure;
}

/// Relations at their zero that move to the side on which they are not.
std::vector<int> Integrator::Run::about_to_turn(const State& state,
                                                const std::vector<double>& keep) {
  std::vector<int> list;
  if (switches_->empty()) return list;
  std::vector<double> g(keep.size()), rate(keep.size());
  switches_->indicators(state.t, state.y.data(), g.data());
  switches_->rates(state.t, state.y.data(), state.yp.data(), rate_known_, rate.data());
  // Below what the run can tell from zero the way it moves says which side comes next.
  const std::vector<double> unsure = blur(state);
  const double direction = problem_.t_span.end > state.t ? 1 : -1, soon = 1e-3 * covering_h_;
  const int first_relation = static_cast<int>(options_.events.size());
  for (int k = 0; k < switches_->count(); ++k) {
    if (std::abs(g[k]) > std::max(keep[k], unsure[k])) continue;
    const double seen = EventFinder::noise * events_->size_of(first_relation + k);
    const bool fired = std::find(fired_.begin(), fired_.end(), k) != fired_.end();
    // One that happens is at its zero: a bounce is one however slow.
    const bool bounces =
        fired && !approach_.empty() &&
        direction * rate[k] < -least_bounce * std::abs(approach_[first_relation + k]);
    if (bounces || soon * direction * rate[k] < -std::max(std::abs(g[k]), seen)) list.push_back(k);
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

/// Newton's iteration for the algebraic variables with the modes of each point that it comes to.
bool Integrator::Run::solve_with_relations(State& state, const std::vector<double>& keep) {
  constexpr int most_iterations = 100, most_cuts = 400;
  if (switches_->empty() || field_ || system_->constraints || system_->start_constraints ||
      system_->levels.empty() || !system_->is_index_one())
    return false;
  const std::vector<double> modes = *system_->modes;
  std::vector<double> y = state.y, tolerance = scale_;
  for (double& of_one : tolerance) of_one *= 1e-13;
  AlgebraicProjection projection(*system_, jacobian(state));
  projection.renew_modes_by([&](double t, const double* at) { switches_->renew(t, at, keep); });
  if (projection.project(state.t, y.data(), tolerance, most_iterations, most_cuts)) {
    switches_->renew(state.t, y.data(), keep);
    state.y = std::move(y);
    return true;
  }
  std::copy(modes.begin(), modes.end(), system_->modes->begin());
  return false;
}

/// Modes, when clauses and the consistent point depend on each other: in turn until all hold.
bool Integrator::Run::settle_once(State& state, const std::vector<double>& keep) {
  const std::vector<char> free(system_->size, 0);
  std::vector<char> fixed = free;
  Names wrong;
  const State at_first = state;
  const auto settle_together = [&] {
    State trial = at_first;
    Message ignored;
    if (fixed != free || !solve_with_relations(trial, keep) ||
        !reinitialize(trial, free, false, ignored) ||
        switches_->renew(trial.t, trial.y.data(), keep))
      return false;
    state = std::move(trial);
    switches_->settle();
    return true;
  };
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
    if (!consistent && settle_together()) return true;
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
  if (settle_together()) return true;
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
  stop_accumulating(
      time, accumulate
                ? fmt::format("each of the last {} came sooner than the one before", shrinking_)
                : fmt::format("{} of them within {:.1g}", most_at_once, instant));
  return true;
}

void Integrator::Run::stop_accumulating(double time, std::string why) {
  // What happens where it happened before is not among the events.
  const std::string last = !fired_.empty()             ? switches_->name(fired_.front())
                           : !solution_.events.empty() ? solution_.events.back().name
                                                       : "";
  stop(Status::failed, Reason::too_many_events,
       {"events accumulate", fmt::format("at t = {:.10g}, last \"{}\"", time, last), std::move(why),
        "end the run before, or let the model stick: a mode for rest beside that for motion"});
}

}  // namespace daedalus
