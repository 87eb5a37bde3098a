#include "stepper/stage_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stepper/diagonally_implicit_rk.h"
#include "stepper/implicit_rk.h"

namespace daedalus {
namespace {

constexpr double most_by_hearsay = 10;  // in tolerances
constexpr double least_first_eta = 1e-2;

double power(double x, int exponent) {
  double result = 1;
  for (; exponent > 0; --exponent) result *= x;
  return result;
}

}  // namespace

StageSolver::StageSolver(const System& system, const StageConstants& constants)
    : system_(system),
      constants_(constants),
      method_(constants.method),
      n_(system.size),
      stiffly_accurate_(constants.is_stiffly_accurate) {}

void StageSolver::minus_defect(double t, const double* y, const double* yp, double* out,
                               Statistics& statistics) const {
  system_.residual(t, y, yp, out);
  ++statistics.rhs;
  // Without stiff accuracy the algebraic rows do not hold at mesh points; what they lack there is
  // no error of this step and would not vanish with h.
  for (int k = 0; k < n_; ++k) out[k] = -out[k];
  if (stiffly_accurate_ && !forgives_start_) return;
  for (int k = 0; k < n_; ++k)
    if (system_.algebraic_row[k]) out[k] = 0;
}

void StageSolver::interpolant(const State& state, const State& next, Interpolant& out) const {
  const std::size_t n = state.y.size();
  out.t0 = state.t, out.t1 = next.t, out.size = n_, out.nested = 0, out.basis = nullptr;
  out.data.resize(4 * n);
  const double h = next.t - state.t;
  for (std::size_t k = 0; k < n; ++k) {
    out.data[k] = state.y[k], out.data[n + k] = next.y[k];
    // Nothing is known of the derivatives of algebraic variables: a straight line.
    const bool algebraic = system_.algebraic_variable[k];
    const double chord = next.y[k] - state.y[k];
    out.data[2 * n + k] = algebraic ? chord : h * state.yp[k];
    out.data[3 * n + k] = algebraic ? chord : h * next.yp[k];
  }
}

// The rate of simplified Newton is O(h). Where equations that were linear begin not to be, what a
// shorter step has not seen grows with the square of the length at least.
NewtonMonitor::NewtonMonitor(const NewtonSettings& settings, double carried_eta, double growth)
    : settings_(settings),
      most_by_hearsay_(most_by_hearsay / (growth * growth)),
      eta_(carried_eta * growth) {}

NewtonMonitor::Verdict NewtonMonitor::judge(double increment) {
  ++count_;
  const int left = settings_.max_iterations - count_;
  if (settings_.to_rounding) {
    // Converged when the increments vanish or stop shrinking at the level of rounding errors.
    const double quotient = count_ > 1 ? increment / std::max(last_, 1e-300) : 0;
    rate_ = quotient;
    last_ = increment;
    if (increment <= settings_.tolerance * 1e-3) return Verdict::converged;
    if (count_ > 2 && quotient > 0.9 && increment <= settings_.tolerance) return Verdict::converged;
    if (count_ > 4 && quotient >= 2) return Verdict::diverged;
    return left > 0                           ? Verdict::go_on
           : increment <= settings_.tolerance ? Verdict::converged
                                              : Verdict::diverged;
  }
  // What rounding leaves of a correction, with room for matrices far from the identity.
  constexpr double left_by_rounding = 1e-11;
  if (settings_.is_linear && left_by_rounding * increment <= settings_.tolerance)
    return Verdict::converged;
  if (increment <= settings_.rounding) {
    // Beside one that was little more itself it says nothing of the rate.
    constexpr double much_more = 1e3;
    if (count_ > 1 && last_ > much_more * settings_.rounding) rate_ = increment / last_;
    return Verdict::converged;
  }
  if (count_ > 1) {
    const double quotient = increment / last_;
    const bool confirms = count_ == 3 && is_doubted_;
    // What the second correction has left was as good as nothing: the third one is rounding.
    if (confirms && !(quotient < 0.99)) return Verdict::converged;
    // Of d in the stages y' is off by d/h. With dF/dy' of another y', off by O(h), the first
    // correction leaves O(h) d/h = O(d) in algebraic variables that y' enters: as much as it was
    // itself. From then on the iteration contracts by O(h).
    const bool misleads = settings_.first_misleads && count_ == 2 && left > 0;
    const bool is_alone = count_ == 2 || (settings_.first_misleads && count_ == 3);
    const double rate = is_alone ? quotient : std::sqrt(quotient * last_quotient_);
    if (!confirms) rate_ = rate;  // orders are chosen by that of two corrections, if they do
    last_quotient_ = quotient;
    if (!misleads) worst_ = std::max(worst_, quotient);
    if (!(rate < 0.99)) {
      last_ = increment;
      return misleads ? Verdict::go_on : Verdict::diverged;
    }
    eta_ = rate / (1 - rate);
    if (eta_ * increment <= settings_.tolerance) {
      last_ = increment;
      // A polynomial of high degree may start far off, and the first correction sets most of that
      // right, whatever is linear in it: beside its size the second one looks smaller than what it
      // leaves. Two amplifiers in a row had errors of 170 tolerances within a run that way.
      is_doubted_ = count_ == 2 && left > 0 && least_first_eta * increment > settings_.tolerance;
      return is_doubted_ ? Verdict::go_on : Verdict::converged;
    }
    // The next iteration alone may be enough, most of the time.
    const bool is_near = eta_ * increment * rate < settings_.tolerance;
    if (left > 0 && !is_near && !misleads) {
      const double expected = eta_ * increment * power(rate, left) / settings_.tolerance;
      if (expected >= 1) {
        step_factor_ = 0.8 * std::pow(std::clamp(expected, 1e-4, 20.0), -1.0 / (4 + left));
        return Verdict::hopeless;
      }
    }
  }
  last_ = std::max(increment, std::numeric_limits<double>::epsilon());
  // Equations that were linear for a while let the iteration contract to rounding at once, which
  // says nothing of what comes: a diode that begins to conduct within the step. So what was seen
  // before the step counts only where a correction that is the last one, whatever it leaves, errs
  // by a few tolerances; linear fields, which it spares an iteration, need no more.
  const bool told = !settings_.measure_rate && increment <= most_by_hearsay_;
  const bool measured = count_ > 1 || told;
  // Where the root is larger than what it is taken of, most of the time it need not be known.
  if (count_ == 1 && measured && (eta_ >= 1 || eta_ * increment <= settings_.tolerance))
    eta_ = std::pow(std::max(eta_, std::numeric_limits<double>::epsilon()), 0.8);
  if (measured && eta_ * increment <= settings_.tolerance) return Verdict::converged;
  return left > 0 ? Verdict::go_on : Verdict::diverged;
}

std::unique_ptr<StageSolver> make_stage_solver(const System& system,
                                               const StageConstants& constants,
                                               const Pencil& pencil, StageMemory* shared) {
  if (constants.is_by_stages)
    return std::make_unique<DiagonallyImplicitStages>(system, constants, pencil);
  return std::make_unique<ImplicitStages>(system, constants, pencil, shared);
}

}  // namespace daedalus
