#pragma once
// From what an iterate is handed to a multiplier, and back. A product w = B(x_{s-1}) y_{s-1} lies
// in the range of another B; y = (G B)^-1 G w makes B y = P w, its projection.  [AscherLin1997,
// (3.2b)]
#include "regularisation/weighted_multiplier.h"

namespace daedalus {

class Carrier {
 public:
  Carrier(const Regularisation& settings, int m)
      : weight(settings, m),
        is_product_(settings.carried == Carried::product),
        gb_(m, m),
        g_times_(m) {}

  /// Length of what is carried, for x of length n.
  Eigen::Index size(Eigen::Index n) const { return is_product_ ? n : g_times_.size(); }

  /// To be called at each new point, before anything else.
  void set(const Matrix& G, const Matrix& B) {
    if (!weight.needs_product()) return;
    gb_.noalias() = G * B;
    weight.set_product(gb_);
  }
  void unpack(const Matrix& G, const Vector& carried, Vector& y) {
    if (!is_product_) {
      y = carried;
      return;
    }
    g_times_.noalias() = G * carried;
    weight.solve_product(g_times_, y);
  }
  void pack(const Matrix& B, const Vector& y, Vector& carried) const {
    if (is_product_)
      carried.noalias() = B * y;
    else
      carried = y;
  }

  WeightedMultiplier weight;

 private:
  bool is_product_;
  Matrix gb_;
  Vector g_times_;
};

}  // namespace daedalus
