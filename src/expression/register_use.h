#pragma once
// When the values of a tape are read again: what stays in the registers of a processor.
#include <limits>
#include <utility>
#include <vector>

#include "expression/tape.h"

namespace daedalus {

struct NextUses {
  static constexpr int never = std::numeric_limits<int>::max(), at_end = never - 1;

  int operand[3] = {never, never, never};  ///< after this instruction
  int target = never;                      ///< of the result
};

inline std::vector<NextUses> next_uses(const Tape& tape) {
  const auto& list = tape.instructions();
  std::vector<NextUses> result(list.size());
  std::vector<int> next(static_cast<std::size_t>(tape.registers()), NextUses::never);
  const auto of = [&](int value) -> int& { return next[static_cast<std::size_t>(value)]; };
  for (const int value : tape.outputs()) of(value) = NextUses::at_end;
  for (std::size_t k = list.size(); k-- > 0;) {
    const Tape::Instruction& in = list[k];
    NextUses& own = result[k];
    own.target = std::exchange(of(in.target), NextUses::never);
    if (in.is_turn()) of(in.b) = NextUses::never;
    const int read[3] = {in.a, in.b, in.c};
    for (int i = 0; i < in.operands(); ++i) own.operand[i] = of(read[i]);
    for (int i = 0; i < in.operands(); ++i) of(read[i]) = static_cast<int>(k);
  }
  return result;
}

}  // namespace daedalus
