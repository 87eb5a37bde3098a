#pragma once
#include <vector>

namespace daedalus {

/// A point of a run.
struct State {
  double t = 0;
  std::vector<double> y, yp;
};

}  // namespace daedalus
