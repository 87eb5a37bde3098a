#pragma once
// Bounds of the solution, such as that of a concentration, which errors of steps lead beyond. Where
// the equations push what is outside further away, as reactions do with what is less than nothing,
// a negative number within the tolerance grows until nothing is left of the solution.
#include <vector>

#include "daedalus/problem.h"
#include "problem/expansion.h"
#include "problem/system.h"

namespace daedalus {

class StepBounds {
 public:
  StepBounds() = default;
  /// Throws InvalidInput where a bound is of no variable, or leaves no room.
  StepBounds(const Problem& problem, const System& system, const Expansion* expansion,
             const Vector& atol, double rtol);

  bool empty() const { return bounds_.empty(); }
  /// Puts differential variables back that are outside by some tolerances, which is what their
  /// errors may be; those further off the solution itself has led there. False: none was.
  bool keep(std::vector<double>& y) const;

 private:
  struct OfVariable {
    int variable;
    double least, most, lowest, highest;
  };
  std::vector<OfVariable> bounds_;
};

}  // namespace daedalus
