// Global orders from p, C(q), D(r), R(inf) and stiff accuracy:
//
//   index 1  [HairerWanner1996, VI.1]          z: p, or min(p, q+1), or min(p-1, q) for R(inf) = 1
//   index 2  [HairerLubichRoche1989, 4]        stiffly accurate y: min(p, 2q, q+r+1), z: q
//   index 3  [HairerLubichRoche1989, 6; Jay1995]  stiffly accurate y: min(p, 2q-2, q+r), z: q, u:
//   q-1
#include <algorithm>
#include <cmath>

#include "daedalus/order_check.h"

namespace daedalus {
namespace {

struct Facts {
  int p, q, r;
  double r_infinity;
  bool stiffly_accurate;
  bool explicit_first;
};

void add_index1(const Facts& m, ConvergenceOrders& orders) {
  orders.index1_y = m.p;
  if (m.stiffly_accurate) {
    orders.index1_z = m.p;
  } else if (m.r_infinity == 1) {
    orders.index1_z = std::min(m.p - 1, m.q);
  } else if (std::abs(m.r_infinity) <= 1) {
    orders.index1_z = std::min(m.p, m.q + 1);
  }
}

void add_index2(const Facts& m, ConvergenceOrders& orders) {
  // What each step leaves normal to the constraint is damped if |R(inf)| < 1, cancels in pairs if
  // R(inf) = -1 and adds up if R(inf) = 1. A stiffly accurate method leaves nothing.
  const bool adds_up = m.r_infinity == 1;
  if (m.stiffly_accurate) {
    if (m.q < 1) return;
    orders.index2_y = std::min({m.p, 2 * m.q, m.q + m.r + 1});
    orders.index2_z = adds_up ? m.q - 1 : m.q;
    return;
  }
  // z_n would enter the first stage with no equation to renew it.
  if (m.explicit_first) return;
  orders.index2_y = std::min(m.p, adds_up ? m.q : m.q + 1);
  const int lost = std::abs(m.r_infinity) < 1 ? 0 : (adds_up ? 2 : 1);
  orders.index2_z = std::max(0, m.q - lost);
}

void add_index3(const Facts& m, ConvergenceOrders& orders) {
  if (m.explicit_first || m.q < 2 || std::abs(m.r_infinity) >= 1) return;
  orders.index3_y = m.stiffly_accurate ? std::min({m.p, 2 * m.q - 2, m.q + m.r}) : m.q;
  orders.index3_z = m.q;
  orders.index3_u = m.q - 1;
}

}  // namespace

ConvergenceOrders convergence_orders(const Tableau& method) {
  if (method.family == "explicit") {  // used on the manifold, where there are no constraints
    const auto p = method.order;
    return {{}, {}, p, p, p, p, p};
  }
  ConvergenceOrders orders;
  const Facts facts = {.p = method.order,
                       .q = stage_order(method),
                       .r = adjoint_order(method),
                       .r_infinity = stability_at_infinity(method),
                       .stiffly_accurate = is_stiffly_accurate(method),
                       .explicit_first = has_explicit_first_stage(method)};
  add_index1(facts, orders);
  // Half-explicit steps satisfy g(y1) = 0, so the local order carries over [HairerLubichRoche1989,
  // 5].
  if (is_explicit(method)) orders.index2_y = check_orders(method).index2_y;
  // False for a singular A, where R(inf) is not a number.
  if (std::abs(facts.r_infinity) <= 1) {
    add_index2(facts, orders);
    add_index3(facts, orders);
  }
  return orders;
}

}  // namespace daedalus
