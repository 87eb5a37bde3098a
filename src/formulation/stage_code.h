#pragma once
// Code for all stages of explicit steps, shared by all who have the same accelerations.
#include <atomic>
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

  /// Counts the steps of all who could make use of it. True: there have been enough.
  bool is_due(const SlopeTerms& terms) {
    constexpr int operations_made_in_a_step = 10;
    const int asked = asked_.fetch_add(1, std::memory_order_relaxed);
    return asked >= operations(terms) / operations_made_in_a_step;
  }
  /// Made by whoever comes first. Null: too long to be read again in each step, or this machine
  /// takes no code.
  std::shared_ptr<const StageTape> of(const SlopeTerms& terms);

 private:
  int operations(const SlopeTerms& terms) const {
    return (terms.stages - 1) * static_cast<int>(a_->instructions().size()) +
           2 * n_ * static_cast<int>(terms.slope.size());
  }

  std::atomic<int> asked_ = 0;
  std::shared_ptr<const Tape> a_;
  int n_, most_, least_;
  std::mutex turn_;
  std::vector<std::pair<SlopeTerms, std::shared_ptr<const StageTape>>> list_;
};

}  // namespace daedalus
