#pragma once
// Order and step of extrapolation methods: of the columns k of the table that which promises most
// time per work, A_k / h_k with h_k the step that its error would allow.
// [HairerNorsettWanner1993, II.9; HairerWanner1996, IV.9]
#include <algorithm>
#include <array>
#include <cmath>

#include "method/extrapolation.h"

namespace daedalus {

class ExtrapolationControl {
 public:
  enum class Verdict { go_on, accept, reject };

  /// `most` columns; a_k: work of the first k rows.
  void configure(const ExtrapolationTable& table, int most, double once, double per_row,
                 double per_substep) {
    table_ = &table, most_ = most, least_ = std::min(most, 2 + table.lost);
    double sum = once;
    for (int k = 0; k < most; ++k) work_[k] = sum += per_row + per_substep * table.substeps[k];
  }
  /// A guess of the column for the first step.
  void start(double rtol) {
    target_ = std::clamp(static_cast<int>(-std::log10(rtol) * 0.6 / table_->power + 1.5), least_,
                         std::max(least_, most_ - 1));
    first_ = true, rejected_ = false;
  }

  /// After row j = 2, 3, ... with the error of T_{j,j-1}, in units of the tolerance.
  Verdict judge(int j, double error, double h, bool last) {
    const int p = table_->power, exponent = std::max(1, p * (j - 1) + 1 - table_->lost);
    const double least = std::pow(smallest_power, 1.0 / exponent);
    const double factor = std::clamp(
        safety * std::pow(aim / std::max(error, 1e-30), 1.0 / exponent), least / 4, 1 / least);
    step_[j - 1] = std::abs(h) * factor;
    cost_[j - 1] = work_[j - 1] / step_[j - 1];
    const double before = error_;
    error_ = error;
    column_ = j;
    const bool in_window = j >= least_ && (j >= target_ - 1 || first_ || last);
    if (error <= 1 && in_window) return Verdict::accept;
    if (j >= std::min(target_ + 1, most_) || !std::isfinite(error)) return Verdict::reject;
    if (j > 2 && error >= std::max(4 * before, 1.0)) return Verdict::reject;
    if (j < std::max(least_, target_ - 1)) return Verdict::go_on;
    // What further rows can gain: their number of substeps over that of the first.
    const double first = table_->substeps[0];
    double gain = table_->substeps[std::min(target_, most_ - 1)] / first;
    if (j == target_ - 1) gain *= table_->substeps[target_ - 1] / first;
    return error > std::pow(gain, p) ? Verdict::reject : Verdict::go_on;
  }

  /// The size of the next step, and its target, after the last verdict.
  double after_accepted(double h) {
    const int c = column_, best = best_column();
    double size = 0;
    if (best <= c) {
      size = step_[best - 1];
    } else if (c < target_ && cost_[c - 1] < worth_more * previous_cost(c)) {
      size = step_[c - 1] * work_[std::min(best, most_ - 1)] / work_[c - 1];
    } else {
      size = step_[c - 1] * work_[best - 1] / work_[c - 1];
    }
    if (rejected_) {
      target_ = std::min(best, c);
      size = std::min(std::abs(h), step_[target_ - 1]);
    } else {
      target_ = best;
    }
    target_ = std::max(least_, target_);
    first_ = rejected_ = false;
    return std::copysign(size, h);
  }
  double after_rejected(double h) {
    target_ = std::clamp(std::min(best_column(), column_), least_, std::max(least_, most_ - 1));
    rejected_ = true;
    // Rows that were not made say nothing.
    const double size = target_ <= column_ ? step_[target_ - 1] : 0.5 * std::abs(h);
    return std::copysign(std::min(0.7 * std::abs(h), size), h);
  }
  /// A row could not be made.
  void note_failure() { rejected_ = true, target_ = std::max(least_, target_ - 1); }

  int column() const { return column_; }  ///< of the last verdict
  int target() const { return target_; }
  std::array<double, 3> memory() const {
    return {double(target_), first_ ? 1.0 : 0.0, rejected_ ? 1.0 : 0.0};
  }
  void restore(int target, bool first, bool rejected) {
    target_ = std::clamp(target, least_, most_), first_ = first, rejected_ = rejected;
  }

 private:
  static constexpr double safety = 0.9, aim = 0.65, smallest_power = 0.02;
  static constexpr double worth_less = 0.8, worth_more = 0.9;

  /// Of the column before; the first one has no estimate.
  double previous_cost(int c) const { return c > least_ ? cost_[c - 2] : 0; }
  int best_column() const {
    const int c = column_, limit = std::max(least_, most_ - 1);
    if (c <= least_) return rejected_ ? least_ : std::min(least_ + 1, limit);
    int best = c;
    if (c <= target_) {
      if (cost_[c - 2] < worth_less * cost_[c - 1]) best = c - 1;
      if (cost_[c - 1] < worth_more * cost_[c - 2]) best = std::min(c + 1, limit);
    } else {
      best = c - 1;
      if (c > 3 && cost_[c - 3] < worth_less * cost_[c - 2]) best = c - 2;
      if (cost_[c - 1] < worth_more * cost_[best - 1]) best = std::min(c, limit);
    }
    return std::max(least_, best);
  }

  const ExtrapolationTable* table_ = nullptr;
  int most_ = 2, least_ = 2, target_ = 2, column_ = 2;
  bool first_ = true, rejected_ = false;
  double error_ = 0;
  std::array<double, most_columns> work_ = {}, step_ = {}, cost_ = {};
};

}  // namespace daedalus
