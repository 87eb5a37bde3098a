#pragma once
// What a field learnt around a start, kept for later runs of the same equations from there.
#include <mutex>
#include <vector>

#include "problem/findings.h"

namespace daedalus {

class KnownStart {
 public:
  /// What was kept for this point; nothing: it is another one.
  std::vector<double> recall(const std::vector<double>& point) const {
    const std::lock_guard lock(mutex_);
    return same_bits(point, point_) ? learnt_ : std::vector<double>();
  }
  /// In place of the last one.
  void keep(const std::vector<double>& point, std::vector<double> learnt) {
    const std::lock_guard lock(mutex_);
    point_ = point, learnt_ = std::move(learnt);
  }

 private:
  mutable std::mutex mutex_;
  std::vector<double> point_, learnt_;
};

}  // namespace daedalus
