// Equations by shape. The shape of an equation is its graph with the leaves made anonymous: which
// variable, which number does not matter, which leaves are the same one does.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "expression/equation_set.h"

namespace daedalus {

void EquationBuilder::begin() {
  graph_.clear();
  leaves_.clear();
  leaf_at_.clear();
}

NodeId EquationBuilder::leaf(const Leaf& wanted) {
  const std::uint64_t key = (static_cast<std::uint64_t>(wanted.kind) << 56) ^
                            (static_cast<std::uint64_t>(wanted.order) << 40) ^
                            static_cast<std::uint64_t>(static_cast<std::uint32_t>(wanted.which));
  const auto [at, fresh] = leaf_at_.try_emplace(key, static_cast<int>(leaves_.size()));
  if (fresh) leaves_.push_back(wanted);
  return graph_.input(at->second);
}

NodeId EquationBuilder::leaf(const Kernel& kernel, int input, int instance) {
  const auto l = static_cast<std::size_t>(input), i = static_cast<std::size_t>(instance);
  Leaf wanted = kernel.leaves[l];
  if (wanted.kind == Leaf::Kind::data) return graph_.constant(kernel.data[l][i]);
  if (wanted.kind != Leaf::Kind::time) wanted.which = kernel.which[l][i];
  return leaf(wanted);
}

int EquationBuilder::add(NodeId root) {
  // Nodes reachable from the root, operands first, in an order that depends on the shape alone.
  number_.assign(static_cast<std::size_t>(graph_.size()), -1);
  order_.clear();
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const NodeId id = stack_.back();
    if (number_[static_cast<std::size_t>(id)] >= 0) {
      stack_.pop_back();
      continue;
    }
    const Node& n = graph_[id];
    const int count = operands_of(n.op);
    bool ready = true;
    for (const NodeId operand : {count > 2 ? n.c : -1, count > 1 ? n.b : -1, count > 0 ? n.a : -1})
      if (operand >= 0 && number_[static_cast<std::size_t>(operand)] < 0)
        stack_.push_back(operand), ready = false;
    if (!ready) continue;
    stack_.pop_back();
    number_[static_cast<std::size_t>(id)] = static_cast<int>(order_.size());
    order_.push_back(id);
  }
  key_.clear();
  const auto append = [this](std::int32_t x) {
    char bytes[4];
    std::memcpy(bytes, &x, 4);
    key_.append(bytes, 4);
  };
  for (const NodeId id : order_) {
    const Node& n = graph_[id];
    key_.push_back(static_cast<char>(n.op));
    const int count = operands_of(n.op);
    if (n.op == Op::input) {
      const Leaf& l = leaves_[static_cast<std::size_t>(n.a)];
      key_.push_back(static_cast<char>(l.kind));
      key_.push_back(static_cast<char>(l.order));
    }
    if (count > 0) append(number_[static_cast<std::size_t>(n.a)]);
    if (count > 1) append(number_[static_cast<std::size_t>(n.b)]);
    if (count > 2) append(number_[static_cast<std::size_t>(n.c)]);
  }
  const auto [at, fresh] = kernel_of_.try_emplace(key_, static_cast<int>(set_.kernels_->size()));
  if (fresh) {
    // Built raw: simplification has been done, and the numbers of the first instance must not
    // fold into a shape that others share.
    Kernel kernel;
    for (const NodeId id : order_) {
      const Node& n = graph_[id];
      if (n.op == Op::input)
        kernel.leaves.push_back({leaves_[static_cast<std::size_t>(n.a)].kind,
                                 leaves_[static_cast<std::size_t>(n.a)].order, 0});
      if (n.op == Op::constant) kernel.leaves.push_back({Leaf::Kind::data, 0, 0});
    }
    kernel.which.resize(kernel.leaves.size());
    kernel.data.resize(kernel.leaves.size());
    std::vector<NodeId> made(order_.size());
    int next_leaf = 0;
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const Node& n = graph_[order_[k]];
      const auto operand = [&](NodeId id) {
        return made[static_cast<std::size_t>(number_[static_cast<std::size_t>(id)])];
      };
      const int count = operands_of(n.op);
      made[k] = count == 0 ? kernel.graph.input(next_leaf++)
                           : kernel.graph.make(n.op, operand(n.a), count > 1 ? operand(n.b) : -1,
                                               count > 2 ? operand(n.c) : -1);
    }
    kernel.residual = made.back();
    set_.kernels_->push_back(std::move(kernel));
  }
  Kernel& kernel = (*set_.kernels_)[static_cast<std::size_t>(at->second)];
  std::size_t next_leaf = 0;
  for (const NodeId id : order_) {
    const Node& n = graph_[id];
    if (n.op == Op::constant) {
      kernel.data[next_leaf++].push_back(n.value);
    } else if (n.op == Op::input) {
      const Leaf& l = leaves_[static_cast<std::size_t>(n.a)];
      if (l.kind != Leaf::Kind::time) kernel.which[next_leaf].push_back(l.which);
      ++next_leaf;
    }
  }
  kernel.rows.push_back(set_.rows_);
  return set_.rows_++;
}

EquationSet EquationBuilder::take() {
  set_.finish();
  kernel_of_.clear();
  return std::exchange(set_, EquationSet());
}

}  // namespace daedalus
