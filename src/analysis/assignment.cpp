#include "analysis/assignment.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

namespace daedalus {
namespace {

constexpr int none = -1;
constexpr int far_away = std::numeric_limits<int>::max() / 4;

}  // namespace

Assignment::Assignment(const Signature& s)
    : s_(s),
      row_of_(s.size, none),
      match_(s.size, none),
      price_(s.size, far_away),
      row_price_(s.size, 0),
      distance_(s.size, far_away),
      from_(s.size, none) {
  set_prices();
  match_tight();
  for (int i = 0; i < s.size; ++i)
    if (match_[i] == none && !augment(i)) complete_ = false;
}

void Assignment::set_prices() {
  for (const Incidence& e : s_.entries) highest_ = std::max(highest_, e.order);
  for (const Incidence& e : s_.entries)
    price_[e.variable] = std::min(price_[e.variable], highest_ - e.order);
  for (int i = 0; i < s_.size; ++i) {
    int least = far_away;
    for (int k = s_.row_start[i]; k < s_.row_start[i + 1]; ++k)
      least = std::min(least, cost(k) - price_[s_.entries[k].variable]);
    row_price_[i] = least == far_away ? 0 : least;
  }
}

void Assignment::turn(int root, int end) {
  for (int j = end; j != none;) {
    const int i = from_[j], next = match_[i];
    row_of_[j] = i, match_[i] = j;
    j = i == root ? none : next;
  }
}

/// Over edges of reduced cost 0 only, until none of the rows left over finds a way.
void Assignment::match_tight() {
  lookahead_.assign(s_.row_start.begin(), s_.row_start.end() - 1);
  position_.resize(lookahead_.size());
  std::vector<int> open;
  for (int i = 0; i < s_.size; ++i) open.push_back(i);
  for (bool found = true; found && !open.empty();) {
    found = false;
    visited_.assign(static_cast<std::size_t>(s_.size), 0);
    std::vector<int> left;
    for (const int i : open) {
      if (augment_tight(i))
        found = true;
      else
        left.push_back(i);
    }
    open = std::move(left);
  }
}

bool Assignment::augment_tight(int root) {
  path_.assign(1, root);
  position_[root] = s_.row_start[root];
  while (!path_.empty()) {
    const int i = path_.back();
    // A column that was taken stays taken, so the search for free ones never starts over.
    for (int& k = lookahead_[i]; k < s_.row_start[i + 1]; ++k)
      if (const int j = s_.entries[k].variable; row_of_[j] == none && reduced(i, k) == 0) {
        from_[j] = i;
        turn(root, j);
        return true;
      }
    int next = none;
    for (int& k = position_[i]; k < s_.row_start[i + 1] && next == none; ++k) {
      const int j = s_.entries[k].variable;
      if (visited_[j] || reduced(i, k) != 0) continue;
      visited_[j] = 1, from_[j] = i, next = row_of_[j];
    }
    if (next == none) {
      path_.pop_back();
      continue;
    }
    position_[next] = s_.row_start[next];
    path_.push_back(next);
  }
  return false;
}

bool Assignment::augment(int root) {
  using Item = std::pair<int, int>;  // distance, column
  std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
  touched_.clear(), finished_.clear();
  const auto relax = [&](int i, int base) {
    for (int k = s_.row_start[i]; k < s_.row_start[i + 1]; ++k) {
      const int j = s_.entries[k].variable, d = base + reduced(i, k);
      if (d >= distance_[j]) continue;
      if (distance_[j] == far_away) touched_.push_back(j);
      distance_[j] = d, from_[j] = i;
      open.emplace(d, j);
    }
  };
  relax(root, 0);
  int end = none, length = 0;
  while (!open.empty()) {
    const auto [d, j] = open.top();
    open.pop();
    if (d > distance_[j]) continue;
    if (row_of_[j] == none) {
      end = j, length = d;
      break;
    }
    finished_.push_back(j);
    relax(row_of_[j], d);
  }
  if (end != none) {
    for (const int j : finished_)
      price_[j] += distance_[j] - length, row_price_[row_of_[j]] -= distance_[j] - length;
    row_price_[root] += length;
    turn(root, end);
  }
  for (const int j : touched_) distance_[j] = far_away, from_[j] = none;
  return end != none;
}

}  // namespace daedalus
