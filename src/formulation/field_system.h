#pragma once
// The equation x' = F(t, pi(t, x)) of a field for implicit methods: pi puts each stage onto the
// manifold of the constraints. F alone is not smooth next to a point where these lose rank, F after
// pi is, so that collocation keeps its order across; and the stiff part of F stays in the Jacobian.
#include "formulation/projected_field.h"
#include "problem/system.h"

namespace daedalus {

std::shared_ptr<System> make_field_system(std::shared_ptr<ProjectedField> field);

}  // namespace daedalus
