#pragma once
// Units out of a square matrix: rows and columns are scaled so that the entries of a transversal of
// largest product are 1 in size and no entry is larger. What is singular then is so for no reason
// of scale. [DuffKoster2001]
#include "daedalus/vector.h"

namespace daedalus {

/// False: every transversal has a zero.
bool scale_by_transversal(Matrix& a);

}  // namespace daedalus
