#include "analysis/row_expressions.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/sum_of_products.h"
#include "expression/rebuild.h"

namespace daedalus {

RowExpressions::RowExpressions(const EquationSet& equations,
                               const std::vector<std::string>& variables,
                               const std::vector<std::string>& discrete)
    : equations_(equations), variables_(variables), discrete_(discrete) {
  place_.resize(static_cast<std::size_t>(equations.rows()));
  for (std::size_t k = 0; k < equations.kernels().size(); ++k)
    for (int i = 0; i < equations.kernels()[k].instances(); ++i)
      place_[static_cast<std::size_t>(equations.kernels()[k].rows[static_cast<std::size_t>(i)])] = {
          static_cast<int>(k), i};
}

NodeId RowExpressions::input(const Leaf& leaf) {
  const auto [at, fresh] = input_of_.try_emplace(
      {static_cast<int>(leaf.kind), {leaf.which, leaf.order}}, static_cast<int>(leaves_.size()));
  if (fresh) {
    leaves_.push_back(leaf);
    const auto name = [&] { return variables_[static_cast<std::size_t>(leaf.which)]; };
    names_.push_back(leaf.kind == Leaf::Kind::time ? "time"
                     : leaf.kind == Leaf::Kind::discrete
                         ? discrete_[static_cast<std::size_t>(leaf.which)]
                     : leaf.order == 0 ? name()
                     : leaf.order == 1 ? fmt::format("der({})", name())
                                       : fmt::format("der({}, {})", name(), leaf.order));
  }
  return graph.input(at->second);
}

NodeId RowExpressions::residual(int row) {
  const auto [k, instance] = place_[static_cast<std::size_t>(row)];
  const Kernel& kernel = equations_.kernels()[static_cast<std::size_t>(k)];
  return rebuilt(kernel.graph, kernel.residual, graph, [&, i = instance](int number) {
    const auto l = static_cast<std::size_t>(number);
    const auto at = static_cast<std::size_t>(i);
    Leaf leaf = kernel.leaves[l];
    if (leaf.kind == Leaf::Kind::data) return graph.constant(kernel.data[l][at]);
    if (leaf.kind != Leaf::Kind::time) leaf.which = kernel.which[l][at];
    return input(leaf);
  });
}

int RowExpressions::variables_in(int row) const {
  const auto& leaves =
      equations_.kernels()[static_cast<std::size_t>(place_[static_cast<std::size_t>(row)].first)]
          .leaves;
  return static_cast<int>(std::count_if(leaves.begin(), leaves.end(), [](const Leaf& leaf) {
    return leaf.kind == Leaf::Kind::variable;
  }));
}

void RowExpressions::add(NodeId root, EquationBuilder& builder) const {
  builder.begin();
  builder.add(rebuilt(graph, root, builder.graph(), [&](int number) {
    const Leaf& leaf = leaf_of(number);
    return leaf.kind == Leaf::Kind::time       ? builder.time()
           : leaf.kind == Leaf::Kind::discrete ? builder.discrete(leaf.which)
                                               : builder.variable(leaf.which, leaf.order);
  }));
}

NodeId RowExpressions::differentiated(NodeId root) {
  std::vector<int> moving;
  for (const NodeId id : needed(graph, root))
    if (graph[id].op == Op::input &&
        leaves_[static_cast<std::size_t>(graph[id].a)].kind != Leaf::Kind::discrete)
      moving.push_back(graph[id].a);
  const std::vector<NodeId> partial = gradient(graph, root, moving);
  NodeId sum = graph.constant(0);
  for (std::size_t k = 0; k < moving.size(); ++k) {
    Leaf leaf = leaves_[static_cast<std::size_t>(moving[k])];
    if (leaf.kind == Leaf::Kind::time) {
      sum = graph.add(sum, partial[k]);
      continue;
    }
    ++leaf.order;
    const NodeId rate = input(leaf);
    sum = graph.add(sum, graph.mul(partial[k], rate));
  }
  return sum;
}

NodeId RowExpressions::substituted(NodeId root, const Replacements& replacements) {
  return rebuilt(graph, root, graph, [&](int number) {
    const Leaf& leaf = leaves_[static_cast<std::size_t>(number)];
    if (leaf.kind == Leaf::Kind::variable)
      if (const auto at = replacements.find({leaf.which, leaf.order}); at != replacements.end())
        return at->second;
    return graph.input(number);
  });
}

NodeId RowExpressions::collected(NodeId root) {
  return SumOfProducts(graph, names_).collected(graph, root);
}

std::vector<std::pair<int, int>> RowExpressions::occurring(NodeId root) const {
  std::vector<std::pair<int, int>> list;
  for (const NodeId id : needed(graph, root))
    if (graph[id].op == Op::input)
      if (const Leaf& leaf = leaves_[static_cast<std::size_t>(graph[id].a)];
          leaf.kind == Leaf::Kind::variable)
        list.emplace_back(leaf.which, leaf.order);
  return list;
}

double RowExpressions::written_size(NodeId root) const {
  std::vector<double> size(static_cast<std::size_t>(root) + 1, 0.0);
  for (const NodeId id : needed(graph, root)) {
    double& own = size[static_cast<std::size_t>(id)];
    own = 1;
    for (const NodeId operand : operands(graph[id])) own += size[static_cast<std::size_t>(operand)];
  }
  return size[static_cast<std::size_t>(root)];
}

std::string RowExpressions::text(NodeId root) const {
  return SumOfProducts(graph, names_).text(root);
}

std::string RowExpressions::equation_text(NodeId root) const {
  return SumOfProducts(graph, names_).equation_text(root);
}

}  // namespace daedalus
