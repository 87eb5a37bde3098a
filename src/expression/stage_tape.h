#pragma once
// An explicit step of q' = v, v' = a(t, q, v) on a manifold as one tape: the sums of slopes and the
// operations of `a`, once for each stage; then those that put the end onto the manifold, and the
// slope there. What depends on the time alone comes first, for all stages side by side; what is
// found out at the end is computed once. The bits are those of stages and projections one by one.
#include <vector>

#include "expression/tape.h"

namespace daedalus {

/// What an explicit step sums up, zeros left out: rows of terms, each a weight and a slope. Row i
/// is that of stage i, then come that of the end of the step and those of estimates.
struct SlopeTerms {
  struct Row {
    int first = 0, count = 0;
    bool operator==(const Row&) const = default;
  };
  int stages = 0;
  std::vector<double> time;  ///< of stages, in steps
  std::vector<Row> rows;
  std::vector<int> slope;
  std::vector<double> weight;

  const Row& end() const { return rows[static_cast<std::size_t>(stages)]; }
  int estimates() const { return static_cast<int>(rows.size()) - stages - 1; }
  /// Terms before the estimates: their weights are multiplied by the step size.
  int scaled() const { return end().first + end().count; }
  bool operator==(const SlopeTerms&) const = default;
};

/// Tapes over the inputs t, q, v and further ones, the same for all of them.
struct MotionTapes {
  const Tape& accelerate;  ///< gives n accelerations, then anything else
  const Tape& correct;     ///< gives q of a point nearer to the manifold, then anything else
  const Tape& arrive;      ///< gives v that belongs to such a q, then anything else
  const Tape& watch;       ///< what is to be known of the end besides
  int n = 0;
  /// Of what comes behind the accelerations: of so many the largest over all stages is wanted, and
  /// of those behind these the least.
  int most = 0, least = 0;
};

/// Where things lie in the memory of the tape.
struct StagePlaces {
  int t = 0, h = 1, end_time = 2;  ///< where the step begins, its size, where it ends: inputs
  int state = 3;                   ///< q, v and the a of the first stage: inputs
  int further = 0;                 ///< inputs behind t, q, v: inputs
  int slopes = 0;                  ///< v and a of the second stage and those behind it
  int point = 0;                   ///< q of the last stage
  int end = 0;                     ///< q and v
  int estimates = 0;
  int most = 0, least = 0;                                 ///< over all stages, of outputs behind a
  int correct = 0, arrive = 0, accelerate = 0, watch = 0;  ///< outputs of these, at the end
};

class StageTape {
 public:
  StageTape(const MotionTapes& motion, const SlopeTerms& terms);

  const Tape& tape() const { return tape_; }
  const StagePlaces& places() const { return places_; }
  void translate() { tape_.translate(); }

 private:
  Tape tape_;
  StagePlaces places_;
};

}  // namespace daedalus
