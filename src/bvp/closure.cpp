#include "bvp/closure.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus::bvp {

Closure::Closure(std::vector<SlotEquations> parts, std::vector<int> unknowns, int states, int slots)
    : parts_(std::move(parts)), unknowns_(std::move(unknowns)), states_(states) {
  const auto size = static_cast<int>(unknowns_.size());
  jacobian_.resize(size, slots), of_unknowns_.resize(size, size);
  residual_.resize(size), change_.resize(size);
}

bool Closure::determines(int slot) const {
  return std::find(unknowns_.begin(), unknowns_.end(), slot) != unknowns_.end();
}

void Closure::linearize(double t, const double* s) {
  jacobian_.setZero();
  for (SlotEquations& part : parts_) part.add_jacobian(t, s, jacobian_);
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    of_unknowns_.col(static_cast<int>(k)) = jacobian_.col(unknowns_[k]);
  lu_.compute(of_unknowns_);
}

void Closure::solve(double t, double* s) {
  constexpr int most_iterations = 30;
  double before = HUGE_VAL;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    residual_.setZero();
    for (SlotEquations& part : parts_) part.add_residual(t, s, residual_.data());
    linearize(t, s);
    change_.noalias() = lu_.solve(residual_);
    double largest = 0;
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      double& value = s[unknowns_[k]];
      const double change = change_[static_cast<int>(k)];
      value -= change;
      largest = std::isfinite(change) ? std::max(largest, std::abs(change) / (1 + std::abs(value)))
                                      : HUGE_VAL;
    }
    // Until rounding errors are all that moves.
    if (largest < 1e-15 || (largest < 1e-10 && largest > 0.1 * before)) return;
    if (!std::isfinite(largest)) break;
    before = largest;
  }
  for (const int slot : unknowns_) s[slot] = std::numeric_limits<double>::quiet_NaN();
}

const Matrix& Closure::derivative(double t, const double* s) {
  linearize(t, s);
  derivative_.noalias() = -lu_.solve(jacobian_.leftCols(states_));
  return derivative_;
}

}  // namespace daedalus::bvp
