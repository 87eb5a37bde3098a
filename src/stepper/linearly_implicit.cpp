#include "stepper/linearly_implicit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// E must not change with t, y or y'. Forms that cannot tell are looked at in two points nearby.
void require_constant_mass(const System& system, Jacobian& jacobian, std::string_view method,
                           const State& start) {
  if (system.constant_mass) return;
  Pencil here = jacobian.make_pencil(), there = here;
  if (!jacobian.evaluate(start.t, start.y.data(), start.yp.data(), here)) return;
  const double noise = system.differentiable || system.own_jacobian ? 1e-10 : 1e-5;
  for (const double shift : {1e-3, -2e-3}) {
    State near = start;
    near.t += shift * std::max(1e-2, std::abs(start.t));
    for (double& y : near.y) y += shift * std::max(1e-2, std::abs(y));
    for (double& yp : near.yp) yp += 1e3 * shift * std::max(1.0, std::abs(yp));
    if (!jacobian.evaluate(near.t, near.y.data(), near.yp.data(), there)) continue;
    for (std::size_t k = 0; k < here.e.size(); ++k)
      if (std::abs(there.e[k] - here.e[k]) > noise * std::max(1.0, std::abs(here.e[k])))
        throw InvalidInput(fmt::format(
            "method = {}: it needs M y' = f with constant M, but in \"{}\" the factor of a "
            "derivative changes; try radau or bdf",
            method, system.equations[here.pattern.row[k]]));
  }
}

}  // namespace

void require_linearly_implicit(const System& system, Jacobian& jacobian, std::string_view method,
                               const State& start) {
  for (std::size_t j = 0; j < system.variable_index.size(); ++j)
    if (system.variable_index[j] > 2)
      throw InvalidInput(fmt::format(
          "method = {}: linearly implicit methods do not converge for index 3, which {} has; try "
          "radau, or a formulation of lower index",
          method, system.variables[j]));
  require_constant_mass(system, jacobian, method, start);
}

}  // namespace daedalus
