#pragma once
// A motion under position constraints found in the equations of a model,
//   der(q) = v,   M(t, q) der(v) + B(t, q) lambda = f(t, q, v),   g(t, q) = 0,
// or with names for the accelerations, der(v) = a.
#include "analysis/row_expressions.h"
#include "analysis/signature.h"
#include "daedalus/problem.h"

namespace daedalus {

/// Throws InvalidInput: the form asked for, and what is different in this model.
[[noreturn]] void refuse_motion(const std::string& why);

class RecognisedMotion {
  int discrete_ = 0;
  Names discrete_names_;

 public:
  RecognisedMotion(const ExpressionGraph& form, const StructuralAnalysis& structure,
                   int discrete_values);

  int coordinates() const { return static_cast<int>(q.size()); }
  int multipliers() const { return static_cast<int>(lambda.size()); }
  int discrete_values() const { return discrete_; }
  /// Coordinates, velocities, multipliers, accelerations that have names, as variables.
  std::vector<int> places() const;
  /// Numbers of the inputs of `rows`: the time, q, v, discrete values, der(v), lambda.
  int velocity_input(int j) const { return 1 + coordinates() + j; }
  int acceleration_input(int j) const { return 1 + 2 * coordinates() + discrete_ + j; }
  int multiplier_input(int k) const { return acceleration_input(coordinates() + k); }

  /// Coefficients of a row of `dynamics` in accelerations or multipliers, by inputs.
  std::vector<NodeId> coefficients(NodeId row, const std::vector<int>& inputs);
  /// f of such a row.
  NodeId force(NodeId row);

  RowExpressions rows;
  std::vector<int> q, v, lambda, a;      ///< variables
  std::vector<int> shown_accelerations;  ///< coordinates that `a` belong to
  std::vector<NodeId> constraints, dynamics;
  std::vector<int> constraint_rows;  ///< where they stand among the equations

 private:
  std::vector<int> sort_variables(const ExpressionGraph& form, const StructuralAnalysis& structure);
  void name_accelerations(RowExpressions& unsorted, const StructuralAnalysis& structure,
                          std::vector<int>& others);
  void sort_rows(const std::vector<int>& others, const ExpressionGraph& form,
                 const StructuralAnalysis& structure);

  std::vector<char> is_multiplier_;  ///< by variable
  RowExpressions::Replacements at_rest_;
};

}  // namespace daedalus
