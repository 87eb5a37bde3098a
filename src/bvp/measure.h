#pragma once
// Sizes of iterates and of changes of them: states relative to 1 + their largest value, h^m w as
// states, y likewise. Variables that are not controlled count for nothing.
#include "bvp/basis.h"
#include "bvp/collocation_system.h"
#include "bvp/iterate.h"

namespace daedalus::bvp {

/// Root of the mean square, and the largest part of all.
struct Size {
  double mean = 0, largest = 0;
};

class Measure {
 public:
  Measure(const CollocationSystem& system, const Basis& basis)
      : system_(system), k_(basis.points()) {}

  /// What changes are relative to from now on.
  void set_scales(const Iterate& u);
  Size operator()(const Iterate& change) const;
  /// Mean of the products: that of a change with itself is the square of its mean.
  double product(const Iterate& a, const Iterate& b) const;

 private:
  const CollocationSystem& system_;
  int k_;
  double count_ = 0;
  Vector of_states_;
  Iterate scale_;  ///< of each number, without times
};

}  // namespace daedalus::bvp
