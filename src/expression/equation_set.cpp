#include "expression/equation_set.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace daedalus {
namespace {

/// Loads the leaves of instances [first, first + count) into the registers.
void gather(const Kernel& kernel, const Point& point, int first, int count, double* memory) {
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
    double* target = memory + static_cast<std::ptrdiff_t>(l) * Tape::block;
    const Leaf& leaf = kernel.leaves[l];
    switch (leaf.kind) {
      case Leaf::Kind::time: std::fill_n(target, count, point.t); break;
      case Leaf::Kind::data: std::copy_n(kernel.data[l].begin() + first, count, target); break;
      default: {
        const double* source = leaf.kind == Leaf::Kind::variable ? point.x[leaf.order] : point.discrete;
        const int* which = kernel.which[l].data() + first;
        for (int i = 0; i < count; ++i) target[i] = source[which[i]];
      }
    }
  }
}

/// Copies the nodes of `from` that `root` needs into `to`, inputs replaced by `input`.
NodeId copy_nodes(const Graph& from, NodeId root, Graph& to, const std::vector<NodeId>& input) {
  std::vector<NodeId> made(static_cast<std::size_t>(root) + 1, -1);
  std::vector<char> needed(made.size(), 0);
  needed[static_cast<std::size_t>(root)] = 1;
  for (NodeId id = root; id >= 0; --id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    const Node& n = from[id];
    const int count = operands_of(n.op);
    for (const NodeId operand : {count > 0 ? n.a : -1, count > 1 ? n.b : -1, count > 2 ? n.c : -1})
      if (operand >= 0) needed[static_cast<std::size_t>(operand)] = 1;
  }
  const auto at = [&](NodeId id) { return made[static_cast<std::size_t>(id)]; };
  for (NodeId id = 0; id <= root; ++id) {
    if (!needed[static_cast<std::size_t>(id)]) continue;
    const Node& n = from[id];
    const int count = operands_of(n.op);
    made[static_cast<std::size_t>(id)] =
        n.op == Op::input      ? input[static_cast<std::size_t>(n.a)]
        : n.op == Op::constant ? to.constant(n.value)
                               : to.make(n.op, at(n.a), count > 1 ? at(n.b) : -1, count > 2 ? at(n.c) : -1);
  }
  return at(root);
}

}  // namespace

void EquationSet::finish() {
  std::size_t registers = 0;
  for (Kernel& kernel : kernels_) {
    // Numbers that all instances share become constants of the kernel, and leaves that do not
    // occur any more go.
    Graph graph;
    std::vector<Leaf> leaves;
    std::vector<std::vector<int>> which;
    std::vector<std::vector<double>> data;
    std::vector<NodeId> input(kernel.leaves.size());
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
      const std::vector<double>& numbers = kernel.data[l];
      const bool shared = kernel.leaves[l].kind == Leaf::Kind::data &&
                          std::all_of(numbers.begin(), numbers.end(), [&](double x) { return x == numbers[0]; });
      if (shared) {
        input[l] = graph.constant(numbers[0]);
        continue;
      }
      input[l] = graph.input(static_cast<int>(leaves.size()));
      leaves.push_back(kernel.leaves[l]);
      which.push_back(std::move(kernel.which[l]));
      data.push_back(std::move(kernel.data[l]));
    }
    kernel.residual = copy_nodes(kernel.graph, kernel.residual, graph, input);
    kernel.graph = std::move(graph);
    kernel.leaves = std::move(leaves);
    kernel.which = std::move(which);
    kernel.data = std::move(data);
    kernel.tape = Tape(kernel.graph, static_cast<int>(kernel.leaves.size()), {kernel.residual});
    registers = std::max(registers, static_cast<std::size_t>(kernel.tape.registers()));
  }
  memory_.assign(registers * Tape::block, 0.0);
}

int EquationSet::highest_order() const {
  int highest = 0;
  for (const Kernel& kernel : kernels_)
    for (const Leaf& leaf : kernel.leaves) highest = std::max(highest, leaf.order);
  return highest;
}

void EquationSet::residual(const Point& point, double* r) const {
  for (const Kernel& kernel : kernels_) {
    for (const auto& [reg, value] : kernel.tape.constants())
      std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(reg) * Tape::block,
                  std::min(Tape::block, kernel.instances()), value);
    const double* out = memory_.data() + static_cast<std::ptrdiff_t>(kernel.tape.output(0)) * Tape::block;
    for (int first = 0; first < kernel.instances(); first += Tape::block) {
      const int count = std::min(Tape::block, kernel.instances() - first);
      gather(kernel, point, first, count, memory_.data());
      kernel.tape.run(memory_.data(), count);
      for (int i = 0; i < count; ++i) r[kernel.rows[static_cast<std::size_t>(first + i)]] = out[i];
    }
  }
}

EquationSet EquationSet::differentiated() const {
  EquationSet result;
  result.rows_ = rows_;
  for (const Kernel& kernel : kernels_) {
    Kernel next = kernel;
    std::vector<int> moving;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable || kernel.leaves[l].kind == Leaf::Kind::time)
        moving.push_back(static_cast<int>(l));
    const std::vector<NodeId> partial = gradient(next.graph, next.residual, moving);
    NodeId sum = next.graph.constant(0);
    for (std::size_t k = 0; k < moving.size(); ++k) {
      if (next.graph.is_constant(partial[k], 0)) continue;
      const Leaf leaf = kernel.leaves[static_cast<std::size_t>(moving[k])];
      if (leaf.kind == Leaf::Kind::time) {
        sum = next.graph.add(sum, partial[k]);
        continue;
      }
      // d/dt of a variable leaf: the same variables, one order higher. The leaf may be there.
      const auto& which = kernel.which[static_cast<std::size_t>(moving[k])];
      int rate = -1;
      for (std::size_t l = 0; l < next.leaves.size() && rate < 0; ++l)
        if (next.leaves[l].kind == Leaf::Kind::variable && next.leaves[l].order == leaf.order + 1 && next.which[l] == which)
          rate = static_cast<int>(l);
      if (rate < 0) {
        rate = static_cast<int>(next.leaves.size());
        next.leaves.push_back({Leaf::Kind::variable, leaf.order + 1, 0});
        next.which.push_back(which);
        next.data.emplace_back();
      }
      sum = next.graph.add(sum, next.graph.mul(partial[k], next.graph.input(rate)));
    }
    next.residual = sum;
    result.kernels_.push_back(std::move(next));
  }
  result.finish();
  return result;
}

EquationSet EquationSet::restricted(const std::vector<int>& keep) const {
  std::vector<int> place(static_cast<std::size_t>(rows_), -1);
  for (std::size_t k = 0; k < keep.size(); ++k) place[static_cast<std::size_t>(keep[k])] = static_cast<int>(k);
  EquationSet result;
  result.rows_ = static_cast<int>(keep.size());
  for (const Kernel& kernel : kernels_) {
    Kernel part;
    part.graph = kernel.graph, part.residual = kernel.residual, part.leaves = kernel.leaves;
    part.which.resize(kernel.leaves.size()), part.data.resize(kernel.leaves.size());
    for (int i = 0; i < kernel.instances(); ++i) {
      const int row = place[static_cast<std::size_t>(kernel.rows[static_cast<std::size_t>(i)])];
      if (row < 0) continue;
      part.rows.push_back(row);
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
        if (!kernel.which[l].empty()) part.which[l].push_back(kernel.which[l][static_cast<std::size_t>(i)]);
        if (!kernel.data[l].empty()) part.data[l].push_back(kernel.data[l][static_cast<std::size_t>(i)]);
      }
    }
    if (!part.rows.empty()) result.kernels_.push_back(std::move(part));
  }
  result.finish();
  return result;
}

std::string EquationSet::text(int row, const std::vector<std::string>& variables,
                              const std::vector<std::string>& discrete) const {
  for (const Kernel& kernel : kernels_)
    for (int i = 0; i < kernel.instances(); ++i) {
      if (kernel.rows[static_cast<std::size_t>(i)] != row) continue;
      std::vector<std::string> names;
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
        const Leaf& leaf = kernel.leaves[l];
        const auto which = [&] { return static_cast<std::size_t>(kernel.which[l][static_cast<std::size_t>(i)]); };
        switch (leaf.kind) {
          case Leaf::Kind::time: names.emplace_back("time"); break;
          case Leaf::Kind::data: names.push_back(fmt::format("{}", kernel.data[l][static_cast<std::size_t>(i)])); break;
          case Leaf::Kind::discrete: names.push_back(discrete[which()]); break;
          case Leaf::Kind::variable:
            names.push_back(leaf.order == 0   ? variables[which()]
                            : leaf.order == 1 ? fmt::format("der({})", variables[which()])
                                              : fmt::format("der({}, {})", variables[which()], leaf.order));
        }
      }
      return to_text(kernel.graph, kernel.residual, names);
    }
  return "";
}

EquationJacobian::EquationJacobian(const EquationSet& equations, std::vector<int> orders)
    : equations_(&equations) {
  std::size_t registers = 0;
  for (const Kernel& kernel : equations.kernels()) {
    Part part;
    Graph graph = kernel.graph;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable &&
          std::find(orders.begin(), orders.end(), kernel.leaves[l].order) != orders.end())
        part.leaf.push_back(static_cast<int>(l));
    const std::vector<NodeId> partial = gradient(graph, kernel.residual, part.leaf);
    part.tape = Tape(graph, static_cast<int>(kernel.leaves.size()), partial);
    part.first = static_cast<int>(entries_.size());
    for (int i = 0; i < kernel.instances(); ++i)
      for (const int l : part.leaf)
        entries_.push_back({kernel.rows[static_cast<std::size_t>(i)],
                            kernel.which[static_cast<std::size_t>(l)][static_cast<std::size_t>(i)],
                            kernel.leaves[static_cast<std::size_t>(l)].order});
    registers = std::max(registers, static_cast<std::size_t>(part.tape.registers()));
    parts_.push_back(std::move(part));
  }
  memory_.assign(registers * Tape::block, 0.0);
}

void EquationJacobian::evaluate(const Point& point, double* values) const {
  const std::vector<Kernel>& kernels = equations_->kernels();
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const Kernel& kernel = kernels[k];
    const Part& part = parts_[k];
    const auto outputs = part.leaf.size();
    if (outputs == 0) continue;
    for (const auto& [reg, value] : part.tape.constants())
      std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(reg) * Tape::block,
                  std::min(Tape::block, kernel.instances()), value);
    double* target = values + part.first;
    for (int first = 0; first < kernel.instances(); first += Tape::block) {
      const int count = std::min(Tape::block, kernel.instances() - first);
      gather(kernel, point, first, count, memory_.data());
      part.tape.run(memory_.data(), count);
      for (int i = 0; i < count; ++i)
        for (std::size_t o = 0; o < outputs; ++o)
          *target++ = memory_[static_cast<std::size_t>(part.tape.output(static_cast<int>(o))) * Tape::block + static_cast<std::size_t>(i)];
    }
  }
}

}  // namespace daedalus
