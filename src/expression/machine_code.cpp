#include "expression/machine_code.h"

#include "expression/code_pages.h"
#include "expression/tape.h"

#ifdef __x86_64__
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace daedalus {
namespace {

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);

/// What `apply` calls for an operation of one operand; null: something else.
Function1 function_of_one(Op op) {
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

Function2 function_of_two(Op op) {
  return op == Op::pow     ? static_cast<Function2>(std::pow)
         : op == Op::atan2 ? static_cast<Function2>(std::atan2)
                           : nullptr;
}

double apply_operation(int op, double a, double b, double c) {
  return apply(static_cast<Op>(op), a, b, c);
}

/// Opcodes of scalar instructions that are an operation as it stands; 0: none. [IntelSDM, vol. 2]
std::uint8_t opcode_of(Op op) {
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

/// Writes instructions in the order of the tape. Every result goes to memory, where calls and the
/// caller find it, and stays in a processor's register until sixteen others have come.
class Assembler {
 public:
  explicit Assembler(const Tape& tape)
      : sign_(tape.registers()), all_but_sign_(tape.registers() + 1) {
    held_in_.assign(static_cast<std::size_t>(tape.registers()) + 2, -1);
    holds_.fill(-1);
    code_ = std::make_unique_for_overwrite<std::uint8_t[]>(
        longest_instruction * tape.instructions().size() + longest_instruction);
    end_ = code_.get();
    bytes(0x53, 0x48, 0x89, 0xFB);  // push rbx; mov rbx, rdi
    for (const Tape::Instruction& in : tape.instructions()) add(in);
    bytes(0x5B, 0xC3);  // pop rbx; ret
  }
  std::span<const std::uint8_t> code() const { return {code_.get(), end_}; }

 private:
  static constexpr int registers = 16, no_source = 0;
  static constexpr std::size_t longest_instruction = 64;  // three loads, a call and a store
  enum Prefix { none = 0, packed = 1, scalar = 3 };

  void add(const Tape::Instruction& in) {
    if (in.pair) {
      load_argument(0, in.a);
      bytes(0x48, 0x8D, 0xBB), number(8 * in.target);  // lea rdi, [rbx + ...]
      bytes(0x48, 0x8D, 0xB3), number(8 * in.b);       // lea rsi, [rbx + ...]
      call(std::bit_cast<std::uint64_t>(&sine_and_cosine));
    } else if (in.op == Op::neg || in.op == Op::abs) {
      const int a = loaded(in.a), mask = loaded_mask(in.op == Op::neg, a);
      const int target = fresh(in.target);
      with_register(packed, in.op == Op::neg ? 0x57 : 0x54, target, a, mask);
      store(target, in.target);
    } else if (const std::uint8_t opcode = opcode_of(in.op)) {
      const bool unary = in.op == Op::sqrt;
      const int a = loaded(in.a), b = unary ? a : held_in_[slot(in.b)];
      const int target = fresh(in.target);
      if (b >= 0)
        with_register(scalar, opcode, target, a, b);
      else
        with_memory(scalar, opcode, target, a, in.b);
      store(target, in.target);
    } else if (const Function1 one = function_of_one(in.op)) {
      load_argument(0, in.a);
      call(std::bit_cast<std::uint64_t>(one)), keep_result(in.target);
    } else if (const Function2 two = function_of_two(in.op)) {
      load_argument(0, in.a), load_argument(1, in.b);
      call(std::bit_cast<std::uint64_t>(two)), keep_result(in.target);
    } else {
      load_argument(0, in.a), load_argument(1, in.b), load_argument(2, in.c);
      bytes(0xBF), number(static_cast<int>(in.op));  // mov edi, ...
      call(std::bit_cast<std::uint64_t>(&apply_operation)), keep_result(in.target);
    }
  }

  static std::size_t slot(int value) { return static_cast<std::size_t>(value); }

  /// The register whose content is the oldest one, now for this value.
  int fresh(int value, int needed = -1) {
    forget(value);
    if (next_ == needed) next_ = (next_ + 1) % registers;
    const int own = next_;
    next_ = (next_ + 1) % registers;
    if (holds_[slot(own)] >= 0) held_in_[slot(holds_[slot(own)])] = -1;
    holds_[slot(own)] = value, held_in_[slot(value)] = own;
    return own;
  }
  void forget(int value) {
    if (const int own = held_in_[slot(value)]; own >= 0) holds_[slot(own)] = -1;
    held_in_[slot(value)] = -1;
  }
  int loaded(int value) {
    if (held_in_[slot(value)] >= 0) return held_in_[slot(value)];
    const int own = fresh(value);
    with_memory(scalar, 0x10, own, no_source, value);
    return own;
  }
  int loaded_mask(bool sign, int needed) {
    const int value = sign ? sign_ : all_but_sign_;
    if (held_in_[slot(value)] >= 0) return held_in_[slot(value)];
    const std::uint64_t sign_bit = std::uint64_t{1} << 63;
    bytes(0x48, 0xB8), number64(sign ? sign_bit : ~sign_bit);  // mov rax, ...
    const int own = fresh(value, needed);
    bytes(0xC4, own < 8 ? 0xE1 : 0x61, 0xF9, 0x6E,  // vmovq xmm, rax
          0xC0 | (own % 8) << 3);
    return own;
  }
  void load_argument(int argument, int value) {
    with_memory(scalar, 0x10, argument, no_source, value);
  }
  void store(int own, int value) { with_memory(scalar, 0x11, own, no_source, value); }

  /// A called function may change every register.
  void call(std::uint64_t address) {
    bytes(0x48, 0xB8), number64(address), bytes(0xFF, 0xD0);  // mov rax, ...; call rax
    for (int& value : holds_) {
      if (value >= 0) held_in_[slot(value)] = -1;
      value = -1;
    }
  }
  void keep_result(int value) {
    next_ = 0;
    store(fresh(value), value);
  }

  /// The third operand a register: the prefix of two bytes reaches the lower eight.
  void with_register(Prefix prefix, std::uint8_t opcode, int target, int a, int b) {
    const int high = target < 8 ? 0x80 : 0, source = (~a & 15) << 3;
    if (b < 8)
      bytes(0xC5, high | source | prefix);
    else
      bytes(0xC4, high | 0x41, source | prefix);
    bytes(opcode, 0xC0 | (target % 8) << 3 | b % 8);
  }
  /// The third operand memory, [rbx + 8 value].
  void with_memory(Prefix prefix, std::uint8_t opcode, int target, int a, int value) {
    const int high = target < 8 ? 0x80 : 0, source = (~a & 15) << 3;
    bytes(0xC5, high | source | prefix, opcode);
    if (value < 16)
      bytes(0x43 | (target % 8) << 3, 8 * value);
    else
      bytes(0x83 | (target % 8) << 3), number(8 * value);
  }

  template <class... Byte>
  void bytes(Byte... list) {
    ((*end_++ = static_cast<std::uint8_t>(list)), ...);
  }
  void number(int value) { std::memcpy(end_, &value, sizeof value), end_ += sizeof value; }
  void number64(std::uint64_t value) {
    std::memcpy(end_, &value, sizeof value), end_ += sizeof value;
  }

  std::unique_ptr<std::uint8_t[]> code_;
  std::uint8_t* end_ = nullptr;
  std::vector<int> held_in_;            ///< by value
  std::array<int, registers> holds_{};  ///< by register
  int next_ = 0;
  int sign_, all_but_sign_;
};

}  // namespace

MachineCode MachineCode::of(const Tape& tape) {
  MachineCode result;
  if (tape.instructions().empty() || !__builtin_cpu_supports("avx")) return result;
  InstalledCode installed = install_code(Assembler(tape).code());
  result.entry_ = reinterpret_cast<void (*)(double*)>(const_cast<void*>(installed.entry));
  result.keep_ = std::move(installed.pages);
  return result;
}

}  // namespace daedalus

#else

namespace daedalus {

MachineCode MachineCode::of(const Tape&) {
  return {};
}

}  // namespace daedalus

#endif
