#include "problem/expansion.h"

#include <algorithm>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

bool exists_in_parts(Op op) {
  return op == Op::sqrt || op == Op::log || op == Op::log10 || op == Op::asin || op == Op::acos ||
         op == Op::pow;
}

}  // namespace

Expansion::Expansion(Names visible, int variables, std::vector<int> kept, std::vector<Level> levels)
    : names_(std::move(visible)),
      kept_(std::move(kept)),
      levels_(std::move(levels)),
      all_(static_cast<std::size_t>(variables), 0.0) {
  std::size_t longest = 0;
  for (const Level& level : levels_) longest = std::max(longest, level.variables.size());
  values_.resize(longest);
  for (const Level& level : levels_)
    for (const int v : level.variables)
      if (v < this->visible()) eliminated_.push_back(v);
  for (const Level& level : levels_)
    for (const Kernel& kernel : level.values.kernels())
      for (const NodeId node : needed(kernel.graph, kernel.residual))
        is_partial_ = is_partial_ || exists_in_parts(kernel.graph[node].op);
}

std::vector<int> Expansion::index_of_eliminated(const std::vector<int>& lean_index) const {
  std::vector<int> index(all_.size(), 1), result;
  for (std::size_t j = 0; j < kept_.size(); ++j) index[kept_[j]] = lean_index[j];
  for (const Level& level : levels_)
    for (const Kernel& kernel : level.values.kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        for (std::size_t i = 0; i < kernel.which[l].size(); ++i)
          if (kernel.leaves[l].kind == Leaf::Kind::variable) {
            int& own = index[level.variables[kernel.rows[i]]];
            own = std::max(own, index[kernel.which[l][i]]);
          }
  for (const int v : eliminated_) result.push_back(index[v]);
  return result;
}

const double* Expansion::of(double t, const double* y, const double* discrete) const {
  for (std::size_t j = 0; j < kept_.size(); ++j) all_[kept_[j]] = y[j];
  const double* x[] = {all_.data(), nullptr};
  for (const Level& level : levels_) {
    level.values.residual({t, x, discrete}, values_.data());
    for (std::size_t k = 0; k < level.variables.size(); ++k) all_[level.variables[k]] = values_[k];
  }
  return all_.data();
}

}  // namespace daedalus
