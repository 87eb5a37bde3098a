#pragma once
// The discrete side of a run: which modes hold, when the next change is due, and what happens at
// it. Modes are frozen inside a step, so that every step sees smooth equations; an indicator of
// each relation is positive as long as its mode is right.
#include <optional>
#include <string>
#include <vector>

#include "daedalus/solution.h"
#include "problem/switching.h"
#include "stepper/saved_state.h"

namespace daedalus {

class SwitchBoard {
 public:
  /// `modes` are the discrete values of the system; null: nothing ever switches.
  SwitchBoard(const Switching* switching, std::vector<double>* modes);

  int count() const { return switching_ ? static_cast<int>(switching_->relations.size()) : 0; }
  bool empty() const { return !switching_; }
  const std::string& name(int relation) const { return switching_->relations[relation].name; }

  /// What changes of the variables by `noise` do to each relation near (t, y).
  std::vector<double> blur(double t, const double* y, const std::vector<double>& noise) const;
  /// That far beyond its zero a relation keeps its mode.
  void set_slack(const std::vector<double>& slack);
  /// False: it is that large.
  bool widen_slack(int k, double least);
  /// Something happens where conditions become true, as the bounce of a ball.
  bool has_actions() const { return switching_ && !switching_->whens.empty(); }
  const std::vector<double>& slack() const { return slack_; }
  /// g[k] for all relations; those in time alone, whose instants are known, are 1.
  void indicators(double t, const double* y, double* g) const;
  /// Variables that they depend on, in ascending order.
  const std::vector<int>& read() const { return read_; }
  /// All relations are in time alone.
  bool is_planned() const { return in_time_.size() == x_.size(); }
  /// d/dt of the indicators for the relations whose variables all have a known rate, else 0.
  void rates(double t, const double* y, const double* yp, const std::vector<char>& known,
             double* rate) const;
  /// The first time behind t at which a relation in time alone changes, or `end`.
  double next_time(double t, double end) const;
  /// Adds the relations in time alone that change at t.
  void due(double t, double direction, std::vector<int>& fired) const;

  /// Modes and discrete equations as (t, y) says; true if something changed. A mode stays where its
  /// indicator is not below -keep; all are set where `keep` is empty.
  bool renew(double t, const double* y, const std::vector<double>& keep);
  /// What to say where each choice of modes leads to a point that asks for another one; `wrong` as
  /// `on_wrong_side` told before the last `renew`.
  static Message unsettled(double t, const Names& wrong);
  /// The relations whose modes are not what (t, y) says.
  Names on_wrong_side(double t, const double* y) const;
  /// At the start of the run: conditions that hold have not just become true.
  void forget_edges(double t, const double* y);
  /// x > 0 and -x > 0, of sign(x): neither holds where x is zero.
  bool are_opposite(int k, int l, double t, const double* y, std::size_t variables) const;
  bool holds(int relation) const { return (*modes_)[switching_->relations[relation].mode] != 0; }
  /// The relations pass to their other side.
  void toggle(double t, const double* y, const std::vector<int>& fired);

  struct Outcome {
    bool changed = false;
    bool terminate = false;
    std::string message;
    std::vector<int> reinitialized;  ///< variables
  };
  /// When clauses whose conditions became true: assigns, changes y.
  void act(double t, double* y, Outcome& outcome);
  /// Between instants pre(v) = v.
  void settle();
  /// The first assertion that does not hold, or null.
  const Assertion* violated(double t, const double* y) const;

  void save(std::vector<double>& memory) const;
  void restore(SavedState& memory);

 private:
  bool solve_discrete_equations(double t, const double* y);
  const std::vector<double>& values(double t, const double* y) const;
  struct TimeRelation {
    int relation = 0;
    EquationSet crossing;  ///< its row alone
  };
  double at(const TimeRelation& relation, double t) const;
  double first_change(const TimeRelation& relation, double t, double end) const;
  double indicator(int relation, double x) const;
  double literal(int relation, double x) const;

  const Switching* switching_;
  std::vector<double>* modes_;
  std::vector<TimeRelation> in_time_;
  std::vector<int> read_;
  EquationSet rate_;  ///< the crossings differentiated
  std::vector<double> slack_;
  std::vector<char> is_in_time_;
  std::vector<double> was_true_;  ///< of each condition, in the order of the branches
  mutable std::vector<double> x_, value_;
  mutable std::optional<EquationJacobian> derivatives_;  ///< of the crossings, if asked for
  mutable std::vector<double> derivative_;
};

}  // namespace daedalus
