#pragma once
// What can change at an instant: relations whose truth is frozen inside a step, discrete variables,
// when clauses, assertions. Discrete values are one list: the discrete variables of the model, the
// `pre` of each, then the modes of the relations.
#include <string>
#include <vector>

#include "expression/equation_set.h"

namespace daedalus {

/// `mode` holds what the row of `crossings`, an expression x, says: [x > 0], [x >= 0], floor(x) or
/// ceil(x).
struct Relation {
  enum class Kind { positive, not_negative, floor, ceil };
  Kind kind = Kind::positive;
  int mode = 0;      ///< number of the discrete value that holds it
  std::string name;  ///< as the user wrote it, with its line
};

/// `v = expression` for a discrete variable, kept true at every event.
struct DiscreteEquation {
  int target = 0;
  int value = 0;  ///< row of `values`
};

/// Taken when a condition becomes true.
struct Action {
  enum class Kind { reinit, assign, terminate };
  Kind kind = Kind::assign;
  int target = 0;  ///< variable (reinit) or discrete variable (assign)
  int value = -1;  ///< row of `values`
  std::string message;
};

struct WhenClause {
  struct Branch {
    std::vector<int> conditions;  ///< rows of `values`: any of them
    std::vector<Action> actions;
  };
  std::vector<Branch> branches;  ///< of those that become true together the first counts
};

struct Assertion {
  int condition = -1;  ///< row of `values`
  std::string message;
  std::string where;
};

struct Switching {
  int discrete_variables = 0;
  std::vector<double> start;  ///< of all discrete values
  std::vector<Relation> relations;
  EquationSet crossings;  ///< one row for each relation
  EquationSet values;     ///< conditions and values of the rest
  std::vector<DiscreteEquation> equations;
  std::vector<WhenClause> whens;
  std::vector<Assertion> assertions;

  bool empty() const { return relations.empty() && whens.empty() && assertions.empty(); }
};

}  // namespace daedalus
