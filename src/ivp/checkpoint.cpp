// Checkpoints: everything that later steps depend on, as raw doubles, so that a resumed run has
// the bits of the uninterrupted one. A fingerprint refuses a checkpoint of another problem.
#include <algorithm>
#include <cstring>
#include <istream>
#include <ostream>

#include "daedalus/error.h"
#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr char magic[8] = {'D', 'A', 'E', 'D', 'C', 'P', '1', '3'};

void put(std::vector<double>& memory, const Statistics& s) {
  for (const std::int64_t count : {s.steps, s.rejected, s.newton_failures, s.rhs, s.jacobians,
                                   s.factorizations, s.solves, s.newton})
    memory.push_back(static_cast<double>(count));
}
void take(SavedState& memory, Statistics& s) {
  for (std::int64_t* count : {&s.steps, &s.rejected, &s.newton_failures, &s.rhs, &s.jacobians,
                              &s.factorizations, &s.solves, &s.newton})
    *count = static_cast<std::int64_t>(memory.position(std::size_t{1} << 53));
}

void mix(std::uint64_t& hash, const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
}

}  // namespace

void ImplicitStepper::save(std::vector<double>& memory) const {
  save_state(memory, state_), save_state(memory, next_);
  memory.push_back(active_);
  for (const double x :
       {h_, h_used_, factored_h_, last_h_, confirmed_h_, control_.accepted_h,
        control_.accepted_error, order_.smoothed_rate,
        static_cast<double>(order_.factorizations_since_change),
        static_cast<double>(last_newton_.iterations), last_newton_.rate,
        static_cast<double>(steps_since_failure_), seen_rate_, static_cast<double>(order_.patience),
        order_.trial_from, static_cast<double>(order_.steps_with_factors),
        static_cast<double>(order_.steps_on_trial)})
    memory.push_back(x);
  for (const double x :
       {newton_share_, rounding_, order_.in_vain, static_cast<double>(order_.wait)})
    memory.push_back(x);
  for (const bool flag : {order_.newton_failed, order_.newton_was_slow, order_.is_due,
                          jacobian_valid_, jacobian_current_, factors_valid_, first_, rejected_,
                          extrapolate_, newton_failed_, is_ahead_, begins_, once_is_enough_})
    memory.push_back(flag ? 1 : 0);
  memory.push_back(times_at_end_), memory.push_back(end_of_branch_.t);
  save_list(memory, end_of_branch_.y), save_list(memory, norm_.given_atol());
  save_list(memory, pencil_.a), save_list(memory, pencil_.e);
  for (std::size_t k = 0; k < methods_.size(); ++k) {
    const StageSolver* const solver = solvers_[k];
    memory.push_back(solver ? 1 : 0);
    if (solver) save_list(memory, solver->pivots());
  }
  current()->save(memory);  // the others have nothing that they would use again
}

void ImplicitStepper::restore(SavedState& memory) {
  restore_state(memory, state_), restore_state(memory, next_);
  const int active = static_cast<int>(memory.position(methods_.size()));
  double since = 0, iterations = 0, since_failure = 0, patience = 0, with_factors = 0, on_trial = 0,
         wait = 0;
  for (double* x :
       {&h_, &h_used_, &factored_h_, &last_h_, &confirmed_h_, &control_.accepted_h,
        &control_.accepted_error, &order_.smoothed_rate, &since, &iterations, &last_newton_.rate,
        &since_failure, &seen_rate_, &patience, &order_.trial_from, &with_factors, &on_trial})
    *x = memory.number();
  for (double* x : {&newton_share_, &rounding_, &order_.in_vain, &wait}) *x = memory.number();
  for (bool* flag : {&order_.newton_failed, &order_.newton_was_slow, &order_.is_due,
                     &jacobian_valid_, &jacobian_current_, &factors_valid_, &first_, &rejected_,
                     &extrapolate_, &newton_failed_, &is_ahead_, &begins_, &once_is_enough_})
    *flag = memory.flag();
  times_at_end_ = static_cast<int>(memory.position(1000));
  end_of_branch_.t = memory.number(), end_of_branch_.y = memory.list();
  norm_.restore_atol(memory.list());
  order_.factorizations_since_change = static_cast<int>(std::clamp(since, 0.0, 1e9));
  last_newton_.iterations = static_cast<int>(std::clamp(iterations, 0.0, 1e9));
  steps_since_failure_ = static_cast<int>(std::clamp(since_failure, 0.0, 1e9));
  order_.patience = static_cast<int>(std::clamp(patience, 0.0, 1e9));
  order_.steps_with_factors = static_cast<int>(std::clamp(with_factors, 0.0, 1e9));
  order_.steps_on_trial = static_cast<int>(std::clamp(on_trial, 0.0, 1e9));
  order_.wait = static_cast<int>(std::clamp(wait, 0.0, 1e9));
  memory.list(pencil_.a), memory.list(pencil_.e);
  pencil_.condense();
  for (std::size_t k = 0; k < methods_.size(); ++k) {
    if (!memory.flag()) continue;
    use(static_cast<int>(k));
    current()->restore_pivots(pencil_, memory.list());
  }
  use(active);
  if (newton_share_ < 1 || rounding_ > 0) set_tolerances();
  current()->restore(memory);
  refer_to_state();
  if (factors_valid_) factors_valid_ = current()->factor(pencil_, factored_h_);
}

std::uint64_t Integrator::Run::fingerprint() const {
  std::uint64_t hash = 14695981039346656037ull;
  const auto mix_number = [&hash](double x) { mix(hash, &x, sizeof x); };
  for (const std::string& name : system_->variables) mix(hash, name.c_str(), name.size() + 1);
  mix(hash, options_.method.c_str(), options_.method.size() + 1);
  mix_number(options_.min_stages), mix_number(options_.max_stages), mix_number(options_.max_order);
  for (const double x :
       {problem_.t_span.begin, problem_.t_span.end, options_.rtol, options_.fixed_step,
        options_.first_step, options_.max_step, options_.baumgarte_rate,
        static_cast<double>(options_.branch), static_cast<double>(options_.project_output),
        static_cast<double>(options_.algebraic_update), static_cast<double>(system_->size),
        static_cast<double>(
            chosen_formulation(problem_, options_.formulation, works_on_constraints())),
        static_cast<double>(field_ ? Storage::dense : jacobian_->storage()),
        static_cast<double>(options_.events.size())})
    mix_number(x);
  for (const double x : atol_) mix_number(x);
  for (const Bound& bound : problem_.bounds) {
    mix(hash, bound.variable.c_str(), bound.variable.size() + 1);
    mix_number(bound.least), mix_number(bound.most);
  }
  for (const double t : outputs_) mix_number(t);
  return hash;
}

/// It was found at the start, which a resumed run does not look at.
void Integrator::Run::restore_hidden_index(const std::vector<double>& variables) {
  if (variables.empty()) return;
  std::vector<int> places;
  for (const double j : variables) {
    if (field_ || !(j >= 0 && j < system_->size)) SavedState::refuse();
    places.push_back(static_cast<int>(j));
  }
  const State start = stepper_->state();
  count_as_index_2(places, start);
  stepper_->start(start, 0);
}

void Integrator::Run::save(std::ostream& stream) const {
  std::vector<double> memory;
  save_list(memory, hidden_index_);
  if (field_) memory.insert(memory.end(), field_at_start_.begin(), field_at_start_.end());
  save_turn(memory);
  stepper_->save(memory);
  events_->save(memory);
  switches_->save(memory);
  memory.insert(memory.end(), {last_switch_, last_interval_, static_cast<double>(switches_at_once_),
                               static_cast<double>(shrinking_), restarted_at_,
                               static_cast<double>(leaps_), static_cast<double>(creeping_)});
  put(memory, solution_.statistics);
  memory.push_back(anchor_.t), memory.push_back(steps_since_anchor_);
  save_list(memory, anchor_.y), save_list(memory, anchor_.yp), save_list(memory, anchor_.modes);
  if (step_projection_) step_projection_->save(memory);
  save_list(memory, solution_.start_shift);
  for (std::size_t k = 0; k < worst_equation_.size(); ++k) {
    const ConstraintResidual& level = solution_.constraint_residual[k];
    memory.insert(memory.end(), {level.maximum, level.t, static_cast<double>(worst_equation_[k])});
  }
  memory.push_back(static_cast<double>(next_output_));
  // A run that met a limit goes on when it is resumed.
  const bool stopped = over_ && solution_.reason < Reason::max_steps;
  memory.push_back(stopped ? 1 : 0);
  memory.push_back(stopped ? static_cast<double>(solution_.status) : 0);
  memory.push_back(stopped ? static_cast<double>(solution_.reason) : 0);
  std::uint64_t checksum = 14695981039346656037ull;
  mix(checksum, memory.data(), memory.size() * sizeof(double));
  const std::uint64_t header[3] = {prepared_as_.value_or(fingerprint()), memory.size(), checksum};
  stream.write(magic, sizeof magic);
  stream.write(reinterpret_cast<const char*>(header), sizeof header);
  stream.write(reinterpret_cast<const char*>(memory.data()),
               static_cast<std::streamsize>(memory.size() * sizeof(double)));
  if (!stream) throw std::runtime_error("checkpoint: writing failed");
}

void Integrator::Run::restore(std::istream& stream) {
  char found[sizeof magic] = {};
  std::uint64_t header[3] = {};
  stream.read(found, sizeof found);
  stream.read(reinterpret_cast<char*>(header), sizeof header);
  if (!stream || std::memcmp(found, magic, sizeof magic) != 0)
    throw InvalidInput("checkpoint: this is no checkpoint of this version");
  if (header[0] != fingerprint())
    throw InvalidInput(
        "checkpoint: it belongs to another problem or other options (variables, t_span, method, "
        "formulation, tolerances, step sizes, output times and events must be the same)");
  std::vector<double> memory;
  // Read in pieces: a damaged length must not ask for absurd memory.
  for (std::uint64_t left = header[1]; left > 0;) {
    const std::size_t piece = static_cast<std::size_t>(std::min<std::uint64_t>(left, 1 << 16));
    const std::size_t size = memory.size();
    memory.resize(size + piece);
    stream.read(reinterpret_cast<char*>(memory.data() + size),
                static_cast<std::streamsize>(piece * sizeof(double)));
    if (!stream) throw InvalidInput("checkpoint: the file is cut short");
    left -= piece;
  }
  std::uint64_t checksum = 14695981039346656037ull;
  mix(checksum, memory.data(), memory.size() * sizeof(double));
  if (checksum != header[2]) SavedState::refuse();
  SavedState saved(memory);
  restore_hidden_index(saved.list());
  if (field_) {
    field_->restore(saved);
    field_->save(field_at_start_);
    use_manifold_output(*field_);
  }
  restore_turn(saved);
  stepper_->restore(saved);
  events_->restore(saved);
  switches_->restore(saved);
  last_switch_ = saved.number(), last_interval_ = saved.number();
  switches_at_once_ = static_cast<int>(saved.position(1 << 30));
  shrinking_ = static_cast<int>(saved.position(1 << 30));
  restarted_at_ = saved.number(), leaps_ = static_cast<int>(saved.position(1 << 30));
  creeping_ = static_cast<int>(saved.position(1 << 30));
  take(saved, solution_.statistics);
  anchor_has_moved_ = true;
  anchor_.t = saved.number();
  steps_since_anchor_ = static_cast<int>(saved.position(1 << 30));
  anchor_.y = saved.list(), anchor_.yp = saved.list(), anchor_.modes = saved.list();
  if (system_->modes && anchor_.modes.size() != system_->modes->size()) SavedState::refuse();
  if (projects_output_ && anchor_.y.size() != stepper_->state().y.size()) SavedState::refuse();
  if (!anchor_.yp.empty() && anchor_.yp.size() != anchor_.y.size()) SavedState::refuse();
  if (step_projection_) step_projection_->restore(saved, t());
  solution_.start_shift = saved.list();
  for (std::size_t k = 0; k < worst_equation_.size(); ++k) {
    ConstraintResidual& level = solution_.constraint_residual[k];
    level.maximum = saved.number(), level.t = saved.number();
    worst_equation_[k] = saved.position(system_->levels[k].equations.size());
  }
  next_output_ = saved.position(outputs_.size() + 1);
  over_ = saved.flag();
  solution_.status = static_cast<Status>(saved.position(3));
  solution_.reason = static_cast<Reason>(saved.position(static_cast<int>(Reason::interrupted) + 1));
  if (!saved.empty()) SavedState::refuse();
  if (outputs_.empty() && options_.record) record_mesh_point(t(), stepper_->state().y);
}

}  // namespace daedalus
