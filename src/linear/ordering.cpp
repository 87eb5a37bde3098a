#include "linear/ordering.h"

#include <algorithm>

namespace daedalus {

Neighbours::Neighbours(const Pattern& pattern)
    : start(static_cast<std::size_t>(pattern.size) + 1, 0) {
  const auto each_pair = [&](auto visit) {
    for (int j = 0; j < pattern.size; ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
        if (pattern.row[k] != j) visit(pattern.row[k], j), visit(j, pattern.row[k]);
  };
  each_pair([&](int i, int) { ++start[i + 1]; });
  for (int i = 0; i < pattern.size; ++i) start[i + 1] += start[i];
  list.resize(static_cast<std::size_t>(start.back()));
  std::vector<int> next(start.begin(), start.end() - 1);
  each_pair([&](int i, int j) { list[next[i]++] = j; });
}

namespace {

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const Pattern& pattern)
      : graph_(pattern), seen_(static_cast<std::size_t>(pattern.size), 0) {
    order_.reserve(seen_.size());
  }

  std::vector<int> run() {
    const int n = static_cast<int>(seen_.size());
    std::vector<char> placed(seen_.size(), 0);
    for (int first = 0; first < n; ++first) {
      if (placed[first]) continue;
      const std::size_t begin = order_.size();
      spread_from(far_end(first));
      for (std::size_t k = begin; k < order_.size(); ++k) placed[order_[k]] = 1;
    }
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  /// Breadth first from `start`, neighbours of few neighbours first; returns the number of levels.
  int spread_from(int start) {
    const std::size_t begin = order_.size();
    ++round_;
    order_.push_back(start), seen_[start] = round_;
    int levels = 0;
    for (std::size_t level = begin; level < order_.size(); ++levels) {
      const std::size_t end = order_.size();
      for (; level < end; ++level) {
        const int i = order_[level];
        const std::size_t mine = order_.size();
        for (int k = graph_.start[i]; k < graph_.start[i + 1]; ++k)
          if (const int j = graph_.list[k]; seen_[j] != round_)
            seen_[j] = round_, order_.push_back(j);
        std::sort(order_.begin() + static_cast<std::ptrdiff_t>(mine), order_.end(),
                  [&](int a, int b) { return graph_.degree(a) < graph_.degree(b); });
      }
    }
    return levels;
  }

  /// One from which the part of the graph around `start` has many levels.
  int far_end(int start) {
    constexpr int most_rounds = 8;
    const std::size_t begin = order_.size();
    for (int levels = 0, k = 0; k < most_rounds; ++k) {
      const int deeper = spread_from(start);
      const int last = order_.back();
      order_.resize(begin);
      if (deeper <= levels) break;
      levels = deeper;
      start = last;
    }
    return start;
  }

  Neighbours graph_;
  std::vector<int> seen_;  ///< in which round
  std::vector<int> order_;
  int round_ = 0;
};

}  // namespace

std::vector<int> narrow_order(const Pattern& pattern) {
  return CuthillMcKee(pattern).run();
}

std::vector<int> band_order(const Pattern& pattern) {
  const auto [lower, upper] = bandwidth(pattern);
  if (lower + upper <= narrow_band) return {};
  std::vector<int> order = narrow_order(pattern);
  const auto [new_lower, new_upper] = bandwidth(pattern, order);
  // A permutation of every right-hand side is not worth a little.
  constexpr double worth_it = 0.7;
  if (new_lower + new_upper > worth_it * (lower + upper)) return {};
  return order;
}

Bandwidth bandwidth(const Pattern& pattern, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
  Bandwidth band;
  for (int j = 0; j < pattern.size; ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const int below = place[pattern.row[k]] - place[j];
      band.lower = std::max(band.lower, below);
      band.upper = std::max(band.upper, -below);
    }
  return band;
}

}  // namespace daedalus
