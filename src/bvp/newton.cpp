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
  explicit Measure(const MeshEquations& equations)
      : system_(equations.system()), k_(equations.basis().points()) {
    inverse_z_.resize(system_.states()), inverse_y_.resize(system_.algebraic());
  }

  void set_scales(const Iterate& u) {
    const int d = system_.algebraic();
    inverse_z_.setOnes(), inverse_y_.setZero();
    for (int i = 0; i < u.z.cols(); ++i)
      for (int j = 0; j < u.z.rows(); ++j)
        inverse_z_[j] = std::max(inverse_z_[j], 1 + std::abs(u.z(j, i)));
    for (int a = 0; a < d; ++a) {
      if (!system_.controlled[static_cast<std::size_t>(system_.slots() - d + a)]) continue;
      inverse_y_[a] = 1;
      for (int i = 0; i < u.y.cols(); ++i)
        for (int j = a; j < u.y.rows(); j += d)
          inverse_y_[a] = std::max(inverse_y_[a], 1 + std::abs(u.y(j, i)));
      inverse_y_[a] = 1 / inverse_y_[a];
    }
    inverse_z_ = inverse_z_.cwiseInverse();
  }

  Size operator()(const Iterate& d) const {
    Sum sum;
    const int n = system_.components(), a = system_.algebraic(), states = system_.states();
    for (int i = 0; i < d.z.cols(); ++i)
      for (int j = 0; j < states; ++j) sum.take(d.z(j, i) * inverse_z_[j]);
    for (int c = 0; c < n; ++c) {
      const int m = system_.order[static_cast<std::size_t>(c)];
      const double scale = inverse_z_[system_.offset[static_cast<std::size_t>(c)]];
      for (int i = 0; i < d.elements(); ++i) {
        double power = scale;
        for (int p = 0; p < m; ++p) power *= d.length(i);
        const double* w = d.w.col(i).data() + c;
        for (int j = 0; j < k_; ++j) sum.take(w[j * n] * power);
      }
    }
    sum.count = static_cast<double>(d.z.size() + d.w.size());
    for (int c = 0; c < a; ++c) {
      if (inverse_y_[c] == 0) continue;
      sum.count += d.elements() * k_;
      for (int i = 0; i < d.elements(); ++i) {
        const double* y = d.y.col(i).data() + c;
        for (int j = 0; j < k_; ++j) sum.take(y[j * a] * inverse_y_[c]);
      }
    }
    if (!std::isfinite(sum.squares)) return {HUGE_VAL, HUGE_VAL};
    return {std::sqrt(sum.squares / sum.count), sum.largest};
  }

 private:
  struct Sum {
    double squares = 0, largest = 0, count = 0;
    void take(double x) { squares += x * x, largest = std::max(largest, std::abs(x)); }
  };
  const CollocationSystem& system_;
  int k_;
  Vector inverse_z_, inverse_y_;
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
                     bool allow_rough, const IsWorthSolving& is_worth_solving) {
  constexpr double smallest_lambda = 1e-5, keeps_matrix = 0.25, near = 0.02;
  constexpr double contracts_by_rounding = 1e-3;
  bool is_asked = !is_worth_solving;
  // Whether u + correction, whose error is less than that, will do for the next mesh. Where
  // rounding errors come near the tolerance further corrections take them away, and derivatives
  // need that.
  const auto will_do = [&](const Size& correction, const Iterate& sum) {
    if (is_asked || correction.largest > near || 2e-14 * equations.condition() > wanted)
      return false;
    is_asked = true;
    return !is_worth_solving(sum);
  };
  const auto failed = [&](Reason reason, std::string what, std::string why, std::string hint) {
    return NewtonOutcome{
        false, reason,
        Message{std::move(what), fmt::format("on a mesh of {} elements", u.elements()),
                std::move(why), std::move(hint)}};
  };
  equations.prepare(u);
  Iterate delta = u, bar = u, trial = u, difference = u;
  Measure measure(equations);
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
    if (!equations.residual_is_finite()) {
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
    measure.set_scales(u);
    const Size size = measure(delta);
    if (!std::isfinite(size.mean))
      return failed(Reason::not_finite, "Newton's correction is not finite",
                    "the linearised problem is singular or overflows", "another guess");
    if (size.largest <= tolerance) {
      combine(u, 1, delta, u);
      return {true, Reason::finished, {}};
    }
    if (!is_asked && size.largest <= near) {
      combine(u, 1, delta, trial);
      if (will_do(size, trial)) {
        std::swap(u.z, trial.z), std::swap(u.w, trial.w), std::swap(u.y, trial.y);
        return {true, Reason::finished, {}};
      }
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
      // Corrections at the level of rounding do not shrink any more. The condition does not see all
      // that amplifies it (Gauss points without projection).
      if (finite && lambda == 1 && size.largest <= 1e3 * tolerance && size.largest < 1e-6 &&
          bar_size.largest <= std::max(10 * tolerance, 0.1 * options.tolerance)) {
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
      if (!(lambda >= smallest_lambda) &&
          size.largest <= 1e-14 * equations.condition() * measure(u).largest)
        return failed(Reason::newton_failed,
                      fmt::format("rounding errors, which the equations amplify {:.0e} times, are "
                                  "as large as Newton's corrections",
                                  equations.condition()),
                      "a layer of the solution is much thinner than the elements",
                      "continuation from a problem with a wider layer, or a mesh that is finer "
                      "where the layer is");
      if (!(lambda >= smallest_lambda))
        return failed(Reason::newton_failed,
                      "Newton's method found no step that brings the solution nearer",
                      "there is no solution near the guess, or none at all",
                      "a better guess, continuation in a parameter, or a finer mesh");
    }
    combine(trial, 0, bar, u);
    last_delta = size, last_bar = bar_size;
    // The matrix is kept while corrections contract: by theta each, so that theta / (1 - theta) of
    // the last one is left; but a small theta tells that it may consist of rounding errors, which
    // do not contract.
    Size kept = bar_size;
    double theta = bar_size.mean / last_delta.mean;
    while (lambda == 1 && theta <= keeps_matrix) {
      combine(u, 1, bar, trial);
      const double part_left = theta > contracts_by_rounding ? theta / (1 - theta) : 1;
      if (part_left * kept.largest <= wanted || kept.largest <= tolerance || will_do(kept, trial)) {
        u.z = trial.z, u.w = trial.w, u.y = trial.y;
        return {true, Reason::finished, {}};
      }
      if (!equations.residual(trial)) break;
      equations.correction(difference);
      const Size next = measure(difference);
      ++statistics.newton;
      theta = next.mean / kept.mean;
      if (!(theta <= keeps_matrix)) {
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
