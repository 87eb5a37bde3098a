#pragma once
// Polynomials of one element. With rho_1 < ... < rho_k in [0, 1] and L_j the Lagrange polynomials
// on them, I_{0,j} = L_j and I_{r,j}(s) = int_0^s I_{r-1,j}: a component x of order m with values
// w_j of x^(m) at the collocation points of an element of length h is, at s h from its left end,
//
//   x^(l)(s) = sum_{i=l}^{m-1} (s h)^(i-l)/(i-l)! x_left^(i)  +  h^(m-l) sum_j I_{m-l,j}(s) w_j.
//                                                                       [AscherPetzold1992, 2]
#include <vector>

#include "daedalus/bvp.h"

namespace daedalus::bvp {

class Basis {
 public:
  static constexpr int most_points = 9;
  /// I_{r,j} is kept for r <= highest. Throws InvalidInput.
  Basis(CollocationPoints kind, int k, int highest);
  /// The same, made once in a process.
  static const Basis& shared(CollocationPoints kind, int k, int highest);

  int points() const { return k_; }
  int highest() const { return highest_; }
  CollocationPoints kind() const { return kind_; }
  bool ends_in_point() const { return kind_ != CollocationPoints::gauss; }
  double rho(int i) const { return rho_[static_cast<std::size_t>(i)]; }
  /// I_{r,j} at collocation point i, or at s = 1 for i = k.
  double integral(int r, int j, int i) const { return integrals_at_points(r, j)[i]; }
  /// For i = 0 .. k, and zeros up to an even number: whole registers in loops over i.
  const double* integrals_at_points(int r, int j) const {
    return &table_[static_cast<std::size_t>((r * k_ + j) * padded(k_ + 1))];
  }
  static constexpr int padded(int count) { return (count + 1) / 2 * 2; }
  /// For j = 0 .. k - 1.
  const double* integrals_of_point(int r, int i) const {
    return &by_point_[static_cast<std::size_t>((r * (k_ + 1) + i) * k_)];
  }
  /// out[r k + j] = I_{r,j}(s) for r = 0 .. highest and all j.
  void integrals(double s, double* out) const;
  int weights() const { return (highest_ + 1) * k_; }
  /// The (k-1)-st derivative of L_j, a constant.
  double top_derivative(int j) const { return top_[static_cast<std::size_t>(j)]; }
  /// max over [0, 1] of the polynomial that vanishes with its first r - 1 derivatives at 0 and has
  /// prod(s - rho_j) / k! as its r-th derivative: the local error of x^(m-r) is this constant
  /// times h^(k+r) x^(m+k).
  double error_constant(int r) const { return error_[static_cast<std::size_t>(r)]; }

 private:
  template <int k>
  void sum_integrals(const double* legendre, double* out) const;
  void expand(const std::vector<long double>& node);
  CollocationPoints kind_;
  int k_, highest_;
  std::vector<double> rho_, table_, by_point_, top_, error_;
  /// Of the Legendre polynomials of 2 s - 1 in I_{r,j}, [r][degree][j]: well conditioned.
  std::vector<double> legendre_;
};

}  // namespace daedalus::bvp
