#pragma once
// Fully implicit Runge-Kutta coefficients from their nodes, in extended precision. With l_j the
// Lagrange polynomials on c_1..c_s:
//
//   b_j  = int_0^1 l_j
//   C(s):  a_ij = int_0^{c_i} l_j                  Gauss, Radau IIA, Lobatto IIIA
//   D(s):  a_ij = (b_j / b_i) int_{c_j}^1 l_i      Radau IA, Lobatto IIIB
//   a_i1 = b_1 and C(s-1)                          Lobatto IIIC          [HairerWanner1996, IV.5]
#include <string_view>

#include <Eigen/Core>

#include "daedalus/method.h"

namespace daedalus {

using ExtendedMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using ExtendedVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

struct Coefficients {
  ExtendedMatrix a;
  ExtendedVector b;
  ExtendedVector c;
};

/// Families gauss, radau_ia, radau_iia (from one stage), lobatto_iiia, lobatto_iiib, lobatto_iiic
/// (from two stages). An abscissa at an end of the step is exactly 0 or 1, and the last row of a
/// stiffly accurate method has the same bits as b. Throws InvalidInput.
Coefficients generate_coefficients(std::string_view family, int stages);

/// The coefficients of `method` to as many digits as are known: generated anew if the tableau is a
/// generated one rounded to double, else the doubles themselves. Eigenvectors for many stages
/// would otherwise lose the digits of their condition number (1.5e4 for Radau IIA, s = 9).
Coefficients extended_coefficients(const Tableau& method);

}  // namespace daedalus
