#pragma once
// The projection at a mesh point. There A = [F_w F_y] has as many null vectors as there are
// constraints of index 2: with U^T A = 0 and A V = 0 the functions U^T F depend on z alone to first
// order, and V_w is the direction in which their multipliers push the highest derivatives. z is
// moved along E, which is V_w in the places of the highest derivatives that z holds, until
// U^T F = 0. For x^(m) = f(z, y), 0 = g(z) this is z_m + f_y lambda; with constraints of
// index 1 among them only the part of index 2 is projected. [AscherPetzold1992, 2;
// AscherSpiteri1994]
#include "bvp/collocation_system.h"

namespace daedalus::bvp {

struct NodeProjection {
  Matrix u;                                ///< rows x d2
  Matrix e, g;                             ///< E (states x d2) and G = U^T F_z (d2 x states)
  Matrix ge_inverse;                       ///< (G E)^-1
  Matrix lower_e, lower_g, lower_inverse;  ///< the same for constraints of lower levels, E = G^T
  bool is_regular = true;
};

class Projector {
 public:
  explicit Projector(const CollocationSystem& system);

  /// Number of independent constraints of index 2 where the slots are s.
  int count(double t, const double* s);
  void linearize(double t, const double* s, int constraints, bool with_lower, NodeProjection& to);
  /// U^T F.
  void residual(double t, const double* s, const NodeProjection& at, double* g);
  /// The constraints of lower levels.
  void lower(double t, const double* s, double* to);

 private:
  void evaluate(double t, const double* s);
  /// Complete pivoting, at most `steps` pivots, none below the tolerance of the rank if
  /// `reveals_rank`; returns how many.
  int eliminate(int steps, bool reveals_rank);
  double* row(int i) { return a_.data() + static_cast<std::ptrdiff_t>(i) * 2 * rows_; }
  void null_vectors(int rank, NodeProjection& to);

  const CollocationSystem& system_;
  int rows_;
  std::vector<double> jacobian_;  ///< by rows
  std::vector<double> a_;  ///< by rows: [A I], equilibrated, and what elimination makes of it
  std::vector<double> row_scale_, column_scale_, r_;
  std::vector<int> row_order_, column_order_;
  Matrix product_, lower_;
  Scratch scratch_;
};

/// Columns of delta <- Pi delta - E (G E)^-1 g: the way from the stored point to the projected one.
/// Without g and `lower` the linear part alone.
void project(const NodeProjection& at, const double* g, const double* lower,
             Eigen::Ref<Matrix> delta, bool with_constraints);

}  // namespace daedalus::bvp
