#pragma once
// Rosenbrock steps for stiff motions on the manifold of their constraints: x = (q, v), q' = v,
// v' = a(t, q, v), ends put onto the manifold. With J = (0 I; A B), A = da/dq, B = da/dv and
// s = 1/(h gamma) each stage
//   (s I - J) U = r   is   (s^2 I - s B - A) U_q = r_v + (s I - B) r_q,   U_v = s U_q - r_q,
// one real matrix of the size of the coordinates. [HairerWanner1996, IV.7]
// Stages are not put onto the manifold: near singular points, where they would have to be, no step
// is made, and others take over.
#include "controller/step_control.h"
#include "linear/pencil.h"
#include "method/rosenbrock.h"
#include "stepper/field_stepper.h"

namespace daedalus {

class MotionRosenbrock final : public FieldStepper {
 public:
  MotionRosenbrock(std::shared_ptr<ProjectedField> field, const RosenbrockTable& method,
                   const Options& options, const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  bool would_make(double h, double limit) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override;
  int order() const override { return method_.order; }
  int most_stages() const override { return method_.dense_rows + 1; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  enum class Outcome { done, singular, not_usable };

  double* stage(int i) { return stages_.data() + static_cast<std::ptrdiff_t>(i) * n_; }
  /// out += factor sum_{j < count} weights_j U_j.
  void add_stages(const RosenbrockTable::Row& weights, int count, double factor, double* out);
  double first_step(double limit) const;
  bool linearize();
  Outcome make_stages(double h);
  void solve(double* u);
  double error();
  double move_of_end(double* before) const;
  bool make_end(double t);

  const RosenbrockTable& method_;
  int coordinates_;
  StepControl control_;
  Pencil pencil_;  ///< (s I - B, -A), to be taken at s
  std::unique_ptr<RealFactors> factors_;
  double shift_ = 0, moved_ = 0;  ///< of the pencil; the end of the last step
  std::vector<double> stages_, stage_, slope_, next_slope_, time_derivative_, r_;
  std::vector<double> diagonal_;        ///< of -B
  std::vector<const double*> columns_;  ///< of s I - B
  double tried_ = 0;                    ///< the step whose stages are known; 0: none
  bool linearized_ = false, first_ = true, rejected_ = false, committed_ = false, finite_ = true;
};

}  // namespace daedalus
