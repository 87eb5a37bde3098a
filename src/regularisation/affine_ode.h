#pragma once
// u' = L(t) u + l(t) with linear conditions at both ends, by one Runge-Kutta method. Each step is
// condensed to u_i = T_i u_{i-1} + g_i; with conditions at the end too, the chain of steps is what
// projected collocation leaves of its elements, and solved like that (bvp/block_solver.h).
#include <functional>
#include <vector>

#include "daedalus/method.h"
#include "daedalus/vector.h"

namespace daedalus {

struct AffineRate {
  Matrix L;
  Vector l;
};

/// Rate at t, which is stage `node` counted over all steps.
using AffineOde = std::function<void(double t, int node, AffineRate& out)>;

/// begin u(t_0) + end u(t_N) = values; `end` may be empty.
struct EndConditions {
  Matrix begin, end;
  Vector values;
};

struct AffineSolution {
  Matrix u;       ///< columns at mesh points
  Matrix stages;  ///< columns at stages
};

std::vector<double> stage_times(const Tableau& method, const std::vector<double>& mesh);

AffineSolution solve_affine(const AffineOde& ode, int size, const EndConditions& conditions,
                            const Tableau& method, const std::vector<double>& mesh);

}  // namespace daedalus
