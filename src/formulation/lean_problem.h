#pragma once
// A problem without the variables that its own equations give explicitly, v = expression: the
// Newton systems of a run then hold true unknowns only. Aliases and auxiliary variables are
// replaced in the remaining equations, in the relations of events and in what the model says of its
// start.
#include "daedalus/problem.h"
#include "problem/expansion.h"

namespace daedalus {

struct LeanProblem {
  Problem problem;
  std::shared_ptr<Expansion> expansion;  ///< null: the problem is as it was given
};

/// `on_manifold`: steps stay on the constraints by their own variables, none is needed to carry the
/// projection.
LeanProblem lean_problem(const Problem& problem, bool on_manifold);

}  // namespace daedalus
