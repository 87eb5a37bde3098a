#include "bvp/slot_equations.h"

#include <algorithm>
#include <set>

namespace daedalus::bvp {

SlotEquations::SlotEquations(const EquationSet& set, const Place& place, std::vector<int> row,
                             std::vector<double> factor, const std::vector<double>& discrete)
    : set_(set), row_(std::move(row)), factor_(std::move(factor)), discrete_(discrete) {
  std::vector<int> orders;
  for (int k = 0; k <= set.highest_order(); ++k) orders.push_back(k);
  jacobian_.emplace_back(set_, orders);
  std::set<std::pair<int, int>> seen;
  int size = 0;
  for (const Kernel& kernel : set_.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
      if (kernel.leaves[l].kind != daedalus::Leaf::Kind::variable) continue;
      for (const int v : kernel.which[l]) {
        size = std::max(size, v + 1);
        if (seen.emplace(kernel.leaves[l].order, v).second)
          leaves_.push_back({kernel.leaves[l].order, v, place(v, kernel.leaves[l].order)});
      }
    }
  x_.assign(orders.size(), std::vector<double>(static_cast<std::size_t>(size), 0.0));
  r_.resize(static_cast<std::size_t>(set_.rows()));
  values_.resize(jacobian_[0].entries().size());
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const EquationJacobian::Entry& e = jacobian_[0].entries()[k];
    for (const int slot : place(e.variable, e.order))
      entries_.push_back({row_[static_cast<std::size_t>(e.row)], slot,
                          factor_[static_cast<std::size_t>(e.row)], static_cast<int>(k)});
  }
}

void SlotEquations::gather(const double* s) {
  for (const Leaf& leaf : leaves_) {
    double sum = 0;
    for (const int slot : leaf.slots) sum += s[slot];
    x_[static_cast<std::size_t>(leaf.order)][static_cast<std::size_t>(leaf.variable)] = sum;
  }
}

void SlotEquations::add_residual(double t, const double* s, double* r) {
  if (r_.empty()) return;
  gather(s);
  const double* x[16] = {};
  for (std::size_t k = 0; k < x_.size() && k < 16; ++k) x[k] = x_[k].data();
  set_.residual({t, x, discrete_.data()}, r_.data());
  for (std::size_t i = 0; i < r_.size(); ++i) r[row_[i]] += factor_[i] * r_[i];
}

void SlotEquations::add_jacobian(double t, const double* s, Matrix& jacobian) {
  if (r_.empty()) return;
  gather(s);
  const double* x[16] = {};
  for (std::size_t k = 0; k < x_.size() && k < 16; ++k) x[k] = x_[k].data();
  jacobian_[0].evaluate({t, x, discrete_.data()}, values_.data());
  for (const Entry& e : entries_)
    jacobian(e.row, e.slot) += e.factor * values_[static_cast<std::size_t>(e.value)];
}

std::vector<int> SlotEquations::slots_of(int i) const {
  std::set<int> slots;
  for (const Kernel& kernel : set_.kernels())
    for (std::size_t k = 0; k < kernel.rows.size(); ++k) {
      if (kernel.rows[k] != i) continue;
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
        if (kernel.leaves[l].kind != daedalus::Leaf::Kind::variable) continue;
        for (const Leaf& leaf : leaves_)
          if (leaf.order == kernel.leaves[l].order && leaf.variable == kernel.which[l][k])
            slots.insert(leaf.slots.begin(), leaf.slots.end());
      }
    }
  return {slots.begin(), slots.end()};
}

}  // namespace daedalus::bvp
