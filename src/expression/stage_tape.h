#pragma once
// All stages of an explicit step of q' = v, v' = a(t, q, v) as one tape: the sums of slopes and the
// operations of `a`, once for each stage. What depends on the time alone comes first, for all
// stages side by side. The bits are those of the stages one by one.
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
  std::vector<Row> rows;
  std::vector<int> slope;
  std::vector<double> weight;

  const Row& end() const { return rows[static_cast<std::size_t>(stages)]; }
  int estimates() const { return static_cast<int>(rows.size()) - stages - 1; }
  /// Terms before the estimates: their weights are multiplied by the step size.
  int scaled() const { return end().first + end().count; }
  bool operator==(const SlopeTerms&) const = default;
};

/// Where things lie in the memory of the tape.
struct StagePlaces {
  int times = 0;    ///< of the stages: inputs
  int weights = 0;  ///< times the step size: inputs
  int state = 0;    ///< q, v and the a of the first stage: inputs
  int further = 0;  ///< inputs of `a` behind t, q, v: inputs
  int slopes = 0;   ///< v and a of the second stage and those behind it
  int point = 0;    ///< q of the last stage
  int end = 0;      ///< q and v
  int estimates = 0;
  int most = 0, least = 0;  ///< over all stages, of outputs behind a
};

class StageTape {
 public:
  /// `a` has the inputs t, q, v and further ones. Behind the n accelerations come outputs of which
  /// the largest over all stages is wanted, and behind these ones of which the least is.
  StageTape(const Tape& a, int n, int most, int least, const SlopeTerms& terms);

  const Tape& tape() const { return tape_; }
  const StagePlaces& places() const { return places_; }
  void translate() { tape_.translate(); }

 private:
  Tape tape_;
  StagePlaces places_;
};

}  // namespace daedalus
