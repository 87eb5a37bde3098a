#pragma once
// One element: its collocation equations linearised and solved for the local unknowns,
//
//   F_w dw_i + F_z (P_i dz + sum_j Q_ij dw_j) + F_y dy_i = -F      at each collocation point i,
//
// where P dz + Q dw is the polynomial with left value dz (basis.h). First y is eliminated point by
// point: with F_y = Q [R; 0] the last n rows of Q^T F hold w alone. Then every row is scaled to
// largest entry 1: those of index 2 are O(h), and without the scaling they lose the pivots.
// [AscherPetzold1992, 4; AscherSpiteri1994]
#include <Eigen/LU>

#include "bvp/basis.h"
#include "bvp/collocation_system.h"

namespace daedalus::bvp {

struct ElementFactors {
  Matrix q;                        ///< Q^T of each point, side by side
  Matrix r;                        ///< R of each point
  Matrix top;                      ///< first d rows of Q^T (F_z, F_w) of each point
  Vector scale;                    ///< of the rows of the system for w
  Eigen::PartialPivLU<Matrix> lu;  ///< of that system
  Matrix w_of_left, y_of_left;     ///< (dw, dy) = these times dz, where F = 0
  bool is_regular = false;
};

/// Evaluates and factors elements; owns its memory, so one for each thread.
class ElementKernel {
 public:
  ElementKernel(CollocationSystem system, const Basis& basis);

  CollocationSystem& system() { return system_; }
  /// Slots at collocation point i, or at the right end (i = k), where w and y are extrapolated.
  void slots_at(int i, double h, const double* left, const double* w, const double* y, double* s);
  /// At any place 0 <= sigma <= 1 of the element.
  void slots_inside(double sigma, double h, const double* left, const double* w, const double* y,
                    double* s);
  /// F of all points, and the value of z at the right end.
  void residual(double t, double h, const double* left, const double* w, const double* y, double* f,
                double* end);
  void factor(double t, double h, const double* left, const double* w, const double* y,
              ElementFactors& to);
  /// dw, dy for dz = 0 and residuals f.
  void solve(const ElementFactors& factors, double h, const double* f, double* dw, double* dy);
  /// d z(right end) / d z(left end) for F = 0.
  void transfer(const ElementFactors& factors, double h, Matrix& to) const;
  /// Adds what dw does to z at the right end.
  void add_end(double h, const double* dw, double* end) const;

 private:
  double power(int r) const { return powers_[static_cast<std::size_t>(r)]; }
  void set_length(double h);
  void states_at(int i, double h, const double* left, const double* w, double* z) const;

  CollocationSystem system_;
  const Basis& basis_;
  int n_, d_, states_, rows_, k_;
  Matrix jacobian_, rotated_, local_, of_left_, y_part_, points_;
  Vector s_, tau_, rhs_, part_;
  std::vector<double> powers_, weights_;
};

}  // namespace daedalus::bvp
