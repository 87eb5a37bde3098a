#pragma once
// The interpreter: a graph as a list of instructions over registers, run for a block of instances
// at a time so that the cost of decoding is shared. Generated code computes the same operations in
// the same order and gives the same bits.
#include <vector>

#include "expression/graph.h"

namespace daedalus {

class Tape {
 public:
  static constexpr int block = 32;

  Tape() = default;
  /// Registers 0 .. inputs-1 hold the inputs.
  Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs);

  struct Instruction {
    Op op = Op::constant;
    int target = 0, a = 0, b = 0, c = 0;  ///< registers
  };

  int registers() const { return registers_; }
  /// Register r of instance i is memory[r * block + i] (count > 1), memory[r * block] for one.
  void run(double* memory, int count) const;
  int output(int k) const { return outputs_[static_cast<std::size_t>(k)]; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<std::pair<int, double>>& constants() const { return constants_; }

 private:
  int registers_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<std::pair<int, double>> constants_;  ///< register, value
  std::vector<int> outputs_;
};

}  // namespace daedalus
