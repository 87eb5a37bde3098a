#include "analysis/substitution.h"

#include <algorithm>
#include <map>

#include "expression/rebuild.h"

namespace daedalus {

/// One equation on its way into a builder.
class Substitution::Row {
 public:
  Row(const Substitution& all, EquationBuilder& builder) : all_(all), builder_(builder) {}

  void add(const Kernel& kernel, int instance) {
    builder_.begin();
    value_.clear();
    // Deep chains of definitions: from the bottom up, no recursion.
    std::vector<int> needed, open;
    std::map<int, int> seen;
    const auto visit = [&](const Kernel& in, int i) {
      for (std::size_t l = 0; l < in.leaves.size(); ++l) {
        if (in.leaves[l].kind != Leaf::Kind::variable) continue;
        const int k = all_.replacement_[in.which[l][i]];
        if (k >= 0 && seen.emplace(k, 0).second) needed.push_back(k), open.push_back(k);
      }
    };
    visit(kernel, instance);
    while (!open.empty()) {
      const Replacement& r = all_.elimination_.replacements[open.back()];
      open.pop_back();
      visit(*r.kernel, r.instance);
    }
    std::sort(needed.begin(), needed.end());
    for (const int k : needed) {
      const Replacement& r = all_.elimination_.replacements[k];
      value_[{r.variable, 0}] = rebuilt_here(r.value->graph, r.value->value, *r.kernel, r.instance);
    }
    builder_.add(rebuilt_here(kernel.graph, kernel.residual, kernel, instance));
  }

 private:
  NodeId rebuilt_here(const Graph& graph, NodeId root, const Kernel& kernel, int instance) {
    return rebuilt(graph, root, builder_.graph(), [&](int input) {
      const Leaf& leaf = kernel.leaves[input];
      if (leaf.kind != Leaf::Kind::variable) return builder_.leaf(kernel, input, instance);
      return variable(kernel.which[input][instance], leaf.order);
    });
  }

  NodeId variable(int which, int order) {
    if (all_.place_[which] >= 0) return builder_.variable(all_.place_[which], order);
    const auto known = value_.find({which, order});
    if (known != value_.end()) return known->second;
    const NodeId made = differentiated(variable(which, order - 1));
    value_[{which, order}] = made;
    return made;
  }

  /// dv/dt = sum over what occurs in v.
  NodeId differentiated(NodeId root) {
    Graph& graph = builder_.graph();
    std::vector<int> moving;
    for (const NodeId id : needed(graph, root))
      if (graph[id].op == Op::input && builder_.leaf_of(graph[id].a).kind != Leaf::Kind::discrete)
        moving.push_back(graph[id].a);
    const std::vector<NodeId> partial = gradient(graph, root, moving);
    NodeId sum = graph.constant(0);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      const Leaf leaf = builder_.leaf_of(moving[k]);
      const NodeId rate = leaf.kind == Leaf::Kind::time
                              ? graph.constant(1)
                              : builder_.variable(leaf.which, leaf.order + 1);
      sum = graph.add(sum, graph.mul(partial[k], rate));
    }
    return sum;
  }

  const Substitution& all_;
  EquationBuilder& builder_;
  std::map<std::pair<int, int>, NodeId> value_;  ///< (variable, order)
};

Substitution::Substitution(const Elimination& elimination, int variables)
    : place_(static_cast<std::size_t>(variables), 0),
      replacement_(static_cast<std::size_t>(variables), -1),
      elimination_(elimination) {
  for (std::size_t k = 0; k < elimination.replacements.size(); ++k)
    replacement_[elimination.replacements[k].variable] = static_cast<int>(k);
  int next = 0;
  for (int j = 0; j < variables; ++j) place_[j] = replacement_[j] < 0 ? next++ : -1;
}

EquationSet Substitution::applied(const EquationSet& equations) const {
  std::vector<int> alone, position(static_cast<std::size_t>(equations.rows()));
  EquationBuilder builder;
  Row row(*this, builder);
  int touched = 0;
  for (const Kernel& kernel : equations.kernels())
    for (int i = 0; i < kernel.instances(); ++i) {
      bool replaced = false;
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        replaced = replaced || (kernel.leaves[l].kind == Leaf::Kind::variable &&
                                replacement_[kernel.which[l][i]] >= 0);
      if (replaced)
        row.add(kernel, i), position[kernel.rows[i]] = -1 - touched++;
      else
        position[kernel.rows[i]] = static_cast<int>(alone.size()), alone.push_back(kernel.rows[i]);
    }
  if (touched == 0) return equations.renumbered(place_);
  for (int& at : position)
    if (at < 0) at = static_cast<int>(alone.size()) - 1 - at;
  return EquationSet::joined({equations.restricted(alone).renumbered(place_), builder.take()})
      .restricted(position);
}

}  // namespace daedalus
