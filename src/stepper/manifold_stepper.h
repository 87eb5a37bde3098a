#pragma once
// Implicit steps on the manifold of the constraints, for stiff motions that pass singular points:
// the steps of ImplicitStepper for x' = F(t, pi(t, x)), their ends put onto the manifold and kept
// away from singular points. Newton's matrix is that of an ordinary differential equation, which is
// regular where that of the constrained one is not.
#include <memory>

#include "formulation/projected_field.h"
#include "problem/jacobian.h"
#include "stepper/crossing_watch.h"
#include "stepper/implicit_stepper.h"

namespace daedalus {

/// The part of a step's polynomial that a field knows, in its order.
Interpolant gathered(const ProjectedField& field, const Interpolant& step);

class ManifoldStepper final : public Stepper {
 public:
  ManifoldStepper(std::shared_ptr<ProjectedField> field, const State& start, const Options& options,
                  const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override;
  int order() const override { return inner_->order(); }
  double estimated_error() const override { return inner_->estimated_error(); }
  int most_stages() const override { return inner_->most_stages(); }

  const std::vector<const StageConstants*>& methods() const { return inner_->methods(); }
  const Vector& tolerance() const { return atol_; }  ///< absolute, of x
  static const char* jacobian() { return "differences of the field"; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  bool project_end(double t);
  bool make_end();
  bool solve_again(double factor);
  double first_step(double limit) const;
  void spread(State& to);

  std::shared_ptr<ProjectedField> field_;
  std::shared_ptr<System> system_;
  std::unique_ptr<Jacobian> jacobian_;
  Options options_;
  Vector atol_;
  std::unique_ptr<ImplicitStepper> inner_;
  int n_;
  State inner_state_;
  std::vector<double> x_, slope_, tolerance_, multipliers_;
  Interpolant step_;
  CrossingWatch watch_;
  bool finite_ = true, begun_ = false;
};

}  // namespace daedalus
