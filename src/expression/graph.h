#pragma once
// Expressions as a hash-consed graph: equal expressions are one node, constants are folded, trivial
// identities removed. Nodes are numbered in the order of their making, so operands come first.
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace daedalus {

enum class Op : std::uint8_t {
  constant,
  input,
  // one operand
  neg,
  sqrt,
  exp,
  log,
  log10,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  abs,
  sign,
  floor,
  ceil,
  logical_not,
  // two operands
  add,
  sub,
  mul,
  div,
  pow,
  atan2,
  min,
  max,
  mod,
  rem,
  less,
  less_equal,
  equal,
  logical_and,
  logical_or,
  // condition, then, otherwise
  select,
};

constexpr int operands_of(Op op) {
  return op <= Op::input ? 0 : op <= Op::logical_not ? 1 : op <= Op::logical_or ? 2 : 3;
}
const char* name_of(Op op);

using NodeId = std::int32_t;

struct Node {
  Op op = Op::constant;
  NodeId a = -1, b = -1, c = -1;  ///< operands; a: number of an input
  double value = 0;               ///< of a constant
};

/// What both tiers, interpreter and generated code, compute for an operation.
double apply(Op op, double a, double b = 0, double c = 0);

class Graph {
 public:
  Graph();

  NodeId constant(double value);
  NodeId input(int number);
  NodeId make(Op op, NodeId a, NodeId b = -1, NodeId c = -1);

  NodeId add(NodeId a, NodeId b) { return make(Op::add, a, b); }
  NodeId sub(NodeId a, NodeId b) { return make(Op::sub, a, b); }
  NodeId mul(NodeId a, NodeId b) { return make(Op::mul, a, b); }
  NodeId div(NodeId a, NodeId b) { return make(Op::div, a, b); }
  NodeId neg(NodeId a) { return make(Op::neg, a); }
  /// Small integer powers become products, so that both tiers give the same bits.
  NodeId pow(NodeId a, NodeId b);

  const Node& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  bool is_constant(NodeId id) const { return (*this)[id].op == Op::constant; }
  bool is_constant(NodeId id, double value) const {
    return is_constant(id) && (*this)[id].value == value;
  }
  double value(NodeId id) const { return (*this)[id].value; }
  /// Forgets all nodes, keeps the memory.
  void clear();
  /// Forgets those from number `count` on.
  void cut_back(int count);
  /// More nodes end by an exception: what is recorded may be a long computation.
  void limit(int most) { most_ = most; }

 private:
  static std::uint64_t hash_of(const Node& node);
  NodeId intern(const Node& node);
  NodeId simplified(Op op, NodeId a, NodeId b, NodeId c);
  void grow();

  std::vector<Node> nodes_;
  int most_ = std::numeric_limits<int>::max();
  struct Cell {
    std::uint32_t epoch = 0;
    NodeId id = -1;
  };
  std::vector<Cell> table_;
  std::uint32_t epoch_ = 1;
};

/// What is recorded meanwhile, to be compared with nodes that are there, is forgotten again.
class PassingNodes {
 public:
  explicit PassingNodes(Graph& graph) : graph_(graph), count_(graph.size()) {}
  ~PassingNodes() { graph_.cut_back(count_); }
  PassingNodes(const PassingNodes&) = delete;
  PassingNodes& operator=(const PassingNodes&) = delete;

 private:
  Graph& graph_;
  int count_;
};

/// Partial derivatives of `root` with respect to inputs, by one reverse pass. Entry k belongs to
/// inputs[k]; the constant 0 where the input does not occur.
std::vector<NodeId> gradient(Graph& graph, NodeId root, const std::vector<int>& inputs);

/// The derivative of `root` along given rates of the inputs, by one forward pass: where inputs
/// enter by their difference it is that of their rates, which loses no digits.
NodeId tangent(Graph& graph, NodeId root, const std::function<NodeId(int input)>& rate);

/// A readable form; `input_name` names the inputs.
std::string to_text(const Graph& graph, NodeId root, const std::vector<std::string>& input_name);

}  // namespace daedalus
