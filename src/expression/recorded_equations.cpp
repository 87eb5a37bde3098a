#include "expression/recorded_equations.h"

namespace daedalus {

EquationSet recorded_equations(const Graph& graph, const std::vector<NodeId>& roots,
                               const std::function<NodeId(EquationBuilder&, int input)>& leaf) {
  EquationBuilder builder;
  // Of the nodes copied for the present equation; stamped, so that it need not be cleared.
  struct Copy {
    int equation = -1;
    NodeId node = -1;
  };
  std::vector<NodeId> stack;
  std::vector<Copy> copies(static_cast<std::size_t>(graph.size()));
  for (int i = 0; i < static_cast<int>(roots.size()); ++i) {
    builder.begin();
    const auto done = [&](NodeId id) {
      return id < 0 || copies[static_cast<std::size_t>(id)].equation == i;
    };
    const auto at = [&](NodeId id) {
      return id < 0 ? id : copies[static_cast<std::size_t>(id)].node;
    };
    stack.assign(1, roots[static_cast<std::size_t>(i)]);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      const Node& n = graph[id];
      const int count = operands_of(n.op);
      const NodeId a = count > 0 ? n.a : -1, b = count > 1 ? n.b : -1, c = count > 2 ? n.c : -1;
      bool ready = true;
      for (const NodeId operand : {c, b, a})
        if (!done(operand)) stack.push_back(operand), ready = false;
      if (!ready) continue;
      stack.pop_back();
      if (done(id)) continue;
      copies[static_cast<std::size_t>(id)] = {
          i, n.op == Op::constant ? builder.graph().constant(n.value)
             : n.op == Op::input  ? leaf(builder, n.a)
                                  : builder.graph().make(n.op, at(a), at(b), at(c))};
    }
    builder.add(at(roots[static_cast<std::size_t>(i)]));
  }
  return builder.take();
}

}  // namespace daedalus
