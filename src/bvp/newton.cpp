#include "bvp/newton.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace daedalus::bvp {
namespace {

constexpr double smallest_lambda = 1e-5;
constexpr double keeps_matrix = 0.25;  ///< contraction
constexpr double still_nearer = 0.5;   ///< likewise
constexpr double near = 0.02;          ///< size of a correction
constexpr double contracts_by_rounding = 1e-3;
constexpr int most_updates = 8;

/// to = a + factor b
void combine(const Iterate& a, double factor, const Iterate& b, Iterate& to) {
  to.z.noalias() = a.z + factor * b.z;
  to.w.noalias() = a.w + factor * b.w;
  to.y.noalias() = a.y + factor * b.y;
}

void scale(Iterate& a, double factor) {
  a.z *= factor, a.w *= factor, a.y *= factor;
}

/// Values alone: the mesh is the same.
void exchange(Iterate& a, Iterate& b) {
  a.z.swap(b.z), a.w.swap(b.w), a.y.swap(b.y);
}

void shape_like(const Iterate& u, Iterate& to) {
  to.z.resize(u.z.rows(), u.z.cols());
  to.w.resize(u.w.rows(), u.w.cols()), to.y.resize(u.y.rows(), u.y.cols());
}

const NewtonOutcome converged = {true, Reason::finished, {}, false};

}  // namespace

NewtonOutcome Newton::failed(Reason reason, std::string what, std::string why,
                             std::string hint) const {
  return {false, reason,
          Message{std::move(what), fmt::format("on a mesh of {} elements", delta_.elements()),
                  std::move(why), std::move(hint)}};
}

NewtonOutcome Newton::not_finite(const Iterate& u) {
  NewtonOutcome outcome = failed(Reason::not_finite, "the equations are not finite at the guess",
                                 "a guess with NaN, or outside of where a function is defined",
                                 "a guess at which all equations can be evaluated");
  if (const std::string where = equations_.trouble(u); !where.empty())
    outcome.message.where = where;
  return outcome;
}

std::optional<NewtonOutcome> Newton::linearize(const Iterate& u) {
  ++statistics_.newton, ++statistics_.factorizations;
  if (!equations_.linearize(u)) {
    if (!equations_.trouble(u).empty()) return not_finite(u);
    return NewtonOutcome{false, Reason::singular_matrix, equations_.failure()};
  }
  if (!equations_.residual_is_finite()) return not_finite(u);
  // Rounding errors, amplified as everything else, end the convergence.
  tolerance_ = std::clamp(2e-15 * equations_.condition(), wanted_, 30 * wanted_);
  equations_.correction(delta_);
  measure_.set_scales(u);
  return {};
}

bool Newton::will_do(const Size& correction, const Iterate& sum) {
  // Where rounding errors come near the tolerance further corrections take them away, and
  // derivatives need that.
  if (!ask_ || correction.largest > near || 2e-14 * equations_.condition() > wanted_) return false;
  const IsWorthSolving& is_worth_solving = *ask_;
  ask_ = nullptr;
  return !is_worth_solving(sum);
}

bool Newton::is_enough_by_curvature(const Size& size) const {
  constexpr double safety = 10;
  if (curvature_ < 0 || size.largest > near || !equations_.system().has_exact_jacobian() ||
      2e-14 * equations_.condition() > wanted_)
    return false;
  const double theta = safety * curvature_ * size.largest;
  return theta <= keeps_matrix && theta * size.largest <= wanted_;
}

double Newton::predicted_damping(const Size& size) {
  combine(bar_, -1, delta_, difference_);
  const double curvature = measure_(difference_).mean * size.mean;
  if (!(curvature > 0)) return 1;
  return std::clamp(last_delta_.mean * last_bar_.mean / curvature * lambda_, smallest_lambda, 1.0);
}

std::optional<NewtonOutcome> Newton::damp(Iterate& u, const Size& size) {
  bool is_lengthened = false;
  for (;;) {
    combine(u, lambda_, delta_, trial_);
    bool finite = equations_.residual(trial_);
    if (finite) {
      equations_.correction(bar_);
      last_bar_ = measure_(bar_);
      finite = std::isfinite(last_bar_.mean);
    }
    combine(bar_, lambda_ - 1, delta_, difference_);
    const double curvature = finite ? measure_(difference_).mean : HUGE_VAL;
    const double best = curvature > 0 ? 0.5 * size.mean * lambda_ * lambda_ / curvature : 1;
    if (finite && last_bar_.mean <= (1 - lambda_ / 4) * size.mean) {
      // Much too careful: once more with a longer step. Only once, or what rounding makes of the
      // curvature would shorten and lengthen it for ever.
      if (lambda_ == 1 || best < 4 * lambda_ || is_lengthened) return {};
      lambda_ = std::min(1.0, best);
      is_lengthened = true;
      continue;
    }
    // Corrections at the level of rounding do not shrink any more. The condition does not see all
    // that amplifies it (Gauss points without projection).
    const bool is_rounding =
        finite && lambda_ == 1 && size.largest <= 1e3 * tolerance_ && size.largest < 1e-6 &&
        last_bar_.largest <= std::max(10 * tolerance_, 0.1 * options_.tolerance);
    // Where a mesh is much too coarse for a layer, rounding is large; it serves for the next one.
    const bool is_rough =
        finite && lambda_ == 1 && options_.adapt &&
        size.largest <= std::min(1e-2, 1e-15 * equations_.condition() * measure_(u).largest);
    if (is_rounding || is_rough) {
      exchange(u, trial_);
      return NewtonOutcome{true, Reason::finished, {}, !is_rounding};
    }
    ++statistics_.rejected;
    // Far away the estimate of the curvature says little: exponentials explode.
    lambda_ = std::clamp(finite ? best : 0.0, 0.1 * lambda_, 0.5 * lambda_);
    if (lambda_ >= smallest_lambda) continue;
    if (size.largest <= 1e-14 * equations_.condition() * measure_(u).largest)
      return failed(Reason::newton_failed,
                    fmt::format("rounding errors, which the equations amplify {:.0e} times, are "
                                "as large as Newton's corrections",
                                equations_.condition()),
                    "a layer of the solution is much thinner than the elements",
                    "continuation from a problem with a wider layer, or a mesh that is finer "
                    "where the layer is");
    return failed(Reason::newton_failed,
                  "Newton's method found no step that brings the solution nearer",
                  "there is no solution near the guess, or none at all",
                  "a better guess, continuation in a parameter, or a finer mesh");
  }
}

void Newton::take(std::size_t number, Iterate& correction, const Size& size) {
  if (taken_.size() == number) taken_.emplace_back(), squares_.emplace_back();
  shape_like(correction, taken_[number]);
  exchange(correction, taken_[number]);
  squares_[number] = size.mean * size.mean;
}

/// What all but the last of these corrections tell of the matrix.
void Newton::update(Iterate& correction, int corrections) const {
  for (int i = 1; i < corrections; ++i) {
    const auto before = static_cast<std::size_t>(i) - 1;
    const double part = measure_.product(correction, taken_[before]) / squares_[before];
    combine(correction, part, taken_[before + 1], correction);
  }
}

bool Newton::keep_matrix(Iterate& u, const Size& size) {
  exchange(u, trial_);
  last_delta_ = size;
  if (lambda_ < 1) return false;
  double theta = last_bar_.mean / size.mean;
  curvature_ = theta / size.largest;
  take(0, delta_, size);
  for (std::size_t k = 0; theta <= keeps_matrix && k < most_updates; ++k) {
    scale(bar_, 1 / (1 - measure_.product(bar_, taken_[k]) / squares_[k]));
    const Size step = measure_(bar_);
    combine(u, 1, bar_, trial_);
    // Corrections contract by theta each, so that theta / (1 - theta) of the last one is left; but
    // a small theta tells that it may consist of rounding errors, which do not contract.
    const double part_left = theta > contracts_by_rounding ? theta / (1 - theta) : 1;
    if (part_left * step.largest <= wanted_ || step.largest <= tolerance_ ||
        will_do(step, trial_)) {
      exchange(u, trial_);
      return true;
    }
    last_bar_ = step;
    if (!equations_.residual(trial_)) return false;
    take(k + 1, bar_, step);
    equations_.correction(bar_);
    update(bar_, static_cast<int>(k) + 2);
    const Size next = measure_(bar_);
    ++statistics_.newton;
    theta = next.mean / step.mean;
    if (!(theta <= still_nearer)) {
      // Where rounding is all that moves, another matrix would not help.
      if (next.largest <= 10 * tolerance_) {
        combine(trial_, 1, bar_, u);
        return true;
      }
      exchange(bar_, taken_[k + 1]);
      return false;
    }
    exchange(u, trial_);
    last_delta_ = step, last_bar_ = next;
  }
  return false;
}

NewtonOutcome Newton::solve(Iterate& u, double wanted, const IsWorthSolving& is_worth_solving) {
  wanted_ = wanted, lambda_ = 1;
  ask_ = is_worth_solving ? &is_worth_solving : nullptr;
  for (Iterate* each : {&delta_, &bar_, &trial_, &difference_}) {
    shape_like(u, *each);
    each->t = u.t;
  }
  equations_.prepare(u);
  for (int iteration = 0; iteration < options_.max_newton; ++iteration) {
    if (options_.interrupt && *options_.interrupt)
      return failed(Reason::interrupted, "interrupted", "the run was ended from outside", "");
    if (std::optional<NewtonOutcome> failure = linearize(u)) return *failure;
    const Size size = measure_(delta_);
    if (!std::isfinite(size.mean))
      return failed(Reason::not_finite, "Newton's correction is not finite",
                    "the linearised problem is singular or overflows", "another guess");
    combine(u, 1, delta_, trial_);
    if (size.largest <= tolerance_ || is_enough_by_curvature(size) || will_do(size, trial_)) {
      exchange(u, trial_);
      return converged;
    }
    if (iteration > 0) lambda_ = predicted_damping(size);
    if (std::optional<NewtonOutcome> outcome = damp(u, size)) return *outcome;
    if (keep_matrix(u, size)) return converged;
  }
  return failed(
      Reason::newton_failed,
      fmt::format("Newton's method did not converge in {} iterations", options_.max_newton),
      "the guess is far from a solution, or there is none",
      "a better guess, continuation in a parameter, or more iterations");
}

}  // namespace daedalus::bvp
