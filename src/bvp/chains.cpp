#include "bvp/chains.h"

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

Chains::Chains(const BoundaryGraph& graph, const std::vector<char>& is_differentiated)
    : root(at(graph.size())), depth(at(graph.size()), 0), spent(at(graph.size()), 0) {
  const int n = graph.size();
  std::vector<int> parent(at(n), -1), child(at(n), -1);
  for (const Kernel& kernel : graph.equations.kernels()) {
    const Node difference = kernel.graph[kernel.residual];
    if (difference.op != Op::sub) continue;
    const Node a = kernel.graph[difference.a], b = kernel.graph[difference.b];
    if (a.op != Op::input || b.op != Op::input) continue;
    const Leaf &la = kernel.leaves[at(a.a)], &lb = kernel.leaves[at(b.a)];
    if (la.kind != Leaf::Kind::variable || lb.kind != Leaf::Kind::variable ||
        la.order + lb.order != 1)
      continue;
    const auto& rate = kernel.which[at(la.order == 1 ? a.a : b.a)];
    const auto& value = kernel.which[at(la.order == 1 ? b.a : a.a)];
    for (std::size_t i = 0; i < kernel.rows.size(); ++i) {
      const int x = rate[i], u = value[i];
      if (child[at(x)] >= 0 || parent[at(u)] >= 0 || !is_differentiated[at(u)]) continue;
      int top = x;  // of the chain that ends in x
      while (parent[at(top)] >= 0) top = parent[at(top)];
      if (top == u) continue;
      child[at(x)] = u, parent[at(u)] = x;
      spent[at(kernel.rows[i])] = 1;
    }
  }
  for (int j = 0; j < n; ++j) {
    root[at(j)] = j;
    while (parent[at(root[at(j)])] >= 0) root[at(j)] = parent[at(root[at(j)])], ++depth[at(j)];
  }
}

}  // namespace daedalus::bvp
