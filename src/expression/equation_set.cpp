#include "expression/equation_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace daedalus {
namespace {

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
        n.op == Op::input ? input[static_cast<std::size_t>(n.a)]
        : n.op == Op::constant
            ? to.constant(n.value)
            : to.make(n.op, at(n.a), count > 1 ? at(n.b) : -1, count > 2 ? at(n.c) : -1);
  }
  return at(root);
}

}  // namespace

void EquationSet::finish() {
  for (Kernel& kernel : *kernels_) {
    // Numbers that all instances share become constants of the kernel, and leaves that do not
    // occur any more go.
    const auto is_shared = [&kernel](std::size_t l) {
      const std::vector<double>& numbers = kernel.data[l];
      return kernel.leaves[l].kind == Leaf::Kind::data &&
             std::all_of(numbers.begin(), numbers.end(), [&](double x) { return x == numbers[0]; });
    };
    bool stays = kernel.is_compact;
    for (std::size_t l = 0; l < kernel.leaves.size() && stays; ++l) stays = !is_shared(l);
    if (stays) continue;
    Graph graph;
    std::vector<Leaf> leaves;
    std::vector<std::vector<int>> which;
    std::vector<std::vector<double>> data;
    std::vector<NodeId> input(kernel.leaves.size());
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
      if (is_shared(l)) {
        input[l] = graph.constant(kernel.data[l][0]);
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
    kernel.is_compact = true;
  }
}

int EquationSet::highest_order() const {
  int highest = 0;
  for (const Kernel& kernel : *kernels_)
    for (const Leaf& leaf : kernel.leaves) highest = std::max(highest, leaf.order);
  return highest;
}

int EquationSet::discrete_values() const {
  int most = 0;
  for (const Kernel& kernel : *kernels_)
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::discrete)
        for (const int which : kernel.which[l]) most = std::max(most, which + 1);
  return most;
}

EquationSet EquationSet::with_rows(const std::vector<int>& replaced,
                                   const EquationSet& fresh) const {
  std::vector<int> position(static_cast<std::size_t>(rows_), -1), others;
  for (std::size_t k = 0; k < replaced.size(); ++k)
    position[replaced[k]] = rows_ - static_cast<int>(replaced.size() - k);
  for (int i = 0; i < rows_; ++i)
    if (position[i] < 0) position[i] = static_cast<int>(others.size()), others.push_back(i);
  return joined({restricted(others), fresh}).restricted(position);
}

template <class Derivative>
EquationSet EquationSet::each_kernel(Derivative derivative) const {
  EquationSet result;
  result.rows_ = rows_;
  for (const Kernel& kernel : *kernels_) {
    Kernel next = kernel;
    next.is_compact = false;
    next.residual = derivative(next);
    result.kernels_->push_back(std::move(next));
  }
  result.finish();
  return result;
}

EquationSet EquationSet::time_partial() const {
  return each_kernel([](Kernel& kernel) {
    NodeId sum = kernel.graph.constant(0);
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::time)
        sum = kernel.graph.add(
            sum, gradient(kernel.graph, kernel.residual, {static_cast<int>(l)}).front());
    return sum;
  });
}

/// d/dt of a variable leaf: the same variables, one order higher. The leaf may be there.
static NodeId rate_of(Kernel& kernel, int input) {
  const Leaf leaf = kernel.leaves[static_cast<std::size_t>(input)];
  if (leaf.kind == Leaf::Kind::time) return kernel.graph.constant(1);
  if (leaf.kind != Leaf::Kind::variable) return kernel.graph.constant(0);
  const std::vector<int> which = kernel.which[static_cast<std::size_t>(input)];
  std::size_t rate = 0;
  for (; rate < kernel.leaves.size(); ++rate)
    if (kernel.leaves[rate].kind == Leaf::Kind::variable &&
        kernel.leaves[rate].order == leaf.order + 1 && kernel.which[rate] == which)
      break;
  if (rate == kernel.leaves.size()) {
    kernel.leaves.push_back({Leaf::Kind::variable, leaf.order + 1, 0});
    kernel.which.push_back(which);
    kernel.data.emplace_back();
  }
  return kernel.graph.input(static_cast<int>(rate));
}

EquationSet EquationSet::differentiated() const {
  return each_kernel([](Kernel& kernel) {
    std::vector<int> moving;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable ||
          kernel.leaves[l].kind == Leaf::Kind::time)
        moving.push_back(static_cast<int>(l));
    const std::vector<NodeId> partial = gradient(kernel.graph, kernel.residual, moving);
    NodeId sum = kernel.graph.constant(0);
    for (std::size_t k = 0; k < moving.size(); ++k)
      if (!kernel.graph.is_constant(partial[k], 0))
        sum = kernel.graph.add(sum, kernel.graph.mul(partial[k], rate_of(kernel, moving[k])));
    return sum;
  });
}

EquationSet EquationSet::differentiated_forwards() const {
  return each_kernel([](Kernel& kernel) {
    return tangent(kernel.graph, kernel.residual,
                   [&kernel](int input) { return rate_of(kernel, input); });
  });
}

EquationSet EquationSet::differentiated_forwards_holding(int order) const {
  return each_kernel([order](Kernel& kernel) {
    return tangent(kernel.graph, kernel.residual, [&kernel, order](int input) {
      const Leaf& leaf = kernel.leaves[static_cast<std::size_t>(input)];
      const bool held = leaf.kind == Leaf::Kind::variable && leaf.order == order;
      return held ? kernel.graph.constant(0) : rate_of(kernel, input);
    });
  });
}

EquationSet EquationSet::restricted(const std::vector<int>& keep) const {
  std::vector<int> all(static_cast<std::size_t>(rows_));
  std::iota(all.begin(), all.end(), 0);
  if (keep == all) return *this;
  std::vector<int> place(static_cast<std::size_t>(rows_), -1);
  for (std::size_t k = 0; k < keep.size(); ++k)
    place[static_cast<std::size_t>(keep[k])] = static_cast<int>(k);
  EquationSet result;
  result.rows_ = static_cast<int>(keep.size());
  for (const Kernel& kernel : *kernels_) {
    Kernel part;
    part.graph = kernel.graph, part.residual = kernel.residual, part.leaves = kernel.leaves;
    part.is_compact = kernel.is_compact;
    part.which.resize(kernel.leaves.size()), part.data.resize(kernel.leaves.size());
    for (int i = 0; i < kernel.instances(); ++i) {
      const int row = place[static_cast<std::size_t>(kernel.rows[static_cast<std::size_t>(i)])];
      if (row < 0) continue;
      part.rows.push_back(row);
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
        if (!kernel.which[l].empty())
          part.which[l].push_back(kernel.which[l][static_cast<std::size_t>(i)]);
        if (!kernel.data[l].empty())
          part.data[l].push_back(kernel.data[l][static_cast<std::size_t>(i)]);
      }
    }
    if (!part.rows.empty()) result.kernels_->push_back(std::move(part));
  }
  result.finish();
  return result;
}

EquationSet EquationSet::relabelled(
    const std::function<int(int order, int variable)>& place) const {
  EquationSet result;
  result.rows_ = rows_;
  *result.kernels_ = *kernels_;
  for (Kernel& kernel : *result.kernels_)
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
      if (kernel.leaves[l].kind != Leaf::Kind::variable) continue;
      for (int& variable : kernel.which[l]) variable = place(kernel.leaves[l].order, variable);
      kernel.leaves[l].order = 0;
    }
  result.finish();
  return result;
}

EquationSet EquationSet::renumbered(const std::vector<int>& place) const {
  EquationSet result;
  result.rows_ = rows_;
  *result.kernels_ = *kernels_;
  for (Kernel& kernel : *result.kernels_)
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable)
        for (int& variable : kernel.which[l]) variable = place[static_cast<std::size_t>(variable)];
  result.finish();
  return result;
}

EquationSet EquationSet::joined(const std::vector<EquationSet>& parts) {
  EquationSet result;
  for (const EquationSet& part : parts) {
    for (Kernel kernel : *part.kernels_) {
      for (int& row : kernel.rows) row += result.rows_;
      result.kernels_->push_back(std::move(kernel));
    }
    result.rows_ += part.rows_;
  }
  result.finish();
  return result;
}

std::string EquationSet::text(int row, const std::vector<std::string>& variables,
                              const std::vector<std::string>& discrete) const {
  for (const Kernel& kernel : *kernels_)
    for (int i = 0; i < kernel.instances(); ++i) {
      if (kernel.rows[static_cast<std::size_t>(i)] != row) continue;
      std::vector<std::string> names;
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
        const Leaf& leaf = kernel.leaves[l];
        const auto which = [&] {
          return static_cast<std::size_t>(kernel.which[l][static_cast<std::size_t>(i)]);
        };
        switch (leaf.kind) {
          case Leaf::Kind::time:
            names.emplace_back("time");
            break;
          case Leaf::Kind::data:
            names.push_back(fmt::format("{}", kernel.data[l][static_cast<std::size_t>(i)]));
            break;
          case Leaf::Kind::discrete:
            names.push_back(discrete[which()]);
            break;
          case Leaf::Kind::variable:
            names.push_back(leaf.order == 0 ? variables[which()]
                            : leaf.order == 1
                                ? fmt::format("der({})", variables[which()])
                                : fmt::format("der({}, {})", variables[which()], leaf.order));
        }
      }
      return to_text(kernel.graph, kernel.residual, names);
    }
  return "";
}

EquationJacobian::EquationJacobian(const EquationSet& equations, std::vector<int> orders,
                                   Program::Use use) {
  std::vector<Fragment> fragments;
  for (const Kernel& kernel : equations.kernels()) {
    Fragment fragment{&kernel, kernel.graph, {}, false, static_cast<int>(entries_.size())};
    std::vector<int> leaves;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable &&
          std::find(orders.begin(), orders.end(), kernel.leaves[l].order) != orders.end())
        leaves.push_back(static_cast<int>(l));
    fragment.outputs = gradient(fragment.graph, kernel.residual, leaves);
    for (int i = 0; i < kernel.instances(); ++i)
      for (const int l : leaves)
        entries_.push_back({kernel.rows[static_cast<std::size_t>(i)],
                            kernel.which[static_cast<std::size_t>(l)][static_cast<std::size_t>(i)],
                            kernel.leaves[static_cast<std::size_t>(l)].order});
    fragments.push_back(std::move(fragment));
  }
  program_ = Program(fragments, equations.kernels_, use);
}

JacobianAt::JacobianAt(const EquationSet& equations, std::vector<int> orders, const Point& point) {
  EquationJacobian jacobian(equations, std::move(orders), Program::Use::once);
  values.resize(jacobian.entries_.size());
  jacobian.evaluate(point, values.data());
  entries = std::move(jacobian.entries_);
}

}  // namespace daedalus
