#pragma once
// Constraints by products with Gh and Gh^T alone: Gh Gh^T is neither formed nor factored. Minimal
// solutions x = Gh^T y come from sequential regularisation with E = I,
//   (eps I + Gh Gh^T) (y_s - y_{s-1}) = c - Gh Gh^T y_{s-1},   s = 1, 2, ...  [AscherLin1997,
//   (2.5)]
// which starts from the y of the last solution; each iteration is solved by conjugate gradients.
// eps is chosen so that two iterations gain what is asked for. One or two left vectors of small
// singular values are kept up to date by inverse iteration and taken out of the iteration: its
// condition stays that of the other rows where the constraints lose rank.
#include "linear/constraint_matrix.h"

namespace daedalus {

class IteratedConstraints final : public ConstraintMatrix {
 public:
  IteratedConstraints(int rows, int columns);
  std::shared_ptr<ConstraintMatrix> copy() const override;
  void learn_reference() override;
  void freeze() override;
  bool factor() override;
  bool decompose() override;
  void set_accuracy(double error) override { accuracy_ = error; }
  void multipliers(const double* c, double* y, double drop_below) override;
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  bool take_rows();
  double* block(int j) { return block_.data() + area(j, m_); }
  double* lift(int i) { return lift_.data() + area(i, m_); }
  double* image(int i) { return image_.data() + area(i, n_); }
  const double* image(int i) const { return image_.data() + area(i, n_); }
  void to_columns(const double* y, double* x) const;  ///< x = Gh^T y
  void to_rows(const double* x, double* y) const;     ///< y = Gh x
  void leave_pairs_out(double* y) const;
  void conjugate_gradients(const double* r, double eps, double relative, double* w);
  double least_of_rest() const;
  void iterate(const double* c, double* x, double* y, double accuracy);
  void turn_block(int rounds);
  double smallest_in_block();
  void solve_rest(const double* c, double* x, bool warm) override;
  double coupling(int i, const double* x) const override;
  void leave_rest(double* x) override;

  int tracked_;               ///< size of the block
  std::vector<double> rows_;  ///< Gh without its zeros, by rows
  std::vector<int> column_;
  std::vector<std::size_t> row_end_;
  std::vector<double> block_;  ///< left vectors of the smallest singular values, about
  std::vector<double> frozen_block_;
  std::vector<double> lift_;   ///< Gh^T lift_i = v_i
  std::vector<double> image_;  ///< Gh^T u_i
  std::vector<double> warm_, scaled_, y_, r_, w_, p_, q_, s_, x_, z_, t_;
  double accuracy_ = 0;
  bool frozen_ = false;
  int since_turned_ = 0;
};

}  // namespace daedalus
