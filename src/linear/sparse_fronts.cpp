#include "linear/sparse_fronts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/large_pages.h"

namespace daedalus {
namespace {

constexpr std::size_t line = 8;  // doubles

}  // namespace

SparseFronts::SparseFronts(std::shared_ptr<const FrontTree> tree, InstructionSet set)
    : tree_(std::move(tree)),
      kernels_(front_kernels(set)),
      scale_(static_cast<std::size_t>(tree_->size())),
      inverse_(scale_.size()),
      exchanged_(scale_.size()),
      x_(scale_.size()),
      local_memory_(2 * tree_->longest_column() + line) {
  front_memory_ = large_array<double>(tree_->largest_front() + line);
  factor_memory_ = large_array<double>(tree_->factors() + line);
  front_ = at_cache_line(front_memory_.get()), factors_ = at_cache_line(factor_memory_.get());
  local_ = at_cache_line(local_memory_.data());
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
    if (kernels_.factor(front) != front_done) return false;
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
  const int rows = node.rows(), height = padded(node.columns);
  const std::size_t stride = static_cast<std::size_t>(node.stride);
  double* lower = factors_ + node.lower;
  for (int j = 0; j < node.columns; ++j) {
    const int k = j / front_group * front_group, above = j + 1 - k;
    const double* const column = front_ + j * stride + k;
    std::fill_n(lower, above, 0.0);
    lower = std::copy(column + above, column + node.stride - k, lower + above);
  }
  const std::size_t begin = waiting_.size(), length = static_cast<std::size_t>(rows);
  waiting_.resize(begin + length * length);
  double *upper = factors_ + node.upper, *wait = waiting_.data() + begin;
  for (int j = 0; j < rows; ++j) {
    const double* const column = front_ + (node.columns + j) * stride;
    std::copy_n(column, node.columns, upper);
    std::fill(upper + node.columns, upper + height, 0.0);
    upper += height;
    wait = std::copy_n(column + node.columns, rows, wait);
  }
  for (int k = height - front_group; k >= 0; k -= front_group)
    for (int j = k; j < std::min(k + front_group, node.columns); ++j) {
      std::copy_n(front_ + j * stride, j, upper);
      std::fill(upper + j, upper + k + front_group, 0.0);
      upper += k + front_group;
    }
}

FrontColumns SparseFronts::kept(const Supernode& node) const {
  return {node.size(),           node.columns,          node.stride,
          factors_ + node.lower, factors_ + node.upper, inverse_.data() + node.first};
}

void SparseFronts::solve(double* given) const {
  const int n = tree_->size();
  const std::vector<int>& order = tree_->order();
  const auto& nodes = tree_->nodes();
  for (int k = 0; k < n; ++k) x_[k] = scale_[order[k]] * given[order[k]];
  for (const Supernode& node : nodes) {
    double* const x = x_.data() + node.first;
    for (int k = 0; k < node.columns; ++k) std::swap(x[k], x[exchanged_[node.first + k]]);
    std::copy_n(x, node.columns, local_);
    std::fill(local_ + node.columns, local_ + node.stride, 0.0);
    kernels_.forward(kept(node), local_);
    std::copy_n(local_, node.columns, x);
    const int* const below = tree_->below().data() + node.first_below;
    for (int i = 0; i < node.rows(); ++i) x_[below[i]] += local_[node.columns + i];
  }
  double* const known = local_ + tree_->longest_column();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    double* const x = x_.data() + node->first;
    const int* const below = tree_->below().data() + node->first_below;
    for (int i = 0; i < node->rows(); ++i) known[i] = x_[below[i]];
    std::copy_n(x, node->columns, local_);
    std::fill(local_ + node->columns, local_ + padded(node->columns), 0.0);
    kernels_.backward(kept(*node), local_, known);
    std::copy_n(local_, node->columns, x);
  }
  for (int k = 0; k < n; ++k) given[order[k]] = x_[k];
}

}  // namespace daedalus
