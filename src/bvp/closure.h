#pragma once
// What follows from the states at one time: every equation differentiated as often as [Pryce2001]
// tells determines the highest derivatives w and the algebraic variables y from z. With it
// conditions may be stated for w and y, and f can be taken with y eliminated.
#include <Eigen/LU>

#include "bvp/slot_equations.h"

namespace daedalus::bvp {

class Closure {
 public:
  Closure() = default;
  /// As many equations as unknown slots.
  Closure(std::vector<SlotEquations> parts, std::vector<int> unknowns, int states, int slots);

  bool exists() const { return !unknowns_.empty(); }
  const std::vector<int>& unknowns() const { return unknowns_; }
  bool determines(int slot) const;
  /// Newton's method from the values in s; not a number where it does not converge.
  void solve(double t, double* s, Scratch& scratch) const;
  /// d unknowns / dz at a solution.
  Matrix derivative(double t, const double* s, Scratch& scratch) const;

 private:
  struct Linear {
    Matrix jacobian;
    Eigen::PartialPivLU<Matrix> of_unknowns;
  };
  void linearize(double t, const double* s, Scratch& scratch, Linear& to) const;

  std::vector<SlotEquations> parts_;
  std::vector<int> unknowns_;
  int states_ = 0, slots_ = 0;
};

}  // namespace daedalus::bvp
