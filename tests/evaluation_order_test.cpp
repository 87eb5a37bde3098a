#include "formulation/evaluation_order.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "expression/rebuild.h"
#include "expression/straight_factors.h"
#include "expression/tape.h"

namespace daedalus {
namespace {

/// A tridiagonal system of m rows, (3 + x_i^2) on the diagonal and x_i x_{i+1} beside it, made row
/// by row before it is factored, and its solution with the right side x.
struct Chain {
  explicit Chain(int m) {
    const auto size = static_cast<std::size_t>(m);
    std::vector<NodeId> x, matrix(size * size, graph.constant(0));
    const auto at = [m](int i, int j) { return static_cast<std::size_t>(i * m + j); };
    for (int i = 0; i < m; ++i) x.push_back(graph.input(i));
    for (int i = 0; i < m; ++i) {
      const NodeId own = x[static_cast<std::size_t>(i)];
      matrix[at(i, i)] = graph.add(graph.constant(3), graph.mul(own, own));
      if (i > 0)
        matrix[at(i, i - 1)] = matrix[at(i - 1, i)] =
            graph.mul(own, x[static_cast<std::size_t>(i - 1)]);
    }
    KnownTimes known(graph);
    const StraightFactors factors(graph, known, matrix, m);
    outputs = x;
    factors.solve(outputs);
    for (int i = 0; i < m; ++i) outputs.push_back(factors.pivot(i));
  }

  Graph graph;
  std::vector<NodeId> outputs;
};

std::vector<double> values(const Graph& graph, const std::vector<NodeId>& outputs, int inputs) {
  const Tape tape(graph, inputs, outputs, Tape::Products::fused);
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
  for (int i = 0; i < inputs; ++i) memory[static_cast<std::size_t>(i)] = 0.3 + 0.01 * i;
  std::copy(tape.constants().begin(), tape.constants().end(), memory.begin() + inputs);
  tape.interpret_one(memory.data());
  std::vector<double> out;
  for (const int place : tape.outputs()) out.push_back(memory[static_cast<std::size_t>(place)]);
  return out;
}

TEST(EvaluationOrder, ValuesKeepTheirBits) {
  Chain chain(40);
  std::vector<NodeId> moved = chain.outputs;
  const Graph ordered = in_order_of_use(chain.graph, moved);
  EXPECT_EQ(values(ordered, moved, 40), values(chain.graph, chain.outputs, 40));
}

TEST(EvaluationOrder, NothingThatIsNotNeededIsCopied) {
  Chain chain(40);
  const NodeId unused = chain.graph.make(Op::exp, chain.outputs.front());
  EXPECT_EQ(unused, chain.graph.size() - 1);
  std::vector<NodeId> one = {chain.graph.add(chain.graph.input(0), chain.graph.input(1))};
  const int empty = Graph().size();
  EXPECT_EQ(in_order_of_use(chain.graph, one).size(), empty + 3);
}

TEST(EvaluationOrder, ChainsFromBothEndsTakeTurns) {
  constexpr int m = 40;
  Chain chain(m);
  std::vector<NodeId> moved = chain.outputs;
  const Graph ordered = in_order_of_use(chain.graph, moved);
  // Pivots of the first half and of the second, as they follow each other.
  std::vector<std::pair<NodeId, bool>> pivots;
  for (int i = 0; i < m; ++i)
    pivots.emplace_back(moved[static_cast<std::size_t>(m + i)], i < m / 2);
  std::sort(pivots.begin(), pivots.end());
  int changes = 0;
  for (std::size_t k = 1; k < pivots.size(); ++k)
    changes += pivots[k].second != pivots[k - 1].second;
  EXPECT_GT(changes, m / 2);
}

/// Of operations on inputs and constants alone: how many others stand between them and their first
/// use, on average. What comes later may have to wait for the way back through the factors.
double distance_to_use(const Graph& graph) {
  std::vector<NodeId> first(static_cast<std::size_t>(graph.size()), -1);
  double sum = 0;
  int count = 0;
  const auto is_soon_known = [&](NodeId id) {
    bool soon = operands_of(graph[id].op) > 0;
    for_operands(graph[id],
                 [&](NodeId operand) { soon = soon && operands_of(graph[operand].op) == 0; });
    return soon;
  };
  for (NodeId id = 0; id < graph.size(); ++id)
    for_operands(graph[id], [&](NodeId operand) {
      NodeId& use = first[static_cast<std::size_t>(operand)];
      if (use >= 0 || !is_soon_known(operand)) return;
      use = id;
      sum += id - operand, ++count;
    });
  return sum / count;
}

TEST(EvaluationOrder, ResultsAreUsedSoonAfterTheyAreKnown) {
  Chain chain(100);
  std::vector<NodeId> moved = chain.outputs;
  const Graph ordered = in_order_of_use(chain.graph, moved);
  // A row of the matrix and what its pivot needs are some ten operations. The matrix is made as a
  // whole before its first pivot.
  EXPECT_LT(distance_to_use(ordered), 10);
  EXPECT_GT(distance_to_use(chain.graph), 100);
}

}  // namespace
}  // namespace daedalus
