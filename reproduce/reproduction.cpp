#include "reproduce/reproduction.h"

namespace daedalus::reproduce {

const std::vector<Reproduction>& reproductions() {
  static const std::vector<Reproduction> list = {
      {"rk-orders", "orders of Runge-Kutta methods for index 1, 2, 3 (Hairer, Lubich & Roche 1989)",
       reproduce_rk_orders},
      {"amplifier", "transistor amplifier, Figure 1.4 (Hairer & Wanner 1996, VI.1)",
       reproduce_amplifier},
      {"van-der-pol", "van der Pol's equation, Figures 1.1 and 1.2 (Hairer & Wanner 1996, VI.1)",
       reproduce_van_der_pol},
      {"eta", "index 2 with a moving null space: which methods blow up (Gear & Petzold 1984)",
       reproduce_eta},
      {"perturbation-index", "y1' - y3 y2' + y2 y3' = 0: how defects are amplified",
       reproduce_perturbation_index},
      {"singular", "mechanisms through singular points of their constraints, way by way",
       reproduce_singular},
  };
  return list;
}

}  // namespace daedalus::reproduce
