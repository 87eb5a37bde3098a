#pragma once
// Second derivatives of an equation set with respect to its variables themselves.
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

class EquationHessian {
 public:
  explicit EquationHessian(const EquationSet& equations);

  struct Entry {
    int row = 0, first = 0, second = 0;  ///< d^2 equation / d first d second
  };
  /// The places of all values in the order in which `evaluate` hands them out. A place may repeat.
  const std::vector<Entry>& entries() const { return entries_; }
  void evaluate(const Point& point, double* values) const { program_.evaluate(point, values); }

 private:
  std::vector<Entry> entries_;
  Program program_;
};

}  // namespace daedalus
