#pragma once
// All variables of a model from those of its lean system: the ones that were eliminated are
// computed from their definitions, in an order in which each finds what it needs.
#include <memory>
#include <vector>

#include "daedalus/vector.h"
#include "expression/equation_set.h"

namespace daedalus {

class Expansion {
 public:
  struct Level {
    EquationSet values;
    std::vector<int> variables;
  };

  /// `kept`: the variable that each of the lean ones is.
  Vector atol = {};  ///< of the eliminated ones

  Expansion(Names visible, int variables, std::vector<int> kept, std::vector<Level> levels);

  int visible() const { return static_cast<int>(names_.size()); }
  const Names& names() const { return names_; }
  const std::vector<int>& kept() const { return kept_; }

  /// All variables; valid until the next call.
  const double* of(double t, const double* y, const double* discrete) const;

  /// Roots, logarithms and the like occur, which do not exist everywhere.
  bool is_partial() const { return is_partial_; }

  /// Of those that are shown: which were eliminated.
  const std::vector<int>& eliminated() const { return eliminated_; }
  /// Their index: the highest of the variables that they are computed from.
  std::vector<int> index_of_eliminated(const std::vector<int>& lean_index) const;

 private:
  Names names_;
  std::vector<int> kept_, eliminated_;
  std::vector<Level> levels_;
  bool is_partial_ = false;
  mutable std::vector<double> all_, values_;
};

}  // namespace daedalus
