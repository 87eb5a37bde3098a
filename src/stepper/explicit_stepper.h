#pragma once
// Explicit and half-explicit Runge-Kutta steps on the manifold of the constraints. The end of each
// step is put onto the manifold, and its slope is taken there; the stages are put onto it only in
// steps near a singular point of the constraints, where the method would lose its order without.
// Steps do not end on the singular point itself.
#include <memory>

#include "linear/kept_block.h"
#include "method/explicit.h"
#include "stepper/field_stepper.h"
#include "stepper/slope_sums.h"

namespace daedalus {

class ExplicitStepper final : public FieldStepper, public KeptBlock<ExplicitStepper> {
 public:
  ExplicitStepper(std::shared_ptr<ProjectedField> field, const ExplicitTable& method,
                  const Options& options, const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override;
  int order() const override { return method_.order; }
  int most_stages() const override { return method_.dense_rows + 3; }

  /// Several steps of late were as long as stability allows.
  bool is_stiff() const { return stiff_steps_ >= steps_that_tell; }

  bool can_begin() const override { return finite_; }
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;
  bool can_rewind() const override { return field_->can_rewind(); }
  bool rewind() override;

 private:
  static constexpr int steps_that_tell = 5, steps_that_clear = 6;
  enum class Outcome { done, needs_projection, failed };

  double* slope(int stage) { return slopes_.data() + static_cast<std::ptrdiff_t>(stage) * length_; }
  const double* slope(int stage) const {
    return slopes_.data() + static_cast<std::ptrdiff_t>(stage) * length_;
  }
  void fetch_slopes() const;
  /// Of the last stage.
  const double* last_slope() const {
    const int last = method_.stages - 1;
    return slopes_elsewhere_ ? slopes_elsewhere_ + static_cast<std::ptrdiff_t>(last - 1) * n_
                             : slope(last);
  }
  /// x = from + h sum_j weights_j slope_j; from null: without.
  void sum_up(const double* from, double h, const double* weights, int count, double* x) const;
  double* estimate(int e) { return estimates_.data() + static_cast<std::ptrdiff_t>(e) * length_; }
  const double* make_estimate(int e);
  Outcome make_stages(double h, double end);
  bool make_stages_at_once(double h, double end);
  bool make_constrained_slope(int i, double h);
  void make_slopes_inside(double t, const double* x, double h, int count);
  bool make_end(double t);
  void ask_field_for(double h);
  bool take_step(double h, double end);
  double share() const;
  void note_stiffness();
  double error(double h);
  double first_step(double limit);

  const ExplicitTable& method_;
  int length_;             ///< of vectors, with the zeros behind them
  mutable Vector slopes_;  ///< each begins at a cache line, if it has many numbers
  std::vector<double> stage_, ahead_, estimates_;
  SlopeSums sums_;
  int slopes_known_ = 0;    ///< of the step found, with its end
  bool committed_ = false;  ///< the slope at the end of the last step begins the next one
  bool rejected_ = false, on_manifold_ = false, finite_ = true;
  /// Of stages that were made at once; null: they were not, or all is here.
  mutable const double* slopes_elsewhere_ = nullptr;
  const double* estimates_elsewhere_ = nullptr;
  /// The end before it is put onto the manifold; null: it is where it should be.
  const double* end_elsewhere_ = nullptr;
  int stiff_steps_ = 0, easy_steps_ = 0;
};

}  // namespace daedalus
