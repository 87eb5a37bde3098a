#include "linear/sparse_fronts.h"

#include <algorithm>
#include <cmath>

#include "linear/ordering.h"

namespace daedalus {

/// Of the elimination in a given order: which unknown is the first to feel each one, and how many
/// entries are below it. [Liu1990]
struct SparseFronts::Tree {
  const Neighbours& graph;
  std::vector<int> parent, below;

  Tree(const Neighbours& neighbours, const std::vector<int>& order, std::vector<int>& place)
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

SparseFronts::SparseFronts(const Pattern& pattern, const std::vector<int>& order,
                           InstructionSet set)
    : n_(pattern.size),
      order_(order.size()),
      place_(order.size()),
      node_of_(order.size()),
      factor_front_(front_kernel(set)),
      scale_(order.size()),
      inverse_(order.size()),
      exchanged_(order.size()),
      x_(order.size()) {
  const Neighbours graph(pattern);
  const std::vector<int> sorted = Tree(graph, order, place_).postorder();
  for (std::size_t k = 0; k < order.size(); ++k) order_[k] = order[sorted[k]];
  const Tree tree(graph, order_, place_);
  find_supernodes(tree);
  find_rows(tree);
  place_entries(pattern);
}

void SparseFronts::find_supernodes(const Tree& tree) {
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
  for (int j = 0; j < n_;) {
    int end = j + 1;
    while (end < n_ && tree.parent[end - 1] == end && tree.below[end - 1] == tree.below[end] + 1)
      ++end;
    Group group = {j, end - j, tree.below[end - 1], 0};
    while (!groups.empty()) {
      const Group& child = groups.back();
      if (const int parent = tree.parent[child.first + child.columns - 1];
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

void SparseFronts::find_rows(const Tree& tree) {
  std::vector<int> seen(order_.size(), -1), local(order_.size());
  std::size_t largest = 0, longest = 0, total = 0;
  for (int s = 0; s < static_cast<int>(nodes_.size()); ++s) {
    Supernode& node = nodes_[s];
    const int end = node.first + node.columns;
    const auto add = [&](int row) {
      if (row >= end && seen[row] != s) seen[row] = s, node.below.push_back(row);
    };
    for (int j = node.first; j < end; ++j)
      for (int e = tree.graph.start[order_[j]]; e < tree.graph.start[order_[j] + 1]; ++e)
        add(place_[tree.graph.list[e]]);
    for (const int child : node.children)
      for (const int row : nodes_[child].below) add(row);
    std::sort(node.below.begin(), node.below.end());
    if (!node.below.empty()) nodes_[node_of_[node.below.front()]].children.push_back(s);
    number_rows(node, local);
    for (const int child : node.children)
      for (const int row : nodes_[child].below) nodes_[child].in_parent.push_back(local[row]);
    node.stride = padded(node.size());
    node.lower = total, total += static_cast<std::size_t>(node.columns) * node.stride;
    node.right = total, total += static_cast<std::size_t>(node.rows()) * padded(node.columns);
    largest = std::max(largest, static_cast<std::size_t>(node.size()) * node.stride);
    longest = std::max(longest, static_cast<std::size_t>(node.stride));
  }
  constexpr std::size_t line = 8;
  front_memory_.resize(largest + line), factor_memory_.resize(total + line);
  front_ = at_cache_line(front_memory_.data()), factors_ = at_cache_line(factor_memory_.data());
  local_.resize(longest);
}

void SparseFronts::number_rows(const Supernode& node, std::vector<int>& local) const {
  for (int j = 0; j < node.columns; ++j) local[node.first + j] = j;
  for (int i = 0; i < node.rows(); ++i) local[node.below[i]] = node.columns + i;
}

void SparseFronts::place_entries(const Pattern& pattern) {
  const auto node_at = [&](int row, int column) {
    return static_cast<std::size_t>(node_of_[std::min(place_[row], place_[column])]);
  };
  const auto each_entry = [&](auto visit) {
    for (int j = 0; j < n_; ++j)
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

bool SparseFronts::factor(const double* values) {
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (const Entry& entry : entries_)
    scale_[entry.row] = std::max(scale_[entry.row], std::abs(values[entry.value]));
  for (double& scale : scale_) scale = 1 / scale;
  waiting_.clear();
  for (const Supernode& node : nodes_) {
    assemble(node, values);
    const Front front = {node.size(),
                         node.columns,
                         node.stride,
                         front_,
                         inverse_.data() + node.first,
                         exchanged_.data() + node.first};
    if (factor_front_(front) != front_done) return false;
    keep(node);
  }
  return true;
}

/// Entries of the matrix, and the Schur complements of the fronts that lead to this one: the last
/// ones that wait.
void SparseFronts::assemble(const Supernode& node, const double* values) {
  std::fill_n(front_, static_cast<std::size_t>(node.size()) * node.stride, 0.0);
  for (std::size_t e = node.first_entry; e < node.end_entry; ++e)
    front_[entries_[e].offset] += scale_[entries_[e].row] * values[entries_[e].value];
  for (std::size_t c = node.children.size(); c-- > 0;) {
    const Supernode& child = nodes_[node.children[c]];
    const int rows = child.rows();
    const std::size_t begin = waiting_.size() - static_cast<std::size_t>(rows) * rows;
    const double* from = waiting_.data() + begin;
    const int* const to = child.in_parent.data();
    for (int j = 0; j < rows; ++j, from += rows) {
      double* const column = front_ + static_cast<std::size_t>(to[j]) * node.stride;
      for (int i = 0; i < rows; ++i) column[to[i]] += from[i];
    }
    waiting_.resize(begin);
  }
}

void SparseFronts::keep(const Supernode& node) {
  const int rows = node.rows();
  const std::size_t stride = static_cast<std::size_t>(node.stride);
  std::copy_n(front_, node.columns * stride, factors_ + node.lower);
  const std::size_t begin = waiting_.size(), height = static_cast<std::size_t>(rows);
  waiting_.resize(begin + height * height);
  for (int j = 0; j < rows; ++j) {
    const double* const column = front_ + (node.columns + j) * stride;
    std::copy_n(column, node.columns,
                factors_ + node.right + static_cast<std::size_t>(j) * padded(node.columns));
    std::copy_n(column + node.columns, rows,
                waiting_.data() + begin + static_cast<std::size_t>(j) * height);
  }
}

void SparseFronts::solve(double* given) const {
  for (int k = 0; k < n_; ++k) x_[k] = scale_[order_[k]] * given[order_[k]];
  double* const __restrict local = local_.data();
  for (const Supernode& node : nodes_) {
    double* const x = x_.data() + node.first;
    for (int k = 0; k < node.columns; ++k) std::swap(x[k], x[exchanged_[node.first + k]]);
    std::copy_n(x, node.columns, local);
    std::fill_n(local + node.columns, node.rows(), 0.0);
    const double* l = factors_ + node.lower;
    for (int k = 0; k < node.columns; ++k, l += node.stride) {
      const double t = local[k];
      for (int i = k + 1; i < node.size(); ++i) local[i] -= t * l[i];
    }
    std::copy_n(local, node.columns, x);
    for (int i = 0; i < node.rows(); ++i) x_[node.below[i]] += local[node.columns + i];
  }
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    double* const __restrict x = x_.data() + node->first;
    const double* right = factors_ + node->right;
    for (int j = 0; j < node->rows(); ++j, right += padded(node->columns)) {
      const double t = x_[node->below[j]];
      for (int i = 0; i < node->columns; ++i) x[i] -= t * right[i];
    }
    for (int k = node->columns - 1; k >= 0; --k) {
      const double* const u = factors_ + node->lower + static_cast<std::size_t>(k) * node->stride;
      const double t = x[k] *= inverse_[node->first + k];
      for (int i = 0; i < k; ++i) x[i] -= t * u[i];
    }
  }
  for (int k = 0; k < n_; ++k) given[order_[k]] = x_[k];
}

}  // namespace daedalus
