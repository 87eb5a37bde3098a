#pragma once
// Backward differentiation formulas of order 1 to 5 with variable steps, for F(t, y, y') = 0 of
// index 1 and Hessenberg index 2. One matrix, kept for as long as Newton's iteration with it is
// fast; order and step by comparing estimates of neighbouring orders.
// [BrenanCampbellPetzold1996, 5.2]. Modified extended formulas (extended_bdf.cpp) add two solves
// with the same matrix and gain an order.
#include <memory>
#include <vector>

#include "controller/norm.h"
#include "problem/jacobian.h"
#include "stepper/backward_differences.h"
#include "stepper/eliminated_error.h"
#include "stepper/stage_solver.h"
#include "stepper/stepper.h"

namespace daedalus {

class BdfStepper final : public Stepper {
 public:
  /// Throws InvalidInput for index 3.
  BdfStepper(const System& system, Jacobian& jacobian, bool extended, const Options& options,
             const Vector& atol, Statistics& statistics);

  void start(const State& state, double h) override;
  bool attempt(double limit) override;
  bool attempt_exactly(double h, const Interpolant& covering) override;
  void end_at(double t, const std::vector<double>& y) override;
  void move_end(const std::vector<double>& y) override;
  void commit() override;
  void interpolant(Interpolant& out) override;
  int order() const override { return order_used_ + (extended_ ? 1 : 0); }
  int most_stages() const override { return BackwardDifferences::most_order; }

  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  enum class Outcome { done, newton_failed, not_finite, singular };
  /// Estimates of the error that orders k - 1, k, k + 1 would have made, in units of the tolerance.
  struct Estimates {
    double lower = 0, same = 0, higher = 0;
  };

  /// What the formula of the last order sees of the point behind the next one.
  struct Extended {
    BackwardDifferences memory;
    std::vector<double> predicted, y, yp, e, slope, slope_ahead;
  };

  Outcome solve(double h);
  Outcome iterate(double t, double leading, const NewtonSettings& settings);
  void extend(double h, double leading);
  bool renew_matrix(double t, double shift);
  /// The norm of what counts as an error, with what variables that were eliminated add to it.
  double estimate_of(const std::vector<double>& x);
  double error_size(double h);
  double of_lower_orders(Estimates& estimates, int& order);
  void plan_next(double h, const Estimates& estimates, int order);
  void reject(double estimate, int order);
  bool give_up(Outcome outcome);

  const System& system_;
  Jacobian& jacobian_;
  Options options_;
  Statistics& statistics_;
  int n_;
  Pencil pencil_;
  std::unique_ptr<RealFactors> factors_;
  ErrorNorm norm_;
  NewtonSettings newton_;
  std::unique_ptr<EliminatedError> eliminated_;  ///< null: no variables were eliminated
  double eliminated_weight_ = 1;                 ///< the error with them over that without
  BackwardDifferences memory_;
  std::unique_ptr<Extended> extended_;  ///< null: plain formulas
  std::vector<double> predicted_, predicted_yp_, y_, yp_, d_, e_, work_, counted_;
  std::vector<int> left_out_;  ///< of the estimates: algebraic variables of index 2

  int order_ = 1, order_used_ = 1, next_order_ = 1;
  int same_steps_ = 0;     ///< made with this size and order
  bool rising_ = true;     ///< the beginning: order and step grow with every step
  int order_steps_ = 0;    ///< made with this order
  int since_failure_ = 0;  ///< accepted steps
  int failures_ = 0;       ///< error tests failed in this step
  int singular_ = 0;       ///< matrices in this step
  double shift_ = 0;       ///< of the factors
  double rate_ = 0, carried_eta_ = 1;
  int jacobian_age_ = 0;  ///< in steps
  bool jacobian_valid_ = false, jacobian_current_ = false, factors_valid_ = false;
  int worst_ = -1;
};

}  // namespace daedalus
