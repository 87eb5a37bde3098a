#include "expression/tape.h"

#include <algorithm>
#include <cmath>

#include "expression/tape_steps.h"
#include "expression/turns.h"
#include "linear/dense_kernels.h"

namespace daedalus {

using Kind = Tape::Instruction::Kind;

Tape::Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs, Products products,
           int in_a_row)
    : inputs_(inputs) {
  if (!is_available(InstructionSet::avx2)) products = Products::rounded;
  const std::vector<TapeStep> steps = tape_steps(graph, outputs, products);
  NodeId last = -1;
  for (const NodeId id : outputs) last = std::max(last, id);
  constexpr int unknown = -1;
  std::vector<int> home(static_cast<std::size_t>(last) + 1, unknown),
      last_use(home.size(), unknown);
  const auto at = [](NodeId id) { return static_cast<std::size_t>(id); };
  registers_ = inputs;
  const auto settle = [&](NodeId id) {
    if (home[at(id)] != unknown) return;
    if (graph[id].op == Op::input) home[at(id)] = graph[id].a;
    if (graph[id].op != Op::constant) return;
    home[at(id)] = registers_++;
    constants_.push_back(graph[id].value);
  };
  for (int k = 0; k < static_cast<int>(steps.size()); ++k)
    for (int i = 0; i < steps[at(k)].count; ++i) {
      settle(steps[at(k)].operands[i]);
      last_use[at(steps[at(k)].operands[i])] = k;
    }
  for (const NodeId id : outputs) settle(id), last_use[at(id)] = static_cast<int>(steps.size());
  std::vector<Instruction> copies;  // max(x, x), of what has another place already
  outputs_.reserve(outputs.size());
  for (const NodeId id : outputs) {
    const int own = home[at(id)];
    const bool is_copied = own != unknown && std::ssize(outputs_) < in_a_row;
    outputs_.push_back(own == unknown || is_copied ? registers_++ : own);
    if (is_copied)
      copies.push_back({Op::max, Kind::plain, outputs_.back(), own, own, 0});
    else
      home[at(id)] = outputs_.back();
  }

  std::vector<int> free;
  int not_wanted = unknown;
  const auto take_register = [&](NodeId id) {
    if (id < 0 && not_wanted == unknown) not_wanted = registers_++;
    int& own = id < 0 ? not_wanted : home[at(id)];
    if (own != unknown) return own;
    if (free.empty()) return own = registers_++;
    own = free.back();
    free.pop_back();
    return own;
  };
  instructions_.reserve(steps.size());
  for (int k = 0; k < static_cast<int>(steps.size()); ++k) {
    const TapeStep& step = steps[at(k)];
    const auto place = [&](int i) { return i < step.count ? home[at(step.operands[i])] : 0; };
    Instruction instruction{graph[step.named()].op, step.kind, 0, place(0), place(1), place(2)};
    // Registers are reused after the last use of a value: a block then stays in the first cache.
    // Not those of a round of sines: it reads all arguments first.
    for (int i = 0; i < step.count && !instruction.is_turn(); ++i) {
      const NodeId operand = step.operands[i];
      if (last_use[at(operand)] != k || operands_of(graph[operand].op) == 0) continue;
      free.push_back(home[at(operand)]);
      last_use[at(operand)] = unknown;  // once, if it is an operand twice
    }
    instruction.target = take_register(step.result);
    if (instruction.is_turn()) instruction.b = take_register(step.cosine);
    instructions_.push_back(instruction);
  }
  instructions_.insert(instructions_.end(), copies.begin(), copies.end());
}

Tape::Tape(int inputs, int registers, std::vector<Instruction> instructions,
           std::vector<double> constants, std::vector<int> outputs)
    : inputs_(inputs),
      registers_(registers),
      instructions_(std::move(instructions)),
      constants_(std::move(constants)),
      outputs_(std::move(outputs)) {}

namespace {

template <class F>
void each(int count, double* target, F f) {
  for (int i = 0; i < count; ++i) target[i] = f(i);
}

double fused(Kind kind, double a, double b, double c) {
  return kind == Kind::multiply_add        ? std::fma(a, b, c)
         : kind == Kind::multiply_subtract ? std::fma(a, b, -c)
                                           : std::fma(-a, b, c);
}

}  // namespace

void Tape::interpret(double* memory, int count) const {
  for (const Instruction& in : instructions_) {
    double* t = memory + static_cast<std::ptrdiff_t>(in.target) * block;
    const double* a = memory + static_cast<std::ptrdiff_t>(in.a) * block;
    const double* b = memory + static_cast<std::ptrdiff_t>(in.b) * block;
    const double* c = memory + static_cast<std::ptrdiff_t>(in.c) * block;
    if (in.kind != Kind::plain) {
      double* cosine = memory + static_cast<std::ptrdiff_t>(in.b) * block;
      for (int i = 0; i < count; ++i)
        if (in.is_turn())
          sine_and_cosine(a[i], &t[i], &cosine[i]);
        else
          t[i] = fused(in.kind, a[i], b[i], c[i]);
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
    if (in.is_turn()) {
      sine_and_cosine(a, &t, &memory[in.b]);
      continue;
    }
    if (in.is_fused()) {
      t = fused(in.kind, a, b, memory[in.c]);
      continue;
    }
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
        t = std::sin(a);
        break;
      default:
        t = apply(in.op, a, b, memory[in.c]);
    }
  }
}

}  // namespace daedalus
