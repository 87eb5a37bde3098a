#pragma once
// The functions of a mechanical system as expressions of the inputs t, q, v.
#include "daedalus/problem.h"
#include "formulation/straight_motion.h"

namespace daedalus {

/// False: they take plain doubles, or branch on values.
bool recorded_constraints(const Mechanical& form, Graph& graph, std::vector<NodeId>& rows);
/// The same, of masses and forces.
bool recorded_dynamics(const Mechanical& form, Graph& graph, MotionNodes& motion);

}  // namespace daedalus
