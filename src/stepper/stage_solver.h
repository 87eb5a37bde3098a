#pragma once
// The nonlinear equations of one Runge-Kutta step, for one tableau:
//   F(t + c_i h, Y_i, Y'_i) = 0,   Y_i = y + h sum_j a_ij Y'_j,
// solved by simplified Newton with the pencil frozen. Fully and diagonally implicit methods differ
// in how the equations split; what a step does with them is the same.
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "controller/norm.h"
#include "ivp/interpolant.h"
#include "linear/pencil.h"
#include "problem/system.h"
#include "stepper/saved_state.h"
#include "stepper/stage_constants.h"
#include "stepper/state.h"

namespace daedalus {

struct NewtonSettings {
  int max_iterations = 7;
  double tolerance = 0;      ///< on the estimated remaining error, in units of the norm
  bool to_rounding = false;  ///< fixed steps: iterate until nothing changes
  /// Two iterations at least: the rate of the last step says nothing about this one.
  bool measure_rate = false;
  /// The second correction may be as large as the first one, and the iteration converge all the
  /// same: F is not linear in y', whose error the first one does not show.
  bool first_misleads = false;
  /// One correction is all there is to correct, but for rounding.
  bool is_linear = false;
  double rounding = 0;  ///< increments that are no larger are nothing else
  /// In last steps: stages of longer ones start from a polynomial of lower degree.
  double far = std::numeric_limits<double>::infinity();
};

enum class NewtonOutcome { converged, diverged, predicted_failure, not_finite };

struct NewtonResult {
  NewtonOutcome outcome = NewtonOutcome::converged;
  int iterations = 0;
  double rate = 0;         ///< theta
  double step_factor = 1;  ///< what to try after a failure
  int worst = -1;          ///< variable with the largest scaled last increment, or row not finite
};

class StageSolver {
 public:
  StageSolver(const System& system, const StageConstants& constants);
  virtual ~StageSolver() = default;

  virtual bool factor(const Pencil& pencil, double h) = 0;
  int singular_column() const { return singular_column_; }
  /// Starting values: by extrapolation of the last step, from zero after a failure, or from an
  /// interpolant that already covers the step.
  struct Guess {
    bool extrapolate = true;
    const Interpolant* covering = nullptr;
  };
  virtual NewtonResult solve(const State& state, double h, const ErrorNorm& norm,
                             const NewtonSettings& settings, Statistics& statistics,
                             const Guess& guess) = 0;
  /// y1 and y1' of the step just solved.
  virtual void result(const State& state, double h, double* y1, double* yp1) const = 0;
  /// The error estimate of the step just solved into `error`. With `refine` the estimate is put
  /// into the equations once more, which tames it for stiff problems after a rejection.
  virtual void estimate(const State& state, double h, double* error, bool refine,
                        Statistics& statistics) = 0;
  /// Where y will be after a part of the step, by the polynomial of the last one. False: there is
  /// none, or it is too short to tell.
  virtual bool predict(const State&, double /*h*/, double /*part*/, double* /*y*/) const {
    return false;
  }
  /// What algebraic rows lack at the beginning of the step is no longer taken for its error.
  void forgive_start(bool yes) { forgives_start_ = yes; }
  /// Steps longer than the last one are estimated twice. Near zeros of a derivative an estimate may
  /// promise too much, and more than it promised was found in the step that it let grow.
  void doubt_growth(bool yes) { doubts_growth_ = yes; }
  /// Makes the stages just solved the ones to extrapolate from.
  virtual void accept(double h) = 0;
  /// Nothing to extrapolate from or to judge convergence by: start, change of order, event.
  virtual void forget() = 0;
  /// The solution inside the step just solved, from `state` to `next`.
  virtual void interpolant(const State& state, const State& next, Interpolant& out) const;
  virtual std::vector<double> pivots() const { return {}; }
  virtual void restore_pivots(const Pencil&, const std::vector<double>&) {}
  virtual void save(std::vector<double>& memory) const = 0;
  virtual void restore(SavedState& memory) = 0;

  const Tableau& method() const { return method_; }
  int stages() const { return method_.stages; }
  int estimate_order() const { return constants_.estimate_order; }
  bool is_stiffly_accurate() const { return stiffly_accurate_; }

 protected:
  /// -F(t, y, yp), which the estimate is made of.
  void minus_defect(double t, const double* y, const double* yp, double* out,
                    Statistics& statistics) const;

  const System& system_;
  const StageConstants& constants_;
  const Tableau& method_;
  int n_ = 0;
  bool stiffly_accurate_ = false, forgives_start_ = false, doubts_growth_ = false;
  int singular_column_ = -1;
  double carried_eta_ = 1;  ///< theta/(1 - theta) of the last solve
};

/// Convergence monitor of simplified Newton. [HairerWanner1996, IV.8]
class NewtonMonitor {
 public:
  /// `carried_eta` was seen in a step shorter by `growth`.
  NewtonMonitor(const NewtonSettings& settings, double carried_eta, double growth = 1);
  /// Takes the norm of the increment; true while the iteration goes on.
  enum class Verdict { go_on, converged, diverged, hopeless };
  Verdict judge(double increment);
  double rate() const { return rate_; }
  /// For the next step: by the slowest contraction of this one. Where a part of the equations only
  /// follows another, the last increments vanish and promise too much.
  double eta() const { return worst_ > 0 ? worst_ / (1 - std::min(worst_, 0.99)) : eta_; }
  int iterations() const { return count_; }
  double step_factor() const { return step_factor_; }

 private:
  const NewtonSettings& settings_;
  double most_by_hearsay_, eta_, rate_ = 0, last_ = 0, last_quotient_ = 0, worst_ = 0,
                                 step_factor_ = 0.5;
  int count_ = 0;
  bool is_doubted_ = false;  ///< that the second correction was enough
};

class StageMemory;
/// `shared`: see ImplicitStages.
std::unique_ptr<StageSolver> make_stage_solver(const System& system,
                                               const StageConstants& constants,
                                               const Pencil& pencil, StageMemory* shared = nullptr);

}  // namespace daedalus
