#pragma once
// Equations of one shape: a graph over anonymous leaves, and for each instance what they stand
// for. Leaves are the time, variables with an order of differentiation, discrete values, and
// numbers that differ between the instances.
#include <vector>

#include "expression/graph.h"

namespace daedalus {

struct Leaf {
  enum class Kind : std::uint8_t { time, variable, discrete, data };
  Kind kind = Kind::time;
  int order = 0;  ///< of differentiation, variables only
  int which = 0;  ///< variable or discrete value
  bool operator==(const Leaf&) const = default;
};

/// One shape: graph inputs 0 .. leaves-1, the residual, and for each instance what they stand for.
struct Kernel {
  Graph graph;
  NodeId residual = -1;
  std::vector<Leaf> leaves;               ///< kind and order; `which` is by instance
  std::vector<std::vector<int>> which;    ///< [leaf][instance], empty for time and data
  std::vector<std::vector<double>> data;  ///< [leaf][instance], only for data
  std::vector<int> rows;                  ///< equation number of each instance
  bool is_compact = false;                ///< no nodes and leaves but those of the residual

  int instances() const { return static_cast<int>(rows.size()); }
};

/// Where values come from: x[k] points to the k-th derivatives of all variables.
struct Point {
  double t = 0;
  const double* const* x = nullptr;
  const double* discrete = nullptr;
};

}  // namespace daedalus
