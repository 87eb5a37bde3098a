#pragma once
// The problems of the literature with what is known about their solutions: closed forms, or
// values at the end of the interval on which two computations of different kind agree.
// Letters as in [HairerLubichRoche1989]: y differential (index 3: position), z algebraic
// (index 3: velocity), u algebraic of index 3.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daedalus/solve.h"

namespace daedalus::reproduce {

/// Variables whose errors have one order of convergence.
struct Group {
  std::string name = {};  ///< "y", "z", "u"
  std::vector<int> variables = {};
  /// Rounding errors of this group grow like N^amplification with the number of steps.
  int amplification = 0;
};

struct ReferenceProblem {
  std::string name = {};
  Problem problem = {};
  Options suggested = {};                    ///< the formulation that the name stands for
  std::vector<double> reference = {};        ///< at the end; NaN where unknown; empty: see exact
  int digits = 0;                            ///< significant digits of `reference`
  std::function<Vector(double)> exact = {};  ///< empty where no closed form is known
  std::vector<Group> groups = {};

  /// The solution at the end of the interval, from `exact` or `reference`.
  Vector at_end() const;
};

// Manufactured problems with exact solutions (order_problems.cpp).
ReferenceProblem idx1();
ReferenceProblem idx2a();
ReferenceProblem idx2b();
enum class Multiplier { linear, quadratic };         ///< how u enters z' = k(y, z, u)
ReferenceProblem idx3_small(Multiplier multiplier);  ///< idx3a, idx3b
ReferenceProblem idx3(Multiplier multiplier);        ///< idx3c, idx3d
ReferenceProblem jay();
ReferenceProblem singularly_perturbed(double epsilon);

// Mechanics (pendulums.cpp).
ReferenceProblem pendulum(Formulation formulation, double t_end = 10);
ReferenceProblem stiff_spring_pendulum(double epsilon, double length_at_start = 1);

// Circuits (circuits.cpp). `storage` of the ring modulator is its capacitance C_s; 0: index 2.
ReferenceProblem one_transistor_amplifier();
ReferenceProblem two_transistor_amplifier();
ReferenceProblem ring_modulator(double storage);

// Van der Pol's equation and other small systems (small_problems.cpp).
ReferenceProblem van_der_pol_lienard(double epsilon);
ReferenceProblem van_der_pol_reduced(double x_end = 0.5);
ReferenceProblem van_der_pol_standard();
ReferenceProblem plug_flow();         ///< TPPF-S
ReferenceProblem pressure_control();  ///< DPC-S
ReferenceProblem eta_problem(double eta, double t_end = 1);
ReferenceProblem perturbation_index(double size, double frequency);

/// A problem of the column `problem` of data/rk_orders.csv.
ReferenceProblem order_problem(std::string_view name);

}  // namespace daedalus::reproduce
