#include "expression/tape.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

void sine_and_cosine(double x, double* sine, double* cosine) {
#ifdef __GLIBC__
  ::sincos(x, sine, cosine);
#else
  *sine = std::sin(x), *cosine = std::cos(x);
#endif
}

Tape::Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs) : inputs_(inputs) {
  std::vector<char> needed(static_cast<std::size_t>(graph.size()), 0);
  NodeId last = -1;
  for (NodeId id : outputs) needed[static_cast<std::size_t>(id)] = 1, last = std::max(last, id);
  for (NodeId id = last; id >= 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    const Node& n = graph[id];
    const int count = operands_of(n.op);
    if (count > 0) needed[static_cast<std::size_t>(n.a)] = 1;
    if (count > 1) needed[static_cast<std::size_t>(n.b)] = 1;
    if (count > 2) needed[static_cast<std::size_t>(n.c)] = 1;
  }
  // Registers are reused after the last use of a value: a block then stays in the first cache.
  std::vector<NodeId> last_use(static_cast<std::size_t>(graph.size()), -1);
  for (NodeId id = 0; id <= last; ++id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    const Node& n = graph[id];
    const int count = operands_of(n.op);
    for (const NodeId operand : {count > 0 ? n.a : -1, count > 1 ? n.b : -1, count > 2 ? n.c : -1})
      if (operand >= 0) last_use[static_cast<std::size_t>(operand)] = id;
  }
  for (NodeId id : outputs) last_use[static_cast<std::size_t>(id)] = last + 1;

  // The other function of the same argument, where both are needed.
  std::vector<NodeId> first_of(static_cast<std::size_t>(graph.size()), -1), partner = first_of;
  for (NodeId id = 0; id <= last; ++id) {
    const Node& n = graph[id];
    if (!needed[static_cast<std::size_t>(id)] || (n.op != Op::sin && n.op != Op::cos)) continue;
    NodeId& first = first_of[static_cast<std::size_t>(n.a)];
    if (first >= 0)
      partner[static_cast<std::size_t>(id)] = first, partner[static_cast<std::size_t>(first)] = id;
    first = id;
  }

  std::vector<int> home(static_cast<std::size_t>(graph.size()), -1), free;
  const auto take_register = [&] {
    if (free.empty()) return registers_++;
    const int own = free.back();
    free.pop_back();
    return own;
  };
  registers_ = inputs;
  for (NodeId id = 0; id <= last; ++id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    const Node& n = graph[id];
    if (n.op == Op::input) home[static_cast<std::size_t>(id)] = n.a;
    if (n.op != Op::constant) continue;
    home[static_cast<std::size_t>(id)] = registers_++;
    constants_.push_back(n.value);
  }
  for (NodeId id = 0; id <= last; ++id) {
    const Node& n = graph[id];
    if (!needed[static_cast<std::size_t>(id)] || operands_of(n.op) == 0) continue;
    if (home[static_cast<std::size_t>(id)] >= 0) continue;  // its partner has computed it
    const int count = operands_of(n.op);
    const NodeId other = partner[static_cast<std::size_t>(id)];
    Instruction instruction{n.op,
                            other >= 0,
                            0,
                            home[static_cast<std::size_t>(n.a)],
                            count > 1 ? home[static_cast<std::size_t>(n.b)] : 0,
                            count > 2 ? home[static_cast<std::size_t>(n.c)] : 0};
    const NodeId operands[] = {n.a, count > 1 ? n.b : -1, count > 2 ? n.c : -1};
    for (int k = 0; k < count; ++k) {
      const NodeId operand = operands[k];
      if (std::find(operands, operands + k, operand) != operands + k) continue;
      const Op op = graph[operand].op;
      if (op != Op::input && op != Op::constant &&
          last_use[static_cast<std::size_t>(operand)] == id)
        free.push_back(home[static_cast<std::size_t>(operand)]);
    }
    instruction.target = home[static_cast<std::size_t>(id)] = take_register();
    if (other >= 0) {
      instruction.b = home[static_cast<std::size_t>(other)] = take_register();
      if (n.op == Op::cos) std::swap(instruction.target, instruction.b);
      instruction.op = Op::sin;
    }
    instructions_.push_back(instruction);
  }
  for (NodeId id : outputs) outputs_.push_back(home[static_cast<std::size_t>(id)]);
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
