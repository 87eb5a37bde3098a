// Machine code for tapes gives the bits of the interpreter.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "expression/straight_factors.h"
#include "expression/tape.h"

namespace daedalus {
namespace {

constexpr int inputs = 7;

NodeId random_node(Graph& graph, const std::vector<NodeId>& made, std::mt19937& random) {
  const auto any = [&] { return made[random() % made.size()]; };
  // Arithmetic often, so that values live long in registers; everything else now and then.
  constexpr Op frequent[] = {Op::add, Op::sub, Op::mul, Op::div, Op::neg};
  const Op op = random() % 4
                    ? frequent[random() % 5]
                    : static_cast<Op>(int(Op::neg) + int(random() % (int(Op::select) - 1)));
  return graph.make(op, any(), any(), any());
}

Tape random_tape(std::mt19937& random) {
  Graph graph;
  std::vector<NodeId> made;
  for (int i = 0; i < inputs; ++i) made.push_back(graph.input(i));
  for (const double c : {0.5, -1.25, 3.0}) made.push_back(graph.constant(c));
  const int length = 1 + static_cast<int>(random() % 200);
  for (int k = 0; k < length; ++k) made.push_back(random_node(graph, made, random));
  std::vector<NodeId> outputs;
  for (int k = 0; k < 20; ++k) outputs.push_back(made[random() % made.size()]);
  return Tape(graph, inputs, outputs);
}

std::vector<double> start_of(const Tape& tape, std::mt19937& random) {
  constexpr double special[] = {0.0, -0.0, 1e308, -1e-310, std::numeric_limits<double>::infinity()};
  std::uniform_real_distribution<double> number(-2, 2);
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
  for (int i = 0; i < inputs; ++i)
    memory[static_cast<std::size_t>(i)] = random() % 10 ? number(random) : special[random() % 5];
  std::copy(tape.constants().begin(), tape.constants().end(), memory.begin() + inputs);
  return memory;
}

/// Equal bits, or both not a number.
bool same(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

TEST(MachineCode, GivesTheBitsOfTheInterpreter) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    Tape tape = random_tape(random);
    tape.translate();
    std::vector<double> run = start_of(tape, random), interpreted = run;
    tape.run_one(run.data());
    tape.interpret_one(interpreted.data());
    for (const int r : tape.outputs())
      ASSERT_TRUE(same(run[static_cast<std::size_t>(r)], interpreted[static_cast<std::size_t>(r)]))
          << "tape " << trial << ", register " << r;
  }
}

TEST(MachineCode, OutlivesTheTapeItWasMadeFor) {
  MachineCode code;
  std::vector<double> memory;
  {
    Graph graph;
    Tape tape(graph, 1, {graph.make(Op::exp, graph.mul(graph.input(0), graph.input(0)))});
    tape.translate();
    const Tape copy = tape;
    memory.assign(static_cast<std::size_t>(copy.registers()), 0.5);
    tape = Tape();
    copy.run_one(memory.data());
    EXPECT_EQ(memory[static_cast<std::size_t>(copy.outputs()[0])], std::exp(0.25));
    code = MachineCode::of(copy);
  }
  if (code) code(memory.data());
}

/// An arrow: its tip last gives no fill, its tip first would fill everything.
TEST(StraightFactors, FollowThePattern) {
  constexpr int n = 6;
  Graph graph;
  std::vector<NodeId> matrix(n * n, graph.constant(0)), x;
  int next = 0;
  for (int i = 0; i < n; ++i) {
    matrix[static_cast<std::size_t>(i * n + i)] = graph.input(next++);
    x.push_back(graph.constant(i + 1));
    if (i > 0)
      matrix[static_cast<std::size_t>(i)] = matrix[static_cast<std::size_t>(i * n)] =
          graph.input(next++);
  }
  StraightFactors(graph, matrix, n).solve(x);
  const Tape tape(graph, next, x);
  // Of five columns: a quotient, two products and a difference; two more operations each in both
  // solves; products with the inverses of six pivots.
  EXPECT_LE(tape.instructions().size(), 5u * 4 + 5 * 4 + 1 + 6);
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
  std::vector<double> a(n * n, 0.0);
  next = 0;
  for (int i = 0; i < n; ++i) {
    a[static_cast<std::size_t>(i * n + i)] = memory[static_cast<std::size_t>(next++)] = 3 + i;
    if (i > 0)
      a[static_cast<std::size_t>(i)] = a[static_cast<std::size_t>(i * n)] =
          memory[static_cast<std::size_t>(next++)] = 0.5 / i;
  }
  std::copy(tape.constants().begin(), tape.constants().end(), memory.begin() + next);
  tape.run_one(memory.data());
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j)
      sum += a[static_cast<std::size_t>(i * n + j)] *
             memory[static_cast<std::size_t>(tape.outputs()[static_cast<std::size_t>(j)])];
    EXPECT_NEAR(sum, i + 1, 1e-14);
  }
}

}  // namespace
}  // namespace daedalus
