#pragma once
// Observed orders of convergence: runs with N, 2N, 4N, ... steps of fixed size,
//   p(N) = log2(error(N) / error(2N)),
// over those N where the error is small enough for asymptotics and large enough for double
// precision.
#include <map>
#include <string>
#include <vector>

#include "reproduce/problems.h"

namespace daedalus::reproduce {

struct OrderPair {
  int steps = 0;  ///< N; the finer run took 2N
  double coarse_error = 0;
  double fine_error = 0;
  double order = 0;
};

struct ObservedOrder {
  std::vector<OrderPair> pairs = {};  ///< coarse to fine; the last is clean if `order` is known
  double order = 0;                   ///< of the finest clean pair; NaN where there is none
  bool below_rounding = false;        ///< errors reach rounding before their order settles
  bool diverges = false;              ///< no error below 1/10, or the finest run fails

  bool is_known() const { return order == order; }
};

/// Runs of one method on one problem; each number of steps is run once.
class FixedStepRuns {
 public:
  /// `max_order` as in Options. Methods that work on the constraints choose the formulation.
  FixedStepRuns(ReferenceProblem problem, std::string method, int max_order = 0);

  const ReferenceProblem& problem() const { return problem_; }
  /// Largest error in the group at the end of the interval; NaN if the run failed.
  double error(int steps, int group);
  /// Both errors lie above rounding.
  bool is_usable(int steps, int group);
  OrderPair pair(int steps, int group);
  ObservedOrder observe(int group);

 private:
  const std::vector<double>& run(int steps);
  /// Starts at `steps` and doubles.
  ObservedOrder observe_from(int steps, int group);
  double rounding(int steps, int group) const;

  ReferenceProblem problem_;
  std::string method_;
  int max_order_;
  Vector exact_;
  std::map<int, std::vector<double>> errors_;
};

}  // namespace daedalus::reproduce
