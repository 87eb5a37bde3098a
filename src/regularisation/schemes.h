#pragma once
// Schemes by name; settings that cannot be are refused.
#include "daedalus/method.h"
#include "daedalus/regularisation.h"

namespace daedalus {

/// forward_euler, heun, midpoint, backward_euler, or a method of the catalogue. Throws
/// InvalidInput.
const Tableau& scheme(const std::string& name);

/// Throws InvalidInput for a mesh that is not strictly monotonic, eps or counts that cannot be.
void require_settings(const Regularisation& settings, const std::vector<double>& mesh);

}  // namespace daedalus
