#pragma once
// Extrapolated linearly implicit Euler steps for F = E y' - f with constant E: in a row of the
// table with substeps h,
//   (E/h + A) (y_{i+1} - y_i) = -F(t_{i+1}, y_i, 0),   A = dF/dy at the start of the step,
// one Jacobian a step, one factorization a row, no iteration. Backward differences of the substeps,
// extrapolated like the values, are the derivatives at the end, and make the polynomial between.
// [HairerWanner1996, IV.9; HairerOstermann1990]
#include <memory>
#include <vector>

#include "controller/norm.h"
#include "problem/jacobian.h"
#include "stepper/eliminated_error.h"
#include "stepper/extrapolation_stepper.h"

namespace daedalus {

class LinearlyImplicitExtrapolation final : public ExtrapolationStepper {
 public:
  /// Throws InvalidInput where the method does not apply; E is looked at near `start`.
  LinearlyImplicitExtrapolation(const System& system, Jacobian& jacobian,
                                const ExtrapolationTable& table, const Options& options,
                                const Vector& atol, Statistics& statistics, const State& start);

  void start(const State& state, double h) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override { next_.y = y; }
  void commit() override;
  void interpolant(Interpolant& out) override;
  int most_stages() const override { return most_columns; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 protected:
  bool begin_rows() override;
  bool make_row(int row, int substeps, double h, double* to) override;
  double error_size(const double* error) override;
  bool make_end(double h, double t) override;
  bool give_up() override;
  double first_step(double limit) override { return 1e-6 * (limit - state_.t); }

 private:
  /// H^r y^(r) at the end, from row `row` alone.
  double* difference(int r, int row) {
    return differences_.data() + static_cast<std::ptrdiff_t>((r - 1) * most_ + row - 1) * n_;
  }
  /// The same from all rows of the step, into `to`.
  void extrapolate_difference(int r, double* to);

  const System& system_;
  Jacobian& jacobian_;
  Pencil pencil_;
  std::unique_ptr<RealFactors> factors_;
  ErrorNorm norm_;
  std::unique_ptr<EliminatedError> eliminated_;  ///< null: no variables were eliminated
  std::vector<double> residual_, zero_, running_, differences_, work_, derivative_;
  bool linearized_ = false, singular_ = false;
  int not_finite_row_ = -1;
};

}  // namespace daedalus
