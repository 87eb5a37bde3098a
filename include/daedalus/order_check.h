#pragma once
// How accurate a Runge-Kutta method is, found from its coefficients by rooted trees:
//
//   classical   sum_i b_i Phi_i(t) = 1/gamma(t)      for all trees of order <= p
//   index 2     y' = f(y, z), 0 = g(y): the same for two-coloured trees, in y and in z
//
// [HairerLubichRoche1989, 5; HairerWanner1996, VII.5]
#include <optional>
#include <string>

#include "daedalus/method.h"

namespace daedalus {

struct OrderReport {
  int limit = 0;  ///< Trees up to this order were tried; an order equal to it may be higher still.
  int classical = 0;

  /// Local orders k for index 2: the error of one step from exact values is O(h^(k+1)). Empty if
  /// not applicable; then `index2_obstacle` says why.
  std::optional<int> index2_y;
  /// As index2_y but only along the constraint g = 0 (trees [u]_y left out): what accumulates.
  std::optional<int> index2_y_tangential;
  /// For z1 = R(inf) z0 + b^T A^-1 Z, tried up to limit - 1. Empty for half-explicit methods: they
  /// get z1 from g_y f = 0.
  std::optional<int> index2_z;
  std::string index2_obstacle;

  int quadrature = 0;  ///< B(p)
  int stages_c = 0;    ///< C(q)
  int adjoint_d = 0;   ///< D(r)
  bool stiffly_accurate = false;
  std::optional<double> r_infinity;  ///< Empty if R(z) is unbounded.

  double largest_defect_below = 0;  ///< Worst residual among the conditions called satisfied.
  /// The first tree that fails, e.g. "[tau,[tau]]: 0.1 instead of 0.125, residual -0.025"; empty if
  /// all hold up to the limit.
  std::string first_failure;
  std::string index2_y_failure;
  std::string index2_z_failure;
};

/// Every condition up to order `limit` (1 to 10). Explicit methods are taken as half-explicit for
/// index 2. Throws InvalidInput.
OrderReport check_orders(const Tableau& method, int limit = 8);

/// Global orders of convergence that theory guarantees at constant step size; empty where no
/// theorem applies. 0: errors stay bounded but need not shrink with h. Index 3 means any k(y, z,
/// u); where k is linear in u, as in mechanics, y of Radau IIA gains one order.
struct ConvergenceOrders {
  std::optional<int> index1_y, index1_z;
  std::optional<int> index2_y, index2_z;
  std::optional<int> index3_y, index3_z, index3_u;
};

/// From p, B(p), C(q), D(r), R(inf) and stiff accuracy.
ConvergenceOrders convergence_orders(const Tableau& method);

/// A method from a JSON file with fields A, b, c and optionally name, b_hat. Entries are numbers or
/// strings ("0.25", "1/3"); a row of A may stop at or before its diagonal. The orders of b and
/// b_hat are found, not read. Throws InvalidInput that names file, field and requirement.
Tableau read_tableau(const std::string& path);

}  // namespace daedalus
