#pragma once
// Code for whole explicit steps, shared by all who have the same equations.
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "expression/stage_tape.h"

namespace daedalus {

class StageCode {
 public:
  using Shared = std::shared_ptr<const Tape>;
  /// `most` and `least`: of the outputs of `accelerate`, as in MotionTapes.
  StageCode(Shared accelerate, Shared correct, Shared arrive, Shared watch, int n, int most,
            int least)
      : accelerate_(std::move(accelerate)),
        correct_(std::move(correct)),
        arrive_(std::move(arrive)),
        watch_(std::move(watch)),
        n_(n),
        most_(most),
        least_(least) {}

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
    const auto length = [](const Shared& tape) {
      return static_cast<int>(tape->instructions().size());
    };
    return terms.stages * length(accelerate_) + length(correct_) + length(arrive_) +
           length(watch_) + 2 * n_ * static_cast<int>(terms.slope.size());
  }

  std::atomic<int> asked_ = 0;
  Shared accelerate_, correct_, arrive_, watch_;
  int n_, most_, least_;
  std::mutex turn_;
  std::vector<std::pair<SlopeTerms, std::shared_ptr<const StageTape>>> list_;
};

}  // namespace daedalus
