#pragma once
// Models for explicit methods: ordinary differential equations, and motions under constraints that
// are recognised in the graph. Derivatives are symbolic.
#include "daedalus/problem.h"
#include "formulation/motion_equations.h"
#include "formulation/projected_field.h"

namespace daedalus {

/// Throws InvalidInput that says what is missing.
std::unique_ptr<ProjectedField> make_graph_field(const Problem& problem,
                                                 const ExpressionGraph& form,
                                                 std::shared_ptr<const std::vector<double>> modes,
                                                 Solves solves);

}  // namespace daedalus
