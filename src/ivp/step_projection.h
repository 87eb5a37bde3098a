#pragma once
// Puts the ends of steps onto all constraints that their equations only keep in their derivatives.
// One end follows the other, so what was found for one serves the next.
#include <memory>
#include <vector>

#include "analysis/constraint_projection.h"

namespace daedalus {

class StepProjection {
 public:
  /// Corrections below `enough`, in units of the size of the variables, are left out.
  StepProjection(std::shared_ptr<const System> system, const std::vector<double>& scale,
                 double enough);

  /// The equations are others, or the state is; `yp` at the point from which steps go on.
  void begin(const std::vector<double>& yp);
  void apply(double t, double* y);

  /// All that later steps depend on.
  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory, double t);

 private:
  std::shared_ptr<const System> system_;
  ConstraintProjection projection_;
  double enough_;
};

}  // namespace daedalus
