#include "analysis/explicit_leaves.h"

#include <algorithm>
#include <optional>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

constexpr int longest_sum = 20;  // variables of an equation that is searched for paths

/// For each node: whether one of the wanted inputs is in it.
template <class Wanted>
std::vector<char> holders(const Graph& graph, NodeId root, const Wanted& wanted) {
  std::vector<char> holds(static_cast<std::size_t>(root) + 1, 0);
  for (const NodeId id : needed(graph, root)) {
    const Node& n = graph[id];
    char& own = holds[static_cast<std::size_t>(id)];
    if (n.op == Op::input) own = wanted(n.a);
    for (const NodeId operand : operands(n)) own |= holds[static_cast<std::size_t>(operand)];
  }
  return holds;
}

/// Numbers of all instances differ from zero; a factor that is a formula of numbers does not count.
bool is_factor(const Kernel& kernel, NodeId id) {
  const Node& n = kernel.graph[id];
  if (n.op == Op::constant) return n.value != 0;
  if (n.op != Op::input || kernel.leaves[static_cast<std::size_t>(n.a)].kind != Leaf::Kind::data)
    return false;
  const std::vector<double>& numbers = kernel.data[static_cast<std::size_t>(n.a)];
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return x != 0; });
}

/// Takes the operations off  residual = 0  one by one until the leaf stands alone.
std::optional<ExplicitLeaf> isolated(const Kernel& kernel, int leaf, bool with_factors) {
  const std::vector<char> holds =
      holders(kernel.graph, kernel.residual, [&](int input) { return input == leaf; });
  ExplicitLeaf result{leaf, kernel.graph, -1, false};
  Graph& g = result.graph;
  NodeId at = kernel.residual, value = g.constant(0);
  for (int depth = 0;; ++depth) {
    const Node n = g[at];
    if (n.op == Op::input) break;
    if (n.op == Op::neg) {
      at = n.a, value = g.neg(value);
      continue;
    }
    if (operands_of(n.op) != 2) return std::nullopt;
    const bool left = holds[static_cast<std::size_t>(n.a)];
    if (left && holds[static_cast<std::size_t>(n.b)]) return std::nullopt;
    const NodeId other = left ? n.b : n.a;
    if (n.op == Op::add)
      value = g.sub(value, other);
    else if (n.op == Op::sub)
      value = left ? g.add(value, other) : g.sub(other, value);
    else if (n.op == Op::mul && with_factors && is_factor(kernel, other))
      value = g.div(value, other);
    else if (n.op == Op::div && left && with_factors && is_factor(kernel, other))
      value = g.mul(value, other);
    else
      return std::nullopt;
    at = left ? n.a : n.b;
    result.bare = depth == 0 && n.op == Op::sub && g[at].op == Op::input;
  }
  result.value = value;
  return result;
}

/// The only leaves that are no numbers are two variables.
bool has_two_variables_alone(const Kernel& kernel) {
  int count = 0;
  for (const Leaf& leaf : kernel.leaves) {
    if (leaf.kind == Leaf::Kind::data) continue;
    if (leaf.kind != Leaf::Kind::variable || leaf.order > 0) return false;
    ++count;
  }
  return count == 2;
}

}  // namespace

std::vector<ExplicitLeaf> explicit_leaves(const Kernel& kernel) {
  std::vector<ExplicitLeaf> list;
  std::vector<int> variables;
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
    if (kernel.leaves[l].kind != Leaf::Kind::variable) continue;
    if (kernel.leaves[l].order > 0) return list;
    variables.push_back(static_cast<int>(l));
  }
  const Node root = kernel.graph[kernel.residual];
  if (root.op != Op::sub && root.op != Op::add && root.op != Op::neg && root.op != Op::input)
    return list;
  const bool pair = has_two_variables_alone(kernel);
  const bool many = static_cast<int>(variables.size()) > longest_sum;
  for (const int leaf : variables) {
    const auto stands_alone = [&](NodeId id) {
      return kernel.graph[id].op == Op::input && kernel.graph[id].a == leaf;
    };
    if (many && !(root.op == Op::sub && (stands_alone(root.a) || stands_alone(root.b)))) continue;
    if (auto found = isolated(kernel, leaf, pair)) list.push_back(std::move(*found));
  }
  return list;
}

bool is_alias(const Kernel& kernel) {
  return has_two_variables_alone(kernel) && explicit_leaves(kernel).size() == 2;
}

bool is_affine(const Kernel& kernel) {
  std::vector<int> variables;
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
    if (kernel.leaves[l].kind == Leaf::Kind::variable) variables.push_back(static_cast<int>(l));
  Graph graph = kernel.graph;
  for (const NodeId partial : gradient(graph, kernel.residual, variables)) {
    const std::vector<char> moves = holders(graph, partial, [&](int input) {
      return kernel.leaves[static_cast<std::size_t>(input)].kind != Leaf::Kind::data;
    });
    if (moves.back()) return false;
  }
  return true;
}

}  // namespace daedalus
