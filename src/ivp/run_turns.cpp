// Method "auto" on the manifold of the constraints: explicit and implicit steps take turns. Forces
// that become stiff let explicit steps be as long as stability allows; implicit ones for the same
// field, x' = F(t, pi(t, x)), are as long as accuracy allows, and cost more. A step on trial tells
// which it is: steps as long as stability allows are common, and mean nothing where implicit steps
// would not be longer by what they cost more.
#include <cmath>

#include <fmt/format.h>

#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr int steps_between_questions = 20;  // each costs a step

/// Implicit over explicit: differences for the Jacobian, now and then, and Newton's iterations
/// against the twelve slopes of dop853.
double cost_of_an_implicit_step(int n) {
  return 2 + n / 6.0;
}

}  // namespace

std::unique_ptr<ManifoldStepper> Integrator::Run::make_implicit_turn() {
  Options options = options_;
  options.method = "radau";
  auto stepper = std::make_unique<ManifoldStepper>(field_, stepper_->state(), options, atol_,
                                                   solution_.statistics);
  stepper->place(stepper_->state());
  manifold_output_->refine(manifold_refiner(*stepper));
  return stepper;
}

/// Whether the other stepper, asked for a step of size h, makes one of about that size.
bool Integrator::Run::other_would_make(double h) {
  resting_->start(stepper_->state(), h);
  return resting_->attempt(problem_.t_span.end) && std::abs(resting_->step()) > 0.5 * std::abs(h);
}

void Integrator::Run::consider_turn() {
  if (--ask_again_ > 0) return;
  if (!implicit_turn_ && !static_cast<ExplicitStepper&>(*stepper_).is_stiff()) return;
  if (!resting_) resting_ = make_implicit_turn();
  const double ratio = cost_of_an_implicit_step(field_->differential);
  const double rest = problem_.t_span.end - t();
  const double wanted = implicit_turn_ ? stepper_->next_step() / ratio : stepper_->step() * ratio;
  const double h = std::copysign(std::min(std::abs(wanted), std::abs(rest)), rest);
  ask_again_ = static_cast<int>(implicit_turn_ ? steps_between_questions : 10 * ratio);
  if (!other_would_make(h)) return;
  const State state = stepper_->state();
  std::swap(stepper_, resting_);
  stepper_->start(state, h);
  implicit_turn_ = !implicit_turn_;
  ask_again_ = steps_between_questions;
  solution_.choice +=
      fmt::format("; {} from t = {:.6g}",
                  implicit_turn_ ? "radau on the constraints" : options_.method, state.t);
}

void Integrator::Run::save_turn(std::vector<double>& memory) const {
  memory.insert(memory.end(), {implicit_turn_ ? 1.0 : 0.0, resting_ ? 1.0 : 0.0,
                               static_cast<double>(ask_again_)});
}

void Integrator::Run::restore_turn(SavedState& memory) {
  const bool implicit = memory.flag(), both = memory.flag();
  ask_again_ = static_cast<int>(memory.number());
  if (!both && !implicit) return;
  if (!takes_turns_) SavedState::refuse();
  resting_ = make_implicit_turn();
  if (implicit) std::swap(stepper_, resting_);
  implicit_turn_ = implicit;
}

}  // namespace daedalus
