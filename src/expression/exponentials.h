#pragma once
// The exponential function of four numbers at once, in a vector register where the machine has
// fused multiplication and addition; by the mathematical library elsewhere and for large arguments.
// Its bits are not always those of the library.
namespace daedalus {

using FourExponentials = void (*)(double* target, const double* x);

/// What this machine has.
FourExponentials four_exponentials();

/// For machines with AVX2.
void fused_four_exponentials(double* target, const double* x);

}  // namespace daedalus
