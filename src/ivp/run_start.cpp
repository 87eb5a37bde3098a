// A run at its start: a consistent point, the modes that go with it, the first step.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ivp/run.h"
#include "ivp/start_finding.h"
#include "linear/constraint_matrix.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

constexpr double close_to_manifold = 1e-10;  // the first projection does the rest
constexpr double rounding = 1e-14;           // it does nothing

}  // namespace

/// So near that the stepper puts it there; values that are to be held must not move by that. Next
/// to a singular point Newton's iteration would divide what the tolerance leaves by the distance
/// from it, and lead away; fields know better.
bool Integrator::Run::is_on_manifold(const State& state, const std::vector<char>& fixed) {
  std::vector<double> x(static_cast<std::size_t>(field_->differential));
  field_->gather(state.y.data(), x.data());
  const double distance = field_->distance(state.t, x.data());
  const bool holds = std::find(fixed.begin(), fixed.end(), char{1}) != fixed.end();
  if (holds) return distance < rounding && field_->contains(fixed);
  return distance < close_to_manifold ||
         (field_->health() < ConstraintMatrix::suspicious && distance < options_.rtol);
}

/// What an event changed has changed the rates too, and they tell to which side relations move.
void Integrator::Run::take_rates_of_field(State& state) {
  std::vector<double> x(static_cast<std::size_t>(field_->differential)), rate(x.size());
  field_->gather(state.y.data(), x.data());
  const bool known = field_->slope(state.t, x.data(), rate.data());
  ++solution_.statistics.rhs;
  rate_known_.assign(static_cast<std::size_t>(system_->size), 0);
  if (!known) return;
  field_->scatter(rate.data(), state.yp.data());
  for (int i = 0; i < field_->differential; ++i) rate_known_[field_->place(i)] = 1;
}

bool Integrator::Run::reinitialize(State& state, const std::vector<char>& fixed, bool at_start,
                                   Message& message) {
  // Models may have conditions of their own at the start, and values of multipliers to be kept.
  if (field_ && !system_->constraints && !system_->start_constraints &&
      is_on_manifold(state, fixed)) {
    if (!at_start) take_rates_of_field(state);
    note_shift(state);
    return true;
  }
  StartReport found = consistent(state, fixed, at_start);
  message = std::move(found.message);
  rate_known_ = std::move(found.rate_known);
  note_shift(state);
  return found.consistent;
}

/// Fields do without equations, which were made for this question alone, and runs of small models
/// are hardly longer: the answer is kept.
StartReport Integrator::Run::consistent(State& state, const std::vector<char>& fixed,
                                        bool at_start) {
  // Factors of others remember pivots.
  const auto is_dense_and_small = [](const System& system, const Jacobian& derivatives) {
    return derivatives.storage() == Storage::dense && system.size <= largest_uncondensed;
  };
  const auto solve = [&] {
    System& system = equations();
    Jacobian& derivatives = jacobian(state);
    const bool is_forgetful = is_dense_and_small(system, derivatives);
    if (is_forgetful && !start_projection_) start_projection_.emplace(system, derivatives);
    return make_consistent(system, derivatives, state.t, state.y, state.yp, fixed, scale_, at_start,
                           before_event_ ? &*before_event_ : nullptr,
                           is_forgetful ? &*start_projection_ : nullptr);
  };
  const auto* form = std::get_if<ExpressionGraph>(&problem_.form);
  const bool is_known_by_graph =
      form &&
      (field_ ? !system_->own_jacobian : jacobian_ && is_dense_and_small(*system_, *jacobian_));
  if (!at_start || !is_known_by_graph || !system_->modes->empty()) return solve();
  const State guess = state;
  std::optional<StartReport> failed;
  const auto kept = found_or_made<StartFinding>(
      problem_.findings,
      [&](const StartFinding& known) {
        return known.equations == form->equations &&
               known.initial_equations == form->initial_equations &&
               known.formulation == formulation_ && known.guess.t == guess.t &&
               same_bits(known.guess.y, guess.y) && same_bits(known.guess.yp, guess.yp) &&
               known.fixed == fixed && known.scale == scale_;
      },
      [&]() -> std::shared_ptr<StartFinding> {
        StartReport report = solve();
        // Messages name variables and equations, which may be called otherwise next time.
        if (!report.consistent) return failed.emplace(std::move(report)), nullptr;
        return std::make_shared<StartFinding>(StartFinding{form->equations, form->initial_equations,
                                                           formulation_, guess, fixed, scale_,
                                                           state.y, state.yp, std::move(report)});
      });
  if (!kept) return *std::move(failed);
  state.y = kept->y, state.yp = kept->yp;
  return kept->report;
}

/// Of the first consistent point.
void Integrator::Run::note_shift(const State& state) {
  if (!solution_.start_shift.empty()) return;
  const Input y = shown(state.t, state.y.data());
  solution_.start_shift.reserve(static_cast<std::size_t>(y.size()));
  for (int i = 0; i < y.size(); ++i)
    solution_.start_shift.push_back(y[i] - (i < given_start_.size() ? given_start_[i] : 0.0));
}

/// Structure may promise index 1 where values cancel: errors of the variables concerned must count
/// times h, or the steps shrink with the noise that short steps make.
void Integrator::Run::find_hidden_index(const State& state) {
  if (!system_->is_index_one() || !system_->own_jacobian) return;
  AlgebraicProjection projection(*system_, *jacobian_);
  const std::vector<int> higher = projection.of_higher_index(state.t, state.y.data());
  if (!higher.empty()) count_as_index_2(higher, state);
}

/// What was chosen for systems of index 1 gives way to radau.
void Integrator::Run::count_as_index_2(const std::vector<int>& variables, const State& state) {
  hidden_index_.assign(variables.begin(), variables.end());
  for (const int j : variables) system_->variable_index[j] = 2;
  if (chooses_ && options_.method != "radau") {
    prepared_as_ = fingerprint();
    solution_.method = options_.method = "radau";
    solution_.choice = "radau: the index is higher than the structure says";
    if (jacobian_->storage() == Storage::krylov) jacobian_->iterate(false);
  }
  stepper_ = make_stepper(state);
  if (options_.dense) use_refined_output();
}

void Integrator::Run::begin() {
  State& state = found_start_;
  state = stepper_->state();
  Message message;
  bool consistent = false;
  if (fixed_.empty()) fixed_ = fixed_variables(problem_, *system_);
  if (field_) {
    std::vector<double> x(static_cast<std::size_t>(field_->differential));
    field_->gather(state.y.data(), x.data());
    field_->begin(state.t, x.data());
    field_->save(field_at_start_);
    if (!output_may_wait()) use_manifold_output(*field_);
  }
  switches_->renew(state.t, state.y.data(), {});
  // Which side a relation is on may depend on the consistent point, and the other way round.
  for (int round = 0; round < most_rounds; ++round) {
    if (round > 0) state = stepper_->state();
    consistent = reinitialize(state, fixed_, true, message);
    const Names wrong = switches_->on_wrong_side(state.t, state.y.data());
    if (!switches_->renew(state.t, state.y.data(), {})) break;
    if (consistent && round + 1 == most_rounds)
      consistent = false, message = SwitchBoard::unsettled(state.t, wrong);
  }
  // With the modes of the guess there may be no point but with other differential variables.
  if (!switches_->empty() && (!consistent || moves_what_was_given(state)))
    consistent = begin_with_relations(state, consistent) || consistent;
  switches_->forget_edges(state.t, state.y.data());
  if (consistent && !field_) find_hidden_index(state);
  if (consistent && field_) choose_branch(state);
  const double h = consistent ? first_step(state) : 0;
  stepper_->start(state, h);
  if (consistent) state = stepper_->state();  // with the multipliers
  last_switch_ = restarted_at_ = state.t;
  move_anchor(true);
  step_anchor_ = anchor_;
  if (!consistent) {
    record_mesh_point(state.t, state.y);
    return stop(Status::failed, Reason::inconsistent_start, message);
  }
  if (singularities_) singularities_->start(state);
  calibrate_switches(state);
  events_->start(state.t, state.y.data());
  monitor_constraints(state.t, state.y.data());
  if (constraints_contradict()) return;
  if (outputs_.empty() || outputs_[0] == state.t) {
    record_mesh_point(state.t, state.y);
    if (!outputs_.empty()) ++next_output_;
  }
  check_assertions();
}

bool Integrator::Run::moves_what_was_given(const State& state) const {
  const std::vector<double>& given = stepper_->state().y;
  for (std::size_t j = 0; j < given.size(); ++j)
    if (!system_->algebraic_variable[j] && std::abs(state.y[j] - given[j]) > 1e-10 * scale_[j])
      return true;
  return false;
}

/// Where modes and points that were found in turn do not agree: both at once, from the guess and
/// from beside it, since kinks such as q*abs(q) have no derivative where most guesses are.
bool Integrator::Run::begin_with_relations(State& state, bool only_as_given) {
  const State guess = stepper_->state();
  double largest = 0;
  for (const double value : guess.y) largest = std::max(largest, std::abs(value));
  const std::vector<double> modes = *system_->modes;
  for (const double part : {0.0, 0.1, -0.1, 1.0, -1.0}) {
    State trial = guess;
    for (std::size_t j = 0; j < trial.y.size(); ++j)
      if (system_->algebraic_variable[j] && !fixed_[j])
        trial.y[j] += part * std::max(scale_[j], largest);
    Message message;
    if (solve_with_relations(trial, {}) && reinitialize(trial, fixed_, true, message) &&
        !switches_->renew(trial.t, trial.y.data(), {}) &&
        !(only_as_given && moves_what_was_given(trial))) {
      state = std::move(trial);
      return true;
    }
    *system_->modes = modes;
  }
  return false;
}

/// At rest on a crossing of branches nothing but a wish tells on which the motion goes on.
void Integrator::Run::choose_branch(State& state) {
  // Far below the tolerance, and far above the noise next to the singular point.
  const double speed = std::max(1e-8, 1e-3 * options_.rtol);
  std::vector<double> x(static_cast<std::size_t>(field_->differential));
  field_->gather(state.y.data(), x.data());
  const int branches = field_->leave_rest(state.t, x.data(), options_.branch, speed);
  if (branches == 0) return;
  field_->scatter(x.data(), state.y.data());
  const int taken = std::clamp(options_.branch, 1, branches);
  solution_.singularities.push_back(
      {state.t, 0, fmt::format("at rest where {} branches cross: branch {}", branches, taken)});
  branch_note_ = fmt::format(
      "the motion begins at rest where {} branches of the constraints cross, and is not unique: "
      "branch {} was taken; choose another one with branch",
      branches, taken);
}

double Integrator::Run::first_step(const State& state) const {
  const double span = problem_.t_span.end - problem_.t_span.begin;
  const double direction = span > 0 ? 1 : -1;
  if (options_.fixed_step > 0) return direction * options_.fixed_step;
  if (options_.first_step > 0)
    return direction * std::min({options_.first_step, options_.max_step, std::abs(span)});
  if (field_) return 0;  // the stepper finds a better one
  // A hundredth of the time in which the differential variables would change by their own size.
  double size = 0, rate = 0;
  for (int i = 0; i < system_->size; ++i) {
    if (system_->algebraic_variable[i]) continue;
    const double weight = 1 / (atol_[i] + options_.rtol * std::abs(state.y[i]));
    size += std::pow(state.y[i] * weight, 2), rate += std::pow(state.yp[i] * weight, 2);
  }
  size = std::sqrt(size), rate = std::sqrt(rate);
  double h = 3e-3 * std::abs(span);
  if (rate > 0) h = std::min(h, 0.01 * std::max(size, 1.0) / rate);
  h = std::max(h, 1e-14 * std::abs(span));
  return direction * std::min(h, options_.max_step);
}

}  // namespace daedalus
