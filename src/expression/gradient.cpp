// Symbolic reverse differentiation, and text, of expression graphs.
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "expression/graph.h"
#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// d op / d operand, as expressions of the operands (and of the node itself).
struct Partials {
  NodeId a = -1, b = -1;
};

Partials partials(Graph& g, NodeId id) {
  const Node n = g[id];
  const auto one = [&] { return g.constant(1); };
  const auto zero = [&] { return g.constant(0); };
  switch (n.op) {
    case Op::neg:
      return {g.constant(-1)};
    case Op::sqrt:
      return {g.div(g.constant(0.5), id)};
    case Op::exp:
      return {id};
    case Op::log:
      return {g.div(one(), n.a)};
    case Op::log10:
      return {g.div(g.constant(0.43429448190325182765), n.a)};
    case Op::sin:
      return {g.make(Op::cos, n.a)};
    case Op::cos:
      return {g.neg(g.make(Op::sin, n.a))};
    case Op::tan:
      return {g.add(one(), g.mul(id, id))};
    case Op::asin:
      return {g.div(one(), g.make(Op::sqrt, g.sub(one(), g.mul(n.a, n.a))))};
    case Op::acos:
      return {g.neg(g.div(one(), g.make(Op::sqrt, g.sub(one(), g.mul(n.a, n.a)))))};
    case Op::atan:
      return {g.div(one(), g.add(one(), g.mul(n.a, n.a)))};
    case Op::sinh:
      return {g.make(Op::cosh, n.a)};
    case Op::cosh:
      return {g.make(Op::sinh, n.a)};
    case Op::tanh:
      return {g.sub(one(), g.mul(id, id))};
    case Op::abs:
      return {g.make(Op::sign, n.a)};
    case Op::add:
      return {one(), one()};
    case Op::sub:
      return {one(), g.constant(-1)};
    case Op::mul:
      return {n.b, n.a};
    case Op::div:
      return {g.div(one(), n.b), g.neg(g.div(id, n.b))};
    case Op::pow: {
      const NodeId a = g.mul(n.b, g.pow(n.a, g.sub(n.b, one())));
      return {a, g.is_constant(n.b) ? zero() : g.mul(id, g.make(Op::log, n.a))};
    }
    case Op::atan2: {
      const NodeId r = g.add(g.mul(n.a, n.a), g.mul(n.b, n.b));
      return {g.div(n.b, r), g.neg(g.div(n.a, r))};
    }
    case Op::min: {
      const NodeId first = g.make(Op::less, n.a, n.b);
      return {first, g.sub(one(), first)};
    }
    case Op::max: {
      const NodeId first = g.make(Op::less, n.b, n.a);
      return {first, g.sub(one(), first)};
    }
    case Op::mod:
      return {one(), g.neg(g.make(Op::floor, g.div(n.a, n.b)))};
    case Op::rem:
      return {one(), g.neg(g.div(g.sub(n.a, id), n.b))};
    default:
      return {zero(), zero()};  // comparisons and steps: constant between jumps
  }
}

int precedence(Op op) {
  switch (op) {
    case Op::select:
      return 0;
    case Op::logical_or:
      return 1;
    case Op::logical_and:
      return 2;
    case Op::logical_not:
      return 3;
    case Op::less:
    case Op::less_equal:
    case Op::equal:
      return 4;
    case Op::add:
    case Op::sub:
      return 5;
    case Op::neg:
      return 6;
    case Op::mul:
    case Op::div:
      return 7;
    case Op::pow:
      return 8;
    default:
      return 9;
  }
}

std::string text(const Graph& g, NodeId id, const std::vector<std::string>& names, int outer) {
  const Node& n = g[id];
  std::string s;
  if (n.op == Op::constant) {
    s = fmt::format("{}", n.value);
    return n.value < 0 && outer > 5 ? fmt::format("({})", s) : s;
  }
  if (n.op == Op::input) return names[static_cast<std::size_t>(n.a)];
  const int own = precedence(n.op);
  if (n.op == Op::select)
    s = fmt::format("if {} then {} else {}", text(g, n.a, names, 0), text(g, n.b, names, 0),
                    text(g, n.c, names, 0));
  else if (n.op == Op::neg)
    s = fmt::format("-{}", text(g, n.a, names, 7));
  else if (n.op == Op::logical_not)
    s = fmt::format("not {}", text(g, n.a, names, 4));
  else if (own < 9) {
    const bool right_tight = n.op == Op::sub || n.op == Op::div || n.op == Op::pow;
    const char* space = own <= 5 ? " " : "";
    s = fmt::format("{}{}{}{}{}", text(g, n.a, names, n.op == Op::pow ? own + 1 : own), space,
                    name_of(n.op), space, text(g, n.b, names, own + (right_tight ? 1 : 0)));
  } else if (operands_of(n.op) == 1)
    return fmt::format("{}({})", name_of(n.op), text(g, n.a, names, 0));
  else
    return fmt::format("{}({}, {})", name_of(n.op), text(g, n.a, names, 0), text(g, n.b, names, 0));
  return own < outer ? fmt::format("({})", s) : s;
}

}  // namespace

namespace {

using InputGradient = std::map<int, NodeId>;  ///< input -> partial derivative

/// Reverse sweeps that stop at a choice: its branches are swept apart and chosen between at the
/// inputs, since 0 times the derivative of the branch not taken may be 0 times infinity.
class ReverseSweep {
 public:
  explicit ReverseSweep(Graph& graph) : graph_(graph) {}

  const InputGradient& of(NodeId root) {
    const auto known = done_.find(root);
    return known != done_.end() ? known->second : done_[root] = sweep(root);
  }

 private:
  InputGradient sweep(NodeId root) {
    const std::vector<NodeId> list = needed(graph_, root);
    std::vector<NodeId> adjoint(list.size(), -1);
    adjoint.back() = graph_.constant(1);
    const auto accumulate = [&](NodeId to, NodeId share) {
      NodeId& slot = adjoint[static_cast<std::size_t>(place_in(list, to))];
      slot = slot < 0 ? share : graph_.add(slot, share);
    };
    InputGradient result;
    // Operands have smaller numbers than their node, so one sweep downwards reaches everything.
    for (std::size_t k = list.size(); k-- > 0;) {
      const NodeId id = list[k], own = adjoint[k];
      const Node n = graph_[id];
      if (own < 0 || graph_.is_constant(own, 0)) continue;
      if (n.op == Op::input) result[n.a] = own;
      const int count = operands_of(n.op);
      if (count == 0) continue;
      if (n.op == Op::select) {
        for (const auto& [input, share] : choice(n, own)) accumulate(graph_.input(input), share);
        continue;
      }
      // Most nodes are these, and constants would have to be looked up.
      if (n.op == Op::add || n.op == Op::sub || n.op == Op::neg) {
        const NodeId opposite = n.op == Op::add ? own : graph_.neg(own);
        accumulate(n.a, n.op == Op::neg ? opposite : own);
        if (count > 1) accumulate(n.b, opposite);
        continue;
      }
      const Partials p = partials(graph_, id);
      const bool chooses = (n.op == Op::min || n.op == Op::max) && !graph_.is_constant(own);
      const auto share = [&](NodeId partial) {
        return chooses ? graph_.make(Op::select, partial, own, graph_.constant(0))
                       : graph_.mul(own, partial);
      };
      accumulate(n.a, share(p.a));
      if (count > 1) accumulate(n.b, share(p.b));
    }
    return result;
  }

  /// Times `own`, which may be infinite itself where the branch taken has no derivative: that of
  /// sqrt(max(h, 0)) at h = 0.
  InputGradient choice(const Node& n, NodeId own) {
    const InputGradient first = of(n.b), second = of(n.c);
    const auto partial = [&](const InputGradient& branch, int input) {
      const auto at = branch.find(input);
      return at == branch.end() ? graph_.constant(0) : at->second;
    };
    InputGradient all = first;
    all.insert(second.begin(), second.end());
    for (auto& [input, value] : all) {
      const NodeId a = partial(first, input), b = partial(second, input);
      value = graph_.is_constant(a, 0) || graph_.is_constant(b, 0)
                  ? graph_.make(Op::select, n.a, graph_.mul(own, a), graph_.mul(own, b))
                  : graph_.mul(own, graph_.make(Op::select, n.a, a, b));
    }
    return all;
  }

  Graph& graph_;
  std::map<NodeId, InputGradient> done_;
};

}  // namespace

std::vector<NodeId> gradient(Graph& graph, NodeId root, const std::vector<int>& inputs) {
  ReverseSweep sweep(graph);
  const InputGradient& of_input = sweep.of(root);
  std::vector<NodeId> result;
  for (int input : inputs) {
    const auto at = of_input.find(input);
    result.push_back(at == of_input.end() ? graph.constant(0) : at->second);
  }
  return result;
}

NodeId tangent(Graph& graph, NodeId root, const std::function<NodeId(int)>& rate) {
  const std::vector<NodeId> list = needed(graph, root);
  std::vector<NodeId> made;
  made.reserve(list.size());
  const auto at = [&](NodeId x) { return made[static_cast<std::size_t>(place_in(list, x))]; };
  const NodeId zero = graph.constant(0);
  for (const NodeId id : list) {
    const Node n = graph[id];
    const int count = operands_of(n.op);
    NodeId result = zero;
    if (n.op == Op::input) {
      result = rate(n.a);
    } else if (n.op == Op::select) {
      result = graph.make(Op::select, n.a, at(n.b), at(n.c));
    } else if (n.op == Op::neg) {
      result = graph.neg(at(n.a));
    } else if (n.op == Op::sub) {
      result = graph.sub(at(n.a), at(n.b));
    } else if (count > 0) {
      const NodeId a = at(n.a), b = count > 1 ? at(n.b) : zero;
      // Constant operands may have no derivative at all: log of a negative base of a power.
      if (a != zero || b != zero) {
        const Partials p = partials(graph, id);
        if (a != zero) result = graph.mul(p.a, a);
        if (b != zero) result = graph.add(result, graph.mul(p.b, b));
      }
    }
    made.push_back(result);
  }
  return made.back();
}

std::string to_text(const Graph& graph, NodeId root, const std::vector<std::string>& input_name) {
  return text(graph, root, input_name, 0);
}

}  // namespace daedalus
