#pragma once
// Fully implicit Runge-Kutta stages. With Z_i = Y_i - y and W = A^-1,
//   sum_j (w_ij/h E + delta_ij A) dZ_j = -F(t_i, y + Z_i, (1/h) sum_j w_ij Z_j),
// and V = T^-1 Z splits this into systems of size n, real (gamma/h E + A) and complex
// ((alpha - i beta)/h E + A).  [HairerWanner1996, IV.8]
#include "stepper/stage_factors.h"
#include "stepper/stage_solver.h"

namespace daedalus {

class ImplicitStages final : public StageSolver {
 public:
  /// `shared` is kept by the caller, and large enough for all who use it; null: memory of its own.
  ImplicitStages(const System& system, const StageConstants& constants, const Pencil& pencil,
                 StageMemory* shared);

  bool factor(const Pencil& pencil, double h) override;
  NewtonResult solve(const State& state, double h, const ErrorNorm& norm,
                     const NewtonSettings& settings, Statistics& statistics,
                     const Guess& guess) override;
  void result(const State& state, double h, double* y1, double* yp1) const override;
  void estimate(const State& state, double h, double* error, bool refine,
                Statistics& statistics) override;
  bool predict(const State& state, double h, double part, double* y) const override;
  void accept(double h) override;
  void forget() override { last_h_ = 0, carried_eta_ = 1; }
  void interpolant(const State& state, const State& next, Interpolant& out) const override;
  std::vector<double> pivots() const override { return factors_.pivots(); }
  void restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) override {
    factors_.restore_pivots(pencil, pivots);
  }
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  /// And the first arguments.
  void start_values(const State& state, double h, const Guess& guess, double far,
                    const NewtonStages& all);
  NewtonStages all_stages(const State& state);
  void extrapolate(double h, double far);
  void arguments(const State& state, double h);
  void subtract_first_slope(const State& state);
  /// The error by this defect; leaves it in v.
  void solve_defect(const StageConstants::Defect& defect, const State& state, double h, bool refine,
                    Statistics& statistics);
  /// Of F = E y' - f, the E that the pencil has found.
  void learn_mass(const Pencil& pencil);
  /// (1/h) sum_j weights_j Z_j
  void rate(const double* weights, double h, double* out) const;
  /// By the residuals; leaves the arguments of the next ones, and gives the size of the increments.
  double correct(const State& state, double h, const ErrorNorm& norm, const NewtonStages& all);
  /// -1: all residuals are finite.
  int row_not_finite() const;

  const StageTransformation& data_;
  int s_;        ///< unknown stages
  int stride_;   ///< from one vector to the next
  double mean_;  ///< one over the number of unknowns
  StageKernels kernels_;
  NewtonKernels at_once_ = {};       ///< for few unknowns, or null
  bool splits_off_rates_ = false;    ///< F = E y' - f: stages have no slopes of their own
  bool lowers_multipliers_ = false;  ///< variables of index 2 start from a lower degree
  bool starts_with_slope_ = false;   ///< from y + c h y', else from y
  bool slope_is_good_ = false;       ///< y'_n has the order of y_n

  StageFactors factors_;

  // Stages one behind the other, and single vectors, all padded.
  StageMemory own_;
  double *z_ = nullptr, *v_ = nullptr, *last_z_ = nullptr;
  const double* solved_ = nullptr;              ///< whichever holds the step just solved
  double *stage_ = nullptr, *slope_ = nullptr;  ///< arguments of the equations
  double *residual_ = nullptr, *d_ = nullptr;
  double *from_ = nullptr, *increment_ = nullptr;  ///< y; y1 - y of the last accepted step
  double last_h_ = 0;
  NewtonMass mass_ = {};
  double mass_diagonal_[8] = {};  ///< of few unknowns
};

}  // namespace daedalus
