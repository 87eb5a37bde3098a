// Schemes by name, meshes, and the classical methods as settings.
#include "regularisation/schemes.h"

#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "method/fixed_step.h"

namespace daedalus {

const Tableau& scheme(const std::string& name) {
  if (const Tableau* method = find_fixed_step_method(name)) return *method;
  if (name == "midpoint") return find_method("gauss_2");
  if (name == "backward_euler") return find_method("radau_iia_1");
  return find_method(name);
}

void require_settings(const Regularisation& settings, const std::vector<double>& mesh) {
  if (mesh.size() < 2) throw InvalidInput("mesh: at least two points are needed");
  const bool forward = mesh.back() > mesh.front();
  for (std::size_t i = 1; i < mesh.size(); ++i) {
    if (forward ? mesh[i] > mesh[i - 1] : mesh[i] < mesh[i - 1]) continue;
    throw InvalidInput(fmt::format("mesh[{}] = {:g} does not continue mesh[{}] = {:g}", i, mesh[i],
                                   i - 1, mesh[i - 1]));
  }
  if (settings.iterations < 1)
    throw InvalidInput(fmt::format("iterations = {}, must be positive", settings.iterations));
  if (!(settings.eps >= 0) || !std::isfinite(settings.eps))
    throw InvalidInput(fmt::format("eps = {:g}, must not be negative", settings.eps));
  if (settings.eps == 0 && (settings.alpha_1 == 0 || settings.pull != Pull::combination))
    throw InvalidInput("eps = 0 needs alpha_1 != 0 and Pull::combination");
  if (settings.post_stabilisations < 0)
    throw InvalidInput(
        fmt::format("post_stabilisations = {}, is negative", settings.post_stabilisations));
}

std::vector<double> uniform_mesh(Interval span, int steps) {
  if (steps < 1) throw InvalidInput(fmt::format("steps = {}, must be positive", steps));
  std::vector<double> mesh(steps + 1);
  for (int i = 0; i <= steps; ++i)
    mesh[i] = span.begin + (span.end - span.begin) * (static_cast<double>(i) / steps);
  mesh.back() = span.end;
  return mesh;
}

Regularisation penalty(double eps, Weight weight) {
  return {.eps = eps, .weight = weight, .carried = Carried::multiplier};
}

Regularisation baumgarte(double a, double b) {
  return {.eps = 0, .alpha_1 = 1, .alpha_2 = a, .alpha_3 = b, .carried = Carried::multiplier};
}

Regularisation post_stabilisation(int times) {
  Regularisation settings = baumgarte(0);
  settings.post_stabilisations = times;
  return settings;
}

Regularisation staggered_stabilisation(double eps) {
  return {.eps = eps,
          .weight = Weight::identity,
          .pull = Pull::staggered,
          .carried = Carried::multiplier};
}

}  // namespace daedalus
