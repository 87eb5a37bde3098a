#pragma once
// What a tape computes, in nodes of its graph and in its order: products that become part of a sum,
// sines with their cosines, and rounds of those together, so that they fill vectors.
#include <vector>

#include "expression/tape.h"

namespace daedalus {

struct TapeStep {
  Tape::Instruction::Kind kind = Tape::Instruction::Kind::plain;
  /// Of a sine and cosine the sine is the result, and one of both may not be wanted: -1.
  NodeId result = -1, cosine = -1;
  NodeId named() const { return result >= 0 ? result : cosine; }
  int count = 0;
  NodeId operands[3] = {-1, -1, -1};  ///< a, b and c of the instruction
};

/// All that the outputs need but inputs and constants.
std::vector<TapeStep> tape_steps(const Graph& graph, const std::vector<NodeId>& outputs,
                                 Tape::Products products);

}  // namespace daedalus
