#include "ivp/run.h"

#include <algorithm>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "ivp/validate.h"

namespace daedalus {

Integrator::Run::Run(const Problem& problem, Options options, bool at_start, bool chooses)
    : problem_(problem), options_(std::move(options)), chooses_(chooses) {
  started_ = std::chrono::steady_clock::now();
  prepare();
  if (at_start) begin();
  ask_for_processor_time();
}

/// The answer takes as long as several steps of a small system: runs that are over in a fraction of
/// a millisecond are told by the clock on the wall, and so is what went before in others.
void Integrator::Run::ask_for_processor_time() {
  constexpr double short_run = 1e-4;
  const double spent = wall_seconds();
  if (spent > short_run) cpu_started_ = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - spent;
}

Input Integrator::Run::shown(double time, const double* y) const {
  if (!expansion_) return {y, system_->visible};
  return {expansion_->of(time, y, system_->modes->data()), expansion_->visible()};
}

/// Relations closer to zero than rounding have no side.
void Integrator::Run::calibrate_switches(const State& state) {
  if (switches_->empty()) return;
  std::vector<double> noise(static_cast<std::size_t>(system_->size));
  for (int j = 0; j < system_->size; ++j)
    noise[j] = 1e-13 * std::max(scale_[j], std::abs(state.y[j]));
  switches_->set_slack(switches_->blur(state.t, state.y.data(), noise));
}

void Integrator::Run::check_assertions() {
  const State& state = stepper_->state();
  const Assertion* assertion = switches_->violated(state.t, state.y.data());
  if (!assertion) return;
  stop(Status::failed, Reason::assertion_failed,
       {fmt::format("assertion failed: {}", assertion->message),
        fmt::format("at t = {:.10g}", state.t), fmt::format("{} is false", assertion->where),
        "look at the solution up to this time, or relax the assertion"});
}

void Integrator::Run::keep_within_bounds() {
  landed_ = stepper_->next().y;
  if (bounds_.keep(landed_)) stepper_->move_end(landed_);
}

/// Puts the end of the step onto the constraints that its equations only keep in their derivatives.
void Integrator::Run::project_step() {
  landed_ = stepper_->next().y;
  step_projection_->apply(stepper_->next().t, landed_.data());
  stepper_->move_end(landed_);
}

void Integrator::Run::stop(Status status, Reason reason, Message message) {
  solution_.status = status;
  solution_.reason = reason;
  solution_.message = std::move(message);
  over_ = true;
}

namespace {

/// Of a clock that moves on every few milliseconds and costs a fraction of the exact one, if there
/// is any.
std::int64_t coarse_time() {
#ifdef CLOCK_MONOTONIC_COARSE
  timespec now{};
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0)
    return std::int64_t{1'000'000'000} * now.tv_sec + now.tv_nsec;
#endif
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

}  // namespace

/// The clock takes a good part of a step of a small system: while many steps take no time beside
/// the limit it is asked once in a while, or when a coarse one, which every fourth step asks, says
/// that steps have become slow.
bool Integrator::Run::time_is_up() {
  constexpr double no_time = 1e-3;
  constexpr int most_steps_between = 64, steps_between_coarse = 4, many_more = 16;
  const bool is_due = --steps_to_look_ <= 0;
  if (!is_due && steps_to_look_ % steps_between_coarse != 0) return false;
  const std::int64_t coarse = coarse_time();
  if (!is_due && coarse == coarse_at_look_) return false;
  coarse_at_look_ = coarse;
  const double now = wall_seconds();
  const bool is_soon = now - last_look_ < no_time * options_.time_limit;
  steps_between_looks_ =
      is_soon ? std::min(many_more * steps_between_looks_, most_steps_between) : 1;
  steps_to_look_ = steps_between_looks_;
  last_look_ = now;
  return now > options_.time_limit;
}

bool Integrator::Run::within_limits() {
  const auto where = [&] {
    return fmt::format("at t = {:.10g} after {} steps", t(), solution_.statistics.steps);
  };
  if (options_.interrupt && options_.interrupt->load(std::memory_order_relaxed)) {
    stop(Status::failed, Reason::interrupted,
         {"the run was interrupted", where(), "a stop was asked for from outside",
          "resume from a checkpoint"});
  } else if (solution_.statistics.steps >= options_.max_steps) {
    stop(Status::failed, Reason::max_steps,
         {fmt::format("the limit of {} steps was reached", options_.max_steps), where(),
          "the interval is long for this step size",
          "raise max_steps, loosen rtol, or shorten the interval"});
  } else if (std::isfinite(options_.time_limit) && time_is_up()) {
    stop(Status::failed, Reason::time_limit,
         {fmt::format("the time limit of {} s was reached", options_.time_limit), where(),
          "the run takes longer than allowed", "raise time_limit, or resume from a checkpoint"});
  }
  return !over_;
}

/// Up to which the next step may go.
double Integrator::Run::next_limit() {
  const double end = problem_.t_span.end;
  const double change = switches_->empty() ? end : switches_->next_time(t(), end);
  if (!pulses_) return change;
  // So near to a change of the equations, or behind one, nothing is missed.
  const double near = 1e-6 * (end - problem_.t_span.begin);
  const auto before = [&](double a, double b) { return near > 0 ? a < b : a > b; };
  const auto next = std::upper_bound(pulses_->begin(), pulses_->end(), t() + near, before);
  limit_is_pulse_ = next != pulses_->end() && before(*next + near, change);
  return limit_is_pulse_ ? *next : change;
}

/// Some variable that follows from others exists at the beginning of the step but not at its end:
/// the logarithm of a concentration, of whose equation the step has found the other root.
bool Integrator::Run::leaves_domain() const {
  if (!expansion_ || !expansion_->is_partial()) return false;
  const auto exists = [this](const State& state) {
    const Input y = shown(state.t, state.y.data());
    return std::all_of(y.begin(), y.end(), [](double value) { return std::isfinite(value); });
  };
  return !exists(stepper_->next()) && exists(stepper_->state());
}

/// For the stages of implicit methods. At the same step whether or not earlier runs have left the
/// code, so that all have the same bits.
void Integrator::Run::translate_equations() {
  translated_ = true;
  if (options_.evaluation == Evaluation::interpreted && !system_->are_expressions) return;
  const State& state = stepper_->state();
  if (dynamic_cast<const ImplicitStepper*>(stepper_.get()))
    system_->translate(problem_.findings, state.t, state.y.data());
}

bool Integrator::Run::step() {
  constexpr int most_shorter_steps = 8;
  constexpr double shorter = 0.25;
  if (over_) return false;
  if (options_.interrupt || std::isfinite(options_.time_limit) ||
      solution_.statistics.steps >= options_.max_steps)
    if (!within_limits()) return false;
  constexpr long seldom = 64;
  if (!cpu_started_ && solution_.statistics.steps % seldom == seldom - 1) ask_for_processor_time();
  constexpr long many_steps = 32;
  if (!translated_ && (solution_.statistics.steps >= many_steps || system_->are_expressions))
    translate_equations();
  // A reset, a callback, or whoever makes the steps may have changed what functions hold.
  if (translated_ && !is_left_alone_ && !system_->code_holds()) system_->forget_code();
  const double end = problem_.t_span.end;
  closer_looks_ = 0;
  do {
    const double limit = next_limit();
    leap_.reset();
    looks_closer_ = false;
    if (!stepper_->attempt(limit) && !(turn_back() && stepper_->attempt(limit)) &&
        !leap_from_start(limit)) {
      if (turn_at_threshold()) continue;
      if (const auto near = singularities_ ? singularities_->nearby() : std::nullopt)
        solution_.singularities.push_back(
            {near->t, near->sigma, "the run ended here; on the manifold it would pass"});
      stop(Status::failed, stepper_->reason(), stepper_->failure());
      return false;
    }
    if (closer_looks_ < most_shorter_steps && !leap_ && leaves_domain() &&
        stepper_->shorten(shorter * (stepper_->next().t - t()))) {
      ++closer_looks_, looks_closer_ = true;
      continue;
    }
    interpolant_known_ = leap_ || needs_interpolant();
    if (!interpolant_known_)
      interpolant_.t0 = stepper_->state().t, interpolant_.t1 = stepper_->next().t;
    else if (!leap_)
      stepper_->interpolant(interpolant_);
    look_for_events();
    if (over_ && solution_.status == Status::failed) return false;
    if (at_the_start_) pass_event();
  } while ((at_the_start_ || looks_closer_) && !over_);
  if (at_the_start_) return false;
  const bool reached = stepper_->next().t == end;
  if (!bounds_.empty()) keep_within_bounds();
  if (step_projection_) project_step();
  stepper_->commit();
  record_step();
  if (leap_) restart_behind_leap();
  if (creeps() && !reached && pending_reset_ < 0 && !pending_switch_ && turn_what_is_at_zero())
    return !over_;
  if (takes_turns_ && !reached) consider_turn();
  if (pending_reset_ >= 0 || pending_switch_) pass_event();
  if (reached && !over_) stop(Status::success, Reason::finished);
  if (!over_) check_assertions();
  if (options_.progress) {
    const double span = problem_.t_span.end - problem_.t_span.begin;
    const Progress progress{t(), stepper_->step(), stepper_->order(),
                            (t() - problem_.t_span.begin) / span, &solution_.statistics};
    if (!options_.progress(progress) && !over_)
      stop(Status::failed, Reason::interrupted,
           {"the run was stopped", fmt::format("at t = {:.10g}", t()),
            "the progress callback asked for it", "resume from a checkpoint"});
  }
  return true;
}

void Integrator::Run::step_to_end() {
  is_left_alone_ =
      !options_.progress && std::none_of(options_.events.begin(), options_.events.end(),
                                         [](const Event& e) { return bool(e.reset); });
  if (field_) field_->is_left_alone = is_left_alone_;
  while (step()) {
  }
}

/// Explicit methods make stages of their own for the inside of a step; others that remember it may
/// be asked later.
bool Integrator::Run::needs_interpolant() const {
  const bool later = works_on_constraints() ||
                     (stepper_->remembers_step() && switches_->empty() && !step_projection_);
  if (!later || dense_ || !events_->empty()) return true;
  const double direction = problem_.t_span.end > problem_.t_span.begin ? 1 : -1;
  return options_.record && next_output_ < outputs_.size() &&
         direction * (outputs_[next_output_] - stepper_->next().t) < 0;
}

/// Near enough that the linearisation still serves, seldom enough that it costs little.
void Integrator::Run::move_anchor(bool now) {
  constexpr int steps_between = 10;
  if (now && system_->modes) anchor_.modes = *system_->modes, anchor_has_moved_ = true;
  if (now && step_projection_) step_projection_->begin(stepper_->state().yp);
  if (!projects_output_ || (!now && ++steps_since_anchor_ < steps_between)) return;
  anchor_has_moved_ = true;
  anchor_.t = stepper_->state().t;
  anchor_.y = stepper_->state().y;
  if (system_->constraints && !system_->constraints->derivative_of.empty())
    anchor_.yp = stepper_->state().yp;
  steps_since_anchor_ = 0;
}

/// Projections leave nothing that a change of the positions would mend: constraints that depend on
/// each other and cannot all hold.
bool Integrator::Run::constraints_contradict() {
  if (!field_ || level_maximum_.empty()) return false;
  const double part = std::max(1e-4, 10 * options_.rtol);
  if (!(level_maximum_[0] > part * field_->reach())) return false;
  stop(Status::failed, Reason::singular_matrix,
       {"the constraints contradict each other",
        fmt::format("at t = {:.6g}: \"{}\" misses by {:.2g}", t(),
                    system_->levels[0].equations[worst_equation_[0]], level_maximum_[0]),
        "they depend on each other, so that no change of the positions makes all of them hold",
        "leave out what follows from other constraints, or check their right sides"});
  return true;
}

void Integrator::Run::record_step() {
  const State& state = stepper_->state();
  monitor_constraints(state.t, state.y.data());
  if (constraints_contradict()) return;
  if (anchor_has_moved_) step_anchor_ = anchor_, anchor_has_moved_ = false;
  if (options_.record) {
    if (solution_.steps.capacity() == 0) {
      constexpr std::size_t short_run = 64;
      solution_.steps.reserve(short_run);
      solution_.step_residuals.reserve(short_run * level_maximum_.size());
    }
    solution_.steps.push_back({state.t, stepper_->step(), stepper_->order()});
    solution_.step_residuals.insert(solution_.step_residuals.end(), level_maximum_.begin(),
                                    level_maximum_.end());
    if (const auto& crossing = stepper_->crossed())
      solution_.singularities.push_back({crossing->t, crossing->sigma,
                                         "passed with projected stages",
                                         stepper_->estimated_error()});
    if (const auto crossing = singularities_ ? singularities_->passed(state) : std::nullopt)
      solution_.singularities.push_back({crossing->t, crossing->sigma,
                                         "passed; the error of this step is not known to be small",
                                         stepper_->estimated_error()});
    if (dense_) dense_->append(interpolant_, anchor_);
    record_inside_of_step();
  }
  move_anchor(false);
  if (!options_.record) return;
  if (dense_) dense_->set_end(anchor_);
  if (outputs_.empty()) return record_mesh_point(state.t, state.y);
  for (; next_output_ < outputs_.size() && outputs_[next_output_] == state.t; ++next_output_)
    record_mesh_point(state.t, state.y);
}

void Integrator::Run::monitor_constraints(double time, const double* y) {
  const bool field_tells =
      !replaced_.empty() && replaced_.size() == system_->levels.size() && field_->places.empty();
  const double* known = field_tells ? field_->known_levels(time, y) : nullptr;
  for (std::size_t k = 0; k < system_->levels.size(); ++k) {
    const ConstraintLevel& level = system_->levels[k];
    if (!known) level.residual(time, y, residual_.data());
    ConstraintResidual& worst = solution_.constraint_residual[k];
    const double* residual =
        known ? known + k * static_cast<std::size_t>(level.size()) : residual_.data();
    double largest = 0;
    for (int i = 0; i < level.size(); ++i) largest = std::max(largest, std::abs(residual[i]));
    level_maximum_[k] = largest;
    if (!(largest > worst.maximum)) continue;
    worst.maximum = largest, worst.t = time;
    for (int i = level.size(); i-- > 0;)
      if (std::abs(residual[i]) == largest) worst_equation_[k] = static_cast<std::size_t>(i);
  }
}

void Integrator::Run::finish() {
  const double wall = wall_seconds();
  solution_.statistics.wall_seconds = wall;
  solution_.statistics.cpu_seconds =
      cpu_started_ ? static_cast<double>(std::clock()) / CLOCKS_PER_SEC - *cpu_started_ : wall;
  if (dense_ && !dense_->empty()) solution_.dense = dense_;
  if (field_)
    solution_.jacobian =
        implicit_on_manifold_ ? implicit_on_manifold_->jacobian() : std::string("not needed");
  else if (solution_.jacobian.empty())
    solution_.jacobian = jacobian_->description();
  solution_.notes = system_->notes();
  if (field_)
    for (const std::string& note : field_->notes()) solution_.notes.push_back(note);
  for (const std::string& note : {note_, branch_note_})
    if (!note.empty()) solution_.notes.push_back(note);
  for (std::size_t k = 0; k < worst_equation_.size(); ++k)
    solution_.constraint_residual[k].equation = system_->levels[k].equations[worst_equation_[k]];
  // A run that ended early still gives the point it reached.
  if (options_.record && !outputs_.empty() && over_ && solution_.status != Status::success &&
      (solution_.t.empty() || solution_.t.back() != t()))
    record_mesh_point(t(), stepper_->state().y);
}

}  // namespace daedalus
