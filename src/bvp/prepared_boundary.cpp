#include "bvp/prepared_boundary.h"

#include "problem/findings.h"

namespace daedalus::bvp {

std::shared_ptr<const PreparedBoundary> PreparedBoundary::of(
    const std::shared_ptr<const BoundaryGraph>& graph, ConstraintForm form, double gamma,
    const Findings& findings) {
  return found_or_made<PreparedBoundary>(
      findings,
      [&](const PreparedBoundary& known) {
        return known.graph == graph && known.form == form && known.gamma == gamma;
      },
      [&] { return std::make_shared<PreparedBoundary>(graph, form, gamma); });
}

}  // namespace daedalus::bvp
