#pragma once
// Output between mesh points with the accuracy of mesh points. The polynomial of a step of s
// stages is of order s + 1, its end of order 2s - 1; where the difference matters, the step is
// solved once more from its start to the time asked for, beginning with the polynomial's values.
#include <memory>
#include <optional>
#include <vector>

#include "ivp/interpolant.h"
#include "problem/jacobian.h"
#include "stepper/stage_solver.h"

namespace daedalus {

class StepRefiner {
 public:
  StepRefiner(std::shared_ptr<System> system, std::shared_ptr<const Jacobian> jacobian,
              std::vector<const StageConstants*> methods, double rtol, const Vector& atol);

  /// Replaces the interpolated y at t if the interpolant is not accurate enough there.
  /// True: it was replaced, and the algebraic rows hold as they do at mesh points.
  bool refine(const Interpolant& step, double t, double* y);
  /// Likewise, however accurate it seems to be.
  bool solve_again(const Interpolant& step, double t, double* y);
  /// Putting `before` onto the algebraic rows has moved what they determine by more than the
  /// tolerance: they ask for more digits of the other variables than those were interpolated with.
  bool is_apart(const double* before, const double* after) const;
  void forget() { linearized_ = false; }

 private:
  /// Most runs never ask for it.
  void prepare();
  bool linearize(const Interpolant& step);

  std::shared_ptr<System> system_;
  std::shared_ptr<const Jacobian> given_;
  std::optional<Jacobian> jacobian_;  ///< a copy: evaluation is not for two at once
  Pencil pencil_;
  std::vector<const StageConstants*> methods_;
  std::vector<std::unique_ptr<StageSolver>> solvers_;
  ErrorNorm norm_;
  double rtol_;
  Vector atol_;
  State state_;
  std::vector<double> weight_, result_, slope_;
  double linearized_at_ = 0;
  double shortest_ = 0;  ///< part of a step that is solved again
  bool linearized_ = false;
  Statistics statistics_;
};

}  // namespace daedalus
