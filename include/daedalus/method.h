#pragma once
// A method is its coefficients: numbers, a name, a citation. No stepping code.
//
//   c | A        Y_i = y + h sum_j a_ij Y'_j
//   --+---       y1  = y + h sum_j b_j  Y'_j
//     | b        err = h sum_j (b_j - b_hat_j) Y'_j
//     | b_hat
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace daedalus {

inline constexpr int max_stages = 16;

struct Tableau {
  std::string name;        ///< One word for C++, JSON, command line and Python: "radau_iia_5".
  std::string family;      ///< "gauss", "radau_iia", "sdirk", ...
  std::string reference;   ///< Key into docs/references.bib.
  int order = 0;           ///< Classical order p.
  int embedded_order = 0;  ///< 0: no embedded weights.
  int stages = 0;
  std::array<double, max_stages> c = {};
  std::array<std::array<double, max_stages>, max_stages> a = {};
  std::array<double, max_stages> b = {};
  std::array<double, max_stages> b_hat = {};
};

/// The last stage is the step result, so an algebraic constraint holds at y1.
bool is_stiffly_accurate(const Tableau& method);
bool is_explicit(const Tableau& method);
bool is_diagonally_implicit(const Tableau& method);
/// The first stage is the start of the step (first row of A is zero), as in Lobatto IIIA.
bool has_explicit_first_stage(const Tableau& method);

/// B(p): largest p with sum_i b_i c_i^(k-1) = 1/k for k <= p.
int quadrature_order(const Tableau& method);
/// C(q): largest q with sum_j a_ij c_j^(k-1) = c_i^k / k for k <= q and all i.
int stage_order(const Tableau& method);
/// D(r): largest r with sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k) / k for k <= r and all j.
int adjoint_order(const Tableau& method);
/// R(inf) = 1 - b^T A^-1 1; for methods with an explicit first stage the limit of R(z).
double stability_at_infinity(const Tableau& method);

/// Every Runge-Kutta method of the library, in the order in which lists show them.
const std::vector<Tableau>& runge_kutta_methods();
/// Explicit ones. They integrate on the manifold of the constraints, where they keep their order
/// for every index.
const std::vector<Tableau>& explicit_runge_kutta_methods();
/// Among both. Throws InvalidInput that names the nearest known methods.
const Tableau& find_method(std::string_view name);

/// A method that is no Runge-Kutta tableau, as lists show it.
struct OtherMethod {
  std::string name;
  std::string family;     ///< "half_explicit", "extrapolation", "rosenbrock", "bdf", ...
  std::string reference;  ///< Key into docs/references.bib.
  int lowest_order = 0;   ///< Differs from `order` where the order varies along the run.
  int order = 0;
  int stages = 0;                         ///< Systems to be solved in a step; 0: iterated.
  std::string form;                       ///< Of the equations that it takes.
  int index2_y = 0, index2_z = 0;         ///< Orders for index 2.
  std::vector<std::string> options = {};  ///< Of Options, of its own.
  /// Takes y' = f, Hessenberg index 2 and motions, and keeps their constraints; no index 1.
  bool on_constraints = false;
};
const std::vector<OtherMethod>& other_methods();

/// Throws InvalidInput, with the nearest names, unless `name` is "radau" or in a list above.
void require_method(std::string_view name);

}  // namespace daedalus
