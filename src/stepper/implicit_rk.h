#pragma once
// Fully implicit Runge-Kutta stages. With Z_i = Y_i - y and W = A^-1,
//   sum_j (w_ij/h E + delta_ij A) dZ_j = -F(t_i, y + Z_i, (1/h) sum_j w_ij Z_j),
// and V = T^-1 Z splits this into systems of size n, real (gamma/h E + A) and complex
// ((alpha - i beta)/h E + A).  [HairerWanner1996, IV.8]
#include "stepper/stage_polynomial.h"
#include "stepper/stage_solver.h"

namespace daedalus {

class ImplicitStages final : public StageSolver {
 public:
  ImplicitStages(const System& system, const Tableau& method, const Pencil& pencil);

  bool factor(const Pencil& pencil, double h) override;
  NewtonResult solve(const State& state, double h, const ErrorNorm& norm,
                     const NewtonSettings& settings, Statistics& statistics,
                     const Guess& guess) override;
  void result(const State& state, double h, double* y1, double* yp1) const override;
  void estimate(const State& state, double h, double* error, bool refine,
                Statistics& statistics) override;
  void accept(double h) override;
  void forget() override { last_h_ = 0, carried_eta_ = 1; }
  void interpolant(const State& state, const State& next, Interpolant& out) const override;
  std::vector<double> pivots() const override;
  void restore_pivots(const Pencil& pencil, const std::vector<double>& pivots) override;
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  void start_values(const State& state, double h, const Guess& guess);
  bool residuals(const State& state, double h, NewtonResult& result);
  void solve_blocks();
  /// out_i = sum_j m_ij in_j over vectors of length n; m is row-major s x s.
  void combine(const std::vector<double>& m, const double* in, double* out) const;
  void stage_derivatives(const State& state, double h, const double* z, double* derivatives);

  StageTransformation data_;
  int s_;                                  ///< unknown stages
  std::vector<double> w_, t_, t_inverse_;  ///< row-major
  StagePolynomial polynomial_;
  StagePolynomial low_polynomial_;  ///< through the last three stages; empty for few stages
  std::shared_ptr<const CollocationBasis> basis_;  ///< null unless u(0) = y_n and u(1) = y_{n+1}
  bool slope_is_good_ = false;                     ///< y'_n has the order of y_n
  double defect_at_ = 0;                           ///< theta at which the estimate takes the defect
  std::vector<double> defect_value_, defect_slope_, end_slope_;
  double estimate_gamma_ = 0;

  std::vector<std::unique_ptr<RealFactors>> real_;
  std::vector<std::unique_ptr<ComplexFactors>> complex_;
  std::unique_ptr<RealFactors> own_estimate_factors_;  ///< where no eigenvalue is real
  RealFactors* estimate_factors_ = nullptr;

  std::vector<double> z_, v_, d_, derivatives_, last_z_, stage_y_;
  std::vector<double> increment_;  ///< y1 - y of the last accepted step
  double last_h_ = 0;
};

}  // namespace daedalus
