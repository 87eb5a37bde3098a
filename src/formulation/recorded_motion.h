#pragma once
// The functions of a mechanical system as expressions of the inputs t, q, v, with all that is made
// of them: what later runs of the same problem need not do again.
#include "daedalus/problem.h"
#include "formulation/constraint_tapes.h"
#include "formulation/known_start.h"
#include "formulation/straight_motion.h"
#include "problem/findings.h"

namespace daedalus {

/// False: they take plain doubles, or branch on values.
bool recorded_constraints(const Mechanical& form, Graph& graph, std::vector<NodeId>& rows);

class RecordedMotion {
 public:
  /// Null if the constraints take plain doubles, or branch on values. `solved_as_code`: `straight`
  /// is wanted.
  static std::shared_ptr<const RecordedMotion> of(const Mechanical& form, bool solved_as_code,
                                                  const Findings& findings);

  const ConstraintTapes& tapes() const { return tapes_; }
  /// Nothing: masses or forces cannot be recorded, or they are too long.
  const std::optional<StraightMotion>& straight() const { return straight_; }
  /// Null: masses and forces are not recorded, they may have changed.
  KnownStart* known_start() const { return record_.has_dynamics ? &known_start_ : nullptr; }
  /// What was recorded. Functions may hold values that were changed since.
  bool is_of(const Mechanical& form) const;

 private:
  struct Record {
    std::vector<NodeId> constraints;
    bool has_dynamics = false;
    MotionNodes dynamics = {};
    bool operator==(const Record&) const = default;
  };
  RecordedMotion() = default;
  static std::shared_ptr<const RecordedMotion> make(const Mechanical& form, bool solved_as_code);
  static std::optional<Record> record(const Mechanical& form, bool solved_as_code, Graph& graph);

  mutable std::recursive_timed_mutex turn_;  ///< for the graph
  bool solved_as_code_ = false;
  int coordinates_ = 0;
  mutable Graph graph_;  ///< of the functions alone: equal ones give equal nodes
  Record record_;
  ConstraintTapes tapes_;
  std::optional<StraightMotion> straight_;
  mutable KnownStart known_start_;
};

}  // namespace daedalus
