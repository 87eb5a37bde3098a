// Modified extended backward differentiation [Cash1983; CashConsidine1992]. With the plain formula
// of order k, y' = L (y - ...) and L = alpha_s/h,
//   1. (y1, y1') at t_{n+1},   2. (y2, y2') at t_{n+2} = t_{n+1} + h, from the point of 1.,
//   3. y at t_{n+1} once more, with y2' known.
// The polynomial Q of degree k + 1 through y and the k points before it with the slope y2' at
// t_{n+2} has at t_{n+1} the slope
//   Q' = P' + (y2' - P'(t_{n+2})) / (l(t_{n+2}) + h l'(t_{n+2})),
// P the polynomial without the slope, l the part of P that belongs to y; dQ'/dy = l'(t_{n+1}) -
// l'(t_{n+2}) / (l(t_{n+2}) + h l'(t_{n+2})) =: M. The formula y' = Q' has order k + 1. With
//   y' = y1' + L (y - y1) + (L/M) (Q' at y1 - y1')
// it has the same solution up to higher order, and the matrix of 1. and 2.
#include "stepper/bdf_stepper.h"

namespace daedalus {

/// After 1. Where 2. or 3. fails, as behind the end of what the equations are defined for, the
/// plain step stands.
void BdfStepper::extend(double h, double leading) {
  Extended& x = *extended_;
  const double t = state_.t + h, rate = rate_, eta = carried_eta_;
  x.predicted = predicted_, x.y = y_, x.yp = yp_, x.e = e_;
  x.memory = memory_;
  x.memory.advance(e_.data());
  x.memory.prepare(h, order_);
  x.memory.predict(predicted_.data(), predicted_yp_.data());
  // The rate of 1. is known, and only the slope of 2. is used, in a term of higher order.
  NewtonSettings settings = newton_;
  settings.measure_rate = false;
  bool made = iterate(t + h, leading, settings) == Outcome::done;
  if (made) {
    const BackwardDifferences::LastPoint l = memory_.last_point();
    const double ahead = l.value_ahead + l.slope_ahead;
    const double quotient = leading * h / (l.slope - l.slope_ahead / ahead);
    memory_.slope_at(1, x.e.data(), x.slope.data());
    memory_.slope_at(2, x.e.data(), x.slope_ahead.data());
    for (int j = 0; j < n_; ++j) {
      const double slope = x.slope[j] + (yp_[j] - x.slope_ahead[j]) / ahead;
      predicted_[j] = x.y[j];
      predicted_yp_[j] = x.yp[j] + quotient * (slope - x.yp[j]);
    }
    made = iterate(t, leading, newton_) == Outcome::done;
  }
  if (!made) y_ = x.y, yp_ = x.yp, rate_ = rate, carried_eta_ = eta;
  predicted_ = x.predicted;
  for (int j = 0; j < n_; ++j) e_[j] = y_[j] - predicted_[j];
}

}  // namespace daedalus
