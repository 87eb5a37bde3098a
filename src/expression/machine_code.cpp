#include "expression/machine_code.h"

#include "expression/code_pages.h"
#include "expression/exponentials.h"
#include "expression/operation_code.h"
#include "expression/register_use.h"
#include "expression/turns.h"
#include "expression/x86_code.h"

#ifdef __x86_64__
#include <array>
#include <bit>
#include <utility>

namespace daedalus {
namespace {

/// Writes instructions in the order of the tape. A result stays in a register of the processor
/// until it is no longer needed or the one needed last of all; it goes to memory if it has to give
/// way or a function is called while it is needed, and at the end if it is an output.
class Assembler {
 public:
  /// `wide`: for a block of instances.
  Assembler(const Tape& tape, bool wide, Exponentials exponentials)
      : wide_(wide),
        exponentials_(exponentials),
        code_(wide, wide ? 8 * Tape::block : 8),
        sign_(tape.registers()),
        all_but_sign_(tape.registers() + 1) {
    const std::size_t values = static_cast<std::size_t>(tape.registers()) + 2;
    place_.assign(values, nowhere);
    in_memory_.assign(values, 1);
    holds_.fill(nothing);
    const std::vector<NextUses> uses = next_uses(tape);
    const auto& list = tape.instructions();
    // Calls have the addresses of what they read.
    if (wide)
      called_->instructions = list;
    else
      called_->turns.reserve(list.size());
    code_.begin();
    for (std::size_t k = 0; k < list.size();) {
      std::size_t end = k + 1;
      while (!wide && list[k].is_turn() && end < list.size() && list[end].is_turn()) ++end;
      code_.make_room();
      now_ = static_cast<int>(k);
      if (wide && is_called(list[k]))
        call_in_lanes(list[k], called_->instructions.data() + k);
      else if (end > k + 1)
        add_turns({list.data() + k, list.data() + end});
      else
        add(list[k], uses[k]);
      k = end;
    }
    code_.make_room();
    save_registers();
    code_.end();
  }
  std::span<const std::uint8_t> code() const { return code_.bytes(); }
  /// What the code reads.
  struct Called {
    std::vector<Turn> turns;
    std::vector<Tape::Instruction> instructions;
  };
  std::shared_ptr<const Called> called() const { return called_; }

 private:
  static constexpr int nowhere = -1, nothing = -1;
  using Instruction = Tape::Instruction;
  using Prefix = X86Code::Prefix;

  void add(const Instruction& in, const NextUses& uses) {
    pinned_ = 0;
    if (in.is_turn()) {
      save_registers();
      code_.load(0, in.a);
      code_.pass_first_place(in.target), code_.pass_second_place(in.b);
      code_.call(std::bit_cast<std::uint64_t>(single_turn()));
      lies_in_memory(in.target), lies_in_memory(in.b);
    } else if (in.is_fused()) {
      add_fused(in, uses);
    } else if (in.op == Op::neg || in.op == Op::abs) {
      const int a = require(in.a), mask = require_mask(in.op == Op::neg);
      const int target = take_target(in, uses);
      code_.operate(Prefix::bits, in.op == Op::neg ? 0x57 : 0x54, target, a, mask);
    } else if (const std::uint8_t opcode = opcode_of(in.op)) {
      add_operation(in, uses, opcode);
    } else if (const Function1 one = function_of_one(in.op)) {
      call_function(in, uses, 1, std::bit_cast<std::uint64_t>(one));
    } else if (const Function2 two = function_of_two(in.op)) {
      call_function(in, uses, 2, std::bit_cast<std::uint64_t>(two));
    } else {
      code_.pass_first(static_cast<int>(in.op));
      call_function(in, uses, 3, std::bit_cast<std::uint64_t>(&apply_operation));
    }
  }

  void add_operation(const Instruction& in, const NextUses& uses, std::uint8_t opcode) {
    const bool commutes = in.op == Op::add || in.op == Op::mul;
    const bool swap = commutes && where(in.a) == nowhere && where(in.b) != nowhere;
    const int first = swap ? in.b : in.a, second = swap ? in.a : in.b;
    const int a = require(first);
    if (in.op == Op::sqrt) {
      code_.root(take_target(in, uses), a);
    } else if (stays_in_memory(second, uses.operand[swap ? 0 : 1])) {
      code_.operate_memory(Prefix::number, opcode, take_target(in, uses), a, second);
    } else {
      const int b = require(second);
      code_.operate(Prefix::number, opcode, take_target(in, uses), a, b);
    }
  }

  /// One of its operands becomes the target: best of all one that is not needed any more.
  void add_fused(const Instruction& in, const NextUses& uses) {
    const FusedOpcodes opcodes = opcodes_of(in.kind);
    int x = in.a, y = in.b, use_x = uses.operand[0], use_y = uses.operand[1];
    const auto is_spent = [&](int value, int use) {
      return where(value) != nowhere && use == NextUses::never;
    };
    const bool addend_lasts = where(in.c) != nowhere && uses.operand[2] != NextUses::never;
    if (is_spent(y, use_y) && x != y) std::swap(x, y), std::swap(use_x, use_y);
    if (addend_lasts && is_spent(x, use_x) && x != y) {
      const int factor = require(x), other = require(y), addend = require(in.c);
      take_target(in, uses, factor);
      code_.fuse(opcodes.into_factor, factor, other, addend);
      return;
    }
    if (where(x) == nowhere && where(y) != nowhere) std::swap(x, y), std::swap(use_x, use_y);
    const int a = require(x);
    const bool memory = x != y && stays_in_memory(y, use_y);
    const int b = memory ? nowhere : require(y);
    int target = where(in.c);
    if (target == nowhere || addend_lasts || target == a || target == b) {
      const int from = target;
      target = free_register();
      if (from == nowhere)
        code_.load(target, in.c);
      else
        code_.move(target, from);
    }
    take_target(in, uses, target);
    if (memory)
      code_.fuse_memory(opcodes.into_addend, target, a, y);
    else
      code_.fuse(opcodes.into_addend, target, a, b);
  }

  static bool is_called(const Instruction& in) {
    return in.is_turn() ||
           !(in.is_fused() || in.op == Op::neg || in.op == Op::abs || opcode_of(in.op));
  }
  void call_in_lanes(const Instruction& in, const Instruction* kept) {
    save_registers();
    if (in.op == Op::exp && exponentials_ == Exponentials::four_at_once) {
      code_.pass_first_place(in.target), code_.pass_second_place(in.a);
      code_.call(std::bit_cast<std::uint64_t>(four_exponentials()));
    } else {
      code_.pass_memory(), code_.pass_second(std::bit_cast<std::uint64_t>(kept));
      code_.call(std::bit_cast<std::uint64_t>(&apply_in_lanes));
    }
    lies_in_memory(in.target);
    if (in.is_turn()) lies_in_memory(in.b);
  }

  void add_turns(std::span<const Instruction> round) {
    save_registers();
    const Turn* first = called_->turns.data() + called_->turns.size();
    for (const Instruction& in : round) called_->turns.push_back({in.a, in.target, in.b});
    code_.pass_memory(), code_.pass_second(std::bit_cast<std::uint64_t>(first));
    code_.pass_third(static_cast<int>(round.size()));
    code_.call(std::bit_cast<std::uint64_t>(turn_kernel()));
    for (const Instruction& in : round) lies_in_memory(in.target), lies_in_memory(in.b);
  }

  void call_function(const Instruction& in, const NextUses& uses, int arguments,
                     std::uint64_t function) {
    save_registers();
    const int values[] = {in.a, in.b, in.c};
    for (int i = 0; i < arguments; ++i) code_.load(i, values[i]);
    code_.call(function);
    take_target(in, uses, 0);
  }

  int& where(int value) { return place_[static_cast<std::size_t>(value)]; }
  char& is_in_memory(int value) { return in_memory_[static_cast<std::size_t>(value)]; }
  int& held_by(int own) { return holds_[static_cast<std::size_t>(own)]; }
  int& next_use(int own) { return next_use_[static_cast<std::size_t>(own)]; }

  void lies_in_memory(int value) { where(value) = nowhere, is_in_memory(value) = 1; }
  /// To be read from there, as it is not wanted soon.
  bool stays_in_memory(int value, int use) {
    constexpr int soon = 24;
    return where(value) == nowhere && (use >= NextUses::at_end || use > now_ + soon);
  }

  void save(int own) {
    const int value = held_by(own);
    if (value == nothing || is_in_memory(value) || next_use(own) == NextUses::never) return;
    code_.store(own, value);
    is_in_memory(value) = 1;
  }
  void empty(int own) {
    if (held_by(own) != nothing) where(held_by(own)) = nowhere;
    held_by(own) = nothing;
  }
  /// A called function may change every register.
  void save_registers() {
    for (int own = 0; own < X86Code::registers; ++own) save(own), empty(own);
  }

  int free_register() {
    int best = nowhere;
    for (int own = 0; own < X86Code::registers; ++own) {
      if (pinned_ >> own & 1) continue;
      if (held_by(own) == nothing) {
        best = own;
        break;
      }
      if (best == nowhere || next_use(own) > next_use(best)) best = own;
    }
    save(best), empty(best);
    pinned_ |= 1u << best;
    return best;
  }
  void hold(int own, int value, int use) {
    held_by(own) = value, where(value) = own, next_use(own) = use;
  }
  int require(int value) {
    if (where(value) == nowhere) {
      const int own = free_register();
      code_.load(own, value);
      hold(own, value, now_);
    }
    pinned_ |= 1u << where(value);
    return where(value);
  }
  int require_mask(bool sign) {
    const int value = sign ? sign_ : all_but_sign_;
    if (where(value) == nowhere) {
      const std::uint64_t sign_bit = std::uint64_t{1} << 63;
      const int own = free_register();
      code_.load_bits(own, sign ? sign_bit : ~sign_bit);
      hold(own, value, NextUses::at_end - 1);
    }
    return where(value);
  }

  /// The register of the result, any one or a certain one, after the operands' last reading.
  int take_target(const Instruction& in, const NextUses& uses, int own = nowhere) {
    const int values[] = {in.a, in.b, in.c};
    for (int i = 0; i < in.operands(); ++i) {
      const int place = where(values[i]);
      if (place == nowhere) continue;
      next_use(place) = uses.operand[i];
      if (uses.operand[i] == NextUses::never) empty(place);
    }
    pinned_ = 0;
    if (own == nowhere) own = free_register();
    save(own), empty(own);
    hold(own, in.target, uses.target);
    is_in_memory(in.target) = 0;
    return own;
  }

  bool wide_;
  Exponentials exponentials_;
  X86Code code_;
  std::shared_ptr<Called> called_ = std::make_shared<Called>();
  std::vector<int> place_;       ///< by value
  std::vector<char> in_memory_;  ///< by value
  std::array<int, X86Code::registers> holds_{}, next_use_{};
  unsigned pinned_ = 0;  ///< registers that the present instruction reads
  int now_ = 0;
  int sign_, all_but_sign_;
};

}  // namespace

MachineCode MachineCode::of(const Tape& tape, bool wide, Exponentials exponentials) {
  MachineCode result;
  const bool possible = wide ? __builtin_cpu_supports("avx2") : __builtin_cpu_supports("avx");
  if (tape.instructions().empty() || !possible) return result;
  const Assembler assembler(tape, wide, exponentials);
  InstalledCode installed = install_code(assembler.code());
  result.entry_ = reinterpret_cast<Entry>(const_cast<void*>(installed.entry));
  result.pages_ = std::move(installed.pages);
  result.called_ = assembler.called();
  return result;
}

MachineCode MachineCode::of(const Tape& tape) {
  return of(tape, false, Exponentials::of_library);
}

void MachineCode::run_block(double* memory, int count) const {
  entry_(memory, (count + X86Code::lanes - 1) / X86Code::lanes);
}

MachineCode MachineCode::of_block(const Tape& tape, Exponentials exponentials) {
  return of(tape, true, exponentials);
}

}  // namespace daedalus

#else

namespace daedalus {

MachineCode MachineCode::of(const Tape&) {
  return {};
}

MachineCode MachineCode::of_block(const Tape&, Exponentials) {
  return {};
}

void MachineCode::run_block(double*, int) const {}

}  // namespace daedalus

#endif
