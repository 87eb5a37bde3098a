#include "analysis/explicit_leaves.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

constexpr int longest_sum = 20;  // variables of an equation that is searched for paths

/// For each node: the marks of all inputs that are in it, one bit for each mark.
using Marks = std::uint64_t;
template <class MarkOf>
std::vector<Marks> marks_within(const Graph& graph, NodeId root, const MarkOf& mark_of) {
  std::vector<Marks> marks(static_cast<std::size_t>(root) + 1, 0);
  for (const NodeId id : needed(graph, root)) {
    const Node& n = graph[id];
    Marks& own = marks[static_cast<std::size_t>(id)];
    if (n.op == Op::input) own = mark_of(n.a);
    for (const NodeId operand : operands(n)) own |= marks[static_cast<std::size_t>(operand)];
  }
  return marks;
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

/// Takes the operations off  residual = 0  one by one until the leaf, which has this mark, stands
/// alone: `step(node, on the left, operand that holds it, other operand)`. False: it cannot.
template <class Step>
bool walk_to(const Kernel& kernel, const std::vector<Marks>& marks, Marks mark, bool with_factors,
             Step step) {
  const Graph& g = kernel.graph;
  for (NodeId at = kernel.residual; g[at].op != Op::input;) {
    const Node n = g[at];
    if (n.op == Op::neg) {
      step(n, true, n.a, -1);
      at = n.a;
      continue;
    }
    if (operands_of(n.op) != 2) return false;
    const bool left = marks[static_cast<std::size_t>(n.a)] & mark;
    if (left && marks[static_cast<std::size_t>(n.b)] & mark) return false;
    const NodeId other = left ? n.b : n.a;
    const bool is_sum = n.op == Op::add || n.op == Op::sub;
    const bool is_product = n.op == Op::mul || (n.op == Op::div && left);
    if (!is_sum && !(is_product && with_factors && is_factor(kernel, other))) return false;
    at = left ? n.a : n.b;
    step(n, left, at, other);
  }
  return true;
}

std::optional<ExplicitLeaf> isolated(const Kernel& kernel, int leaf,
                                     const std::vector<Marks>& marks, Marks mark,
                                     bool with_factors) {
  // Most have no way out, and need no graph of their own.
  if (!walk_to(kernel, marks, mark, with_factors, [](const Node&, bool, NodeId, NodeId) {}))
    return std::nullopt;
  ExplicitLeaf result{leaf, kernel.graph, -1, false};
  Graph& g = result.graph;
  result.value = g.constant(0);
  int depth = 0;
  walk_to(kernel, marks, mark, with_factors,
          [&](const Node& n, bool left, NodeId held, NodeId other) {
            NodeId& value = result.value;
            value = n.op == Op::neg   ? g.neg(value)
                    : n.op == Op::add ? g.sub(value, other)
                    : n.op == Op::sub ? (left ? g.add(value, other) : g.sub(other, value))
                    : n.op == Op::mul ? g.div(value, other)
                                      : g.mul(value, other);
            result.bare = depth++ == 0 && n.op == Op::sub && g[held].op == Op::input;
          });
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
  const auto mark_of = [&](int leaf) {
    const auto at = std::find(variables.begin(), variables.end(), leaf);
    return at == variables.end() ? Marks{0} : Marks{1} << (at - variables.begin());
  };
  std::vector<Marks> marks;
  if (!many) marks = marks_within(kernel.graph, kernel.residual, mark_of);
  for (const int leaf : variables) {
    const auto stands_alone = [&](NodeId id) {
      return kernel.graph[id].op == Op::input && kernel.graph[id].a == leaf;
    };
    // v = -sum is a sum of both.
    const bool is_sum = root.op == Op::sub || root.op == Op::add;
    if (many && !(is_sum && (stands_alone(root.a) || stands_alone(root.b)))) continue;
    if (many)
      marks = marks_within(kernel.graph, kernel.residual,
                           [leaf](int input) { return Marks{input == leaf}; });
    if (auto found = isolated(kernel, leaf, marks, many ? 1 : mark_of(leaf), pair))
      list.push_back(std::move(*found));
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
    const std::vector<Marks> moves = marks_within(graph, partial, [&](int input) {
      return Marks{kernel.leaves[static_cast<std::size_t>(input)].kind != Leaf::Kind::data};
    });
    if (moves.back()) return false;
  }
  return true;
}

}  // namespace daedalus
