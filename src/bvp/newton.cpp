#include "bvp/newton.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace daedalus::bvp {
namespace {

/// Sizes of a change: root of the mean square, and the largest part of all.
struct Size {
  double mean = 0, largest = 0;
};

/// Measures states relative to 1 + their largest value, h^m w as states, y likewise.
class Measure {
 public:
  Measure(const MeshEquations& equations, const Iterate& u)
      : system_(equations.system()), k_(equations.basis().points()) {
    scale_z_ = u.z.cwiseAbs().rowwise().maxCoeff().array() + 1;
    scale_y_.setOnes(std::max(1, system_.algebraic()));
    for (int i = 0; i < u.elements(); ++i)
      for (int r = 0; r < u.y.rows(); ++r) {
        double& s = scale_y_[r % system_.algebraic()];
        s = std::max(s, 1 + std::abs(u.y(r, i)));
      }
  }

  Size operator()(const Iterate& d) const {
    double sum = 0, largest = 0;
    double count = 0;
    const auto take = [&](double x) {
      sum += x * x, largest = std::max(largest, std::abs(x)), count += 1;
    };
    bool finite = d.z.allFinite() && d.w.allFinite() && d.y.allFinite();
    if (!finite) return {HUGE_VAL, HUGE_VAL};
    const int n = system_.components();
    for (int i = 0; i < d.z.cols(); ++i)
      for (int j = 0; j < d.z.rows(); ++j) take(d.z(j, i) / scale_z_[j]);
    for (int i = 0; i < d.elements(); ++i) {
      for (int j = 0; j < d.w.rows(); ++j) {
        const auto c = static_cast<std::size_t>(j % n);
        take(d.w(j, i) * std::pow(d.length(i), system_.order[c]) / scale_z_[system_.offset[c]]);
      }
      for (int j = 0; j < d.y.rows(); ++j) {
        const int a = j % system_.algebraic();
        if (system_.controlled[static_cast<std::size_t>(system_.states() + n + a)])
          take(d.y(j, i) / scale_y_[a]);
      }
    }
    return {std::sqrt(sum / std::max(1.0, count)), largest};
  }

 private:
  const CollocationSystem& system_;
  int k_;
  Vector scale_z_, scale_y_;
};

/// to = a + factor b
void combine(const Iterate& a, double factor, const Iterate& b, Iterate& to) {
  to.z.noalias() = a.z + factor * b.z;
  to.w.noalias() = a.w + factor * b.w;
  to.y.noalias() = a.y + factor * b.y;
}

}  // namespace

NewtonOutcome newton(MeshEquations& equations, Iterate& u, double wanted,
                     const BoundaryOptions& options, BoundaryStatistics& statistics,
                     bool allow_rough) {
  constexpr double smallest_lambda = 1e-5, keeps_matrix = 0.25;
  const auto failed = [&](Reason reason, std::string what, std::string why, std::string hint) {
    return NewtonOutcome{
        false, reason,
        Message{std::move(what), fmt::format("on a mesh of {} elements", u.elements()),
                std::move(why), std::move(hint)}};
  };
  equations.prepare(u);
  Iterate delta = u, bar = u, trial = u, difference = u;
  double lambda = 1;
  Size last_delta, last_bar;
  for (int iteration = 0; iteration < options.max_newton; ++iteration) {
    if (options.interrupt && *options.interrupt)
      return failed(Reason::interrupted, "interrupted", "the run was ended from outside", "");
    ++statistics.newton, ++statistics.factorizations;
    if (!equations.linearize(u)) {
      const std::string where = equations.trouble(u);
      if (!where.empty()) {
        NewtonOutcome outcome =
            failed(Reason::not_finite, "the equations are not finite at the guess",
                   "a guess with NaN, or outside of where a function is defined",
                   "a guess at which all equations can be evaluated");
        outcome.message.where = where;
        return outcome;
      }
      return {false, Reason::singular_matrix, equations.failure()};
    }
    if (!equations.residual(u)) {
      NewtonOutcome outcome =
          failed(Reason::not_finite, "the equations are not finite at the guess",
                 "a guess with NaN, or outside of where a function is defined",
                 "a guess at which all equations can be evaluated");
      if (const std::string where = equations.trouble(u); !where.empty())
        outcome.message.where = where;
      return outcome;
    }
    // Rounding errors, amplified as everything else, end the convergence.
    const double tolerance = std::clamp(2e-15 * equations.condition(), wanted, 30 * wanted);
    equations.correction(delta);
    const Measure measure(equations, u);
    const Size size = measure(delta);
    if (!std::isfinite(size.mean))
      return failed(Reason::not_finite, "Newton's correction is not finite",
                    "the linearised problem is singular or overflows", "another guess");
    if (size.largest <= tolerance) {
      combine(u, 1, delta, u);
      return {true, Reason::finished, {}};
    }
    if (iteration > 0) {
      combine(bar, -1, delta, difference);
      const double curvature = measure(difference).mean * size.mean;
      const double predicted =
          curvature > 0 ? last_delta.mean * last_bar.mean / curvature * lambda : 1;
      lambda = std::clamp(predicted, smallest_lambda, 1.0);
    }
    Size bar_size;
    bool is_lengthened = false;
    for (;;) {
      combine(u, lambda, delta, trial);
      bool finite = equations.residual(trial);
      if (finite) {
        equations.correction(bar);
        bar_size = measure(bar);
        finite = std::isfinite(bar_size.mean);
      }
      combine(bar, lambda - 1, delta, difference);
      const double curvature = finite ? measure(difference).mean : HUGE_VAL;
      const double best = curvature > 0 ? 0.5 * size.mean * lambda * lambda / curvature : 1;
      if (finite && bar_size.mean <= (1 - lambda / 4) * size.mean) {
        // Much too careful: once more with a longer step. Only once, or what rounding makes of the
        // curvature would shorten and lengthen it for ever.
        if (lambda < 1 && best >= 4 * lambda && !is_lengthened) {
          lambda = std::min(1.0, best);
          is_lengthened = true;
          continue;
        }
        break;
      }
      // Corrections at the level of rounding do not shrink any more.
      if (finite && lambda == 1 && size.largest <= 1e3 * tolerance && size.largest < 1e-6 &&
          bar_size.largest <= 10 * tolerance) {
        combine(trial, 0, bar, u);
        return {true, Reason::finished, {}};
      }
      // Where a mesh is much too coarse for a layer, rounding is large; it serves for the next one.
      if (finite && lambda == 1 && allow_rough &&
          size.largest <= std::min(1e-2, 1e-15 * equations.condition() * measure(u).largest)) {
        combine(trial, 0, bar, u);
        return {true, Reason::finished, {}, true};
      }
      ++statistics.rejected;
      // Far away the estimate of the curvature says little: exponentials explode.
      lambda = std::clamp(finite ? best : 0.0, 0.1 * lambda, 0.5 * lambda);
      if (!(lambda >= smallest_lambda))
        return failed(Reason::newton_failed,
                      "Newton's method found no step that brings the solution nearer",
                      "there is no solution near the guess, or none at all",
                      "a better guess, continuation in a parameter, or a finer mesh");
    }
    combine(trial, 0, bar, u);
    last_delta = size, last_bar = bar_size;
    // The matrix is kept while corrections contract.
    Size kept = bar_size;
    while (lambda == 1 && bar_size.mean <= keeps_matrix * last_delta.mean) {
      combine(u, 1, bar, trial);
      if (kept.largest <= tolerance) {
        u.z = trial.z, u.w = trial.w, u.y = trial.y;
        return {true, Reason::finished, {}};
      }
      if (!equations.residual(trial)) break;
      equations.correction(difference);
      const Size next = measure(difference);
      ++statistics.newton;
      if (!(next.mean <= keeps_matrix * kept.mean)) {
        // Where rounding is all that moves, another matrix would not help.
        if (next.largest <= 10 * tolerance) {
          combine(trial, 1, difference, u);
          return {true, Reason::finished, {}};
        }
        break;
      }
      combine(trial, 0, bar, u);
      std::swap(bar.z, difference.z), std::swap(bar.w, difference.w),
          std::swap(bar.y, difference.y);
      kept = next;
      last_bar = kept;
    }
  }
  return failed(
      Reason::newton_failed,
      fmt::format("Newton's method did not converge in {} iterations", options.max_newton),
      "the guess is far from a solution, or there is none",
      "a better guess, continuation in a parameter, or more iterations");
}

}  // namespace daedalus::bvp
