#include "stepper/implicit_stepper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

constexpr double keep_jacobian_below = 0.001;  // rate of Newton's iteration
constexpr double nearly_linear = 1e-4;         // likewise: a matrix serves longer steps too
constexpr double longest_by_hearsay = 100;     // steps beyond ask for a new matrix
constexpr double error_of_cut_step = 3;        // at an event, in tolerances
constexpr int shorten_up_to = 6;               // times, for the sake of Newton's iteration
constexpr int few_failures = 4;                // of a step, before rounding is suspected
constexpr int few_stages = 3;                  // whose estimate of a short step is no rounding
constexpr double longer_at_end = 1.1;          // steps may be, where that spares a short one
constexpr double keep_step_up_to = 1.2;        // growth for which the factors are worth more
constexpr int few_unknowns = 64;               // whose matrices cost little beside their stages

/// Of 1, 3, 5, 7 stages.
const std::array<const StageConstants*, 4>& radau_iia() {
  static const auto of = [](const char* name) { return &stage_constants(find_method(name)); };
  static const std::array<const StageConstants*, 4> all = {of("radau_iia_1"), of("radau_iia_5"),
                                                           of("radau_iia_9"), of("radau_iia_13")};
  return all;
}

int newton_limit(const Tableau& method) {
  switch (method.stages) {
    case 1:
      return 4;
    case 5:
      return 12;
    case 7:
      return 17;
    default:
      return 7 + std::max(0, (method.stages - 3) * 5 / 2);
  }
}

std::vector<const StageConstants*> methods_for(const Options& options) {
  if (options.method != "radau") return {&stage_constants(find_method(options.method))};
  if (options.min_stages < 1 || options.max_stages > 7)
    throw InvalidInput(fmt::format("min_stages = {} and max_stages = {}, must lie between 1 and 7",
                                   options.min_stages, options.max_stages));
  std::vector<const StageConstants*> list;
  list.reserve(radau_iia().size());
  for (int s = 1; s <= 7; s += 2)
    if (s >= options.min_stages && s <= options.max_stages) list.push_back(radau_iia()[s / 2]);
  if (list.empty())
    throw InvalidInput(
        fmt::format("min_stages = {} and max_stages = {}: no number of stages among "
                    "1, 3, 5, 7 lies between them",
                    options.min_stages, options.max_stages));
  return list;
}

/// Some algebraic variables are determined by rows with y'.
bool leaves_algebraic_variables(const System& system) {
  const auto count = [](const auto& marks) { return std::count(marks.begin(), marks.end(), 1); };
  return system.nonlinear_in_derivatives &&
         count(system.algebraic_variable) > count(system.algebraic_row);
}

}  // namespace

ImplicitStepper::ImplicitStepper(const System& system, Jacobian& jacobian, const Options& options,
                                 const Vector& atol, Statistics& statistics)
    : system_(system),
      jacobian_(jacobian),
      options_(options),
      statistics_(statistics),
      pencil_(jacobian.make_pencil()),
      methods_(methods_for(options)) {
  // With fixed steps the Newton error must not be seen beside the error of the method.
  norm_ = options.fixed_step > 0
              ? ErrorNorm(system.variable_index, 1e-12, Vector::Constant(system.size, 1e-12))
              : ErrorNorm(system.variable_index, options.rtol, atol);
  order_.min_stages = methods_.front()->method.stages;
  order_.max_stages = methods_.back()->method.stages;
  // Next to singular points of a manifold long steps keep its velocities less well.
  if (system.size <= few_unknowns && system.is_index_one() &&
      options.formulation != Formulation::manifold)
    order_.be_eager();
  order_.is_steadfast = order_.is_eager && options.rtol < crude && options.rtol > sharp;
  // No order may ask for memory when its turn comes. Factors of every order of a large sparse
  // system would cost more than they are likely to save.
  if (pencil_.storage == Storage::dense) {
    stage_memory_.reserve(order_.max_stages, system.size);
    if (system.size > largest_uncondensed)
      for (int k = static_cast<int>(methods_.size()) - 1; k > 0; --k) make_solver(k);
  }
  use(0);
  if (options.algebraic_update != AlgebraicUpdate::embedding && system.is_index_one() &&
      !current()->is_stiffly_accurate())
    state_space_ = std::make_unique<AlgebraicProjection>(system, jacobian);
  error_.assign(system.size, 0.0), row_size_ = error_;
  a_before_.assign(pencil_.a.size(), 0.0);
  if (state_space_) projection_scale_.assign(system.size, 0.0);
  if (system.expansion && options.fixed_step == 0)
    eliminated_ = std::make_unique<EliminatedError>(system, options.rtol);
}

void ImplicitStepper::make_solver(int position) {
  const StageConstants& constants = *methods_[position];
  if (constants.is_by_stages) {
    by_stages_ = make_stage_solver(system_, constants, pencil_);
    solvers_[position] = by_stages_.get();
    return;
  }
  StageMemory* const shared = pencil_.storage == Storage::dense ? &stage_memory_ : nullptr;
  solvers_[position] = &implicit_[position].emplace(system_, constants, pencil_, shared);
}

void ImplicitStepper::use(int position) {
  if (active_ == position && solvers_[position]) return;
  active_ = position;
  if (!solvers_[position]) make_solver(position);
  // A mass M(y) frozen at the start of the step makes the rate grow with h from nearly nothing:
  // after a small step it promises far too much for a long one. So do matrices of a saturated
  // amplifier or of dry friction, with which single corrections are small because they lead
  // nowhere: of few unknowns no correction is the last one that was not seen to contract.
  newton_ = {newton_limit(current()->method()),
             1,
             false,
             !system_.constant_mass || system_.size <= few_unknowns,
             system_.nonlinear_in_derivatives,
             system_.linear};
  if (options_.fixed_step > 0) {
    newton_ = {60, 1, true, false, false};
    return;
  }
  set_tolerances();
  if (!state_.y.empty()) refer_to_state();
}

void ImplicitStepper::start(const State& state, double h) {
  state_ = state;
  next_ = state;
  h_ = h;
  first_ = begins_ = true;
  committed_ = false;
  rejected_ = jacobian_valid_ = jacobian_current_ = factors_valid_ = newton_failed_ = false;
  once_is_enough_ = false;  // of other coefficients
  steps_since_failure_ = long_ago;
  seen_rate_ = 0;
  for (StageSolver* solver : solvers_)
    if (solver) solver->forget();
  control_.forget(), order_.forget();
  use(0);
  if (newton_share_ < 1) newton_share_ = 1, set_tolerances();
  refer_to_state();
}

bool ImplicitStepper::solve_stages(int slow_before) {
  norm_.set_step(h_);
  NewtonSettings settings = newton_;
  // Rates of earlier steps promise nothing where this one has just seen slow ones; and where
  // shortening it makes them no faster, more iterations help.
  if (slow_before > 0) settings.measure_rate = true;
  settings.is_linear = settings.is_linear && once_is_enough_;
  if (slow_before > shorten_up_to) settings.max_iterations *= 4;
  last_newton_ =
      current()->solve(state_, h_, norm_, settings, statistics_, {extrapolate_, nullptr});
  if (last_newton_.outcome == NewtonOutcome::converged) {
    constexpr double nothing = 1e-10;
    if (newton_.is_linear && last_newton_.iterations > 1)
      once_is_enough_ = last_newton_.rate <= nothing;
    return true;
  }
  ++statistics_.newton_failures;
  newton_failed_ = true;
  if (last_newton_.outcome == NewtonOutcome::predicted_failure)
    order_.newton_was_slow = order_.newton_was_slow || last_newton_.step_factor <= 0.5;
  else
    order_.newton_failed = true;
  return false;
}

void ImplicitStepper::accept(double error) {
  current()->result(state_, h_, next_.y.data(), next_.yp.data());
  next_.t = reached_ ? limit_ : state_.t + h_;
  h_used_ = h_;
  if (state_space_) {
    for (std::size_t i = 0; i < projection_scale_.size(); ++i)
      projection_scale_[i] = 1e-13 * std::max(1.0, std::abs(next_.y[i]));
    // Old factors would do, but a resumed run does not have them.
    state_space_->forget();
    // Rows with y' that lack something at the start of a step lack it however short the step is.
    if (!leaves_algebraic_variables(system_) ||
        !state_space_->project_with_rates(next_.t, next_.y.data(), next_.yp.data(),
                                          projection_scale_))
      state_space_->project(next_.t, next_.y.data(), projection_scale_);
  }
  if (options_.fixed_step > 0) return;
  estimated_error_ = error;
  const double before = h_;
  h_ =
      control_.after_accepted(before, error, current()->estimate_order(), last_newton_.iterations,
                              newton_.max_iterations, begins_ && current()->stages() <= few_stages);
  begins_ = begins_ && !rejected_ && std::abs(h_) > control_.max_growth * std::abs(before);
  if (rejected_ && std::abs(h_) > std::abs(before)) h_ = before;
  const double wanted = std::abs(h_);
  limit_growth(before);
  if (tolerance_of_fewer_ > 0) {
    const bool limited = std::abs(h_) < wanted;
    order_.note(limited, limited ? error_of_fewer_stages(error) : 1);
  }
  if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
}

void ImplicitStepper::reject(double error) {
  if (statistics_.steps > 0) ++statistics_.rejected;
  once_is_enough_ = false;  // rounding may be to blame
  h_ = first_ ? 0.1 * h_
              : h_ / std::max(control_.divisor(error, current()->estimate_order(),
                                               last_newton_.iterations, newton_.max_iterations),
                              1.05);
}

/// A branch of the equations may end closer than the solution can tell from here: steps so short
/// that they change nothing succeed for ever, and all others leave the branch.
bool ImplicitStepper::stands_at_end() {
  constexpr int patience = 8;
  if (state_.y != end_of_branch_.y) {
    end_of_branch_.y = state_.y;
    times_at_end_ = 0;
  } else if (state_.t != end_of_branch_.t) {
    ++times_at_end_;
  }
  end_of_branch_.t = state_.t;
  return times_at_end_ > patience;
}

bool ImplicitStepper::fail_at_end(bool undefined) {
  const int worst = last_newton_.worst;
  return fail(
      undefined ? Reason::not_finite : Reason::step_too_small,
      {undefined ? "the equations are not finite beyond this point"
                 : "the step size became too small",
       fmt::format("{}{}", where(),
                   worst < 0   ? ""
                   : undefined ? fmt::format(": equation \"{}\"", system_.equations[worst])
                               : fmt::format(": worst variable {}", system_.variables[worst])),
       undefined ? "every smaller step still leads to a value that is not a finite number"
                 : "a singularity of the solution, a constraint that becomes singular, an "
                   "index higher than stated, or a tolerance below rounding errors",
       fmt::format("look at the solution near this time; {} rtol and atol, or try another "
                   "formulation; a mechanism whose constraints become singular is passed by dop853",
                   options_.rtol > sharp ? "take a tenth of" : "loosen")});
}

bool ImplicitStepper::attempt(double limit) {
  committed_ = false;
  int failures = 0;
  double longest = 0;
  const auto was_rounding = [&] {
    if (failures == 0) longest = h_;
    return ++failures % few_failures == 0 && allow_for_rounding(longest);
  };
  for (int slow = 0;;) {
    aim_at(limit, options_.fixed_step > 0);
    if (!reached_ && !rejected_ && options_.fixed_step == 0 &&
        std::abs(limit - state_.t) <= std::min(options_.max_step, longer_at_end * std::abs(h_)))
      h_ = limit - state_.t, reached_ = true;
    if (step_is_too_small()) return fail_at_end(not_finite_in_a_row_ > 0);
    if (!jacobian_valid_ && !renew_jacobian()) return false;
    if (!factors_valid_ || factored_h_ != h_) {
      factors_valid_ = false;
      if (!renew_factors()) return false;
      if (!factors_valid_) continue;
    }
    if (!solve_stages(slow)) {
      const bool undefined = last_newton_.outcome == NewtonOutcome::not_finite;
      not_finite_in_a_row_ = undefined ? not_finite_in_a_row_ + 1 : 0;
      if (undefined && stands_at_end()) return fail_at_end(true);
      if (options_.fixed_step > 0)
        return fail(undefined ? Reason::not_finite : Reason::newton_failed,
                    {"Newton's iteration did not converge with the fixed step",
                     fmt::format("{}: worst {}", where(),
                                 last_newton_.worst < 0 ? std::string("unknown")
                                                        : system_.variables[last_newton_.worst]),
                     "the step is too long for this problem, or the method does not suit its index",
                     "use a smaller fixed_step, or error control"});
      h_ = !undefined && was_rounding() ? longest : last_newton_.step_factor * h_;
      // Where the iteration was only too slow, the same polynomial is the better start the shorter
      // the step becomes; y itself would ask for more iterations than failed.
      extrapolate_ = last_newton_.outcome == NewtonOutcome::predicted_failure;
      if (extrapolate_) ++slow;
      rejected_ = true;
      if (!jacobian_current_ || is_ahead_) jacobian_valid_ = false;
      continue;
    }
    not_finite_in_a_row_ = 0;
    const double error = options_.fixed_step > 0 ? 0 : estimate_error();
    if (error < 1) return accept(error), true;
    const bool rounding = options_.fixed_step == 0 && was_rounding();
    reject(error);
    if (rounding) h_ = longest;
    rejected_ = true;
    if (!jacobian_current_ || is_ahead_) jacobian_valid_ = false;
  }
}

bool ImplicitStepper::attempt_exactly(double h, const Interpolant& covering) {
  committed_ = false;
  h_ = h;
  factors_valid_ = false;
  norm_.set_step(h);
  for (NewtonResult result;;) {
    if (!jacobian_valid_ && !renew_jacobian()) return false;
    ++statistics_.factorizations;
    if (!current()->factor(pencil_, h)) return false;
    result = current()->solve(state_, h, norm_, newton_, statistics_, {true, &covering});
    last_newton_ = result;
    if (result.outcome == NewtonOutcome::converged) break;
    if (jacobian_current_ && !is_ahead_) return false;
    jacobian_valid_ = extrapolate_ = false;
  }
  reached_ = false;
  // Shorter than one that was accepted, but what that one has not seen may lie just here.
  if (options_.fixed_step == 0 && !(estimate_error() < error_of_cut_step)) return false;
  const double keep = h_;
  accept(1);
  h_ = keep;
  return true;
}

bool ImplicitStepper::shorten(double h) {
  h_ = h;
  rejected_ = true, extrapolate_ = false;
  factors_valid_ = false;
  if (!jacobian_current_ || is_ahead_) jacobian_valid_ = false;
  return true;
}

void ImplicitStepper::end_at(double t, const std::vector<double>& y) {
  next_.t = t;
  next_.y = y;
  next_.yp = state_.yp;  // as good as any: what follows an event finds its own
  h_used_ = t - state_.t;
  reached_ = false;
}

void ImplicitStepper::move_end(const std::vector<double>& y) {
  next_.y = y;
  for (std::size_t j = 0; j < system_.derivative_variable.size(); ++j)
    if (const int rate = system_.derivative_variable[j]; rate >= 0) next_.yp[j] = y[rate];
}

void ImplicitStepper::commit() {
  ++statistics_.steps;
  current()->accept(h_used_);
  std::swap(state_, next_);
  committed_ = true;
  if (jacobian_current_ || last_newton_.iterations > 1) confirmed_h_ = h_used_;
  const bool is_new = jacobian_current_;
  jacobian_current_ = false;
  last_h_ = h_used_;
  first_ = rejected_ = false;
  extrapolate_ = true;
  refer_to_state();
  if (options_.fixed_step > 0) {
    jacobian_valid_ = false;
    return;
  }
  // Corrections may be small for no other reason than that an old matrix is large.
  jacobian_valid_ = system_.linear || (last_newton_.rate <= keep_jacobian_below &&
                                       std::abs(h_) <= longest_by_hearsay * std::abs(confirmed_h_));
  const double growth = h_ / h_used_;
  // A single iteration with an old matrix says nothing of a longer step. A failed one of a field
  // costs more than a matrix does.
  if (last_newton_.iterations > 1) seen_rate_ = last_newton_.rate;
  if (last_newton_.iterations == 1 && !is_new && growth > keep_step_up_to &&
      seen_rate_ > nearly_linear && system_.size > few_unknowns)
    jacobian_valid_ = false;
  if (jacobian_valid_ && growth >= 1 && growth <= keep_step_up_to) h_ = h_used_;
  consider_order();
}

}  // namespace daedalus
