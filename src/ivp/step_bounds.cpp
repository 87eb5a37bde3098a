#include "ivp/step_bounds.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daedalus/error.h"
#include "method/nearest.h"

namespace daedalus {

StepBounds::StepBounds(const Problem& problem, const System& system, const Expansion* expansion,
                       const Vector& atol, double rtol) {
  constexpr double some = 10;  // the norm of the error is a mean, and that of a step grows
  const auto place = [](const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) - names.begin();
  };
  for (const Bound& bound : problem.bounds) {
    if (!(bound.least <= bound.most))
      throw InvalidInput(fmt::format("the bounds of {}, {} and {}, leave no room", bound.variable,
                                     bound.least, bound.most));
    const auto j = place(system.variables, bound.variable);
    if (j == std::ssize(system.variables)) {
      const Names& all = expansion ? expansion->names() : system.variables;
      if (place(all, bound.variable) < std::ssize(all)) continue;  // it follows from others
      const Names near = nearest_names(bound.variable, all);
      throw InvalidInput(fmt::format("bounds name \"{}\", which is no variable{}{}", bound.variable,
                                     near.empty() ? "" : "; did you mean ", fmt::join(near, ", ")));
    }
    // What is algebraic follows from the others.
    if (system.algebraic_variable[static_cast<std::size_t>(j)]) continue;
    const auto beyond = [&](double value) {
      return std::isfinite(value) ? some * (atol[j] + rtol * std::abs(value)) : 0.0;
    };
    bounds_.push_back({static_cast<int>(j), bound.least, bound.most,
                       bound.least - beyond(bound.least), bound.most + beyond(bound.most)});
  }
}

bool StepBounds::keep(std::vector<double>& y) const {
  bool moved = false;
  for (const OfVariable& bound : bounds_) {
    double& value = y[static_cast<std::size_t>(bound.variable)];
    if (value < bound.least && value >= bound.lowest)
      value = bound.least, moved = true;
    else if (value > bound.most && value <= bound.highest)
      value = bound.most, moved = true;
  }
  return moved;
}

}  // namespace daedalus
