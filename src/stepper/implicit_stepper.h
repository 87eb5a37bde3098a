#pragma once
// One acceptable step after the other with implicit Runge-Kutta stages: when to renew the Jacobian
// and the factors, what to do after a failed Newton iteration or a rejected step, and (for
// variable order Radau) which number of stages to use. [HairerWanner1996, IV.8; HairerWanner1999]
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/algebraic_projection.h"
#include "controller/norm.h"
#include "controller/step_control.h"
#include "linear/kept_block.h"
#include "problem/jacobian.h"
#include "stepper/eliminated_error.h"
#include "stepper/implicit_rk.h"
#include "stepper/stepper.h"

namespace daedalus {

/// What changes from step to step, and is as here before the first one.
struct ImplicitCourse {
  double factored_h_ = 0, last_h_ = 0;
  double seen_rate_ = 0;     ///< of Newton's iteration, in the last step that had more than one
  double newton_share_ = 1;  ///< of what Newton's iteration may leave by the tolerance
  double rounding_ = 0;      ///< seen in corrections of Newton's iteration, in tolerances
  double confirmed_h_ = 0;   ///< of the last step with a new Jacobian, or with a rate that was seen
  NewtonResult last_newton_;
  bool is_ahead_ = false;  ///< the Jacobian is not that of a point of the solution
  bool jacobian_valid_ = false, jacobian_current_ = false, factors_valid_ = false;
  bool first_ = true, rejected_ = false, extrapolate_ = true;
  bool begins_ = true;           ///< all steps so far asked for much longer ones
  bool once_is_enough_ = false;  ///< second corrections of a linear system were seen to be nothing
  bool newton_failed_ = false;   ///< in this step
  static constexpr int long_ago = 3;
  int steps_since_failure_ = 0;  ///< as far as it matters
  bool committed_ = false;       ///< next_ is where the last step began
  int singular_in_a_row_ = 0, not_finite_in_a_row_ = 0;
  int times_at_end_ = 0;  ///< of a branch of the equations, in the same state
};

class ImplicitStepper final : public Stepper,
                              public KeptBlock<ImplicitStepper>,
                              private ImplicitCourse {
 public:
  ImplicitStepper(const System& system, Jacobian& jacobian, const Options& options,
                  const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  bool shorten(double h) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override {
    current()->interpolant(committed_ ? next_ : state_, committed_ ? state_ : next_, out);
    out.method = active_;
  }
  bool remembers_step() const override { return true; }
  const std::vector<const StageConstants*>& methods() const { return methods_; }
  int order() const override { return current()->method().order; }
  int most_stages() const override { return methods_.back()->method.stages; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;
  /// Pivots of sparse factors and the rows that large dense ones leave out are found once.
  bool can_rewind() const override {
    return pencil_.storage == Storage::dense && system_.size <= largest_uncondensed &&
           !state_space_ && !eliminated_ && !by_stages_ && rounding_ == 0;
  }
  bool rewind() override;

 private:
  static constexpr int most_methods = 4;
  static constexpr double crude = 3e-4;  ///< tolerance: above, Newton's iteration limits the steps
  static constexpr double sharp = 3e-6;  ///< tolerance: below, three stages leave little
  StageSolver* current() const { return solvers_[active_]; }
  void make_solver(int position);
  void use(int position);
  /// On the estimate of a method: rtol^exponent, and what of it counts.
  struct Relief {
    double exponent, relieved, rtol;
    bool doubts;  ///< two estimates
  };
  Relief relief_of(const StageConstants& constants) const;
  void set_tolerances();
  double error_of_fewer_stages(double error) const;
  bool renew_jacobian();
  bool jacobian_ahead();
  void keep_matrix();
  bool drowns();
  bool renew_factors();
  void consider_order();
  /// After so many attempts at this step whose iteration was too slow.
  bool solve_stages(int slow_before);
  double estimate_error();
  double error_size();
  void ask_more_of_newton(double own, double error);
  std::vector<double> rounding_of_corrections(double h);
  bool allow_for_rounding(double h);
  void refer_to_state();
  void accept(double error);
  void limit_growth(double before);
  void reject(double error);
  bool stands_at_end();
  bool fail_at_end(bool undefined);

  const System& system_;
  Jacobian& jacobian_;
  const Options& options_;  ///< kept by the caller
  Statistics& statistics_;
  Pencil pencil_;
  std::vector<const StageConstants*> methods_;
  StageMemory stage_memory_;  ///< of all dense solvers: there is room for the largest
  std::array<StageSolver*, most_methods> solvers_ = {};  ///< made when first used
  std::array<std::optional<ImplicitStages>, most_methods> implicit_;
  std::unique_ptr<StageSolver> by_stages_;
  int active_ = 0;
  ErrorNorm norm_;
  NewtonSettings newton_;
  double tolerance_of_fewer_ = 0;  ///< stages; 0: there are none
  StepControl control_;
  OrderControl order_;
  std::unique_ptr<AlgebraicProjection> state_space_;
  std::unique_ptr<EliminatedError> eliminated_;  ///< null: no variables were eliminated

  State end_of_branch_;  ///< where values were last not finite
  std::vector<double> error_, projection_scale_;
  std::vector<double> a_before_, row_size_;  ///< of the last Jacobian
};

}  // namespace daedalus
