#include "stepper/rosenbrock_stepper.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stepper/linearly_implicit.h"

namespace daedalus {
namespace {

constexpr int most_singular_in_a_row = 5;
constexpr double after_values_not_finite = 0.25;  // of the step

}  // namespace

RosenbrockStepper::RosenbrockStepper(const System& system, Jacobian& jacobian,
                                     const RosenbrockTable& method, const Options& options,
                                     const Vector& atol, Statistics& statistics, const State& start)
    : system_(system),
      jacobian_(jacobian),
      method_(method),
      options_(options),
      statistics_(statistics),
      n_(system.size),
      pencil_(jacobian.make_pencil()),
      factors_(make_real_factors(pencil_)),
      norm_(system.variable_index, options.rtol, atol) {
  require_linearly_implicit(system, jacobian, method.name, start);
  const std::size_t n = static_cast<std::size_t>(n_);
  stages_.resize(n * static_cast<std::size_t>(method.stages));
  for (auto* list : {&stage_y_, &stage_yp_, &time_derivative_, &zero_}) list->assign(n, 0.0);
  if (system.expansion && options.fixed_step == 0)
    eliminated_ = std::make_unique<EliminatedError>(system, options.rtol);
}

void RosenbrockStepper::start(const State& state, double h) {
  state_ = next_ = state;
  h_ = h;
  first_ = true;
  linearized_ = rejected_ = false;
  singular_in_a_row_ = 0;
  control_.forget();
  norm_.set_reference(state_.y.data());
}

bool RosenbrockStepper::linearize() {
  if (linearized_) return true;
  ++statistics_.jacobians;
  // E is constant, so y' is without influence; zero leaves no rounding errors of its own.
  if (!jacobian_.evaluate(state_.t, state_.y.data(), zero_.data(), pencil_))
    return fail_not_differentiable(system_.equations[std::max(0, jacobian_.nonfinite_row())]);
  jacobian_.time_derivative(state_.t, state_.y.data(), zero_.data(), time_derivative_.data());
  return linearized_ = true;
}

void RosenbrockStepper::add_stages(const RosenbrockTable::Row& weights, int count, double factor,
                                   double* out) const {
  for (int j = 0; j < count; ++j) {
    const double w = factor * weights[j];
    if (w == 0) continue;
    const double* u = stage(j);
    for (int k = 0; k < n_; ++k) out[k] += w * u[k];
  }
}

RosenbrockStepper::Outcome RosenbrockStepper::make_stages(double h) {
  ++statistics_.factorizations;
  if (!factors_->factor(pencil_, 1 / (h * method_.gamma))) return Outcome::singular;
  for (int i = 0; i < method_.stages; ++i) {
    std::copy(state_.y.begin(), state_.y.end(), stage_y_.begin());
    add_stages(method_.a[i], i, 1, stage_y_.data());
    std::fill(stage_yp_.begin(), stage_yp_.end(), 0.0);
    add_stages(method_.coupling[i], i, -1 / h, stage_yp_.data());
    double* u = stage(i);
    system_.residual(state_.t + method_.c[i] * h, stage_y_.data(), stage_yp_.data(), u);
    ++statistics_.rhs;
    const double d = h * method_.d[i];
    for (int k = 0; k < n_; ++k) {
      u[k] = -u[k] - d * time_derivative_[k];
      if (!std::isfinite(u[k])) return not_finite_row_ = k, Outcome::not_finite;
    }
    factors_->solve(u);
    ++statistics_.solves;
  }
  return Outcome::done;
}

void RosenbrockStepper::make_end(double h, double t) {
  const double* last = stage(method_.stages - 1);
  for (int k = 0; k < n_; ++k) next_.y[k] = stage_y_[k] + last[k];
  next_.t = t;
  h_used_ = h;
  // The slope of the polynomial: y'(1) = (F_0 - F_1 - F_2)/h.
  for (int k = 0; k < n_; ++k) next_.yp[k] = (next_.y[k] - state_.y[k]) / h;
  for (int row = 0; row < 2; ++row)
    add_stages(method_.dense[row], method_.stages, -1 / h, next_.yp.data());
}

double RosenbrockStepper::error_size() {
  const double* error = stage(method_.stages - 1);
  const double own = norm_(error);
  if (!std::isfinite(own)) return own;
  const double all =
      eliminated_ ? eliminated_->joined(own, state_.t, state_.y.data(), error, norm_.rtol(), h_)
                  : own;
  return std::max(all, 1e-10);
}

bool RosenbrockStepper::give_up(Outcome outcome) {
  if (outcome == Outcome::singular) {
    const int column = factors_->singular_column();
    return fail(
        Reason::singular_matrix,
        {"the matrix of the step is singular",
         fmt::format("{}{}", where(),
                     column >= 0 ? ": nothing determines " + system_.variables[column] : ""),
         "equations depend on each other, or a variable occurs in none of them",
         "check for repeated or missing equations, or try radau"});
  }
  const bool undefined = outcome == Outcome::not_finite;
  return fail(
      undefined ? Reason::not_finite : Reason::step_too_small,
      {undefined ? "the equations are not finite beyond this point"
                 : "the step size became too small",
       fmt::format(
           "{}{}", where(),
           undefined ? fmt::format(": equation \"{}\"", system_.equations[not_finite_row_]) : ""),
       undefined ? "a step leads to a value that is not a finite number"
                 : "a singularity of the solution, an index higher than stated, or a tolerance "
                   "below rounding errors",
       "look at the solution near this time; loosen rtol and atol, or try radau"});
}

bool RosenbrockStepper::attempt(double limit) {
  const bool fixed = options_.fixed_step > 0;
  for (Outcome outcome = Outcome::done;;) {
    aim_at(limit, fixed);
    if (step_is_too_small()) return give_up(outcome);
    if (!linearize()) return false;
    outcome = make_stages(h_);
    if (outcome == Outcome::singular && (fixed || ++singular_in_a_row_ > most_singular_in_a_row))
      return give_up(outcome);
    if (fixed && outcome == Outcome::not_finite) return give_up(outcome);
    if (outcome != Outcome::done) {
      h_ *= outcome == Outcome::singular ? 0.5 : after_values_not_finite;
      rejected_ = true;
      continue;
    }
    singular_in_a_row_ = 0;
    norm_.set_step(h_);
    const double error = fixed ? 0 : error_size();
    if (error < 1) {
      make_end(h_, reached_ ? limit : state_.t + h_);
      if (fixed) return true;
      estimated_error_ = error;
      h_ = control_.after_accepted(h_used_, error, method_.embedded_order(), 1, 1);
      if (rejected_ && std::abs(h_) > std::abs(h_used_)) h_ = h_used_;
      if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
      return true;
    }
    if (statistics_.steps > 0) ++statistics_.rejected;
    rejected_ = true;
    const double divisor = std::isfinite(error)
                               ? control_.divisor(error, method_.embedded_order(), 1, 1)
                               : 1 / after_values_not_finite;
    h_ = first_ ? 0.1 * h_ : h_ / std::max(divisor, 1.05);
  }
}

bool RosenbrockStepper::attempt_exactly(double h, const Interpolant&) {
  if (!linearize() || make_stages(h) != Outcome::done) return false;
  reached_ = false;
  make_end(h, state_.t + h);
  return true;
}

void RosenbrockStepper::end_at(double t, const std::vector<double>& y) {
  next_.t = t;
  next_.y = y;
  next_.yp = state_.yp;
  h_used_ = t - state_.t;
  reached_ = false;
}

void RosenbrockStepper::commit() {
  ++statistics_.steps;
  std::swap(state_, next_);
  linearized_ = first_ = rejected_ = false;
  norm_.set_reference(state_.y.data());
}

void RosenbrockStepper::interpolant(Interpolant& out) {
  const std::size_t n = static_cast<std::size_t>(n_);
  out.t0 = state_.t, out.t1 = next_.t, out.size = n_, out.basis = nullptr, out.method = 0;
  out.nested = 1 + method_.dense_rows;
  out.data.assign(n * static_cast<std::size_t>(1 + out.nested), 0.0);
  std::copy(state_.y.begin(), state_.y.end(), out.data.begin());
  for (std::size_t k = 0; k < n; ++k) out.data[n + k] = next_.y[k] - state_.y[k];
  for (int row = 0; row < method_.dense_rows; ++row)
    add_stages(method_.dense[row], method_.stages, 1,
               out.data.data() + n * static_cast<std::size_t>(2 + row));
}

void RosenbrockStepper::save(std::vector<double>& memory) const {
  save_state(memory, state_), save_state(memory, next_);
  for (const double x : {h_, h_used_, control_.accepted_h, control_.accepted_error})
    memory.push_back(x);
  for (const bool flag : {first_, rejected_}) memory.push_back(flag ? 1 : 0);
  save_list(memory, factors_->pivots());
}

void RosenbrockStepper::restore(SavedState& memory) {
  restore_state(memory, state_), restore_state(memory, next_);
  for (double* x : {&h_, &h_used_, &control_.accepted_h, &control_.accepted_error})
    *x = memory.number();
  for (bool* flag : {&first_, &rejected_}) *flag = memory.flag();
  factors_->restore_pivots(pencil_, memory.list());
  linearized_ = false;
  norm_.set_reference(state_.y.data());
}

}  // namespace daedalus
