// Rows of a run: where they come from, at mesh points and inside steps.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "formulation/field_system.h"
#include "ivp/run.h"

namespace daedalus {
namespace {

constexpr int most_unknowns_of_output = 200;  // dense least squares at every row

}  // namespace

OutputProjection& Integrator::Run::projection() {
  if (!projection_)
    projection_ = std::make_unique<OutputProjection>(system_, jacobian_, scale_,
                                                     most_unknowns_of_output);  // a kept block
  return *projection_;
}

void Integrator::Run::use_refined_output() {
  if (projects_output_) projection();
  // The polynomials of the other families are as accurate as their steps.
  std::shared_ptr<StepRefiner> refiner;
  if (const auto* stages = dynamic_cast<const ImplicitStepper*>(stepper_.get()))
    refiner =
        std::make_shared<StepRefiner>(system_, jacobian_, stages->methods(), options_.rtol, atol_);
  use_output(std::make_shared<RefinedOutput>(system_, refiner, projection_, expansion_));
}

StepOutput& Integrator::Run::output() {
  if (!output_ && field_) {
    const std::unique_ptr<ProjectedField> at_start = field_->copy();
    SavedState saved(field_at_start_);
    at_start->restore(saved);
    use_manifold_output(*at_start);
  } else if (!output_) {
    use_refined_output();
  }
  return *output_;
}

std::shared_ptr<StepRefiner> Integrator::Run::manifold_refiner(const ManifoldStepper& stepper) {
  const std::shared_ptr<ProjectedField> field = manifold_output_->field();
  const auto system = make_field_system(field);
  Vector x(field->differential), slope = Vector::Zero(field->differential);
  const State& start = stepper_->state();
  field->gather(start.y.data(), x.data());
  const auto jacobian =
      std::make_shared<Jacobian>(*system, LinearAlgebra::dense, start.t, x.data(), slope.data());
  return std::make_shared<StepRefiner>(system, jacobian, stepper.methods(), options_.rtol,
                                       stepper.tolerance());
}

/// A worker of its own costs as much as steps do, and most runs of motions show mesh points only.
bool Integrator::Run::output_may_wait() const {
  const Interval& span = problem_.t_span;
  return explicit_ && field_->is_motion() && !field_->is_sparse() && !options_.dense &&
         events_->empty() && std::all_of(outputs_.begin(), outputs_.end(), [&](double time) {
           return time == span.begin || time == span.end;
         });
}

void Integrator::Run::use_manifold_output(const ProjectedField& at_start) {
  manifold_output_ = std::make_shared<ManifoldOutput>(system_, expansion_, at_start.for_output());
  if (implicit_on_manifold_) manifold_output_->refine(manifold_refiner(*implicit_on_manifold_));
  use_output(manifold_output_);
}

void Integrator::Run::record_inside_of_step() {
  const double direction = problem_.t_span.end > problem_.t_span.begin ? 1 : -1;
  for (; next_output_ < outputs_.size() && direction * (outputs_[next_output_] - t()) < 0;
       ++next_output_) {
    const double time = outputs_[next_output_];
    record_row(time, output().shown(interpolant_, anchor_, time, row_.data()));
  }
}

void Integrator::Run::record_mesh_point(double time, const std::vector<double>& y) {
  row_ = y;
  if (!mesh_points_need_none_) projection().apply(anchor_, time, row_.data(), true);
  record_row(time, shown(time, row_.data()));
}

void Integrator::Run::record_row(double time, Input y) {
  solution_.t.push_back(time);
  solution_.values.insert(solution_.values.end(), y.begin(), y.end());
}

void Integrator::Run::interpolate(double time, Output y) {
  const double h = interpolant_.t1 - interpolant_.t0;
  const double theta = h == 0 ? -1 : (time - interpolant_.t0) / h;
  if (!(theta >= -1e-12 && theta <= 1 + 1e-12))
    throw InvalidInput(
        fmt::format("interpolate: t = {:.10g} is outside of the last step [{:.10g}, {:.10g}]", time,
                    interpolant_.t0, interpolant_.t1));
  if (!interpolant_known_) stepper_->interpolant(interpolant_), interpolant_known_ = true;
  y = output().shown(interpolant_, step_anchor_, time, row_.data());
}

}  // namespace daedalus
