#pragma once
// Singular points of the constraints along a run of steps: whether one is near, whether the end of
// a step is too near to one, and whether a step has passed one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "formulation/projected_field.h"
#include "linear/constraint_matrix.h"
#include "stepper/stepper.h"

namespace daedalus {

class CrossingWatch {
 public:
  /// At the start, after its slope.
  void start(ProjectedField& field) {
    health_ = before_ = field.health();
    look_below_ = ConstraintMatrix::in_sight;
    since_ = health_ < ConstraintMatrix::suspicious ? field.since_singular()
                                                    : std::numeric_limits<double>::infinity();
    field.suspect_below(ConstraintMatrix::suspicious);
  }
  /// At the end of a step of length h that was found, after its slope. `near`: look in any case.
  void look(ProjectedField& field, bool near, double h = 0) {
    constexpr double steps_away = 20, least_health = 0.02;
    next_health_ = field.health();
    const bool looks = near || next_health_ < look_below_;
    next_since_ = looks ? field.since_singular() : std::numeric_limits<double>::infinity();
    far_ = h != 0 && std::abs(next_since_) > steps_away * std::abs(h) &&
           next_health_ > least_health && (looks || next_health_ > 4 * look_below_);
  }
  /// From where on stages have to be on the manifold.
  double suspicious() const { return std::min(ConstraintMatrix::suspicious, look_below_); }
  /// By the line through the last two values, `last` apart: zero within reach, ahead or behind.
  bool is_near(double h, double last) const {
    constexpr double steps_ahead = 2.5;
    if (health_ < suspicious()) return true;
    const double rate = last == 0 ? 0 : (health_ - before_) / last;
    return rate != 0 && std::abs(health_ / rate) < steps_ahead * std::abs(h);
  }
  /// Whether a singular point may be within reach of a step from here, by where the constraints
  /// themselves say it is. Rows may be nearly dependent all along.
  bool is_within_reach(double h) const {
    constexpr double steps_ahead = 2.5;
    return health_ < suspicious() && !(std::abs(since_) > steps_ahead * std::abs(h));
  }
  /// Of a stage, from its health.
  bool came_near(double health) const { return health < suspicious() && health < 0.5 * health_; }
  /// A mesh point so near to a singular point would begin the next step with the noise of 0/0; a
  /// step `shorter` times as long avoids it.
  bool ends_too_near(double h) const {
    constexpr double too_near = 0.05;
    return std::abs(next_since_) < too_near * std::abs(h);
  }
  static constexpr double shorter = 0.8;
  static constexpr int most_vetoes = 3;

  /// Ahead before, behind now, or seen only now. Both ends of the step tell where, the nearer one
  /// better. A singular value that has its least value in the step looks alike from afar, but what
  /// both ends tell lies apart.
  std::optional<Stepper::Crossing> passed(double from, double to) const {
    const double direction = to > from ? 1 : -1;
    if (!std::isfinite(next_since_) || direction * next_since_ <= 0) return {};
    double singular = to - next_since_;
    if (std::isfinite(since_)) {
      if (direction * since_ > 0 || std::abs(from - since_ - singular) > 2 * std::abs(to - from))
        return {};
      const double total = std::abs(since_) + std::abs(next_since_);
      singular = ((from - since_) * std::abs(next_since_) + singular * std::abs(since_)) / total;
    }
    if (direction * (singular - from) < 0 || direction * (to - singular) < 0) return {};
    return Stepper::Crossing{singular, std::min(health_, next_health_)};
  }
  void accept(ProjectedField& field) {
    before_ = health_, health_ = next_health_, since_ = next_since_;
    if (!far_) return;
    // Rows may be nearly dependent all along. Health falls with the distance from a singular point:
    // two thirds of it are soon enough for the next look, since that is still many steps away. What
    // it was before may have been measured otherwise.
    const double below = std::min(ConstraintMatrix::in_sight, health_ / 1.5);
    if (field.suspect_below(std::min(ConstraintMatrix::suspicious, below)))
      look_below_ = below, before_ = health_;
    far_ = false;
  }

  void save(std::vector<double>& memory) const {
    for (const double x : {health_, before_, since_, look_below_}) memory.push_back(x);
  }
  void restore(SavedState& memory) {
    for (double* x : {&health_, &before_, &since_, &look_below_}) *x = memory.number();
  }

 private:
  double health_ = 1, before_ = 1, since_ = 0, next_since_ = 0, next_health_ = 1;
  double look_below_ = ConstraintMatrix::in_sight;
  bool far_ = false;  ///< from the next singular point, as the last look has shown
};

}  // namespace daedalus
