#pragma once
// What methods that solve linear systems instead of iterating ask of a system.
#include <string_view>

#include "problem/jacobian.h"
#include "stepper/state.h"

namespace daedalus {

/// Throws InvalidInput unless F = E y' - f with constant E, looked at near `start`, and an index of
/// at most 2.
void require_linearly_implicit(const System& system, Jacobian& jacobian, std::string_view method,
                               const State& start);

}  // namespace daedalus
