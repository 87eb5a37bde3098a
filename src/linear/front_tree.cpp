#include <algorithm>

#include "linear/ordering.h"
#include "linear/sparse_fronts.h"

namespace daedalus {

/// Of the elimination in a given order: which unknown is the first to feel each one, and how many
/// entries are below it. [Liu1990]
struct FrontTree::Elimination {
  const Neighbours& graph;
  std::vector<int> parent, below;

  Elimination(const Neighbours& neighbours, const std::vector<int>& order, std::vector<int>& place)
      : graph(neighbours), parent(order.size(), -1), below(order.size(), 0) {
    std::vector<int> seen(order.size(), -1);
    const int n = static_cast<int>(order.size());
    for (int k = 0; k < n; ++k) place[order[k]] = k;
    for (int k = 0; k < n; ++k) {
      seen[k] = k;
      for (int e = graph.start[order[k]]; e < graph.start[order[k] + 1]; ++e)
        for (int i = place[graph.list[e]]; i < k && seen[i] != k; i = parent[i]) {
          if (parent[i] < 0) parent[i] = k;
          ++below[i], seen[i] = k;
        }
    }
  }

  /// Every one directly after all that lead to it.
  std::vector<int> postorder() const {
    const int n = static_cast<int>(parent.size());
    std::vector<int> child(parent.size(), -1), sibling(parent.size(), -1), path, list;
    for (int k = n - 1; k >= 0; --k)
      if (parent[k] >= 0) sibling[k] = child[parent[k]], child[parent[k]] = k;
    for (int root = 0; root < n; ++root) {
      if (parent[root] >= 0) continue;
      path.push_back(root);
      while (!path.empty()) {
        const int k = path.back();
        if (child[k] >= 0) {
          path.push_back(child[k]);
          child[k] = sibling[child[k]];
        } else {
          list.push_back(k);
          path.pop_back();
        }
      }
    }
    return list;
  }
};

FrontTree::FrontTree(const Pattern& pattern, const std::vector<int>& order)
    : order_(order.size()), place_(order.size()), node_of_(order.size()) {
  const Neighbours graph(pattern);
  const std::vector<int> sorted = Elimination(graph, order, place_).postorder();
  for (std::size_t k = 0; k < order.size(); ++k) order_[k] = order[sorted[k]];
  const Elimination elimination(graph, order_, place_);
  find_supernodes(elimination);
  find_rows(elimination);
  place_factors();
  place_entries(pattern);
}

void FrontTree::find_supernodes(const Elimination& elimination) {
  struct Group {
    int first, columns, rows;
    double zeros;  ///< that are stored as if they were entries
  };
  // A few zeros more cost less than many small fronts: fitted to grids of 1,000 to 100,000
  // unknowns.
  const auto is_worth = [](int columns, int rows, double zeros) {
    const double entries = 0.5 * columns * (columns + 1.0) + static_cast<double>(columns) * rows;
    return columns <= 4 || (columns <= 16 && zeros < 0.5 * entries) ||
           (columns <= 48 && zeros < 0.2 * entries) || zeros < 0.08 * entries;
  };
  std::vector<Group> groups;
  for (int j = 0; j < size();) {
    int end = j + 1;
    while (end < size() && elimination.parent[end - 1] == end &&
           elimination.below[end - 1] == elimination.below[end] + 1)
      ++end;
    Group group = {j, end - j, elimination.below[end - 1], 0};
    while (!groups.empty()) {
      const Group& child = groups.back();
      if (const int parent = elimination.parent[child.first + child.columns - 1];
          parent < group.first || parent >= end)
        break;
      const double zeros =
          child.zeros + group.zeros +
          static_cast<double>(child.columns) * (group.columns + group.rows - child.rows);
      if (!is_worth(child.columns + group.columns, group.rows, zeros)) break;
      group = {child.first, child.columns + group.columns, group.rows, zeros};
      groups.pop_back();
    }
    groups.push_back(group);
    j = end;
  }
  for (const Group& group : groups) {
    std::fill_n(node_of_.begin() + group.first, group.columns, static_cast<int>(nodes_.size()));
    nodes_.push_back({group.first, group.columns});
  }
}

void FrontTree::find_rows(const Elimination& elimination) {
  std::vector<int> seen(order_.size(), -1), local(order_.size());
  for (int s = 0; s < static_cast<int>(nodes_.size()); ++s) {
    Supernode& node = nodes_[s];
    const int end = node.first + node.columns;
    const auto add = [&](int row) {
      if (row >= end && seen[row] != s) seen[row] = s, node.below.push_back(row);
    };
    for (int j = node.first; j < end; ++j)
      for (int e = elimination.graph.start[order_[j]]; e < elimination.graph.start[order_[j] + 1];
           ++e)
        add(place_[elimination.graph.list[e]]);
    for (const int child : node.children)
      for (const int row : nodes_[child].below) add(row);
    std::sort(node.below.begin(), node.below.end());
    if (!node.below.empty()) nodes_[node_of_[node.below.front()]].children.push_back(s);
    number_rows(node, local);
    for (const int child : node.children)
      for (const int row : nodes_[child].below) nodes_[child].in_parent.push_back(local[row]);
    node.stride = padded(node.size());
    largest_ = std::max(largest_, static_cast<std::size_t>(node.size()) * node.stride);
    longest_ = std::max(longest_, static_cast<std::size_t>(node.stride));
  }
}

std::size_t FrontTree::Supernode::lower_entries() const {
  int entries = 0;
  for (int k = 0; k < columns; k += front_group)
    entries += std::min(front_group, columns - k) * (stride - k);
  return static_cast<std::size_t>(entries);
}

std::size_t FrontTree::Supernode::upper_entries() const {
  int entries = rows() * padded(columns);
  for (int k = 0; k < columns; k += front_group)
    entries += std::min(front_group, columns - k) * (k + front_group);
  return static_cast<std::size_t>(entries);
}

/// A solution goes through the lower factors from the first front to the last, and through the
/// upper ones back: so they lie in memory.
void FrontTree::place_factors() {
  for (Supernode& node : nodes_) {
    node.lower = total_, total_ += node.lower_entries();
    node.first_below = below_.size();
    below_.insert(below_.end(), node.below.begin(), node.below.end());
  }
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
    node->upper = total_, total_ += node->upper_entries();
}

void FrontTree::number_rows(const Supernode& node, std::vector<int>& local) const {
  for (int j = 0; j < node.columns; ++j) local[node.first + j] = j;
  for (int i = 0; i < node.rows(); ++i) local[node.below[i]] = node.columns + i;
}

void FrontTree::place_entries(const Pattern& pattern) {
  const auto node_at = [&](int row, int column) {
    return static_cast<std::size_t>(node_of_[std::min(place_[row], place_[column])]);
  };
  const auto each_entry = [&](auto visit) {
    for (int j = 0; j < size(); ++j)
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
        visit(pattern.row[k], j, k);
  };
  std::vector<std::size_t> next(nodes_.size() + 1, 0);
  each_entry([&](int i, int j, int) { ++next[node_at(i, j) + 1]; });
  for (std::size_t s = 0; s < nodes_.size(); ++s) {
    next[s + 1] += next[s];
    nodes_[s].first_entry = next[s], nodes_[s].end_entry = next[s + 1];
  }
  struct Place {
    int value, row, column;
  };
  std::vector<Place> sorted(pattern.row.size());
  each_entry([&](int i, int j, int k) {
    sorted[next[node_at(i, j)]++] = {k, place_[i], place_[j]};
  });
  entries_.resize(sorted.size());
  std::vector<int> local(order_.size());
  for (const Supernode& node : nodes_) {
    number_rows(node, local);
    for (std::size_t e = node.first_entry; e < node.end_entry; ++e)
      entries_[e] = {
          sorted[e].value, order_[sorted[e].row],
          static_cast<std::size_t>(local[sorted[e].column]) * node.stride + local[sorted[e].row]};
  }
}

}  // namespace daedalus
