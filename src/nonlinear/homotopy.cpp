#include "nonlinear/homotopy.h"

#include <algorithm>
#include <cmath>

namespace daedalus {
namespace {

constexpr int most_steps = 400;
constexpr int most_corrections = 12;
constexpr double first_step = 0.05;
constexpr double shortest_step = 1e-13;  // beside the end of a logarithm
constexpr double farthest_back = -20;    // of s: the curve leads away
constexpr double straight = 0.3;         // part of a step by which it may be corrected

/// C(x) - (1 - s) C(x0) with s the last unknown.
class Curve final : public PointEquations {
 public:
  Curve(const PointEquations& equations, int count, int unknowns, const double* start)
      : equations_(equations), unknowns_(unknowns), residual_(count) {
    equations_.evaluate(start, residual_.data());
  }
  bool begins() const { return residual_.allFinite(); }
  void evaluate(const double* z, double* r) const override {
    equations_.evaluate(z, r);
    Eigen::Map<Vector>(r, residual_.size()) -= (1 - z[unknowns_]) * residual_;
  }
  void linearize(const double* z, double* jacobian) const override {
    equations_.linearize(z, jacobian);
    std::copy(residual_.begin(), residual_.end(), jacobian + residual_.size() * unknowns_);
  }

 private:
  const PointEquations& equations_;
  int unknowns_;
  Vector residual_;
};

class Follower {
 public:
  Follower(const PointEquations& equations, NearestPoint& solver, const double* start)
      : equations_(equations),
        solver_(solver),
        n_(solver.scale().size()),
        curve_(equations, solver.equations(), static_cast<int>(n_), start),
        scale_(with_last(solver.scale(), 1.0)),
        freely_(solver.equations(), scale_, with_last(solver.freedom(), 1.0),
                solver.rank_threshold()),
        at_given_s_(solver.equations(), scale_, with_last(solver.freedom(), 0.0),
                    solver.rank_threshold()),
        start_(with_last(std::vector<double>(start, start + n_), 0.0)) {}

  bool begins() const { return curve_.begins(); }

  /// Begins with growing s, or with falling s: that end of the curve may be the one that arrives.
  bool follow(double direction, double* x) {
    std::vector<double> z = start_, tangent(n_ + 1, 0.0), trial;
    tangent[n_] = direction;
    double step = first_step;
    bool first = true;
    for (int k = 0; k < most_steps && step >= shortest_step; ++k) {
      trial = z;
      for (std::size_t j = 0; j <= n_; ++j) trial[j] += step * tangent[j];
      if (trial[n_] >= 1 && arrives(z, trial, x)) return true;
      const std::vector<double> predicted = trial;
      const bool passes = trial[n_] < 1 && corrected(first ? at_given_s_ : freely_, trial) &&
                          (first || distance(trial, predicted) <= straight * step);
      if (!passes) {
        step *= 0.5;
        continue;
      }
      if (trial[n_] < farthest_back) return false;
      const double length = distance(trial, z);
      if (!(length > 0)) return false;
      for (std::size_t j = 0; j <= n_; ++j) tangent[j] = (trial[j] - z[j]) / length;
      if (first) step = length;
      first = false;
      step *= distance(trial, predicted) <= 0.3 * straight * step ? 2 : 1;
      z = trial;
    }
    return false;
  }

 private:
  static std::vector<double> with_last(std::vector<double> list, double value) {
    list.push_back(value);
    return list;
  }

  double distance(const std::vector<double>& a, const std::vector<double>& b) const {
    double largest = 0;
    for (std::size_t j = 0; j <= n_; ++j)
      largest = std::max(largest, std::abs(a[j] - b[j]) / scale_[j]);
    return largest;
  }

  bool corrected(NearestPoint& corrector, std::vector<double>& z) {
    return corrector.solve(curve_, z.data(), most_corrections);
  }

  /// The step passes s = 1: from the point there that lies between its ends.
  bool arrives(const std::vector<double>& from, const std::vector<double>& to, double* x) {
    const double part = (1 - from[n_]) / (to[n_] - from[n_]);
    std::vector<double> end(n_);
    for (std::size_t j = 0; j < n_; ++j) end[j] = from[j] + part * (to[j] - from[j]);
    if (!solver_.solve(equations_, end.data(), 2 * most_corrections)) return false;
    std::copy(end.begin(), end.end(), x);
    return true;
  }

  const PointEquations& equations_;
  NearestPoint& solver_;
  std::size_t n_;
  Curve curve_;
  std::vector<double> scale_;
  NearestPoint freely_, at_given_s_;
  std::vector<double> start_;
};

}  // namespace

bool follow_residual(const PointEquations& equations, NearestPoint& solver, double* x) {
  Follower follower(equations, solver, x);
  return follower.begins() && (follower.follow(1, x) || follower.follow(-1, x));
}

}  // namespace daedalus
