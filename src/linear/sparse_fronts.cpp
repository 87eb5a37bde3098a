#include "linear/sparse_fronts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus {

SparseFronts::SparseFronts(std::shared_ptr<const FrontTree> tree, InstructionSet set)
    : tree_(std::move(tree)),
      factor_front_(front_kernel(set)),
      scale_(static_cast<std::size_t>(tree_->size())),
      inverse_(scale_.size()),
      exchanged_(scale_.size()),
      x_(scale_.size()),
      local_(tree_->longest_column()) {
  constexpr std::size_t line = 8;
  front_memory_.resize(tree_->largest_front() + line);
  factor_memory_.resize(tree_->factors() + line);
  front_ = at_cache_line(front_memory_.data()), factors_ = at_cache_line(factor_memory_.data());
}

bool SparseFronts::factor(const double* values) {
  const auto& entries = tree_->entries();
  std::fill(scale_.begin(), scale_.end(), 0.0);
  for (const FrontTree::Entry& entry : entries)
    scale_[entry.row] = std::max(scale_[entry.row], std::abs(values[entry.value]));
  for (double& scale : scale_) scale = 1 / scale;
  waiting_.clear();
  for (const Supernode& node : tree_->nodes()) {
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
  const auto& entries = tree_->entries();
  const auto& nodes = tree_->nodes();
  std::fill_n(front_, static_cast<std::size_t>(node.size()) * node.stride, 0.0);
  for (std::size_t e = node.first_entry; e < node.end_entry; ++e)
    front_[entries[e].offset] += scale_[entries[e].row] * values[entries[e].value];
  for (std::size_t c = node.children.size(); c-- > 0;) {
    const Supernode& child = nodes[node.children[c]];
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
  const int n = tree_->size();
  const std::vector<int>& order = tree_->order();
  const auto& nodes = tree_->nodes();
  for (int k = 0; k < n; ++k) x_[k] = scale_[order[k]] * given[order[k]];
  double* const __restrict local = local_.data();
  for (const Supernode& node : tree_->nodes()) {
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
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
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
  for (int k = 0; k < n; ++k) given[order[k]] = x_[k];
}

}  // namespace daedalus
