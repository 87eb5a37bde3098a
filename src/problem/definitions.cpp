#include "problem/definitions.h"

namespace daedalus {
namespace {

bool contains(const Graph& graph, NodeId root, int input) {
  std::vector<NodeId> open = {root};
  std::vector<char> seen(static_cast<std::size_t>(root) + 1, 0);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = 1;
    const Node n = graph[id];
    if (n.op == Op::input && n.a == input) return true;
    const int count = operands_of(n.op);
    if (count > 0) open.push_back(n.a);
    if (count > 1) open.push_back(n.b);
    if (count > 2) open.push_back(n.c);
  }
  return false;
}

}  // namespace

Definitions find_definitions(const EquationSet& equations, const std::vector<char>& auxiliary) {
  Definitions result;
  std::vector<int> rows;
  std::vector<char> defined(auxiliary.size(), 0);
  for (const Kernel& kernel : equations.kernels()) {
    const Node root = kernel.graph[kernel.residual];
    bool has_rate = false;
    for (const Leaf& leaf : kernel.leaves)
      has_rate = has_rate || (leaf.kind == Leaf::Kind::variable && leaf.order > 0);
    if (root.op != Op::sub || has_rate) continue;
    for (const bool left : {true, false}) {
      const Node side = kernel.graph[left ? root.a : root.b];
      if (side.op != Op::input || kernel.leaves[side.a].kind != Leaf::Kind::variable) continue;
      if (contains(kernel.graph, left ? root.b : root.a, side.a)) continue;
      for (std::size_t i = 0; i < kernel.rows.size(); ++i) {
        const int variable = kernel.which[side.a][i];
        if (!auxiliary[variable] || defined[variable]) continue;
        defined[variable] = 1;
        rows.push_back(kernel.rows[i]);
        result.variable.push_back(variable);
        result.sign.push_back(left ? 1.0 : -1.0);
      }
      break;
    }
  }
  result.equations = equations.restricted(rows);
  return result;
}

}  // namespace daedalus
