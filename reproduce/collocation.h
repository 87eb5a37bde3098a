#pragma once
// The examples of Ascher and Petzold (1992), Section 4, and their tables, computed by collocation
// from exact initial values on N equal elements of [0, 1].
#include <string>
#include <vector>

#include "daedalus/bvp.h"

namespace daedalus::reproduce {

/// M p'' = q - C^T lambda + ..., 0 = C p + r, with p = (e^t, e^t); z = (p1, p1', p2, p2').
BoundaryProblem ascher_petzold_example_1(double nu, double alpha);
/// x'' = -nu^2 x' + B y + q, 0 = B^T x + r, B = (sin nu t, cos nu t), with x = (e^t, e^t).
BoundaryProblem ascher_petzold_example_2(double nu);

struct CollocationCase {
  BoundaryProblem problem = {};
  BoundaryOptions options = {};
};

/// Largest errors of the first component and of its derivative over the mesh points, and of the
/// constraint.
struct CollocationErrors {
  double position = 0, velocity = 0, drift = 0;
};
CollocationErrors collocation_errors(const CollocationCase& of);

struct CollocationRow {
  std::string text = {};  ///< the line as it stands
  std::string key = {};   ///< the run that it belongs to, without the quantity
  std::string quantity = {};
  std::string printed = {};         ///< with known slips of the print corrected
  double recomputed = 0;            ///< in many digits, the equations of the text
  double recomputed_double = 0;     ///< the same in double precision
  bool is_known_deviation = false;  ///< exact arithmetic does not give the printed digits
  double computed = 0;
  double rounding = 0;  ///< what a few units of the last place of the solution do to `computed`

  bool is_rate() const { return quantity.starts_with("rate"); }
  /// Whether a number has the printed digits; rates, of which the print shows some cut off instead
  /// of rounded, are at most 0.06 away, or 0.8 from one without decimals.
  bool has_printed_digits(double value) const;
  /// Has them, or would with other rounding errors.
  bool agrees() const;
};

/// Table 4.`number` with `computed` filled in.
std::vector<CollocationRow> recompute_collocation_table(int number);

}  // namespace daedalus::reproduce
