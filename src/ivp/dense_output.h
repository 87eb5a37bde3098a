#pragma once
// The solution at any time of the run: the interpolants of all steps, put onto the constraints.
#include <memory>
#include <optional>
#include <vector>

#include "analysis/consistent_start.h"
#include "analysis/constraint_projection.h"
#include "formulation/projected_field.h"
#include "ivp/step_refiner.h"
#include "linear/kept_block.h"
#include "problem/expansion.h"

namespace daedalus {

/// Where the constraints are linearised for the output of some steps. A matter of cost only, but
/// part of the state: values have the same bits whatever was asked before.
struct Anchor {
  double t = 0;
  std::vector<double> y;
  std::vector<double> yp;     ///< where the constraints have derivatives among their unknowns
  std::vector<double> modes;  ///< discrete values that hold there
  bool operator==(const Anchor&) const = default;
};

/// Accurate values inside a step: the interpolant, solved anew where it is not good enough, and
/// put onto the constraints.
class StepOutput {
 public:
  StepOutput(std::shared_ptr<System> system, std::shared_ptr<const Expansion> expansion)
      : system_(std::move(system)), expansion_(std::move(expansion)) {}
  virtual ~StepOutput() = default;
  /// All variables of the system.
  virtual void evaluate(const Interpolant& step, const Anchor& anchor, double t, double* y) = 0;
  /// Those of the user, by way of y; valid until the next call.
  Input shown(const Interpolant& step, const Anchor& anchor, double t, double* y);
  /// The equations have changed.
  virtual void forget() = 0;

 protected:
  std::shared_ptr<System> system_;
  std::shared_ptr<const Expansion> expansion_;  ///< may be null
};

class OutputProjection;

/// Of implicit methods.
class RefinedOutput final : public StepOutput {
 public:
  RefinedOutput(std::shared_ptr<System> system, std::shared_ptr<StepRefiner> refiner,
                std::shared_ptr<OutputProjection> projection,
                std::shared_ptr<const Expansion> expansion)
      : StepOutput(std::move(system), std::move(expansion)),
        refiner_(std::move(refiner)),
        projection_(std::move(projection)) {}
  void evaluate(const Interpolant& step, const Anchor& anchor, double t, double* y) override;
  void forget() override {
    if (refiner_) refiner_->forget();
  }

 private:
  std::shared_ptr<StepRefiner> refiner_;          ///< null: the interpolant is good enough
  std::shared_ptr<OutputProjection> projection_;  ///< may be null
  std::vector<double> projected_;
};

/// Of steps on the manifold of the constraints.
class ManifoldOutput final : public StepOutput {
 public:
  ManifoldOutput(std::shared_ptr<System> system, std::shared_ptr<const Expansion> expansion,
                 std::shared_ptr<ProjectedField> field)
      : StepOutput(std::move(system), std::move(expansion)),
        field_(std::move(field)),
        x_(static_cast<std::size_t>(field_->differential)),
        slope_(x_),
        multipliers_(static_cast<std::size_t>(field_->algebraic)) {}
  const std::shared_ptr<ProjectedField>& field() const { return field_; }
  /// Implicit steps from now on, by a refiner that works on the same field.
  void refine(std::shared_ptr<StepRefiner> refiner) { refiner_ = std::move(refiner); }
  void evaluate(const Interpolant& step, const Anchor& anchor, double t, double* y) override;
  void forget() override {
    if (refiner_) refiner_->forget();
  }

 private:
  std::shared_ptr<ProjectedField> field_;
  std::shared_ptr<StepRefiner> refiner_;  ///< of implicit steps, or null
  std::vector<double> x_, slope_, multipliers_;
};

/// Puts a point of the dense output onto the constraints of its system: algebraic rows where the
/// index is 1, otherwise every level, which also gives the multipliers the accuracy of the state.
class OutputProjection : public KeptBlock<OutputProjection> {
 public:
  /// With derivatives among more than `largest` unknowns it does nothing, unless they are sparse.
  OutputProjection(std::shared_ptr<System> system, std::shared_ptr<const Jacobian> jacobian,
                   std::vector<double> scale, int largest);
  /// As it was made.
  void begin_anew();
  /// `solved`: the algebraic rows hold already, as they do at mesh points.
  void apply(const Anchor& anchor, double t, double* y, bool solved);

 private:
  /// Most runs never ask for it.
  void prepare();
  void linearize(const Anchor& anchor);

  std::shared_ptr<System> system_;
  std::shared_ptr<const Jacobian> given_;
  std::vector<double> scale_;
  std::optional<Jacobian> jacobian_;  ///< a copy: evaluation is not for two at once
  bool index_one_, active_;
  std::optional<AlgebraicProjection> algebraic_;  ///< of index 1
  std::optional<ConstraintProjection> at_anchor_, working_;
  bool works_on_copies_ = false;  ///< some point asked for another linearisation
  Anchor anchor_;
  bool anchored_ = false;        ///< the linearisation serves at the anchor
  long changes_at_anchor_ = -1;  ///< of it until then
  std::vector<double> tolerance_, kept_;
};

class DenseOutput {
 public:
  DenseOutput(std::shared_ptr<StepOutput> output, bool forward);
  void append(const Interpolant& step, const Anchor& anchor);
  /// Of the end of the last step.
  void set_end(const Anchor& anchor) { end_anchor_ = anchor; }
  /// At an event the value after it.
  void evaluate(double t, double* y) const;
  bool empty() const { return steps_.empty(); }
  double begin() const { return steps_.front().t0; }
  double end() const { return steps_.back().t1; }

 private:
  std::shared_ptr<StepOutput> output_;
  bool forward_;
  std::vector<Interpolant> steps_;
  std::vector<Anchor> anchors_;
  std::vector<std::size_t> anchor_of_;  ///< each step
  Anchor end_anchor_;
  mutable std::size_t last_ = 0;
  mutable std::vector<double> y_;
};

}  // namespace daedalus
