#include "formulation/evaluation_order.h"

#include <algorithm>

#include "expression/early_sums.h"
#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// Known after some operations from the inputs on, while the processor is busy with others.
constexpr int soon = 64;

class Copy {
 public:
  explicit Copy(const Graph& from, NodeId last)
      : from_(from), made_(static_cast<std::size_t>(last) + 1, -1) {}

  /// With what it needs before it.
  NodeId add(NodeId root) {
    waiting_.push_back(root);
    while (!waiting_.empty()) {
      const NodeId id = waiting_.back();
      const std::size_t all = waiting_.size();
      if (at(id) < 0) {
        for_operands(from_[id], [&](NodeId operand) {
          if (at(operand) < 0) waiting_.push_back(operand);
        });
        std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(all), waiting_.end());
        if (waiting_.size() > all) continue;
        at(id) = copied(from_[id]);
      }
      waiting_.pop_back();
    }
    return at(root);
  }
  Graph take() { return std::move(to_); }

 private:
  NodeId& at(NodeId id) { return made_[static_cast<std::size_t>(id)]; }
  NodeId copied(const Node& n) {
    if (n.op == Op::constant) return to_.constant(n.value);
    if (n.op == Op::input) return to_.input(n.a);
    const int count = operands_of(n.op);
    return to_.make(n.op, at(n.a), count > 1 ? at(n.b) : -1, count > 2 ? at(n.c) : -1);
  }

  const Graph& from_;
  Graph to_;
  std::vector<NodeId> made_, waiting_;
};

}  // namespace

Graph in_order_of_use(const Graph& graph, std::vector<NodeId>& nodes) {
  NodeId last = -1;
  for (const NodeId id : nodes) last = std::max(last, id);
  std::vector<char> needed(static_cast<std::size_t>(last) + 1, 0);
  const auto at = [](NodeId id) { return static_cast<std::size_t>(id); };
  for (const NodeId id : nodes) needed[at(id)] = 1;
  for (NodeId id = last; id >= 0; --id)
    if (needed[at(id)]) for_operands(graph[id], [&](NodeId operand) { needed[at(operand)] = 1; });

  KnownTimes known(graph);
  std::vector<NodeId> late;
  for (NodeId id = 0; id <= last; ++id)
    if (needed[at(id)] && known(id) > soon) late.push_back(id);
  std::stable_sort(late.begin(), late.end(),
                   [&](NodeId a, NodeId b) { return known(a) < known(b); });
  Copy copy(graph, last);
  for (const NodeId id : late) copy.add(id);
  for (NodeId& id : nodes) id = copy.add(id);
  return copy.take();
}

}  // namespace daedalus
