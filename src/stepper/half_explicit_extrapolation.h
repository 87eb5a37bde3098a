#pragma once
// Extrapolated half-explicit methods on the manifold of the constraints: Euler's and the midpoint
// rule for Hessenberg index 2 and motions (constraints of velocities), Euler's with constraints of
// positions and RATTLE for motions. Only y is extrapolated; the end of each step is put onto the
// manifold, where multipliers follow from y.
#include <memory>

#include "controller/norm.h"
#include "formulation/projected_field.h"
#include "stepper/extrapolation_stepper.h"
#include "stepper/slope_polynomial.h"

namespace daedalus {

class HalfExplicitExtrapolation final : public ExtrapolationStepper {
 public:
  /// Throws InvalidInput for methods of motions where there is none.
  HalfExplicitExtrapolation(std::shared_ptr<ProjectedField> field, const ExtrapolationTable& table,
                            const Options& options, const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override;
  int most_stages() const override { return 3 + SlopePolynomial::most_inside; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 protected:
  bool make_row(int row, int substeps, double h, double* to) override;
  double error_size(const double* error) override;
  bool make_end(double h, double t) override;
  bool give_up() override;
  double first_step(double limit) override;

 private:
  bool march_euler(int substeps, double h, double* y);
  bool march_midpoint(int substeps, double h, double* y);
  bool march_positions(int substeps, double h, double* y, bool symmetric);
  bool put_onto_manifold(double t, std::vector<double>& x, std::vector<double>& slope, State& to);
  void count();

  std::shared_ptr<ProjectedField> field_;
  ErrorNorm norm_;
  std::vector<double> atol_;
  std::int64_t counted_ = 0;                             ///< factorizations of the field
  std::vector<double> x_, next_x_, slope_, next_slope_;  ///< of state_ and next_
  std::vector<double> k_, before_, tolerance_, multipliers_, lambda_, at_start_;
  SlopePolynomial polynomial_;
  bool committed_ = false, finite_ = true;
};

}  // namespace daedalus
