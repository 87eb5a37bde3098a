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
  /// A function that has just happened: as close as the run could bring it to its zero.
  struct AtZero {
    int event = 0;
    double within = 0;     ///< so far off it still counts as zero
    double rounding = 0;   ///< of its values
    double side = 0;       ///< sign it will have next; 0: not known
    bool bounces = false;  ///< it goes back to the side from which it came
  };
  /// New start. Those that just happened must first leave their zero.
  void start(double t, const double* y, const std::vector<AtZero>& happened = {});
  struct Found {
    double t = 0;
    int event = 0;
  };
  /// All events of the step in the order of time; `y_at` is the dense output of the step. An
  /// indicator that is negative from the beginning happens at t0, and so does what bounced and is
  /// on the other side again before it has been seen to leave.
  const std::vector<Found>& search(double t0, double t1, const Evaluate& y_at);
  /// The next step begins where the searched one ended.
  void advance();
  /// From the level at which the last search looked for it, zero as a rule.
  double value(int event, double t, const double* y);
  /// All of them, from zero.
  void values(double t, const double* y, std::vector<double>& g);
  /// It has bounced and not been seen to leave since.
  bool has_to_leave(int event) const { return bounced_[event] != 0; }
  /// The sign it has then; 0: it need not.
  double has_to_leave_to(int event) const { return bounced_[event]; }
  /// Largest value in the last step: what is small beside it.
  double size_of(int event) const { return size_[event]; }

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  bool is_indicator(int event) const { return event >= static_cast<int>(events_->size()); }
  double slack(int event) const {
    return (*slack_)[static_cast<std::size_t>(event) - events_->size()];
  }
  void apply_level(std::size_t event);
  bool has_left(int event, int i) const;
  bool comes_out(int event, int i) const;
  bool search_hop(int event, int i, const Evaluate& y_at);
  bool matches(int event, double before, double after) const;
  double at(int event, double t, const Evaluate& y_at);
  void sample(double t0, double t1, const Evaluate& y_at);
  void survey();
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
  std::vector<double> stirs_;  ///< 0: keeps its sign in all samples, and does not turn towards zero
  /// A function that starts on the wrong side of its zero, by less than the run can tell, is
  /// looked for at this value until it has been on the right side.
  std::vector<double> level_;
  std::vector<double> applied_;            ///< the same behind the step searched
  std::vector<int> came_out_;              ///< in the step searched: sample from which it is zero
  std::vector<double> bounced_;            ///< to which side, until it has been seen there; 0: not
  std::vector<double> least_;              ///< after a bounce: less is no sign of having left
  std::vector<double> within_;             ///< in the step behind it: still counts as zero
  std::vector<double> sample_t_, sample_;  ///< [time][event]
  std::vector<Found> found_;
};

}  // namespace daedalus
