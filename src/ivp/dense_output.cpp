#include "ivp/dense_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {

OutputProjection::OutputProjection(std::shared_ptr<System> system, const Jacobian& jacobian,
                                   std::vector<double> scale)
    : system_(std::move(system)),
      jacobian_(jacobian),
      index_one_(system_->is_index_one()),
      active_(!system_->levels.empty()),
      algebraic_(*system_, jacobian_),
      levels_(*system_, scale),
      tolerance_(scale),
      kept_(system_->size) {
  for (double& x : tolerance_) x *= 1e-12;  // far below any tolerance, above rounding
}

void OutputProjection::apply(double t, double* y, bool at_mesh_point) {
  // At mesh points the method itself has solved the algebraic rows.
  if (!active_ || (index_one_ && at_mesh_point)) return;
  std::copy(y, y + system_->size, kept_.begin());
  bool done = index_one_ ? algebraic_.project(t, y, tolerance_) : levels_.polish(t, y);
  if (!done && !index_one_) {
    levels_.forget();
    std::copy(kept_.begin(), kept_.end(), y);
    done = levels_.polish(t, y);
  }
  if (!done) std::copy(kept_.begin(), kept_.end(), y);
}

void StepOutput::evaluate(const Interpolant& step, double t, double* y) {
  step.evaluate(t, y);
  const bool solved = refiner_->refine(step, t, y);
  if (!projection_) return;
  projection_->new_step();
  projection_->apply(t, y, solved);
}

DenseOutput::DenseOutput(int visible, std::shared_ptr<StepOutput> output, bool forward)
    : visible_(visible), output_(std::move(output)), forward_(forward) {}

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
  output_->evaluate(step, t, y_.data());
  std::copy(y_.begin(), y_.begin() + visible_, y);
}

}  // namespace daedalus
