#pragma once
// Diagonally implicit stages, one after the other: with base_i = y + h sum_{j<i} a_ij Y'_j,
//   F(t_i, Y_i, (Y_i - base_i)/(h a_ii)) = 0,   Newton matrix  1/(h a_ii) E + A.
// For algebraic variables the same recursion is the epsilon-embedding of [HairerWanner1996, VI.1].
#include "stepper/stage_solver.h"

namespace daedalus {

class DiagonallyImplicitStages final : public StageSolver {
 public:
  DiagonallyImplicitStages(const System& system, const StageConstants& constants,
                           const Pencil& pencil);

  bool factor(const Pencil& pencil, double h) override;
  NewtonResult solve(const State& state, double h, const ErrorNorm& norm,
                     const NewtonSettings& settings, Statistics& statistics,
                     const Guess& guess) override;
  void result(const State& state, double h, double* y1, double* yp1) const override;
  void estimate(const State& state, double h, double* error, bool refine,
                Statistics& statistics) override;
  void accept(double) override {}
  void forget() override { carried_eta_ = 1; }
  std::vector<double> pivots() const override { return factors_->pivots(); }
  void restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) override {
    factors_->restore_pivots(pencil, pivots);
  }
  void save(std::vector<double>& memory) const override { memory.push_back(carried_eta_); }
  void restore(SavedState& memory) override { carried_eta_ = memory.number(); }

 private:
  NewtonResult solve_stage(int stage, const State& state, double h, const ErrorNorm& norm,
                           const NewtonSettings& settings, Statistics& statistics);

  double gamma_ = 0;  ///< the common diagonal entry
  std::unique_ptr<RealFactors> factors_;
  std::vector<double> y_, yp_;  ///< stage values and derivatives
  std::vector<double> base_, d_, slope_;
  /// Extrapolate stage derivatives to the start and to the end of the step.
  std::vector<double> defect_slope_, end_slope_;
};

}  // namespace daedalus
