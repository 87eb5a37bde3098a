#pragma once
// What the operations of a tape are in machine code: an instruction of the processor, or a function
// that is called.
#include <cmath>
#include <cstdint>

#include "expression/tape.h"
#include "expression/turns.h"
#include "expression/x86_code.h"

namespace daedalus {

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

/// What `apply` calls for an operation of one operand; null: something else.
inline Function1 function_of_one(Op op) {
  switch (op) {
    case Op::exp:
      return std::exp;
    case Op::log:
      return std::log;
    case Op::log10:
      return std::log10;
    case Op::sin:
      return std::sin;
    case Op::cos:
      return std::cos;
    case Op::tan:
      return std::tan;
    case Op::asin:
      return std::asin;
    case Op::acos:
      return std::acos;
    case Op::atan:
      return std::atan;
    case Op::sinh:
      return std::sinh;
    case Op::cosh:
      return std::cosh;
    case Op::tanh:
      return std::tanh;
    default:
      return nullptr;
  }
}

inline Function2 function_of_two(Op op) {
  return op == Op::pow     ? static_cast<Function2>(std::pow)
         : op == Op::atan2 ? static_cast<Function2>(std::atan2)
                           : nullptr;
}

inline double apply_operation(int op, double a, double b, double c) {
  return apply(static_cast<Op>(op), a, b, c);
}

inline void apply_in_lanes(double* memory, const Tape::Instruction* in) {
  const auto place = [memory](int value) {
    return memory + static_cast<std::ptrdiff_t>(value) * Tape::block;
  };
  double *target = place(in->target), *a = place(in->a), *b = place(in->b), *c = place(in->c);
  for (int i = 0; i < X86Code::lanes; ++i)
    if (in->is_turn())
      sine_and_cosine(a[i], &target[i], &b[i]);
    else
      target[i] = apply(in->op, a[i], b[i], c[i]);
}

/// Opcodes of instructions that are an operation as it stands; 0: none. [IntelSDM, vol. 2]
inline std::uint8_t opcode_of(Op op) {
  switch (op) {
    case Op::add:
      return 0x58;
    case Op::mul:
      return 0x59;
    case Op::sub:
      return 0x5C;
    case Op::min:
      return 0x5D;
    case Op::div:
      return 0x5E;
    case Op::max:
      return 0x5F;
    case Op::sqrt:
      return 0x51;
    default:
      return 0;
  }
}

/// Opcodes of a fused operation, by what becomes of the target: it was a factor or the addend.
struct FusedOpcodes {
  std::uint8_t into_factor, into_addend;
};
inline FusedOpcodes opcodes_of(Tape::Instruction::Kind kind) {
  using Kind = Tape::Instruction::Kind;
  switch (kind) {
    case Kind::multiply_add:
      return {0xA9, 0xB9};
    case Kind::multiply_subtract:
      return {0xAB, 0xBB};
    default:
      return {0xAD, 0xBD};
  }
}

}  // namespace daedalus
