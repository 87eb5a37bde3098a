// Machine code for tapes gives the bits of the interpreter.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "expression/straight_factors.h"
#include "expression/tape.h"
#include "expression/turns.h"
#include "linear/dense_kernels.h"

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

Tape random_tape(std::mt19937& random, Tape::Products products) {
  Graph graph;
  std::vector<NodeId> made;
  for (int i = 0; i < inputs; ++i) made.push_back(graph.input(i));
  for (const double c : {0.5, -1.25, 3.0}) made.push_back(graph.constant(c));
  const int length = 1 + static_cast<int>(random() % 200);
  for (int k = 0; k < length; ++k) made.push_back(random_node(graph, made, random));
  std::vector<NodeId> outputs;
  for (int k = 0; k < 20; ++k) outputs.push_back(made[random() % made.size()]);
  return Tape(graph, inputs, outputs, products);
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

void expect_bits_of_the_interpreter(Tape& tape, std::mt19937& random) {
  tape.translate();
  std::vector<double> run = start_of(tape, random), interpreted = run;
  tape.run_one(run.data());
  tape.interpret_one(interpreted.data());
  for (const int r : tape.outputs())
    ASSERT_TRUE(same(run[static_cast<std::size_t>(r)], interpreted[static_cast<std::size_t>(r)]))
        << "register " << r;
}

TEST(MachineCode, GivesTheBitsOfTheInterpreter) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    SCOPED_TRACE(trial);
    Tape tape = random_tape(random, trial % 2 ? Tape::Products::fused : Tape::Products::rounded);
    expect_bits_of_the_interpreter(tape, random);
    if (HasFatalFailure()) return;
  }
}

TEST(MachineCode, GivesTheBitsOfTheInterpreterForBlocks) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 1000; ++trial) {
    Tape tape = random_tape(random, trial % 2 ? Tape::Products::fused : Tape::Products::rounded);
    tape.translate_block();
    const int count = 1 + static_cast<int>(random() % Tape::block);
    std::vector<double> run(static_cast<std::size_t>(tape.registers() * Tape::block));
    for (int i = 0; i < count; ++i) {
      const std::vector<double> one = start_of(tape, random);
      for (std::size_t r = 0; r < one.size(); ++r)
        run[r * Tape::block + static_cast<std::size_t>(i)] = one[r];
    }
    std::vector<double> interpreted = run;
    tape.run(run.data(), count);
    tape.interpret(interpreted.data(), count);
    for (const int r : tape.outputs())
      for (int i = 0; i < count; ++i) {
        const auto place = static_cast<std::size_t>(r * Tape::block + i);
        ASSERT_TRUE(same(run[place], interpreted[place])) << "tape " << trial << ", register " << r;
      }
  }
}

/// Far more values than registers, used again late and in all places of fused operations.
TEST(MachineCode, KeepsManyValuesApart) {
  std::mt19937 random(2);
  constexpr Op sums[] = {Op::add, Op::sub};
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    Graph graph;
    std::vector<NodeId> made;
    for (int i = 0; i < inputs; ++i) made.push_back(graph.input(i));
    for (int k = 0; k < 400; ++k) {
      const auto any = [&] { return made[random() % made.size()]; };
      const NodeId product = graph.mul(any(), any());
      const NodeId sum = random() % 2 ? graph.make(sums[random() % 2], product, any())
                                      : graph.make(sums[random() % 2], any(), product);
      // Not too large: the sine of a tenth of it, sometimes with the cosine.
      const NodeId angle = graph.mul(graph.constant(0.1), sum);
      made.push_back(random() % 8 ? graph.sub(angle, any()) : graph.make(Op::sin, angle));
      if (random() % 8 == 0) made.push_back(graph.make(Op::cos, angle));
    }
    Tape tape(graph, inputs, made, Tape::Products::fused);
    expect_bits_of_the_interpreter(tape, random);
    if (HasFatalFailure()) return;
  }
}

TEST(MachineCode, FusesProductsButNotTheirDifferences) {
  Graph graph;
  const NodeId x = graph.input(0), y = graph.input(1), z = graph.input(2);
  const NodeId sum = graph.add(graph.mul(x, y), z),
               difference = graph.sub(graph.mul(x, x), graph.mul(y, y));
  Tape tape(graph, 3, {sum, difference}, Tape::Products::fused);
  const bool fuses = is_available(InstructionSet::avx2);
  EXPECT_EQ(tape.instructions().size(), fuses ? 4u : 5u);
  tape.translate();
  const double third = 1.0 / 3;
  std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
  memory[0] = memory[1] = third, memory[2] = -third * third;
  tape.run_one(memory.data());
  const auto output = [&](std::size_t k) {
    return memory[static_cast<std::size_t>(tape.outputs()[k])];
  };
  EXPECT_EQ(output(0), fuses ? std::fma(third, third, -third * third) : 0);
  EXPECT_NE(std::fma(third, third, -third * third), 0);
  EXPECT_EQ(output(1), 0);
}

/// A round of sines and cosines gives what each one alone gives, and what the library gives up to
/// 1.5 units in the last place; near multiples of a right angle and far away as well.
TEST(Turns, AgreeWithTheLibrary) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  constexpr int count = 11;
  std::vector<Turn> list;
  for (int k = 0; k < count; ++k) list.push_back({k, count + k, 2 * count + k});
  const auto apart = [](double a, double b) {
    const double unit = std::nextafter(std::abs(b), 2) - std::abs(b);
    return std::abs(a - b) / unit;
  };
  for (int trial = 0; trial < 20000; ++trial) {
    double memory[3 * count];
    for (int k = 0; k < count; ++k) {
      const double scale[] = {1, 30, 2e5, 1e7};
      memory[k] = number(random) * scale[k % 4];
      if (k % 5 == 4) {
        const double turns = std::floor(1e5 * number(random));
        memory[k] = std::nextafter(turns * std::acos(0.0), 1e300 * number(random));
      }
    }
    turn_kernel()(memory, list.data(), count);
    for (int k = 0; k < count; ++k) {
      double sine, cosine;
      sine_and_cosine(memory[k], &sine, &cosine);
      ASSERT_TRUE(same(sine, memory[count + k]) && same(cosine, memory[2 * count + k]));
      // The library's own error is 0.55 units.
      ASSERT_LE(apart(sine, std::sin(memory[k])), 2.1) << "of " << memory[k];
      ASSERT_LE(apart(cosine, std::cos(memory[k])), 2.1) << "of " << memory[k];
    }
  }
  double sine, cosine;
  sine_and_cosine(std::numeric_limits<double>::infinity(), &sine, &cosine);
  EXPECT_TRUE(std::isnan(sine) && std::isnan(cosine));
}

/// Alone they are called one by one.
TEST(MachineCode, TakesSinglesIntoRoundsOfSinesAndCosines) {
  // Only in fused tapes; in others nothing but the pair is one.
  const int in_company = is_available(InstructionSet::avx2) ? 5 : 1;
  for (const bool with_pair : {false, true}) {
    Graph graph;
    std::vector<NodeId> outputs;
    for (int k = 0; k < 5; ++k)
      outputs.push_back(graph.make(k % 2 ? Op::sin : Op::cos, graph.input(k)));
    if (with_pair) outputs.push_back(graph.make(Op::sin, graph.input(0)));
    Tape tape(graph, 5, outputs, Tape::Products::fused);
    int turns = 0;
    for (const Tape::Instruction& in : tape.instructions()) turns += in.is_turn();
    EXPECT_EQ(turns, with_pair ? in_company : 0);
    std::vector<double> memory(static_cast<std::size_t>(tape.registers()));
    for (std::size_t k = 0; k < 5; ++k) memory[k] = 0.3 + static_cast<double>(k);
    std::vector<double> coded = memory;
    tape.interpret_one(memory.data());
    tape.translate();
    tape.run_one(coded.data());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const double x = memory[k % 5];
      const double value = memory[static_cast<std::size_t>(tape.outputs()[k])];
      EXPECT_NEAR(value, k % 2 ? std::sin(x) : std::cos(x), 4e-16);
      EXPECT_EQ(value, coded[static_cast<std::size_t>(tape.outputs()[k])]);
    }
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
  KnownTimes known(graph);
  StraightFactors(graph, known, matrix, n).solve(x);
  const Tape tape(graph, next, x);
  // Of five columns: a quotient, three products and a difference; two more operations each in both
  // solves; products with the inverses of six pivots.
  EXPECT_LE(tape.instructions().size(), 5u * 5 + 5 * 4 + 1 + 6);
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
