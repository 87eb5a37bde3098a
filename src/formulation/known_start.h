#pragma once
// What a field found out at a start, kept for later runs of the same equations from there.
#include <array>
#include <mutex>
#include <vector>

#include "problem/findings.h"

namespace daedalus {

class KnownStart {
 public:
  /// The scales around a point, its distance from the manifold, whether it is regular, the time
  /// since a singular point.
  enum Question { scales, distance, regular, crossing, questions };

  /// What was kept for this point; nothing: it is another one.
  std::vector<double> recall(Question question, const std::vector<double>& point) const {
    const std::lock_guard lock(mutex_);
    const Kept& kept = kept_[question];
    return same_bits(point, kept.point) ? kept.answer : std::vector<double>();
  }
  /// In place of the last one.
  void keep(Question question, const std::vector<double>& point, std::vector<double> answer) {
    const std::lock_guard lock(mutex_);
    kept_[question] = {point, std::move(answer)};
  }

 private:
  struct Kept {
    std::vector<double> point, answer;
  };
  mutable std::mutex mutex_;
  std::array<Kept, questions> kept_;
};

}  // namespace daedalus
