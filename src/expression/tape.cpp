#include "expression/tape.h"

#include <algorithm>
#include <cmath>

#include "expression/rebuild.h"

namespace daedalus {

void sine_and_cosine(double x, double* sine, double* cosine) {
#ifdef __GLIBC__
  ::sincos(x, sine, cosine);
#else
  *sine = std::sin(x), *cosine = std::cos(x);
#endif
}

namespace {

/// What becomes of a node on its way into a tape.
struct Life {
  bool needed = false;
  NodeId last_use = -1;  ///< the node that uses it last; behind all nodes: an output
  NodeId turned = -1;    ///< its sine or cosine, whichever came first
  NodeId partner = -1;   ///< cosine or sine of the same argument, where both are needed
  int home = -1;         ///< its register
};

}  // namespace

Tape::Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs) : inputs_(inputs) {
  NodeId last = -1;
  for (const NodeId id : outputs) last = std::max(last, id);
  std::vector<Life> lives(static_cast<std::size_t>(last) + 1);
  const auto life = [&](NodeId id) -> Life& { return lives[static_cast<std::size_t>(id)]; };
  for (const NodeId id : outputs) life(id).needed = true, life(id).last_use = last + 1;
  // Users come behind their operands: the first one met on the way back uses it last.
  for (NodeId id = last; id >= 0; --id)
    if (life(id).needed)
      for_operands(graph[id], [&](NodeId operand) {
        if (!life(operand).needed) life(operand).needed = true, life(operand).last_use = id;
      });

  std::vector<NodeId> list;
  list.reserve(lives.size());
  registers_ = inputs;
  for (NodeId id = 0; id <= last; ++id) {
    Life& own = life(id);
    if (!own.needed) continue;
    const Node& n = graph[id];
    if (n.op == Op::input) {
      own.home = n.a;
    } else if (n.op == Op::constant) {
      own.home = registers_++;
      constants_.push_back(n.value);
    } else {
      list.push_back(id);
      if (n.op != Op::sin && n.op != Op::cos) continue;
      NodeId& first = life(n.a).turned;
      if (first >= 0) own.partner = first, life(first).partner = id;
      first = id;
    }
  }

  std::vector<int> free;
  const auto take_register = [&] {
    if (free.empty()) return registers_++;
    const int own = free.back();
    free.pop_back();
    return own;
  };
  instructions_.reserve(list.size());
  for (const NodeId id : list) {
    Life& own = life(id);
    if (own.home >= 0) continue;  // its partner has computed it
    const Node& n = graph[id];
    const bool is_pair = own.partner >= 0;
    Instruction instruction{n.op, is_pair, 0, life(n.a).home, 0, 0};
    if (const int count = operands_of(n.op); count > 1) {
      instruction.b = life(n.b).home;
      if (count > 2) instruction.c = life(n.c).home;
    }
    // Registers are reused after the last use of a value: a block then stays in the first cache.
    for_operands(n, [&](NodeId operand) {
      const Op op = graph[operand].op;
      if (op == Op::input || op == Op::constant || life(operand).last_use != id) return;
      free.push_back(life(operand).home);
      life(operand).last_use = -1;  // once, if it is an operand twice
    });
    instruction.target = own.home = take_register();
    if (is_pair) {
      instruction.b = life(own.partner).home = take_register();
      if (n.op == Op::cos) std::swap(instruction.target, instruction.b);
      instruction.op = Op::sin;
    }
    instructions_.push_back(instruction);
  }
  outputs_.reserve(outputs.size());
  for (const NodeId id : outputs) outputs_.push_back(life(id).home);
}

namespace {

template <class F>
void each(int count, double* target, F f) {
  for (int i = 0; i < count; ++i) target[i] = f(i);
}

}  // namespace

void Tape::run(double* memory, int count) const {
  for (const Instruction& in : instructions_) {
    double* t = memory + static_cast<std::ptrdiff_t>(in.target) * block;
    const double* a = memory + static_cast<std::ptrdiff_t>(in.a) * block;
    const double* b = memory + static_cast<std::ptrdiff_t>(in.b) * block;
    const double* c = memory + static_cast<std::ptrdiff_t>(in.c) * block;
    if (in.pair) {
      double* cosine = memory + static_cast<std::ptrdiff_t>(in.b) * block;
      for (int i = 0; i < count; ++i) sine_and_cosine(a[i], &t[i], &cosine[i]);
      continue;
    }
    // The frequent operations have loops that vectorise; the rest goes through `apply`.
    switch (in.op) {
      case Op::add:
        each(count, t, [=](int i) { return a[i] + b[i]; });
        break;
      case Op::sub:
        each(count, t, [=](int i) { return a[i] - b[i]; });
        break;
      case Op::mul:
        each(count, t, [=](int i) { return a[i] * b[i]; });
        break;
      case Op::div:
        each(count, t, [=](int i) { return a[i] / b[i]; });
        break;
      case Op::neg:
        each(count, t, [=](int i) { return -a[i]; });
        break;
      case Op::sqrt:
        each(count, t, [=](int i) { return std::sqrt(a[i]); });
        break;
      case Op::exp:
        each(count, t, [=](int i) { return std::exp(a[i]); });
        break;
      case Op::sin:
        each(count, t, [=](int i) { return std::sin(a[i]); });
        break;
      case Op::cos:
        each(count, t, [=](int i) { return std::cos(a[i]); });
        break;
      default:
        each(count, t, [=, op = in.op](int i) { return apply(op, a[i], b[i], c[i]); });
    }
  }
}

void Tape::interpret_one(double* memory) const {
  for (const Instruction& in : instructions_) {
    const double a = memory[in.a], b = memory[in.b];
    double& t = memory[in.target];
    switch (in.op) {
      case Op::add:
        t = a + b;
        break;
      case Op::sub:
        t = a - b;
        break;
      case Op::mul:
        t = a * b;
        break;
      case Op::div:
        t = a / b;
        break;
      case Op::neg:
        t = -a;
        break;
      case Op::sqrt:
        t = std::sqrt(a);
        break;
      case Op::exp:
        t = std::exp(a);
        break;
      case Op::sin:
        if (in.pair)
          sine_and_cosine(a, &t, &memory[in.b]);
        else
          t = std::sin(a);
        break;
      default:
        t = apply(in.op, a, b, memory[in.c]);
    }
  }
}

}  // namespace daedalus
