#pragma once
// Sines and cosines of many numbers at once, in vector registers where the machine has fused
// multiplication and addition; by the mathematical library elsewhere and for large arguments. All
// ways on one machine give the same bits for the same argument.
namespace daedalus {

/// Both at once, about the cost of one.
void sine_and_cosine(double x, double* sine, double* cosine);
/// What it calls on this machine.
using SingleTurn = void (*)(double x, double* sine, double* cosine);
SingleTurn single_turn();

/// Places in a memory: of an argument, and where its sine and cosine go.
struct Turn {
  int argument = 0, sine = 0, cosine = 0;
};

/// No result lies where an argument of another turn does.
using TurnKernel = void (*)(double* memory, const Turn* list, int count);
TurnKernel turn_kernel();

/// Of turns.cpp, for arguments that the vectors leave to it.
void turn_by_library(double x, double* sine, double* cosine);

/// For machines with AVX2.
TurnKernel fused_turn_kernel();
void fused_sine_and_cosine(double x, double* sine, double* cosine);

}  // namespace daedalus
