#pragma once
// The solution at any time of the run: the interpolants of all steps, put onto the constraints.
#include <memory>
#include <optional>
#include <vector>

#include "analysis/consistent_start.h"
#include "analysis/constraint_projection.h"
#include "ivp/step_refiner.h"

namespace daedalus {

/// Accurate values inside a step: the interpolant, solved anew where it is not good enough, and
/// put onto the constraints.
class OutputProjection;

class StepOutput {
 public:
  StepOutput(std::shared_ptr<StepRefiner> refiner, std::shared_ptr<OutputProjection> projection)
      : refiner_(std::move(refiner)), projection_(std::move(projection)) {}
  void evaluate(const Interpolant& step, double t, double* y);

 private:
  std::shared_ptr<StepRefiner> refiner_;
  std::shared_ptr<OutputProjection> projection_;  ///< may be null
};

/// Puts a point of the dense output onto the constraints of its system: algebraic rows where the
/// index is 1, otherwise every level, which also gives the multipliers the accuracy of the state.
/// What comes out depends on the step and the time alone, not on what was asked before: levels are
/// linearised at the start of the step.
class OutputProjection {
 public:
  OutputProjection(std::shared_ptr<System> system, const Jacobian& jacobian,
                   std::vector<double> scale);
  /// y at t inside of a step that starts at (t0, y0). `solved`: the algebraic rows hold already.
  void apply(double t0, const double* y0, double t, double* y, bool solved);
  void apply_at_mesh_point(double t, double* y) { apply(t, y, t, y, true); }

 private:
  void linearize(double t0, const double* y0);

  std::shared_ptr<System> system_;
  Jacobian jacobian_;
  bool index_one_, active_;
  AlgebraicProjection algebraic_;
  LevelProjection levels_;  ///< never used: copies of it start without memory
  std::optional<LevelProjection> at_start_, working_;
  double start_t_ = 0;
  std::vector<double> start_y_, start_projected_;
  bool start_done_ = false;
  std::unique_ptr<ConstraintProjection> constraints_;
  std::vector<double> tolerance_, kept_;
};

class DenseOutput {
 public:
  DenseOutput(int visible, std::shared_ptr<StepOutput> output, bool forward);
  void append(const Interpolant& step) { steps_.push_back(step); }
  /// At an event the value after it.
  void evaluate(double t, double* y) const;
  bool empty() const { return steps_.empty(); }
  double begin() const { return steps_.front().t0; }
  double end() const { return steps_.back().t1; }
  int visible() const { return visible_; }

 private:
  int visible_;
  std::shared_ptr<StepOutput> output_;
  bool forward_;
  std::vector<Interpolant> steps_;
  mutable std::size_t last_ = 0;
  mutable std::vector<double> y_;
};

}  // namespace daedalus
