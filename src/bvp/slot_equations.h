#pragma once
// Equations as functions of the vector of slots s = (z, w, y) of one time: the states, the highest
// derivatives and the algebraic variables. A derivative of a variable is a sum of slots.
#include <functional>

#include "daedalus/vector.h"
#include "expression/equation_set.h"

namespace daedalus::bvp {

/// Slots whose sum is the derivative of that order of the variable; empty: zero.
using Place = std::function<std::vector<int>(int variable, int order)>;

class SlotEquations {
 public:
  SlotEquations() = default;
  /// Row i of the set, times factor[i], is added to row[i] of the result.
  SlotEquations(const EquationSet& set, const Place& place, std::vector<int> row,
                std::vector<double> factor, const std::vector<double>& discrete);

  void add_residual(double t, const double* s, double* r);
  void add_jacobian(double t, const double* s, Matrix& jacobian);
  int rows() const { return set_.rows(); }
  /// Slots from which row i is computed.
  std::vector<int> slots_of(int i) const;

 private:
  void gather(const double* s);

  struct Leaf {
    int order, variable;
    std::vector<int> slots;
  };
  struct Entry {
    int row, slot;
    double factor;
    int value;
  };
  EquationSet set_;
  std::vector<EquationJacobian> jacobian_;  ///< one, or none
  std::vector<Leaf> leaves_;
  std::vector<Entry> entries_;
  std::vector<int> row_;
  std::vector<double> factor_, discrete_, r_, values_;
  std::vector<std::vector<double>> x_;
};

}  // namespace daedalus::bvp
