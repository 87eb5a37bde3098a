#pragma once
// What an implicit Runge-Kutta stepper needs beyond the tableau, computed from it in extended
// precision. With Z_i = Y_i - y and the unknown stages (all, or all but an explicit first one)
//
//   h Y'_i = sum_j w_ij (Z_j - h a_j1 y'_n [explicit first stage only]),   W = A^-1
//   W T = T Lambda,  Lambda = diag(gamma_k, ..., [[alpha_k, beta_k], [-beta_k, alpha_k]], ...)
//
// so simplified Newton on s n unknowns splits into real systems (gamma/h E + A) and complex
// systems ((alpha - i beta)/h E + A) of size n. [HairerWanner1996, IV.8]
#include <vector>

#include <Eigen/Core>

#include "daedalus/method.h"

namespace daedalus {

struct ComplexPair {
  double alpha = 0;
  double beta = 0;  ///< > 0
};

struct StageTransformation {
  bool explicit_first = false;  ///< Stage 1 is (t_n, y_n, y'_n) and not an unknown.
  int unknowns = 0;             ///< stages, or stages - 1
  Eigen::MatrixXd w;            ///< unknowns x unknowns, inverse of the block of A
  Eigen::MatrixXd t;            ///< columns: real eigenvectors first, then (Re, Im) of each pair
  Eigen::MatrixXd t_inverse;
  std::vector<double> gamma;       ///< real eigenvalues of W, ascending
  std::vector<ComplexPair> pairs;  ///< ascending in beta
  Eigen::VectorXd c;               ///< abscissae of the unknown stages
  Eigen::VectorXd first_column;    ///< a_j1 of the unknown stages; zero unless explicit_first
  /// y1 = y + sum_j result_j Z_j + h result_first y'_n; the unit vector e_s if stiffly accurate.
  /// For others it is the R(inf) formula of [HairerWanner1996, VI (1.11d)], for all components.
  Eigen::VectorXd result;
  double result_first = 0;
};

StageTransformation transform_stages(const Tableau& method);

}  // namespace daedalus
