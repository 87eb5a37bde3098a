#pragma once
// Code for all stages of explicit steps, shared by all who have the same accelerations.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "expression/stage_tape.h"

namespace daedalus {

class StageCode {
 public:
  /// Accelerations of n coordinates over t, q, v and further inputs, with outputs behind them of
  /// which the largest or the least of all stages is wanted.
  StageCode(std::shared_ptr<const Tape> accelerations, int n, int most, int least)
      : a_(std::move(accelerations)), n_(n), most_(most), least_(least) {}

  /// Null: not made before, or longer than what a processor keeps at hand.
  std::shared_ptr<const StageTape> known(const SlopeTerms& terms);
  std::shared_ptr<const StageTape> made(const SlopeTerms& terms);

 private:
  std::shared_ptr<const Tape> a_;
  int n_, most_, least_;
  std::mutex turn_;
  std::vector<std::pair<SlopeTerms, std::shared_ptr<const StageTape>>> list_;
};

}  // namespace daedalus
