#pragma once
// One acceptable step after the other with implicit Runge-Kutta stages: when to renew the Jacobian
// and the factors, what to do after a failed Newton iteration or a rejected step, and (for
// variable order Radau) which number of stages to use. [HairerWanner1996, IV.8; HairerWanner1999]
#include <memory>
#include <vector>

#include "analysis/algebraic_projection.h"
#include "controller/norm.h"
#include "controller/step_control.h"
#include "problem/jacobian.h"
#include "stepper/eliminated_error.h"
#include "stepper/stage_solver.h"

namespace daedalus {

class ImplicitStepper {
 public:
  ImplicitStepper(const System& system, Jacobian& jacobian, const Options& options,
                  const Vector& atol, Statistics& statistics);

  /// New start: beginning of the run or the other side of an event.
  void start(const State& state, double h);
  /// Looks for an acceptable step that does not pass `limit`. False: see `failure`.
  bool attempt(double limit);
  /// Solves again from the same state with a smaller step, for an event inside the last one.
  bool attempt_exactly(double h, const Interpolant& covering);
  /// Ends the step found at a point inside of it instead.
  void end_at(double t, const std::vector<double>& y);
  /// Puts the end of the step found to a point nearby.
  void move_end(const std::vector<double>& y);
  /// Makes the step found the state.
  void commit();

  const State& state() const { return state_; }
  const State& next() const { return next_; }  ///< the end of the step found
  void interpolant(Interpolant& out) const {
    current()->interpolant(state_, next_, out);
    out.method = active_;
  }
  const std::vector<Tableau>& methods() const { return methods_; }
  double step() const { return h_used_; }  ///< its size
  double next_step() const { return h_; }
  bool reached_limit() const { return reached_; }
  const StageSolver& stages() const { return *current(); }
  int order() const { return current()->method().order; }
  Reason reason() const { return reason_; }
  const Message& failure() const { return message_; }

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  StageSolver* current() const { return solvers_[active_].get(); }
  void use(int position);
  bool renew_jacobian();
  bool renew_factors();
  bool solve_stages();
  double estimate_error();
  double error_size();
  void accept(double error);
  void reject(double error);
  bool fail(Reason reason, Message message);
  bool step_is_too_small() const;
  std::string where() const;

  const System& system_;
  Jacobian& jacobian_;
  Options options_;
  Statistics& statistics_;
  Pencil pencil_;
  std::vector<Tableau> methods_;
  std::vector<std::unique_ptr<StageSolver>> solvers_;  ///< made when first used
  int active_ = 0;
  ErrorNorm norm_;
  NewtonSettings newton_;
  StepControl control_;
  OrderControl order_;
  std::unique_ptr<AlgebraicProjection> state_space_;
  std::unique_ptr<EliminatedError> eliminated_;  ///< null: no variables were eliminated

  State state_, next_;
  std::vector<double> error_, projection_scale_;
  double h_ = 0, h_used_ = 0, factored_h_ = 0, limit_ = 0, last_h_ = 0;
  NewtonResult last_newton_;
  bool jacobian_valid_ = false, jacobian_current_ = false, factors_valid_ = false;
  bool first_ = true, rejected_ = false, extrapolate_ = true, reached_ = false;
  int singular_in_a_row_ = 0, not_finite_in_a_row_ = 0;
  Reason reason_ = Reason::finished;
  Message message_;
};

}  // namespace daedalus
