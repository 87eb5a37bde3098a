#include "bvp/closure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::bvp {

Closure::Closure(std::vector<SlotEquations> parts, std::vector<int> unknowns, int states, int slots)
    : parts_(std::move(parts)), unknowns_(std::move(unknowns)), states_(states), slots_(slots) {}

bool Closure::determines(int slot) const {
  return std::find(unknowns_.begin(), unknowns_.end(), slot) != unknowns_.end();
}

void Closure::linearize(double t, const double* s, Scratch& scratch, Linear& to) const {
  const int size = static_cast<int>(unknowns_.size());
  to.jacobian.setZero(size, slots_);
  for (const SlotEquations& part : parts_) part.add_jacobian(t, s, to.jacobian, scratch);
  Matrix of_unknowns(size, size);
  for (int k = 0; k < size; ++k)
    of_unknowns.col(k) = to.jacobian.col(unknowns_[static_cast<std::size_t>(k)]);
  to.of_unknowns.compute(of_unknowns);
}

void Closure::solve(double t, double* s, Scratch& scratch) const {
  constexpr int most_iterations = 30;
  const int size = static_cast<int>(unknowns_.size());
  Linear linear;
  Vector residual(size), change(size);
  double before = HUGE_VAL;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    residual.setZero();
    for (const SlotEquations& part : parts_) part.add_residual(t, s, residual.data(), scratch);
    linearize(t, s, scratch, linear);
    change.noalias() = linear.of_unknowns.solve(residual);
    double largest = 0;
    for (int k = 0; k < size; ++k) {
      double& value = s[unknowns_[static_cast<std::size_t>(k)]];
      value -= change[k];
      largest = std::isfinite(change[k])
                    ? std::max(largest, std::abs(change[k]) / (1 + std::abs(value)))
                    : HUGE_VAL;
    }
    // Until rounding errors are all that moves.
    if (largest < 1e-15 || (largest < 1e-10 && largest > 0.1 * before)) return;
    if (!std::isfinite(largest)) break;
    before = largest;
  }
  for (const int slot : unknowns_) s[slot] = std::numeric_limits<double>::quiet_NaN();
}

Matrix Closure::derivative(double t, const double* s, Scratch& scratch) const {
  Linear linear;
  linearize(t, s, scratch, linear);
  return -linear.of_unknowns.solve(linear.jacobian.leftCols(states_));
}

}  // namespace daedalus::bvp
