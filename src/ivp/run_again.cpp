// A run that is over, made again: preparations take longer than many a run of a small system, and
// depend on the statement of the problem alone. The functions are asked anew.
#include "ivp/run.h"
#include "ivp/validate.h"
#include "problem/findings.h"
#include "problem/same_problem.h"

namespace daedalus {

/// Explicit steps on constraints whose start was found without matrices.
bool Integrator::Run::motion_may_rest() {
  if (!std::holds_alternative<Mechanical>(problem_.form) || equations_ || jacobian_ || resting_)
    return false;
  solution_.dense.reset(), dense_.reset(), output_.reset(), manifold_output_.reset();
  const int own = 2;  // with the stepper
  return system_.use_count() == 1 && field_.use_count() == own;
}

/// Nothing in it was found by values of functions that are not asked anew, and all that a run
/// leaves behind is known: in a small dense system, and in motions as code.
bool Integrator::Run::may_rest() {
  if (!over_ || solution_.status != Status::success || !stepper_ || !stepper_->can_rewind())
    return false;
  if (expansion_ || singularities_ || step_projection_ || !switches_->empty() ||
      !events_->empty() || options_.progress || pulses_)
    return false;
  if (field_) return motion_may_rest();
  if (!system_->differentiable || system_->discover_rows || system_->own_jacobian ||
      system_->supplied_jacobian || jacobian_->storage() != Storage::dense ||
      system_->size > largest_uncondensed)
    return false;
  // What was given away may still be in use, perhaps by another thread.
  solution_.dense.reset(), dense_.reset(), output_.reset();
  if (projection_ && projection_.use_count() > 1) projection_.reset();
  const int own = projection_ ? 2 : 1;
  return system_.use_count() == own && jacobian_.use_count() == own;
}

namespace {

/// Of mechanical functions: names, levels of constraints and their derivatives, which a field makes
/// little use of.
struct IdleSystem {
  Problem problem;
  std::shared_ptr<System> system;
  Solution solution;  ///< for its memory
};

}  // namespace

void Integrator::Run::use_known_system() {
  Findings::Store* const store = problem_.findings.store();
  if (!store || !std::holds_alternative<Mechanical>(problem_.form)) return;
  const auto known = store->take<IdleSystem>(
      [&](const IdleSystem& idle) { return has_same_equations(idle.problem, problem_); });
  if (!known) return;
  system_ = std::move(known->system);
  solution_ = std::move(known->solution);
  clear_solution();
}

void Integrator::Run::leave_system(Findings::Store& store) {
  if (!field_ || equations_ || !std::holds_alternative<Mechanical>(problem_.form)) return;
  solution_.dense.reset(), dense_.reset(), output_.reset(), manifold_output_.reset();
  if (system_.use_count() != 1) return;
  for (std::size_t k = 0; k < replaced_.size(); ++k)
    system_->levels[k].residual = std::move(replaced_[k]);
  store.leave(std::make_unique<IdleSystem>(
      IdleSystem{std::move(problem_), std::move(system_), std::move(solution_)}));
}

/// What long runs have recorded is not worth its memory to the next one.
void Integrator::Run::drop_long_lists() {
  constexpr std::size_t long_list = 4096;
  if (solution_.t.capacity() > long_list || solution_.values.capacity() > long_list ||
      solution_.steps.capacity() > long_list || solution_.step_residuals.capacity() > long_list ||
      solution_.events.capacity() > 0)
    solution_ = {.status = solution_.status};
}

void Integrator::Run::put_to_rest(std::unique_ptr<Run> run) noexcept {
  if (!run) return;
  const Findings findings = std::exchange(run->problem_.findings, Findings::none());
  Findings::Store* const store = findings.store();
  if (!store) return;
  run->drop_long_lists();
  if (run->may_rest()) return store->leave(std::move(run));
  try {
    run->leave_system(*store);
  } catch (...) {
    // No memory for it: the next run makes its own.
  }
}

std::unique_ptr<Integrator::Run> Integrator::Run::again(const Problem& problem,
                                                        const Options& options,
                                                        std::string_view method, bool chooses) {
  Findings::Store* const store = problem.findings.store();
  if (!store) return nullptr;
  auto run = store->take<Run>([&](const Run& known) {
    return known.chooses_ == chooses && known.options_.method == method &&
           are_same_options(known.options_, options) && has_same_equations(known.problem_, problem);
  });
  if (!run) return nullptr;
  run->started_ = std::chrono::steady_clock::now();
  validate_problem(problem);
  const Interval span = run->problem_.t_span;
  run->problem_.t_span = problem.t_span;
  run->problem_.start = problem.start;
  run->problem_.start_derivative = problem.start_derivative;
  run->problem_.findings = problem.findings;
  if (span.begin != problem.t_span.begin || span.end != problem.t_span.end)
    run->outputs_ = output_times(problem, options);
  if (!run->forget()) return nullptr;
  run->begin();
  return run;
}

/// What the last time has left. False: the functions are not what they were.
bool Integrator::Run::forget() {
  const auto started = started_;
  static_cast<RunCourse&>(*this) = {};
  started_ = started;
  given_start_ = problem_.start;
  const std::vector<double> scale = projection_ ? scale_ : std::vector<double>();
  place_start();
  if (projection_ && scale_ == scale)
    projection_->begin_anew();
  else
    projection_.reset();
  system_->forget_code();
  interpolant_.t0 = interpolant_.t1 = 0;
  std::fill(worst_equation_.begin(), worst_equation_.end(), 0);
  std::fill(level_maximum_.begin(), level_maximum_.end(), 0.0);
  field_at_start_.clear();
  if (options_.dense && !field_) use_refined_output();
  if (!stepper_->rewind()) return false;
  if (jacobian_ && !field_ &&
      !jacobian_->rows_are_as_discovered(start_.t, start_.y.data(), start_.yp.data()))
    return false;
  stepper_->place(start_);
  clear_solution();
  if (solution_.variables.empty()) name_solution();  // it was taken
  for (ConstraintResidual& residual : solution_.constraint_residual)
    residual.maximum = 0, residual.t = start_.t;
  return true;
}

/// But for names, which are written over.
void Integrator::Run::clear_solution() {
  Solution& s = solution_;
  s.status = Status::success, s.reason = Reason::finished;
  if (!s.message.what.empty()) s.message = {};
  s.choice.clear(), s.notes.clear(), s.t.clear(), s.values.clear(), s.start_shift.clear();
  s.events.clear(), s.singularities.clear(), s.steps.clear(), s.step_residuals.clear();
  s.statistics = {};
}

}  // namespace daedalus
