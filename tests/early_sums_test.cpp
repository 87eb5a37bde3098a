#include "expression/early_sums.h"

#include <gtest/gtest.h>

#include "expression/tape.h"

namespace daedalus {
namespace {

double value(const Graph& graph, NodeId node, const std::vector<double>& inputs) {
  const Tape tape(graph, static_cast<int>(inputs.size()), {node});
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
  std::copy(inputs.begin(), inputs.end(), memory.begin());
  std::copy(tape.constants().begin(), tape.constants().end(),
            memory.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
  tape.interpret_one(memory.data());
  return memory[static_cast<std::size_t>(tape.outputs()[0])];
}

TEST(EarlySum, HasSignsAndLeavesOutZeros) {
  Graph graph;
  KnownTimes known(graph);
  const NodeId x = graph.input(0), y = graph.input(1), zero = graph.constant(0);
  EarlySum sum(graph, known);
  EXPECT_TRUE(graph.is_constant(sum.total(), 0));
  sum.add(zero), sum.add_product(zero, x), sum.subtract_product(y, zero);
  EXPECT_TRUE(graph.is_constant(sum.total(), 0));
  sum.subtract_product(x, y);
  EXPECT_EQ(value(graph, sum.total(), {3, 5}), -15);
  sum.subtract_product(x, y), sum.subtract_product(x, x), sum.add_product(y, y), sum.add(x);
  EXPECT_EQ(value(graph, sum.total(), {3, 5}), -15 - 9 + 25 + 3);
  sum.subtract_product(x, y), sum.subtract_product(x, x);
  EXPECT_EQ(value(graph, sum.total(), {3, 5}), -15 - 9);
}

TEST(EarlySum, AddsLastWhatIsKnownLast) {
  Graph graph;
  KnownTimes known(graph);
  NodeId late = graph.input(0);
  for (int i = 0; i < 5; ++i) late = graph.div(graph.constant(1), graph.add(late, late));
  EarlySum sum(graph, known);
  sum.add_product(late, graph.input(1));
  for (int i = 2; i < 8; ++i) sum.add_product(graph.input(i), graph.input(i));
  // Nothing but a product and a sum behind what it waits for.
  EXPECT_LE(known(sum.total()), known(late) + latency_of(Op::mul) + latency_of(Op::add));
}

TEST(EarlySum, AddsInPairsWhatIsKnownAtTheSameTime) {
  Graph graph;
  KnownTimes known(graph);
  EarlySum sum(graph, known);
  for (int i = 0; i < 8; ++i) sum.add_product(graph.input(i), graph.input(i));
  EXPECT_LE(known(sum.total()), latency_of(Op::mul) + 3 * latency_of(Op::add));
}

}  // namespace
}  // namespace daedalus
