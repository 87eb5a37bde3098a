#include "ivp/step_refiner.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {

namespace {
/// The polynomial is good to a small part of what its error is thought to be at most.
constexpr double error_allowed = 2;  // in units of the tolerance
}  // namespace

StepRefiner::StepRefiner(std::shared_ptr<System> system, std::shared_ptr<const Jacobian> jacobian,
                         std::vector<const StageConstants*> methods, double rtol,
                         const Vector& atol)
    : system_(std::move(system)),
      given_(std::move(jacobian)),
      methods_(std::move(methods)),
      rtol_(rtol),
      atol_(atol) {}

void StepRefiner::prepare() {
  jacobian_.emplace(*given_);
  pencil_ = jacobian_->make_pencil();
  solvers_.resize(methods_.size());
  norm_ = ErrorNorm(system_->variable_index, rtol_, atol_);
  shortest_ = system_->is_index_one() ? 1e-9 : 1e-3;
  const std::size_t n = static_cast<std::size_t>(system_->size);
  state_.y.resize(n), state_.yp.resize(n), weight_.resize(n), result_.resize(n), slope_.resize(n);
}

bool StepRefiner::linearize(const Interpolant& step) {
  if (linearized_ && linearized_at_ == step.t0) return true;
  state_.t = step.t0;
  std::copy(step.data.begin(), step.data.begin() + step.size, state_.y.begin());
  step.start_slope(state_.yp.data());
  norm_.set_reference(state_.y.data());
  linearized_ = jacobian_->evaluate(state_.t, state_.y.data(), state_.yp.data(), pencil_);
  linearized_at_ = step.t0;
  // Sparse factors remember their pivots; they are to be those of this step.
  if (pencil_.storage == Storage::sparse)
    for (auto& solver : solvers_) solver.reset();
  return linearized_;
}

bool StepRefiner::is_apart(const double* before, const double* after) const {
  if (!system_->is_index_one()) return false;
  for (int k = 0; k < system_->size; ++k)
    if (system_->algebraic_variable[k] &&
        std::abs(after[k] - before[k]) > error_allowed * (atol_[k] + rtol_ * std::abs(after[k])))
      return true;
  return false;
}

bool StepRefiner::refine(const Interpolant& step, double t, double* y) {
  if (!jacobian_) prepare();
  for (int k = 0; k < step.size; ++k)  // algebraic rows can be solved alone
    weight_[k] = system_->algebraic_variable[k] ? 0 : 1 / (atol_[k] + rtol_ * std::abs(y[k]));
  return step.error_size(t, weight_.data()) > error_allowed && solve_again(step, t, y);
}

bool StepRefiner::solve_again(const Interpolant& step, double t, double* y) {
  const double h = t - step.t0;
  if (!jacobian_) prepare();
  // The matrix of so short a step would amplify rounding errors by h^-index, and in a nonstiff one
  // the polynomial has had no time to err.
  if (std::abs(h) <= shortest_ * std::abs(step.t1 - step.t0)) return false;
  if (!linearize(step)) return false;
  auto& solver = solvers_[step.method];
  if (!solver) {
    solver = make_stage_solver(*system_, *methods_[step.method], pencil_);
    if (!solver->factor(pencil_, step.t1 - step.t0)) return false;
  }
  solver->forget();
  if (!solver->factor(pencil_, h)) return false;
  norm_.set_step(step.t1 - step.t0);  // not h: multipliers as accurate as those of the step
  const NewtonSettings settings{20, 0.03, false, !system_->constant_mass};
  const NewtonResult newton = solver->solve(state_, h, norm_, settings, statistics_, {true, &step});
  if (newton.outcome != NewtonOutcome::converged) return false;
  solver->result(state_, h, result_.data(), slope_.data());
  // What a short step gives for multipliers of higher index is the noise of the state over its
  // length; the polynomial through those of the whole step is better.
  for (int k = 0; k < step.size; ++k)
    if (!system_->algebraic_variable[k] || system_->variable_index[k] == 1) y[k] = result_[k];
  return solver->is_stiffly_accurate();
}

}  // namespace daedalus
