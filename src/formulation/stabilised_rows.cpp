#include "formulation/stabilised_rows.h"

#include <cmath>
#include <utility>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// Where an equation stands among the kernels of its set.
struct Place {
  const Kernel* kernel = nullptr;
  int instance = 0;
};

std::vector<Place> places_of_rows(const EquationSet& equations) {
  std::vector<Place> places(static_cast<std::size_t>(equations.rows()));
  for (const Kernel& kernel : equations.kernels())
    for (int i = 0; i < kernel.instances(); ++i) places[kernel.rows[i]] = {&kernel, i};
  return places;
}

NodeId copied(const Graph& graph, NodeId root, const Place& place, EquationBuilder& builder) {
  return rebuilt(graph, root, builder.graph(),
                 [&](int input) { return builder.leaf(*place.kernel, input, place.instance); });
}

}  // namespace

EquationSet damped_rows(const std::vector<EquationSet>& derivatives, const std::vector<int>& rows,
                        const std::vector<int>& c, double rate) {
  std::vector<std::vector<Place>> places;
  for (const EquationSet& set : derivatives) places.push_back(places_of_rows(set));
  EquationBuilder builder;
  for (const int i : rows) {
    builder.begin();
    Graph& graph = builder.graph();
    NodeId sum = graph.constant(0);
    double weight = 1;  // binomial(c_i, r) rate^(c_i - r), from the highest r on
    for (int r = c[i]; r >= 0; --r) {
      const Place& place = places[r][i];
      const NodeId f = copied(place.kernel->graph, place.kernel->residual, place, builder);
      sum = graph.add(sum, graph.mul(graph.constant(weight), f));
      weight *= rate * r / (c[i] - r + 1);
    }
    builder.add(sum);
  }
  return builder.take();
}

EquationSet rates_with_multipliers(const std::vector<int>& next, const EquationSet& invariants,
                                   int first_multiplier) {
  struct Part {
    Place place;
    const Graph* graph;
    NodeId derivative;
    int multiplier;
  };
  std::vector<std::vector<Part>> parts(next.size());
  std::vector<Graph> graphs;
  graphs.reserve(invariants.kernels().size());
  for (const Kernel& kernel : invariants.kernels()) {
    std::vector<int> leaves;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable) leaves.push_back(static_cast<int>(l));
    Graph& graph = graphs.emplace_back(kernel.graph);
    const std::vector<NodeId> derivatives = gradient(graph, kernel.residual, leaves);
    for (int i = 0; i < kernel.instances(); ++i)
      for (std::size_t k = 0; k < leaves.size(); ++k)
        parts[kernel.which[leaves[k]][i]].push_back(
            {{&kernel, i}, &graph, derivatives[k], first_multiplier + kernel.rows[i]});
  }
  EquationBuilder builder;
  for (std::size_t j = 0; j < next.size(); ++j) {
    if (next[j] < 0) continue;
    builder.begin();
    Graph& graph = builder.graph();
    NodeId sum = graph.sub(builder.variable(static_cast<int>(j), 1), builder.variable(next[j]));
    for (const Part& part : parts[j])
      sum = graph.add(sum, graph.mul(builder.variable(part.multiplier),
                                     copied(*part.graph, part.derivative, part.place, builder)));
    builder.add(sum);
  }
  return builder.take();
}

}  // namespace daedalus
