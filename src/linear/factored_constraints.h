#pragma once
// Constraints by factors: where the rows are far from dependent the Cholesky factors of Gh Gh^T
// serve, elsewhere Gh = U S V^T.
#include "linear/constraint_matrix.h"

namespace daedalus {

class FactoredConstraints final : public ConstraintMatrix {
 public:
  FactoredConstraints(int rows, int columns);
  std::shared_ptr<ConstraintMatrix> copy() const override;
  void forget() override { ConstraintMatrix::forget(), suspect_below_ = suspicious, pairs_ = m_; }
  void learn_reference() override;
  bool factor() override;
  bool decompose() override;
  bool are_regular(const double* squares, const double* pivots, bool learning) override;
  bool suspect_below(double health) override { return suspect_below_ = health, true; }
  void multipliers(const double* c, double* y, double drop_below) override;
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  void solve_rest(const double* c, double* x, bool warm) override;
  double* rows_or_right(int i) { return v_.data() + area(i, n_); }
  bool cholesky();
  void turn_to_eigenvectors();
  void turn_until_orthogonal();
  void forward_and_back(double* c) const;

  double suspect_below_ = suspicious;
  std::vector<double> lower_, work_;  ///< Cholesky factor of Gh Gh^T, by rows
};

}  // namespace daedalus
