#pragma once
// All that a solution of a graph satisfies: f_i^(r) = 0 for r <= c_i in the unknowns x_j^(k),
// k <= d_j, with the offsets c, d of the Sigma method. [Pryce2001]
#include "analysis/signature.h"
#include "problem/system.h"

namespace daedalus {

class GraphConstraints final : public ConstraintSet {
 public:
  GraphConstraints(const ExpressionGraph& form, const StructuralAnalysis& structure,
                   const Names& names, const std::vector<char>& algebraic, bool at_start);

  template <class Visitor>
  void each_program(const Visitor& visit) const {
    for (const auto& set : sets_) visit(set->program());
    for (const auto& jacobian : jacobians_) visit(jacobian->program());
  }

  void evaluate(double t, const double* x, double* r) const override;
  void linearize(double t, const double* x, double* jacobian) const override;
  Sparsity places() const override;
  void linearize_sparse(double t, const double* x, double* values) const override;

 private:
  void add_set(EquationSet set, int highest);
  void spread(const double* x) const;
  /// Visits row, column and value of all derivatives that count.
  template <class Visitor>
  void each_entry(const Visitor& visit) const;

  ExpressionGraph form_;
  std::vector<std::vector<int>> place_;  ///< [order][variable]: unknown
  std::vector<std::shared_ptr<EquationSet>> sets_;
  std::vector<std::shared_ptr<EquationJacobian>> jacobians_;
  mutable std::vector<std::vector<double>> levels_;
  std::vector<const double*> pointers_;
  mutable std::vector<std::vector<double>> values_;  ///< by set
};

}  // namespace daedalus
