#pragma once
// A model after flattening: scalar variables, equations grouped by shape, what is known at the
// start, and what can happen at events. Indices count scalars from 0.
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expression/equation_set.h"
#include "model/ast.h"
#include "problem/switching.h"

namespace daedalus::model {

struct FlatVariable {
  std::string name;  ///< `q[2]`, `A[1,2]`
  double start = 0;
  bool has_start = false;
  bool fixed = false;
  double nominal = 1;
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string unit;
  std::string description;
  Span at;

  bool has_bounds() const { return std::isfinite(min) || std::isfinite(max); }
};

struct FlatModel {
  std::shared_ptr<const Source> source;
  std::string name, description;
  std::vector<FlatVariable> variables;  ///< unknowns in the order of declaration, then hidden ones
  int visible = 0;                      ///< those of the model; the rest are lower derivatives
  std::vector<std::string> labels;      ///< of the equations: label, or `line 12`
  EquationSet equations;
  std::vector<std::pair<int, int>> definitions;  ///< (row, variable) of `v = expression`, v free
  std::vector<std::string> initial_labels;
  EquationSet initial_equations;

  std::vector<std::string> discrete_names;  ///< of all discrete values
  Switching switching;
  bool has_boundary_conditions = false;
  std::vector<double> points;  ///< times of the boundary conditions
  /// Variable p * variables.size() + j stands for variable j at points[p].
  EquationSet conditions;
  std::vector<std::string> condition_labels;
  /// Row i is a start value that may depend on time; its derivative of that order is the guess for
  /// a variable.
  struct Guess {
    int row, order, variable;
  };
  EquationSet guesses;
  std::vector<Guess> guess_of;

  double start_time = 0, stop_time = 1;
  bool has_stop_time = false;
  std::optional<double> tolerance, interval;
  std::map<std::string, double> parameters;  ///< scalar ones, as used
};

struct FlattenOptions {
  std::map<std::string, double> parameters;  ///< replace the values of the text
  std::map<std::string, double> start;       ///< replace start values, by scalar name
  std::optional<double> start_time, stop_time;
};

/// Throws ModelError with all errors found.
FlatModel flatten(const Ast& ast, const FlattenOptions& options = {});

}  // namespace daedalus::model
