#include "expression/exponentials.h"

#include <cmath>

#include "linear/dense_kernels.h"

namespace daedalus {
namespace {

void exponentials_one_by_one(double* target, const double* x) {
  for (int i = 0; i < 4; ++i) target[i] = std::exp(x[i]);
}

}  // namespace

FourExponentials four_exponentials() {
#if defined(DAEDALUS_HAS_AVX_KERNELS)
  if (is_available(InstructionSet::avx2)) return fused_four_exponentials;
#endif
  return exponentials_one_by_one;
}

}  // namespace daedalus
