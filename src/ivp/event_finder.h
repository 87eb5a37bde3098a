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
  /// Of an indicator at a new start, relative to its size: which side it is on shows later.
  static constexpr double noise = 1e-10;

  using Evaluate = std::function<void(double t, double* y)>;
  /// All functions at one point.
  using Functions = std::function<void(double t, const double* y, double* g)>;

  /// The first functions are the events; then come `indicators` which are positive as they should
  /// be, and happen where they cease to be.
  /// An indicator counts as negative below -slack; its zero is where it is looked for.
  EventFinder(const std::vector<Event>& events, const std::vector<double>& slack, int size,
              Functions functions);

  bool empty() const { return last_.empty(); }
  /// New start. Those that just happened must first leave their zero.
  void start(double t, const double* y, const std::vector<int>& happened = {});
  struct Found {
    double t = 0;
    int event = 0;
  };
  /// All events of the step in the order of time; `y_at` is the dense output of the step. An
  /// indicator that is negative from the beginning happens at t0.
  const std::vector<Found>& search(double t0, double t1, const Evaluate& y_at);
  /// The next step begins where the searched one ended.
  void advance() { last_ = end_; }
  double value(int event, double t, const double* y);
  /// Largest value in the last step: what is small beside it.
  double size_of(int event) const { return size_[event]; }

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  bool is_indicator(int event) const { return event >= static_cast<int>(events_->size()); }
  bool matches(int event, double before, double after) const;
  double at(int event, double t, const Evaluate& y_at);
  void sample(double t0, double t1, const Evaluate& y_at);
  double sampled(int event, int i) const;
  void search_one(int event, const Evaluate& y_at);
  void search_indicator(int event, const Evaluate& y_at);
  bool dips(int event, int i) const;
  void look_for_dip(int event, int i, const Evaluate& y_at);
  void bracket(int event, double a, double fa, double b, double fb, const Evaluate& y_at);

  const std::vector<Event>* events_;
  const std::vector<double>* slack_;  ///< of the indicators
  Functions functions_;
  std::vector<double> y_, g_;
  std::vector<double> last_;  ///< value at the beginning of the step; 0: not yet left the zero
  std::vector<double> end_;   ///< value at the end of the step searched
  std::vector<double> size_;
  std::vector<double> sample_t_, sample_;  ///< [time][event]
  std::vector<Found> found_;
};

}  // namespace daedalus
