#pragma once
// Variables that an equation gives explicitly. From  0 = f(v, rest)  with v at the end of a path of
// sums and differences follows  v = expression of the rest;  in an equation between two variables
// alone, c v = d w + e, numbers may stand before them (an alias).
#include <vector>

#include "expression/kernel.h"

namespace daedalus {

struct ExplicitLeaf {
  int leaf = 0;
  Graph graph;        ///< that of the kernel, with the value
  NodeId value = -1;  ///< what the other leaves say of this one
  bool bare = false;  ///< stands alone on its side of the equation
};

/// Empty where derivatives occur: what they say would have to be known wherever v is shown.
std::vector<ExplicitLeaf> explicit_leaves(const Kernel& kernel);

/// Two variables, each an affine function of the other.
bool is_alias(const Kernel& kernel);

/// The variables come with numbers as factors only.
bool is_affine(const Kernel& kernel);

}  // namespace daedalus
