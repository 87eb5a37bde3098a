#include "ivp/step_projection.h"

namespace daedalus {

StepProjection::StepProjection(std::shared_ptr<const System> system,
                               const std::vector<double>& scale, double enough)
    : system_(std::move(system)),
      projection_(*system_,
                  system_->constraints ? system_->constraints : level_constraints(*system_, scale),
                  scale, {}),
      enough_(enough) {
  projection_.go_along();
}

void StepProjection::begin(const std::vector<double>& yp) {
  projection_.forget();
  projection_.begin_derivatives_with(yp);
}

void StepProjection::apply(double t, double* y) {
  if (!projection_.polish(t, y, enough_)) {
    projection_.forget();
    if (!projection_.polish(t, y, enough_)) return;
  }
  projection_.begin_derivatives_here();
}

void StepProjection::save(std::vector<double>& memory) const {
  projection_.save(memory);
}
void StepProjection::restore(SavedState& memory, double t) {
  projection_.restore(memory, t);
}

}  // namespace daedalus
