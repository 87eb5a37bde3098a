// Sets of equations from a motion that was recognised in a model.
#include "expression/recorded_equations.h"
#include "formulation/sparse_motion.h"

namespace daedalus {
namespace {

EquationSet set_of(const RecognisedMotion& found, const std::vector<NodeId>& roots) {
  const int n = found.coordinates();
  const int first_discrete = 1 + 2 * n, last_discrete = first_discrete + found.discrete_values();
  return recorded_equations(found.rows.graph, roots,
                            [&](EquationBuilder& builder, int input) -> NodeId {
                              if (input == 0) return builder.time();
                              if (input <= n) return builder.variable(input - 1);
                              if (input < first_discrete) return builder.variable(input - 1 - n, 1);
                              if (input < last_discrete)
                                return builder.discrete(input - first_discrete);
                              refuse_motion("forces depend on accelerations or multipliers");
                            });
}

/// Coefficients of every row in the inputs from `first` on that occur in it.
template <class Place>
SparseEntries entries_of(RecognisedMotion& found, int first, int count, Place place) {
  SparseEntries result;
  std::vector<NodeId> roots;
  for (int i = 0; i < found.coordinates(); ++i) {
    const NodeId row = found.dynamics[static_cast<std::size_t>(i)];
    std::vector<int> inputs;
    for (const auto& [variable, order] : found.rows.occurring(row)) {
      const int input = place(variable, order);
      if (input >= first && input < first + count) inputs.push_back(input);
    }
    const std::vector<NodeId> entries = found.coefficients(row, inputs);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      result.at.push_back({i, inputs[k] - first});
      result.constant = result.constant && found.rows.graph.is_constant(entries[k]);
      roots.push_back(entries[k]);
    }
  }
  result.values = set_of(found, roots);
  result.nodes = std::move(roots);
  return result;
}

}  // namespace

Function<2> force_of(const Mechanical& form) {
  return form.force ? form.force : Function<2>([](auto, auto, auto, auto) {});
}

MotionSets motion_sets(const Mechanical& form, Graph& graph,
                       const std::vector<NodeId>& constraints) {
  const int n = form.coordinates;
  const auto set = [&](const std::vector<NodeId>& roots) {
    return recorded_equations(graph, roots, [](EquationBuilder& builder, int input) {
      return input == 0 ? builder.time() : builder.variable(input - 1);
    });
  };
  MotionSets sets;
  sets.coordinates = n;
  sets.constraints = set(constraints);
  // As it stands: nothing of an explicit step needs to know what it depends on.
  sets.force_function = force_of(form);
  for (const Mass::Entry& e : form.mass.entries(n)) {
    sets.mass.at.push_back({e.row, e.column});
    sets.mass.nodes.push_back(graph.constant(e.value));
  }
  sets.mass.values = set(sets.mass.nodes);
  return sets;
}

MotionSets motion_sets(RecognisedMotion& found) {
  const int n = found.coordinates(), m = found.multipliers();
  std::size_t variables = 0;
  for (const int j : found.places())
    variables = std::max(variables, static_cast<std::size_t>(j) + 1);
  std::vector<int> acceleration(variables, -1), multiplier(variables, -1);
  for (int j = 0; j < n; ++j) acceleration[found.v[j]] = found.acceleration_input(j);
  for (int k = 0; k < m; ++k) multiplier[found.lambda[k]] = found.multiplier_input(k);
  MotionSets sets;
  sets.coordinates = n;
  sets.constraints = set_of(found, found.constraints);
  std::vector<NodeId> forces;
  for (const NodeId row : found.dynamics) forces.push_back(found.force(row));
  sets.force = set_of(found, forces);
  sets.mass = entries_of(found, found.acceleration_input(0), n, [&](int variable, int order) {
    return order == 1 ? acceleration[variable] : -1;
  });
  sets.directions = entries_of(found, found.multiplier_input(0), m, [&](int variable, int order) {
    return order == 0 ? multiplier[variable] : -1;
  });
  return sets;
}

}  // namespace daedalus
