#pragma once
// Rosenbrock steps: no iteration, but the exact Jacobian and time derivative at the start of every
// step. For F = E y' - f with constant E and index 1; with lower order for index 2.
#include <memory>
#include <vector>

#include "controller/norm.h"
#include "controller/step_control.h"
#include "method/rosenbrock.h"
#include "problem/jacobian.h"
#include "stepper/eliminated_error.h"
#include "stepper/stepper.h"

namespace daedalus {

class RosenbrockStepper final : public Stepper {
 public:
  /// Throws InvalidInput where the method does not apply; E is looked at near `start`.
  RosenbrockStepper(const System& system, Jacobian& jacobian, const RosenbrockTable& method,
                    const Options& options, const Vector& atol, Statistics& statistics,
                    const State& start);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override { next_.y = y; }
  void commit() override;
  void interpolant(Interpolant& out) override;
  int order() const override { return method_.order; }
  int most_stages() const override { return method_.dense_rows + 1; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  enum class Outcome { done, singular, not_finite };

  double* stage(int i) { return stages_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  const double* stage(int i) const { return stages_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  /// out += factor sum_{j < count} weights_j U_j.
  void add_stages(const RosenbrockTable::Row& weights, int count, double factor, double* out) const;
  bool linearize();
  Outcome make_stages(double h);
  void make_end(double h, double t);
  double error_size();
  bool give_up(Outcome outcome);

  const System& system_;
  Jacobian& jacobian_;
  const RosenbrockTable& method_;
  Options options_;
  Statistics& statistics_;
  int n_;
  Pencil pencil_;
  std::unique_ptr<RealFactors> factors_;
  ErrorNorm norm_;
  StepControl control_;
  std::unique_ptr<EliminatedError> eliminated_;  ///< null: no variables were eliminated
  std::vector<double> stages_, stage_y_, stage_yp_, time_derivative_, zero_;
  bool linearized_ = false, first_ = true, rejected_ = false;
  int singular_in_a_row_ = 0;
  int not_finite_row_ = -1;
};

}  // namespace daedalus
