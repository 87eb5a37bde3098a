#pragma once
// Step size and order selection as functions of errors, sizes and convergence rates alone.
// [HairerWanner1996, IV.8], predictive control [Gustafsson1994], order [HairerWanner1999].
#include <algorithm>
#include <cmath>

namespace daedalus {

/// Of the tolerance, for a step of an explicit method: in an undamped motion the errors of the
/// steps add up, and those of the energy turn into errors of the phase that grow with the square of
/// the time.
inline constexpr double share_of_explicit_step = 1.0 / 15;

/// x^(1/n); three stages of Radau ask for the fourth root in every step, seven for the eighth.
inline double root(double x, int n) {
  if (n == 4) return std::sqrt(std::sqrt(x));
  if (n == 8) return std::sqrt(std::sqrt(std::sqrt(x)));
  return std::pow(x, 1.0 / n);
}

struct StepControl {
  double safety = 0.9;
  double max_growth = 8;
  double first_growth = 64;  ///< of the first steps, the first of which was chosen with care
  double max_shrink = 5;

  // Of the last accepted step; zero before the first.
  double accepted_h = 0;
  double accepted_error = 0;
  double accepted_root = 0;  ///< of that error, as the next step wants it; zero: not computed

  /// What h is to be divided by so that an estimate of size error ~ h^(k+1) becomes 1. Steps whose
  /// Newton iteration was long are trusted less.
  double divisor(double error, int k, int iterations, int max_iterations) const {
    return divisor_of_root(root(error, k + 1), iterations, max_iterations, max_growth);
  }

  /// The next step after an accepted one.
  double after_accepted(double h, double error, int k, int iterations, int max_iterations,
                        bool begins = false) {
    const double growth = begins ? first_growth : max_growth;
    const double root_of_error = root(error, k + 1);
    double quotient = divisor_of_root(root_of_error, iterations, max_iterations, growth);
    if (accepted_h > 0) {
      if (accepted_root == 0) accepted_root = root(accepted_error, k + 1);
      // (h_old / h) (error^2 / error_old)^(1/(k+1)); the next step waits for the root alone.
      const double before = accepted_h / (std::abs(h) * accepted_root * safety);
      const double predicted = before * (root_of_error * root_of_error);
      quotient = std::max(quotient, std::clamp(predicted, 1 / growth, max_shrink));
    }
    accepted_h = std::abs(h);
    accepted_error = std::max(1e-2, error);
    accepted_root = error == accepted_error ? root_of_error : 0;
    return h / quotient;
  }

  void forget() { accepted_h = accepted_error = accepted_root = 0; }

 private:
  double divisor_of_root(double root_of_error, int iterations, int max_iterations,
                         double growth) const {
    const double distrust =
        std::max(1.0, (iterations + 2.0 * max_iterations) / (1.0 + 2.0 * max_iterations));
    return std::clamp(root_of_error * (distrust / safety), 1 / growth, max_shrink);
  }
};

/// Order selection of variable order Radau from the convergence rate of Newton's iteration: a fast
/// one means that the stiffness is no obstacle to more stages.
struct OrderControl {
  int min_stages = 3;
  int max_stages = 7;
  /// Few unknowns, index 1: five stages cost less than twice what three do, and
  /// their steps were found to be twice as long well before Newton's iteration is as fast as
  /// [HairerWanner1999] ask for (rates of 0.002, steps within 20 %).
  bool is_eager = false;
  /// Five stages stay where Newton's iteration fails: with shorter steps they leave less than three
  /// do, for the same work. Of 16 runs of the ring modulator at 2.5e-4 to 3e-6 hardly one is off by
  /// more than 30 rtol then, of those that fall back to three stages 13 are: tests/slow.
  bool is_steadfast = false;
  double smoothed_rate = 0;
  /// More stages wait for so many after a change of order.
  static constexpr int patience_with_factors = 10;
  int factorizations_since_change = 0;
  int wait = patience_with_factors;
  /// The part of the last steps, some 25 of them, for which fewer stages would have done.
  double in_vain = 0;
  bool newton_failed = false;    ///< diverged
  bool newton_was_slow = false;  ///< a predicted failure cut h to less than half

  // Factors that serve step after step leave no occasion to ask for another order, and a linear
  // problem never would. So many such steps are one; more stages are on trial then, until their
  // steps are seen to be longer by what they cost more.
  static constexpr int first_patience = 10, most_patience = 1000;
  int patience = first_patience;  ///< steps with the same factors, before more stages are tried
  int steps_with_factors = 0;
  int steps_on_trial = 0;
  double trial_from = 0;  ///< the length of the steps before; 0: nothing is on trial
  bool is_due = false;    ///< that `next` raises the order, or takes back what was on trial

  /// After a step, the next one being of length h. `is_linear`: as far as rates were seen. `kept`:
  /// the factors are to serve again. Whether `next` is to be asked all the same.
  bool after_step(int stages, double h, bool is_linear, bool kept) {
    constexpr double worth = 1.5;
    steps_with_factors = kept ? steps_with_factors + 1 : 0;
    if (trial_from > 0) {
      if (++steps_on_trial < first_patience) return false;
      is_due = h < worth * trial_from;
      if (is_due)
        patience = std::min(4 * patience, most_patience);
      else
        trial_from = 0, steps_on_trial = 0;
    } else {
      is_due = steps_with_factors >= patience && stages < max_stages && is_linear;
      if (is_due) trial_from = h;
    }
    return is_due;
  }

  /// After a step that Newton's iteration kept so short (`limited`) that two stages fewer would
  /// have left `error_of_fewer` in tolerances. Diodes that begin to conduct: 22 to 32 steps of a
  /// hundred in a bridge and a modulator of index 2, up to 5 in amplifiers, where steps with five
  /// stages are twice as long.
  void note(bool limited, double error_of_fewer) {
    constexpr double part = 0.04;
    in_vain += part * ((limited && error_of_fewer < 1 ? 1.0 : 0.0) - in_vain);
  }

  int next(int stages, double rate, int iterations, double h_ratio) {
    ++factorizations_since_change;
    smoothed_rate = std::min(10.0, std::max(rate, 0.5 * smoothed_rate));
    int next = stages;
    const double fast = !is_eager ? 0.002 : stages < 5 ? 0.1 : 0.01;
    const double steady = is_eager ? 2.0 : 1.2, shrunk = is_eager ? 0.5 : 0.8;
    if (iterations > 1 && smoothed_rate <= fast && h_ratio < steady && h_ratio > shrunk)
      next = std::min(max_stages, stages + 2);
    if (smoothed_rate >= 0.8 || newton_failed)
      next = is_steadfast && stages == 5 ? stages : std::max(min_stages, stages - 2);
    if (factorizations_since_change >= 1 && newton_was_slow)
      next = std::max(min_stages, stages - 2);
    constexpr double too_many_in_vain = 0.2;
    constexpr int long_wait = 10 * patience_with_factors;
    const bool is_vain = in_vain > too_many_in_vain && stages > std::max(3, min_stages);
    if (factorizations_since_change <= wait) next = std::min(stages, next);
    if (is_vain) next = std::min(next, stages - 2);
    if (is_due) next = steps_on_trial > 0 ? std::max(min_stages, stages - 2) : stages + 2;
    newton_failed = newton_was_slow = false;
    if (is_due ? steps_on_trial > 0 : next < stages) trial_from = 0;
    if (next != stages) {
      factorizations_since_change = steps_with_factors = steps_on_trial = 0;
      wait = is_vain ? long_wait : patience_with_factors, in_vain = 0;
    }
    is_due = false;
    return next;
  }

  /// The first matrices know nothing yet, but at the start no order has been found wanting, and
  /// short runs are over before ten.
  void be_eager() {
    is_eager = true;
    factorizations_since_change = patience_with_factors - 1;
  }

  /// At another point, where nothing that was seen before need hold.
  void forget() {
    smoothed_rate = trial_from = in_vain = 0;
    wait = patience_with_factors;
    steps_with_factors = steps_on_trial = 0;
    patience = first_patience;
    is_due = false;
  }
};

}  // namespace daedalus
