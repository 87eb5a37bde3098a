#include "reproduce/reproduction.h"

namespace daedalus::reproduce {

const std::vector<Reproduction>& reproductions() {
  const auto collocation = [](int number) {
    return [number](const ReproduceOptions& options, std::ostream& out) {
      return reproduce_collocation(number, options, out);
    };
  };
  static const std::vector<Reproduction> list = {
      {"collocation-4.1", "projected collocation of index 3, Table 4.1 (Ascher & Petzold 1992)",
       collocation(1)},
      {"collocation-4.2", "the same with a growing mode, Table 4.2 (Ascher & Petzold 1992)",
       collocation(2)},
      {"collocation-4.3", "projected invariants, Table 4.3 (Ascher & Petzold 1992)",
       collocation(3)},
      {"collocation-4.4",
       "reformulations for a turning constraint, Table 4.4 (Ascher & Petzold 1992)",
       collocation(4)},
      {"rk-orders", "orders of Runge-Kutta methods for index 1, 2, 3 (Hairer, Lubich & Roche 1989)",
       reproduce_rk_orders},
      {"family-orders",
       "orders of half-explicit, extrapolation, Rosenbrock and other methods for index 1, 2, 3",
       reproduce_family_orders},
      {"amplifier", "transistor amplifier, Figure 1.4 (Hairer & Wanner 1996, VI.1)",
       reproduce_amplifier, true},
      {"van-der-pol", "van der Pol's equation, Figures 1.1 and 1.2 (Hairer & Wanner 1996, VI.1)",
       reproduce_van_der_pol, true},
      {"eta", "index 2 with a moving null space: which methods blow up (Gear & Petzold 1984)",
       reproduce_eta},
      {"perturbation-index", "y1' - y3 y2' + y2 y3' = 0: how defects are amplified",
       reproduce_perturbation_index},
      {"singular", "mechanisms through singular points of their constraints, way by way",
       reproduce_singular, true},
      {"srm-orders",
       "powers of eps by iteration and initial layers, Theorem 3.1 (Ascher & Lin 1996)",
       reproduce_regularisation_orders},
      {"srm-5.1", "boundary values by the midpoint rule, Table 5.1 (Ascher & Lin 1996)",
       reproduce_table_5_1},
      {"srm-5.2", "the initial layer removed by shooting back, Table 5.2", reproduce_table_5_2},
      {"srm-5.3", "initial values by backward Euler, Table 5.3", reproduce_table_5_3},
      {"srm-5.4", "initial values by forward Euler, Table 5.4", reproduce_table_5_4},
      {"srm-5.5", "derivatives of a singular constraint, Table 5.5", reproduce_table_5_5},
      {"srm-5.6", "derivatives of a regular constraint, Table 5.6", reproduce_table_5_6},
      {"srm-5.7", "beside staggered stabilisation, Table 5.7", reproduce_table_5_7},
      {"srm-6.1", "a regular problem of index 2, Table 6.1 (Ascher & Lin 1997)",
       reproduce_table_6_1},
      {"srm-6.2", "through a singularity with bounded y, Table 6.2", reproduce_table_6_2},
      {"srm-6.3", "through a singularity with unbounded y, Table 6.3", reproduce_table_6_3},
      {"srm-6.4", "a planar robot of index 3, Table 6.4", reproduce_table_6_4},
      {"srm-6.5", "drift of a slider-crank through singularities, Table 6.5", reproduce_table_6_5},
      {"srm-figure-6.1", "slider-crank to t = 70, Figure 6.1", reproduce_figure_6_1, true},
      {"srm-figure-6.2", "acceleration of the slider end, Figure 6.2", reproduce_figure_6_2, true},
  };
  return list;
}

}  // namespace daedalus::reproduce
