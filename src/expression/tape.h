#pragma once
// A graph as a list of instructions over registers, interpreted for a block of instances at a time
// so that the cost of decoding is shared, or run for a single one, as machine code where there is
// any. Generated code computes the same operations in the same order and gives the same bits.
#include <vector>

#include "expression/graph.h"
#include "expression/machine_code.h"

namespace daedalus {

/// Both at once, about the cost of one.
void sine_and_cosine(double x, double* sine, double* cosine);

class Tape {
 public:
  static constexpr int block = 32;

  Tape() = default;
  /// Registers 0 .. inputs-1 hold the inputs, those behind them the constants.
  Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs);

  /// Where sine and cosine of the same argument are wanted, one instruction computes both: the
  /// sine into `target`, the cosine into `b`.
  struct Instruction {
    Op op = Op::constant;
    bool pair = false;
    int target = 0, a = 0, b = 0, c = 0;  ///< registers
  };

  int inputs() const { return inputs_; }
  int registers() const { return registers_; }
  /// Register r of instance i is memory[r * block + i].
  void run(double* memory, int count) const;
  /// One instance: register r is memory[r].
  void run_one(double* memory) const { code_ ? code_(memory) : interpret_one(memory); }
  void interpret_one(double* memory) const;
  /// For many runs of single instances.
  void translate() { code_ = MachineCode::of(*this); }
  const std::vector<int>& outputs() const { return outputs_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<double>& constants() const { return constants_; }

 private:
  int inputs_ = 0;
  int registers_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<double> constants_;
  std::vector<int> outputs_;
  MachineCode code_;
};

}  // namespace daedalus
