#include "expression/source_rate.h"

#include <algorithm>
#include <cmath>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// |c| of c t + d; 0 for everything else.
double rate_of(Graph& graph, NodeId argument, int time) {
  for (const NodeId node : needed(graph, argument))
    if (graph[node].op == Op::input && graph[node].a != time) return 0;
  const NodeId slope = gradient(graph, argument, {time})[0];
  return graph.is_constant(slope) ? std::abs(graph.value(slope)) : 0;
}

}  // namespace

double fastest_source(const EquationSet& equations) {
  double fastest = 0;
  for (const Kernel& kernel : equations.kernels()) {
    const auto time = std::find_if(kernel.leaves.begin(), kernel.leaves.end(),
                                   [](const Leaf& leaf) { return leaf.kind == Leaf::Kind::time; });
    if (time == kernel.leaves.end()) continue;
    Graph graph = kernel.graph;
    for (const NodeId node : needed(kernel.graph, kernel.residual))
      if (const Op op = kernel.graph[node].op; op == Op::sin || op == Op::cos || op == Op::tan)
        fastest = std::max(fastest, rate_of(graph, kernel.graph[node].a,
                                            static_cast<int>(time - kernel.leaves.begin())));
  }
  return fastest;
}

}  // namespace daedalus
