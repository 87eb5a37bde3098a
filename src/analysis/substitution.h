#pragma once
// Equations with variables replaced by the expressions that define them, derivatives of such a
// variable by the total derivatives. Equations of one shape stay together: what is put into them
// has one shape too.
#include "analysis/elimination.h"

namespace daedalus {

class Substitution {
 public:
  explicit Substitution(const Elimination& elimination, int variables);

  /// The number that each variable that stays has among those; -1: replaced.
  const std::vector<int>& place() const { return place_; }
  /// The same rows in the variables that stay.
  EquationSet applied(const EquationSet& equations) const;

 private:
  class Row;
  std::vector<int> place_;
  std::vector<int> replacement_;  ///< by variable, -1: stays
  const Elimination& elimination_;
};

}  // namespace daedalus
