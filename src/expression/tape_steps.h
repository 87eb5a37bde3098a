#pragma once
// What a tape computes, in nodes of its graph and in its order: products that become part of a sum,
// sines with their cosines, and rounds of those together, so that they fill vectors.
#include <vector>

#include "expression/tape.h"

namespace daedalus {

struct TapeStep {
  Tape::Instruction::Kind kind = Tape::Instruction::Kind::plain;
  NodeId result = -1;
  NodeId cosine = -1;  ///< of a sine and cosine; `result` is the sine
  int count = 0;
  NodeId operands[3] = {-1, -1, -1};  ///< a, b and c of the instruction
};

/// All that the outputs need but inputs and constants.
std::vector<TapeStep> tape_steps(const Graph& graph, const std::vector<NodeId>& outputs,
                                 Tape::Products products);

}  // namespace daedalus
