#include "ivp/dense_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "stepper/manifold_stepper.h"

namespace daedalus {

OutputProjection::OutputProjection(std::shared_ptr<System> system,
                                   std::shared_ptr<const Jacobian> jacobian,
                                   std::vector<double> scale, int largest)
    : system_(std::move(system)),
      given_(std::move(jacobian)),
      scale_(std::move(scale)),
      index_one_(system_->is_index_one() && !system_->project_steps),
      active_(can_be_projected(*system_, largest)) {}

void OutputProjection::prepare() {
  kept_.resize(scale_.size());
  if (index_one_) {
    jacobian_.emplace(*given_);
    algebraic_.emplace(*system_, *jacobian_);
  } else {
    at_anchor_.emplace(
        *system_, system_->constraints ? system_->constraints : level_constraints(*system_, scale_),
        scale_, std::vector<char>(system_->size, 0));
  }
  tolerance_ = scale_;
  for (double& x : tolerance_) x *= 1e-12;  // far below any tolerance, above rounding
}

void OutputProjection::begin_anew() {
  if (at_anchor_) at_anchor_->forget();
  changes_at_anchor_ = -1;
  anchored_ = works_on_copies_ = false;
}

void OutputProjection::linearize(const Anchor& anchor) {
  if (changes_at_anchor_ == at_anchor_->changes() && anchor_ == anchor) return;
  if (changes_at_anchor_ < 0) at_anchor_->prepare(anchor.t);
  anchor_ = anchor;
  std::copy(anchor.y.begin(), anchor.y.end(), kept_.begin());
  at_anchor_->forget();
  at_anchor_->begin_derivatives_with(anchor.yp);
  // The linearisation is what counts, not the point.
  constexpr double near = 1e-6;
  anchored_ = at_anchor_->polish(anchor.t, kept_.data(), near);
  if (anchored_) at_anchor_->begin_derivatives_here();
  changes_at_anchor_ = at_anchor_->changes();
}

void OutputProjection::apply(const Anchor& anchor, double t, double* y, bool solved) {
  if (!active_ || (index_one_ && solved)) return;
  if (kept_.empty()) prepare();
  if (!index_one_) linearize(anchor);
  if (index_one_) {
    std::copy(y, y + system_->size, kept_.begin());
    algebraic_->forget();
    if (!algebraic_->project(t, y, tolerance_)) std::copy(kept_.begin(), kept_.end(), y);
    return;
  }
  // What a point is told must not depend on those before it. Most need no other linearisation than
  // that of the anchor, and no copy of it.
  const bool may_change = works_on_copies_;
  if (may_change && working_)
    *working_ = *at_anchor_;  // into its memory
  else if (may_change)
    working_.emplace(*at_anchor_);
  ConstraintProjection& solver = may_change ? *working_ : *at_anchor_;
  if (!anchored_) solver.forget();
  if (!solver.polish(t, y)) {
    solver.forget();
    solver.polish(t, y);
  }
  works_on_copies_ = may_change || at_anchor_->changes() != changes_at_anchor_;
}

namespace {

/// While it lives the equations are those of an earlier part of the run.
class ModesOfAnchor {
 public:
  ModesOfAnchor(const std::shared_ptr<std::vector<double>>& modes, const Anchor& anchor)
      : modes_(modes && *modes != anchor.modes ? modes.get() : nullptr) {
    if (modes_) kept_ = *modes_, *modes_ = anchor.modes;
  }
  ~ModesOfAnchor() {
    if (modes_) modes_->swap(kept_);
  }
  ModesOfAnchor(const ModesOfAnchor&) = delete;
  ModesOfAnchor& operator=(const ModesOfAnchor&) = delete;

 private:
  std::vector<double>* modes_;
  std::vector<double> kept_;
};

}  // namespace

void ManifoldOutput::evaluate(const Interpolant& step, const Anchor&, double t, double* y) {
  step.evaluate(t, y);
  field_->gather(y, x_.data());
  const int n = field_->differential;
  // A linearisation serves the whole step, so it must not depend on t.
  const bool refined = refiner_ && step.nested == 0;
  const double* near = refined ? step.data.data() : y;
  for (int k = 0; k < field_->algebraic; ++k) multipliers_[k] = near[field_->place(n + k)];
  field_->guess_multipliers(multipliers_.data());
  if (refined && t != step.t0 && t != step.t1)
    refiner_->refine(gathered(*field_, step), t, x_.data());
  if (!field_->project_stage(t, x_.data()) || !field_->slope(t, x_.data(), slope_.data())) return;
  field_->scatter(x_.data(), y);
  field_->multipliers(multipliers_.data());
  for (int k = 0; k < field_->algebraic; ++k) y[field_->place(n + k)] = multipliers_[k];
}

void RefinedOutput::evaluate(const Interpolant& step, const Anchor& anchor, double t, double* y) {
  const ModesOfAnchor modes(system_->modes, anchor);
  step.evaluate(t, y);
  const bool at_mesh_point = t == step.t0 || t == step.t1;
  const bool solved = at_mesh_point || (refiner_ && refiner_->refine(step, t, y));
  if (!projection_) return;
  if (solved || !refiner_) return projection_->apply(anchor, t, y, solved);
  projected_.assign(y, y + step.size);
  projection_->apply(anchor, t, projected_.data(), false);
  // The voltage at a diode that blocks is the current of its coil times 1e9, and no more than the
  // tolerance of that current is asked of the polynomial.
  if (refiner_->is_apart(y, projected_.data()) && refiner_->solve_again(step, t, y)) return;
  std::copy(projected_.begin(), projected_.end(), y);
}

Input StepOutput::shown(const Interpolant& step, const Anchor& anchor, double t, double* y) {
  const ModesOfAnchor modes(system_->modes, anchor);
  evaluate(step, anchor, t, y);
  if (!expansion_) return {y, system_->visible};
  return {expansion_->of(t, y, system_->modes->data()), expansion_->visible()};
}

DenseOutput::DenseOutput(std::shared_ptr<StepOutput> output, bool forward)
    : output_(std::move(output)), forward_(forward) {}

void DenseOutput::append(const Interpolant& step, const Anchor& anchor) {
  if (anchors_.empty() || anchors_.back() != anchor) anchors_.push_back(anchor);
  steps_.push_back(step);
  anchor_of_.push_back(anchors_.size() - 1);
}

void DenseOutput::evaluate(double t, double* y) const {
  if (steps_.empty()) throw InvalidInput("dense output: the run has no accepted step");
  const double sign = forward_ ? 1 : -1;
  const double slack = 1e-12 * std::abs(end() - begin());
  if (!(sign * (t - begin()) >= -slack && sign * (t - end()) <= slack))
    throw InvalidInput(fmt::format(
        "dense output: t = {:.10g} is outside of the run [{:.10g}, {:.10g}]", t, begin(), end()));
  const auto inside = [&](const Interpolant& s) {
    return sign * (t - s.t0) >= 0 && sign * (t - s.t1) < 0;
  };
  if (last_ >= steps_.size() || !inside(steps_[last_])) {
    const auto next =
        std::upper_bound(steps_.begin(), steps_.end(), t,
                         [sign](double x, const Interpolant& s) { return sign * x < sign * s.t0; });
    last_ = next == steps_.begin() ? 0 : static_cast<std::size_t>(next - steps_.begin()) - 1;
  }
  const Interpolant& step = steps_[last_];
  y_.resize(static_cast<std::size_t>(step.size));
  const Anchor& anchor = t == step.t1 ? end_anchor_ : anchors_[anchor_of_[last_]];
  const Input all = output_->shown(step, anchor, t, y_.data());
  std::copy(all.begin(), all.end(), y);
}

}  // namespace daedalus
