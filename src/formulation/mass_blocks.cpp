#include "formulation/mass_blocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace daedalus {

MassBlocks::MassBlocks(int size, const std::vector<Entry>& entries) {
  const std::size_t n = static_cast<std::size_t>(size);
  std::vector<int> leader(n);
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (const Entry& e : entries) {
    const int a = find(e.row), b = find(e.column);
    leader[std::max(a, b)] = std::min(a, b);
  }
  block_.assign(n, -1), within_.assign(n, 0), start_ = {0};
  std::vector<std::vector<int>> blocks;
  for (int i = 0; i < size; ++i) {
    const int first = find(i);
    if (first == i) block_[i] = static_cast<int>(blocks.size()), blocks.emplace_back();
    block_[i] = block_[first];
    within_[i] = static_cast<int>(blocks[block_[i]].size());
    blocks[block_[i]].push_back(i);
  }
  std::size_t area = 0;
  for (const auto& list : blocks) {
    member_.insert(member_.end(), list.begin(), list.end());
    start_.push_back(static_cast<int>(member_.size()));
    l_start_.push_back(area);
    area += list.size() * list.size();
    largest_ = std::max(largest_, static_cast<int>(list.size()));
  }
  if (is_diagonal()) inverse_.resize(n);
  l_.resize(area), part_.resize(static_cast<std::size_t>(largest_));
  for (const Entry& e : entries) {
    const int b = block_[e.row];
    slot_.push_back(static_cast<int>(l_start_[b]) + within_[e.row] * this->size(b) +
                    within_[e.column]);
  }
}

bool MassBlocks::factor(const double* values) {
  std::fill(l_.begin(), l_.end(), 0.0);
  for (std::size_t k = 0; k < slot_.size(); ++k) l_[slot_[k]] += values[k];
  if (is_diagonal()) {
    double least = 1;
    identity_ = true;
    for (std::size_t j = 0; j < l_.size(); ++j) {
      least = std::min(least, l_[j]);
      identity_ = identity_ && l_[j] == 1;
      l_[j] = std::sqrt(l_[j]), inverse_[j] = 1 / l_[j];
    }
    return least > 0;
  }
  for (int b = 0; b + 1 < static_cast<int>(start_.size()); ++b) {
    const int n = size(b);
    double* l = root(b);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        double rest = l[i * n + j];
        for (int k = 0; k < j; ++k) rest -= l[i * n + k] * l[j * n + k];
        if (j < i) {
          l[i * n + j] = rest / l[j * n + j];
        } else {
          if (!(rest > 0)) return false;
          l[i * n + i] = std::sqrt(rest);
        }
      }
  }
  return true;
}

void MassBlocks::to_scaled_force(int block, double* part) const {
  const int n = size(block);
  const double* l = root(block);
  for (int i = 0; i < n; ++i) {
    double rest = part[i];
    for (int k = 0; k < i; ++k) rest -= l[i * n + k] * part[k];
    part[i] = rest / l[i * n + i];
  }
}

void MassBlocks::to_scaled_force(double* x) const {
  if (identity_) return;
  if (is_diagonal()) {
    for (std::size_t j = 0; j < inverse_.size(); ++j) x[j] *= inverse_[j];
    return;
  }
  for (int b = 0; b + 1 < static_cast<int>(start_.size()); ++b) {
    const int n = size(b), first = begin(b);
    for (int k = 0; k < n; ++k) part_[k] = x[member_[first + k]];
    to_scaled_force(b, part_.data());
    for (int k = 0; k < n; ++k) x[member_[first + k]] = part_[k];
  }
}

void MassBlocks::from_scaled_motion(double* x) const {
  if (is_diagonal()) return to_scaled_force(x);
  for (int b = 0; b + 1 < static_cast<int>(start_.size()); ++b) {
    const int n = size(b), first = begin(b);
    const double* l = root(b);
    for (int i = n - 1; i >= 0; --i) {
      double rest = x[member_[first + i]];
      for (int k = i + 1; k < n; ++k) rest -= l[k * n + i] * x[member_[first + k]];
      x[member_[first + i]] = rest / l[i * n + i];
    }
  }
}

double MassBlocks::size_of(const double* x) const {
  double sum = 0;
  for (int b = 0; b + 1 < static_cast<int>(start_.size()); ++b) {
    const int n = size(b), first = begin(b);
    for (int j = 0; j < n; ++j) {
      double part = 0;
      for (int i = j; i < n; ++i) part += root(b)[i * n + j] * x[member_[first + i]];
      sum += part * part;
    }
  }
  return std::sqrt(sum);
}

}  // namespace daedalus
