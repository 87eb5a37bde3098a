#include "expression/straight_factors.h"

#include <algorithm>
#include <utility>

namespace daedalus {

StraightFactors::StraightFactors(Graph& graph, KnownTimes& known, std::vector<NodeId> matrix,
                                 int size)
    : graph_(graph), known_(known) {
  const NodeId zero = graph.constant(0), one = graph.constant(1);
  const auto n = static_cast<std::size_t>(size);
  const auto at = [&](int i, int j) -> NodeId& {
    return matrix[static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)];
  };
  pivot_.resize(n), inverse_.resize(n);
  std::vector<int> rest;
  for (int i = 0; i < size; ++i) rest.push_back(i);
  const auto neighbours = [&](int i) {
    int count = 0;
    for (const int j : rest) count += j != i && at(j, i) != zero;
    return count;
  };
  // Pivots that wait for each other, each for a division: the longest such row before a pivot.
  std::vector<int> waits(n, 0);
  while (!rest.empty()) {
    // Least degree first [GeorgeLiu1981, 5.3]; among these the one that waits least, so that chains
    // are eliminated from both ends at once.
    std::size_t least = 0;
    std::pair<int, int> best(size, 0);
    for (std::size_t k = 0; k < rest.size() && best > std::pair(0, 0); ++k)
      if (const std::pair found(neighbours(rest[k]), waits[static_cast<std::size_t>(rest[k])]);
          found < best)
        best = found, least = k;
    const int p = rest[least];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(least));
    const auto place = static_cast<std::size_t>(p);
    pivot_[place] = at(p, p), inverse_[place] = graph.div(one, at(p, p));
    Column column{p, {}};
    for (const int i : rest) {
      if (at(i, p) == zero) continue;
      column.below.push_back({i, graph.mul(at(i, p), inverse_[place])});
      waits[static_cast<std::size_t>(i)] =
          std::max(waits[static_cast<std::size_t>(i)], waits[place] + 1);
    }
    // The square of an entry is known before the pivot: the next one waits for nothing but the
    // inverse.
    for (const Entry& e : column.below)
      for (const Entry& other : column.below) {
        if (other.row < e.row) continue;
        const NodeId entry = at(e.row, p),
                     product = other.row == e.row
                                   ? graph.mul(graph.mul(entry, entry), inverse_[place])
                                   : graph.mul(e.value, at(other.row, p));
        at(e.row, other.row) = at(other.row, e.row) = graph.sub(at(e.row, other.row), product);
      }
    columns_.push_back(std::move(column));
  }
}

void StraightFactors::forward(std::vector<NodeId>& x) const {
  for (const Column& column : columns_) {
    const NodeId known = x[static_cast<std::size_t>(column.place)];
    if (graph_.is_constant(known, 0)) continue;
    for (const Entry& e : column.below) {
      NodeId& target = x[static_cast<std::size_t>(e.row)];
      target = graph_.sub(target, graph_.mul(e.value, known));
    }
  }
}

void StraightFactors::divide(std::vector<NodeId>& x) const {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!graph_.is_constant(x[i], 0)) x[i] = graph_.mul(x[i], inverse_[i]);
}

void StraightFactors::back(std::vector<NodeId>& x) const {
  for (auto column = columns_.rbegin(); column != columns_.rend(); ++column) {
    NodeId& target = x[static_cast<std::size_t>(column->place)];
    EarlySum sum(graph_, known_);
    sum.add(target);
    for (const Entry& e : column->below)
      sum.subtract_product(e.value, x[static_cast<std::size_t>(e.row)]);
    target = sum.total();
  }
}

NodeId dot(Graph& graph, KnownTimes& known, const std::vector<NodeId>& x,
           const std::vector<NodeId>& y) {
  EarlySum sum(graph, known);
  for (std::size_t i = 0; i < x.size(); ++i) sum.add_product(x[i], y[i]);
  return sum.total();
}

}  // namespace daedalus
