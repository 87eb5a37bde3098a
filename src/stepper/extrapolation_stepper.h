#pragma once
// Steps by extrapolation, of variable order: rows of the table one after the other until their
// difference is within the tolerance. Families differ in what a row is and how a step ends.
#include <vector>

#include "controller/extrapolation_control.h"
#include "stepper/stepper.h"

namespace daedalus {

class ExtrapolationStepper : public Stepper {
 public:
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  int order() const override { return table_.power * columns_used_; }

 protected:
  /// Throws InvalidInput for an order that the method does not have. `size`: of what is
  /// extrapolated. Of the work: that of a step, of a row and of a substep.
  ExtrapolationStepper(const ExtrapolationTable& table, const Options& options,
                       Statistics& statistics, int size, double once, double per_row,
                       double per_substep);

  /// Before the rows of a step. False: `fail` was called.
  virtual bool begin_rows() { return true; }
  /// The end of the step with `substeps` of them, into `to`. False: not to be had with this step.
  virtual bool make_row(int row, int substeps, double h, double* to) = 0;
  virtual double error_size(const double* error) = 0;
  /// From the extrapolated values to the next state. False: as above.
  virtual bool make_end(double h, double t) = 0;
  virtual bool give_up() = 0;
  virtual double first_step(double limit) = 0;

  void begin_anew(const State& state, double h);
  void note_commit() { ++statistics_.steps; }
  void save_control(std::vector<double>& memory) const;
  void restore_control(SavedState& memory);
  /// T_{j,j-i}: 0 is what extrapolation gives.
  double* column(int i) { return columns_.data() + static_cast<std::ptrdiff_t>(i) * n_; }

  const ExtrapolationTable& table_;
  Options options_;
  Statistics& statistics_;
  int n_;
  int most_;                 ///< columns
  int columns_used_ = 2;     ///< of the step found
  bool unsolvable_ = false;  ///< a row of the last attempt was not to be had
  ExtrapolationControl control_;

 private:
  enum class Outcome { accepted, rejected, failed, impossible };
  Outcome make_rows(double h, int fixed_columns);
  bool extrapolate_row(int row, double h);

  std::vector<double> columns_, difference_;
};

}  // namespace daedalus
