#include "expression/tape_steps.h"

#include <algorithm>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

using Kind = Tape::Instruction::Kind;

struct Use {
  int count = 0;          ///< as an operand; outputs are used once more
  bool absorbed = false;  ///< in the sum it is a term of
  int level = 0;          ///< how many rounds of sines and cosines come before it
  NodeId turned = -1;     ///< its sine or cosine, whichever came first
  NodeId partner = -1;    ///< cosine or sine of the same argument, where both are needed, or itself
};

class Order {
 public:
  Order(const Graph& graph, const std::vector<NodeId>& outputs) : graph_(graph) {
    NodeId last = -1;
    for (const NodeId id : outputs) last = std::max(last, id);
    uses_.resize(static_cast<std::size_t>(last) + 1);
    for (const NodeId id : outputs) ++use(id).count;
    // Users come behind their operands.
    for (NodeId id = last; id >= 0; --id)
      if (use(id).count > 0) for_operands(graph[id], [&](NodeId operand) { ++use(operand).count; });
    for (const NodeId id : outputs) ++use(id).count;
    for (NodeId id = 0; id <= last; ++id)
      if (use(id).count > 0) find_partner(id);
  }

  std::vector<TapeStep> steps(bool fused) {
    std::vector<TapeStep> list;
    list.reserve(uses_.size());
    const auto end = static_cast<NodeId>(uses_.size());
    for (NodeId id = 0; fused && id < end; ++id)
      if (const NodeId product = product_in(id); product >= 0) use(product).absorbed = true;
    if (fused) join_rounds();
    bool turns = false;
    for (NodeId id = 0; id < end; ++id) {
      Use& own = use(id);
      if (own.count == 0 || operands_of(graph_[id].op) == 0) continue;
      for_operands(graph_[id],
                   [&](NodeId operand) { own.level = std::max(own.level, use(operand).level); });
      if (own.partner >= 0) turns = true, ++own.level;
      if (!own.absorbed && own.partner <= id) list.push_back(step(id, fused));
    }
    if (turns)
      std::stable_sort(list.begin(), list.end(), [&](const TapeStep& a, const TapeStep& b) {
        return round_of(a) < round_of(b);
      });
    return list;
  }

 private:
  Use& use(NodeId id) { return uses_[static_cast<std::size_t>(id)]; }

  void find_partner(NodeId id) {
    const Node& n = graph_[id];
    if (n.op != Op::sin && n.op != Op::cos) return;
    NodeId& first = use(n.a).turned;
    if (first >= 0) use(id).partner = first, use(first).partner = id;
    first = id;
  }

  /// Where rounds of sines with their cosines are made, a sine alone costs less as one of them than
  /// by a call of its own.
  void join_rounds() {
    const auto turns = [&](NodeId id) {
      return use(id).count > 0 && (graph_[id].op == Op::sin || graph_[id].op == Op::cos);
    };
    const auto end = static_cast<NodeId>(uses_.size());
    bool any = false;
    for (NodeId id = 0; id < end && !any; ++id) any = use(id).partner >= 0;
    for (NodeId id = 0; any && id < end; ++id)
      if (turns(id) && use(id).partner < 0) use(id).partner = id;
  }

  bool is_passing_product(NodeId id) { return graph_[id].op == Op::mul && use(id).count == 1; }

  /// The product that this sum or difference takes up; -1: none.
  NodeId product_in(NodeId id) {
    const Node& n = graph_[id];
    if (use(id).count == 0 || (n.op != Op::add && n.op != Op::sub)) return -1;
    if (n.op == Op::sub && graph_[n.a].op == Op::mul && graph_[n.b].op == Op::mul) return -1;
    return is_passing_product(n.b) ? n.b : is_passing_product(n.a) ? n.a : -1;
  }

  TapeStep step(NodeId id, bool fused) {
    const Node& n = graph_[id];
    TapeStep result{Kind::plain, id, -1, operands_of(n.op), {n.a, n.b, n.c}};
    if (const NodeId partner = use(id).partner; partner >= 0) {
      result.kind = Kind::sine_and_cosine;
      const NodeId other = partner == id ? -1 : partner;
      result.cosine = n.op == Op::cos ? id : other;
      result.result = n.op == Op::cos ? other : id;
    } else if (const NodeId product = fused ? product_in(id) : -1; product >= 0) {
      result.kind = n.op == Op::add  ? Kind::multiply_add
                    : product == n.a ? Kind::multiply_subtract
                                     : Kind::subtract_product;
      result.count = 3;
      result.operands[0] = graph_[product].a, result.operands[1] = graph_[product].b;
      result.operands[2] = product == n.a ? n.b : n.a;
    }
    return result;
  }

  /// What needs the sines of a round comes behind them and before the next round.
  int round_of(const TapeStep& own) {
    return 2 * use(own.named()).level + (own.kind == Kind::sine_and_cosine ? 0 : 1);
  }

  const Graph& graph_;
  std::vector<Use> uses_;
};

}  // namespace

std::vector<TapeStep> tape_steps(const Graph& graph, const std::vector<NodeId>& outputs,
                                 Tape::Products products) {
  return Order(graph, outputs).steps(products == Tape::Products::fused);
}

}  // namespace daedalus
