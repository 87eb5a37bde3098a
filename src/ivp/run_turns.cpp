// Method "auto" on the manifold of the constraints: explicit and implicit steps take turns. Forces
// that become stiff let explicit steps be as long as stability allows; implicit ones for the same
// field are as long as accuracy allows, and cost more. A step on trial tells which it is: steps as
// long as stability allows are common, and mean nothing where implicit steps would not be longer by
// what they cost more.
#include <cmath>

#include <fmt/format.h>

#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr int steps_between_questions = 20;  // each costs a step
constexpr double sharp = 1e-6;               // from here on the higher order takes less time

}  // namespace

const RosenbrockTable& Integrator::Run::rosenbrock() const {
  return options_.rtol > sharp ? rodas_4 : rodas_5p;
}

/// For motions one real matrix of the size of the coordinates.
std::unique_ptr<Stepper> Integrator::Run::make_implicit_turn() {
  std::unique_ptr<Stepper> made;
  if (field_->is_motion()) {
    made = std::make_unique<MotionRosenbrock>(field_, rosenbrock(), options_, atol_,
                                              solution_.statistics);
  } else {
    Options options = options_;
    options.method = "radau";
    auto stepper = std::make_unique<ManifoldStepper>(field_, stepper_->state(), options, atol_,
                                                     solution_.statistics);
    manifold_output_->refine(manifold_refiner(*stepper));
    made = std::move(stepper);
  }
  made->place(stepper_->state());
  return made;
}

/// Over that of an explicit one, both counted in slopes: for Rosenbrock steps those of their
/// stages, the Jacobian, and about a slope for four coordinates in linear algebra; for radau
/// differences for the Jacobian, now and then, and Newton's iterations.
double Integrator::Run::cost_of_implicit_step() const {
  const double n = field_->differential;
  if (!field_->is_motion()) return 2 + n / 6;
  return (8 + field_->slopes_for_derivatives() + n / 8) / explicit_->stages;
}

bool Integrator::Run::stability_allows(double h) const {
  return fastest_rate(*field_, stepper_->state()) * std::abs(h) < explicit_->stability;
}

void Integrator::Run::take_turn() {
  std::swap(stepper_, resting_);
  implicit_turn_ = !implicit_turn_;
  ask_again_ = steps_between_questions;
  const char* implicit = field_->is_motion() ? rosenbrock().name : "radau on the constraints";
  solution_.choice +=
      fmt::format("; {} from t = {:.6g}", implicit_turn_ ? implicit : options_.method, t());
}

void Integrator::Run::consider_turn() {
  if (--ask_again_ > 0) return;
  if (!implicit_turn_ && !static_cast<ExplicitStepper&>(*stepper_).is_stiff()) return;
  const double ratio = cost_of_implicit_step();
  const double rest = problem_.t_span.end - t();
  const double wanted = implicit_turn_ ? stepper_->next_step() / ratio : stepper_->step() * ratio;
  const double h = std::copysign(std::min(std::abs(wanted), std::abs(rest)), rest);
  ask_again_ = static_cast<int>(implicit_turn_ ? steps_between_questions : 10 * ratio);
  if (implicit_turn_ ? !stability_allows(h) : std::abs(h) > options_.max_step) return;
  if (!resting_) resting_ = make_implicit_turn();
  resting_->start(stepper_->state(), h);
  if (!resting_->would_make(h, problem_.t_span.end)) return;
  if (!interpolant_known_) stepper_->interpolant(interpolant_), interpolant_known_ = true;
  take_turn();
}

/// Where implicit steps cannot be made, near singular points above all, explicit ones may.
bool Integrator::Run::turn_back() {
  if (!implicit_turn_ || !resting_) return false;
  resting_->start(stepper_->state(), 0);
  take_turn();
  return true;
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
