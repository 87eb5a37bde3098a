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
      {"amplifier", "transistor amplifier, Figure 1.4 (Hairer & Wanner 1996, VI.1)",
       reproduce_amplifier},
      {"van-der-pol", "van der Pol's equation, Figures 1.1 and 1.2 (Hairer & Wanner 1996, VI.1)",
       reproduce_van_der_pol},
      {"eta", "index 2 with a moving null space: which methods blow up (Gear & Petzold 1984)",
       reproduce_eta},
      {"perturbation-index", "y1' - y3 y2' + y2 y3' = 0: how defects are amplified",
       reproduce_perturbation_index},
  };
  return list;
}

}  // namespace daedalus::reproduce
