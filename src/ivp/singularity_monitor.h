#pragma once
// How near the constraints of a run are to losing rank, for methods that do not work on their
// manifold and would not notice.
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/problem.h"
#include "stepper/crossing_watch.h"

namespace daedalus {

class SingularityMonitor {
 public:
  /// Null where the problem has no constraints, or none that are understood.
  static std::unique_ptr<SingularityMonitor> make(const Problem& problem,
                                                  std::shared_ptr<const std::vector<double>> modes);

  void start(const State& state);
  /// A singular point between the last state and this one.
  std::optional<Stepper::Crossing> passed(const State& state);
  /// The one next to the last state, if the constraints are nearly dependent there.
  std::optional<Stepper::Crossing> nearby() const;

 private:
  explicit SingularityMonitor(std::unique_ptr<ProjectedField> field);
  bool evaluate(const State& state);

  std::unique_ptr<ProjectedField> field_;
  CrossingWatch watch_;
  double t_ = 0;
  bool started_ = false;
  std::vector<double> x_, slope_, multipliers_;
};

}  // namespace daedalus
