#pragma once
// What the stages of an implicit tableau need to know of it beyond its coefficients, computed once
// for each tableau: it would cost more than a short run does.
#include <memory>
#include <vector>

#include "ivp/interpolant.h"
#include "method/transformation.h"

namespace daedalus {

struct StageConstants {
  explicit StageConstants(const Tableau& tableau);

  Tableau method;
  bool is_stiffly_accurate = false;
  int estimate_order = 0;     ///< k: the estimate is O(h^(k+1))
  bool is_by_stages = false;  ///< diagonally implicit; nothing of what follows is set
  StageTransformation data = {};
  std::vector<double> w, t, t_inverse;  ///< row-major
  std::vector<double> w_t;              ///< W T: slopes from transformed stages
  std::vector<double> lambda;           ///< gamma, then alpha and beta of each pair
  std::vector<double> first_slope;      ///< W times the first column of A
  StagePolynomial polynomial = {};
  // Of lower degree, through the last stages but not the beginning of the step.
  StagePolynomial low_polynomial = {};  ///< through the last three of more stages
  /// Of that through all of three stages, and through all but the first of more, which has zero.
  std::vector<double> late_weights;
  std::shared_ptr<const CollocationBasis> basis = {};  ///< null unless u(0) = y_n, u(1) = y_{n+1}
  /// What the estimate takes at theta = `at`: of the Z_i that the value is a sum of, of the Y'_i
  /// that the slope is one of and, for h times the slope, of the Z_i again.
  struct Defect {
    double at;
    std::vector<double> value, slope, slope_of_z;
  };
  std::vector<Defect> defects = {};  ///< one, or two whose sizes are added
  std::vector<Defect> doubts = {};   ///< further ones, of steps that grow; none for few stages
  std::vector<double> end_slope;
  double estimate_gamma = 0;

 private:
  Defect defect(double at) const;
};

/// Lives as long as the program.
const StageConstants& stage_constants(const Tableau& method);

}  // namespace daedalus
