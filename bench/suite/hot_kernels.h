#pragma once
// The kernels of a run, put together as its stepper does it, at one of its points.
#include <functional>
#include <memory>
#include <vector>

#include "daedalus/solve.h"

namespace daedalus::bench {

/// A run to be told by its kernels.
struct RunToTell {
  std::string method = {};       ///< that it took, no "auto"
  std::vector<int> orders = {};  ///< of its steps
  Names variables = {};
  std::vector<double> start = {};  ///< consistent values
  /// A point on the way, and the step that ended there.
  std::int64_t steps = 0;
  double t = 0, h = 0;
  std::vector<double> values = {};
};

/// So many calls in a row: a call by std::function takes as long as small equations do.
using Calls = std::function<void(int calls)>;

/// Empty: the run has no such kernel.
struct HotKernels {
  int unknowns = 0;
  bool on_manifold = false;
  Calls f = {};         ///< residual of all equations, or a slope
  Calls jacobian = {};  ///< of both parts, or of the one that changes
  struct Matrices {
    int order = 0;  ///< of the method that has them; 0: any
    Calls factor = {}, solve = {};
  };
  std::vector<Matrices> matrices = {};  ///< all of a step together
  Calls projection = {};                ///< of the end of a step
};

/// Throws InvalidInput for methods that have others.
HotKernels hot_kernels(const Problem& problem, const Options& options, const RunToTell& run);

}  // namespace daedalus::bench
