#pragma once
// One acceptable step after the other: what a run sees of a family of methods.
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "daedalus/solve.h"
#include "ivp/interpolant.h"
#include "stepper/saved_state.h"
#include "stepper/state.h"

namespace daedalus {

class Stepper {
 public:
  virtual ~Stepper() = default;

  /// A guess of where to start.
  void place(const State& state) { state_ = next_ = state; }
  /// New start: beginning of the run or the other side of an event.
  virtual void start(const State& state, double h) = 0;
  /// Looks for an acceptable step that does not pass `limit`. False: see `failure`.
  virtual bool attempt(double limit) = 0;
  /// Just after `start`: whether a step of about this size would be acceptable.
  virtual bool would_make(double h, double limit) {
    const bool made = attempt(limit) && std::abs(h_used_) > 0.5 * std::abs(h);
    start(State(state_), h);
    return made;
  }
  /// Solves again from the same state with a smaller step, for an event inside the last one.
  virtual bool attempt_exactly(double h, const Interpolant& covering) = 0;
  /// Lets `attempt` begin anew from the same state with a step of this size. False: it cannot.
  virtual bool shorten(double h) { return (void)h, false; }
  /// Ends the step found at a point inside of it instead.
  virtual void end_at(double t, const std::vector<double>& y) = 0;
  /// Puts the end of the step found to a point nearby.
  virtual void move_end(const std::vector<double>& y) = 0;
  /// Makes the step found the state.
  virtual void commit() = 0;
  /// Of the step found, before it is the state.
  virtual void interpolant(Interpolant& out) = 0;
  /// `interpolant` gives the same until the next attempt or start, if no one has moved the end.
  virtual bool remembers_step() const { return false; }

  const State& state() const { return state_; }
  const State& next() const { return next_; }  ///< the end of the step found
  double step() const { return h_used_; }      ///< its size
  double next_step() const { return h_; }
  bool reached_limit() const { return reached_; }
  /// Of the step found, in tolerances; not a number: not known.
  virtual double estimated_error() const { return estimated_error_; }
  virtual int order() const = 0;
  virtual int most_stages() const = 0;
  /// A singular point of the constraints inside the step that was committed last.
  struct Crossing {
    double t = 0, sigma = 0;
  };
  const std::optional<Crossing>& crossed() const { return crossed_; }
  Reason reason() const { return reason_; }
  const Message& failure() const { return message_; }

  /// False: slopes at the start are not finite.
  virtual bool can_begin() const { return true; }

  virtual void save(std::vector<double>& memory) const = 0;
  virtual void restore(SavedState& memory) = 0;

  /// `rewind` leaves no trace of the run before in the bits of the next one.
  virtual bool can_rewind() const { return false; }
  /// As it was made, but for `start`, which is to follow. False: the equations have changed.
  virtual bool rewind() {
    h_ = h_used_ = limit_ = 0;
    estimated_error_ = std::numeric_limits<double>::quiet_NaN();
    reached_ = false;
    crossed_.reset();
    reason_ = Reason::finished;
    message_ = {};
    return true;
  }

 protected:
  bool fail(Reason reason, Message message) {
    reason_ = reason;
    message_ = std::move(message);
    return false;
  }
  /// A derivative of this equation is not finite.
  bool fail_not_differentiable(const std::string& equation);

  /// Lets the next step end at `limit` if it would pass or nearly reach it.
  void aim_at(double limit, bool fixed);
  bool step_is_too_small() const;
  std::string where() const;

  State state_, next_;
  double h_ = 0, h_used_ = 0, limit_ = 0;
  double estimated_error_ = std::numeric_limits<double>::quiet_NaN();
  bool reached_ = false;
  std::optional<Crossing> crossed_;

 private:
  Reason reason_ = Reason::finished;
  Message message_;
};

}  // namespace daedalus
