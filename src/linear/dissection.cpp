#include "linear/dissection.h"

#include <algorithm>
#include <amd.h>
#include <limits>
#include <utility>

#include "linear/ordering.h"

namespace daedalus {
namespace {

/// Cuts connected parts in two by a level of the distances from one of their ends, again and again.
/// What cuts comes after what it separates; small parts are ordered by minimum degree.
class Dissection {
 public:
  explicit Dissection(const Pattern& pattern)
      : graph_(pattern),
        part_(static_cast<std::size_t>(pattern.size), 0),
        level_(part_.size()),
        local_(part_.size()),
        order_(part_.size()) {
    for (std::size_t k = 0; k < order_.size(); ++k) order_[k] = static_cast<int>(k);
    if (!order_.empty()) ranges_.push_back({0, pattern.size});
  }

  std::vector<int> run() {
    while (!ranges_.empty()) {
      const auto [begin, end] = ranges_.back();
      ranges_.pop_back();
      if (end - begin <= largest_leaf)
        order_leaf(begin, end);
      else if (spread_from(order_[begin]) < end - begin)
        take_apart(begin, end);
      else
        cut(begin, end);
    }
    return std::move(order_);
  }

 private:
  static constexpr int largest_leaf = 100;

  int degree(int i) const { return graph_.degree(i); }

  /// Breadth first within the part of `start`; returns how many were reached.
  int spread_from(int start) {
    const int mine = part_[start];
    constexpr int reached = -1;
    queue_.assign(1, start), level_size_.clear();
    part_[start] = reached, level_[start] = 0;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const int i = queue_[k];
      if (static_cast<int>(level_size_.size()) <= level_[i]) level_size_.push_back(0);
      ++level_size_[level_[i]];
      for (int e = graph_.start[i]; e < graph_.start[i + 1]; ++e)
        if (const int j = graph_.list[e]; part_[j] == mine)
          part_[j] = reached, level_[j] = level_[i] + 1, queue_.push_back(j);
    }
    for (const int i : queue_) part_[i] = mine;
    return static_cast<int>(queue_.size());
  }

  void take_apart(int begin, int end) {
    const std::vector<int> members(order_.begin() + begin, order_.begin() + end);
    const int mine = part_[members.front()];
    int place = begin;
    for (const int first : members) {
      if (part_[first] != mine) continue;
      spread_from(first);
      place = put(queue_, place);
    }
  }

  /// A new part at this place of the order, to be cut further.
  int put(const std::vector<int>& members, int place) {
    if (members.empty()) return place;
    const int number = ++parts_;
    for (const int i : members) part_[i] = number;
    std::copy(members.begin(), members.end(), order_.begin() + place);
    const int end = place + static_cast<int>(members.size());
    ranges_.push_back({place, end});
    return end;
  }

  /// From an end of the part: one of the farthest, with few neighbours, from which others are
  /// farther still.
  void spread_from_an_end() {
    constexpr int most_rounds = 5;
    for (int round = 0; round < most_rounds; ++round) {
      const int last = static_cast<int>(level_size_.size()) - 1;
      int end = queue_.back();
      for (std::size_t k = queue_.size(); k-- > 0 && level_[queue_[k]] == last;)
        if (degree(queue_[k]) < degree(end)) end = queue_[k];
      spread_from(end);
      if (static_cast<int>(level_size_.size()) - 1 <= last) return;
    }
  }

  /// The level that separates most for its size.
  int best_level() const {
    constexpr double uneven = 0.62;  // a part much larger than the other gains little
    const int all = static_cast<int>(queue_.size()), levels = static_cast<int>(level_size_.size());
    int best = -1, before = level_size_[0];
    double least = std::numeric_limits<double>::infinity();
    for (int l = 1; l + 1 < levels; before += level_size_[l], ++l) {
      const int after = all - before - level_size_[l];
      const double share = static_cast<double>(std::max(before, after)) / all;
      const double cost = level_size_[l] / static_cast<double>(std::min(before, after)) *
                          (1 + 20 * std::max(0.0, share - uneven));
      if (cost < least) least = cost, best = l;
    }
    return best;
  }

  void cut(int begin, int end) {
    spread_from_an_end();
    const int at = best_level();
    if (at < 0) return order_leaf(begin, end);
    std::vector<int> near, far, between;
    const int mine = part_[queue_.front()];
    for (const int i : queue_) {
      if (level_[i] > at) {
        far.push_back(i);
        continue;
      }
      bool touches = false;
      for (int e = graph_.start[i]; e < graph_.start[i + 1] && level_[i] == at; ++e)
        touches = touches || (part_[graph_.list[e]] == mine && level_[graph_.list[e]] > at);
      (touches ? between : near).push_back(i);
    }
    const int number = ++parts_;
    for (const int i : between) part_[i] = number;
    std::copy(between.begin(), between.end(),
              order_.begin() + end - static_cast<std::ptrdiff_t>(between.size()));
    put(far, put(near, begin));
  }

  void order_leaf(int begin, int end) {
    const int size = end - begin;
    std::vector<int> start = {0}, neighbours, best(static_cast<std::size_t>(size));
    for (int k = begin; k < end; ++k) local_[order_[k]] = k - begin;
    for (int k = begin; k < end; ++k) {
      for (int e = graph_.start[order_[k]]; e < graph_.start[order_[k] + 1]; ++e)
        if (part_[graph_.list[e]] == part_[order_[begin]])
          neighbours.push_back(local_[graph_.list[e]]);
      start.push_back(static_cast<int>(neighbours.size()));
    }
    if (neighbours.empty()) return;
    if (amd_order(size, start.data(), neighbours.data(), best.data(), nullptr, nullptr) < AMD_OK)
      return;
    const std::vector<int> given(order_.begin() + begin, order_.begin() + end);
    for (int k = 0; k < size; ++k) order_[begin + k] = given[best[k]];
  }

  Neighbours graph_;
  std::vector<int> part_, level_, local_, order_, queue_, level_size_;
  std::vector<std::pair<int, int>> ranges_;  ///< of the order, each one part
  int parts_ = 0;
};

}  // namespace

std::vector<int> dissection_order(const Pattern& pattern) {
  return Dissection(pattern).run();
}

SparseWork ordered_work(const Pattern& pattern, const std::vector<int>& order) {
  const Neighbours graph(pattern);
  const std::size_t n = order.size();
  std::vector<int> place(n), parent(n, -1), seen(n, -1), below(n, 0);
  for (std::size_t k = 0; k < n; ++k) place[order[k]] = static_cast<int>(k);
  // Row k of the factors has an entry wherever a path of the elimination tree from one of its
  // neighbours leads to it. [Liu1990]
  for (int k = 0; k < static_cast<int>(n); ++k) {
    seen[k] = k;
    for (int e = graph.start[order[k]]; e < graph.start[order[k] + 1]; ++e)
      for (int i = place[graph.list[e]]; i < k && seen[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        ++below[i], seen[i] = k;
      }
  }
  SparseWork work;
  for (const double count : below) {
    work.flops += count * (2 * count + 1);
    work.entries += 2 * (count + 1);
  }
  return work;
}

}  // namespace daedalus
