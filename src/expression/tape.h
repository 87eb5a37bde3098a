#pragma once
// A graph as a list of instructions over registers, interpreted for a block of instances at a time
// so that the cost of decoding is shared, or run for a single one, as machine code where there is
// any. Generated code computes the same operations in the same order and gives the same bits.
#include <vector>

#include "expression/graph.h"
#include "expression/machine_code.h"

namespace daedalus {

class Tape {
 public:
  static constexpr int block = 32;

  Tape() = default;
  /// Fused where the machine can: products that are only a term of one sum are not rounded. Never
  /// in a difference of two products, so that equal ones give zero.
  enum class Products { rounded, fused };
  /// Registers 0 .. inputs-1 hold the inputs, those behind them the constants. The first outputs,
  /// as many as `in_a_row` says, lie side by side.
  Tape(const Graph& graph, int inputs, const std::vector<NodeId>& outputs,
       Products products = Products::rounded, int in_a_row = 0);
  struct Instruction;
  /// Written by somebody else, constants behind the inputs.
  Tape(int inputs, int registers, std::vector<Instruction> instructions,
       std::vector<double> constants, std::vector<int> outputs);

  struct Instruction {
    enum class Kind : std::uint8_t {
      plain,              ///< target = op(a, b, c)
      sine_and_cosine,    ///< target = sin a, b = cos a, where both are wanted
      multiply_add,       ///< target = a b + c
      multiply_subtract,  ///< target = a b - c
      subtract_product,   ///< target = c - a b
    };
    Op op = Op::constant;
    Kind kind = Kind::plain;
    int target = 0, a = 0, b = 0, c = 0;  ///< registers

    bool is_turn() const { return kind == Kind::sine_and_cosine; }
    bool is_fused() const { return kind >= Kind::multiply_add; }
    /// How many of a, b and c it reads.
    int operands() const { return is_fused() ? 3 : is_turn() ? 1 : operands_of(op); }
  };

  int inputs() const { return inputs_; }
  int registers() const { return registers_; }
  /// Register r of instance i is memory[r * block + i].
  void run(double* memory, int count) const {
    block_code_ ? block_code_.run_block(memory, count) : interpret(memory, count);
  }
  void interpret(double* memory, int count) const;
  /// One instance: register r is memory[r].
  void run_one(double* memory) const { code_ ? code_(memory) : interpret_one(memory); }
  void interpret_one(double* memory) const;
  /// For many runs of single instances.
  void translate() { code_ = MachineCode::of(*this); }
  bool is_translated() const { return static_cast<bool>(code_); }
  /// For runs of blocks.
  void translate_block(Exponentials exponentials = Exponentials::of_library) {
    block_code_ = MachineCode::of_block(*this, exponentials);
  }
  const std::vector<int>& outputs() const { return outputs_; }
  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<double>& constants() const { return constants_; }

 private:
  int inputs_ = 0;
  int registers_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<double> constants_;
  std::vector<int> outputs_;
  MachineCode code_, block_code_;
};

}  // namespace daedalus
