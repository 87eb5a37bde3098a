#pragma once
// Zeros of event functions inside a step. The dense output is sampled densely enough that double
// crossings show as sign changes, or as extrema near zero that a minimisation then looks into;
// roots by bisection and secant steps. [Brent1973]
#include <functional>
#include <optional>
#include <vector>

#include "daedalus/events.h"
#include "stepper/saved_state.h"

namespace daedalus {

class EventFinder {
 public:
  using Evaluate = std::function<void(double t, double* y)>;

  EventFinder(const std::vector<Event>& events, int size, int visible);

  bool empty() const { return events_->empty(); }
  /// New start. The event that just happened (-1: none) must first leave its zero.
  void start(double t, const double* y, int happened = -1);
  struct Found {
    double t = 0;
    int event = 0;
  };
  /// All events of the step in the order of time; `y_at` is the dense output of the step.
  const std::vector<Found>& search(double t0, double t1, const Evaluate& y_at);
  /// The next step begins where the searched one ended.
  void advance() { last_ = end_; }
  double value(int event, double t, const double* y) const;

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  double at(int event, double t, const Evaluate& y_at);
  void search_one(int event, double t0, double t1, const Evaluate& y_at);
  void look_for_dip(int event, int i, const Evaluate& y_at);
  void bracket(int event, double a, double fa, double b, double fb, const Evaluate& y_at);

  const std::vector<Event>* events_;
  int visible_;
  std::vector<double> y_;
  std::vector<double> last_;  ///< value at the beginning of the step; 0: not yet left the zero
  std::vector<double> end_;   ///< value at the end of the step searched
  std::vector<double> size_;  ///< largest value seen in the last step: what is small beside it
  std::vector<double> sample_t_, sample_;
  std::vector<Found> found_;
};

}  // namespace daedalus
