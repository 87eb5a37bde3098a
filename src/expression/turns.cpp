#include "expression/turns.h"

#include <cmath>

#include "linear/dense_kernels.h"

namespace daedalus {

void turn_by_library(double x, double* sine, double* cosine) {
#ifdef __GLIBC__
  ::sincos(x, sine, cosine);
#else
  *sine = std::sin(x), *cosine = std::cos(x);
#endif
}

namespace {

void turn_one_by_one(double* memory, const Turn* list, int count) {
  for (int k = 0; k < count; ++k)
    turn_by_library(memory[list[k].argument], &memory[list[k].sine], &memory[list[k].cosine]);
}

struct Turns {
  TurnKernel many = turn_one_by_one;
  SingleTurn one = turn_by_library;
};

Turns best_turns() {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (is_available(InstructionSet::avx2)) return {fused_turn_kernel(), fused_sine_and_cosine};
#endif
  return {};
}

const Turns& turns() {
  static const Turns best = best_turns();
  return best;
}

}  // namespace

TurnKernel turn_kernel() {
  return turns().many;
}

SingleTurn single_turn() {
  return turns().one;
}

void sine_and_cosine(double x, double* sine, double* cosine) {
  turns().one(x, sine, cosine);
}

}  // namespace daedalus
