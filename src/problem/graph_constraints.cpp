#include "problem/graph_constraints.h"

#include <algorithm>

#include <fmt/format.h>

namespace daedalus {

GraphConstraints::GraphConstraints(const ExpressionGraph& form, const StructuralAnalysis& structure,
                                   const Names& names, const std::vector<char>& algebraic,
                                   bool at_start)
    : form_(form) {
  const int n = form.size;
  const int deepest =
      *std::max_element(structure.equation_offset.begin(), structure.equation_offset.end());
  int highest =
      *std::max_element(structure.variable_offset.begin(), structure.variable_offset.end());
  highest = std::max(highest, 1);
  place_.assign(static_cast<std::size_t>(highest) + 1, std::vector<int>(n, -1));
  unknowns = n;
  for (int j = 0; j < n; ++j) place_[0][j] = j;
  for (int k = 1; k <= highest; ++k)
    for (int j = 0; j < n; ++j)
      if (structure.variable_offset[j] >= k) place_[k][j] = unknowns++, derivative_of.push_back(j);
  EquationSet current = *form.equations;
  for (int r = 0; r <= deepest; ++r) {
    if (r > 0) current = current.differentiated();
    std::vector<int> keep;
    for (int i = 0; i < n; ++i)
      if (structure.equation_offset[i] >= r) {
        keep.push_back(i);
        equations.push_back(
            r == 0
                ? names[i]
                : fmt::format("{}{}", r == 1 ? "d/dt " : fmt::format("d{}/dt{} ", r, r), names[i]));
      }
    add_set(current.restricted(keep), highest);
  }
  if (at_start) {
    add_set(*form.initial_equations, highest);
    equations.insert(equations.end(), form.initial_names.begin(), form.initial_names.end());
  }
  levels_.assign(static_cast<std::size_t>(highest) + 2, std::vector<double>(n, 0.0));
  for (const auto& level : levels_) pointers_.push_back(level.data());
  freedom.assign(static_cast<std::size_t>(unknowns), 1e6);
  for (int j = 0; j < n; ++j)
    if (!algebraic[j]) freedom[j] = 1;
}

void GraphConstraints::evaluate(double t, const double* x, double* r) const {
  spread(x);
  for (const auto& set : sets_) {
    set->residual({t, pointers_.data(), form_.discrete->data()}, r);
    r += set->rows();
  }
}

template <class Visitor>
void GraphConstraints::each_entry(const Visitor& visit) const {
  int first = 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    const auto& entries = jacobians_[s]->entries();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const int column = place_[static_cast<std::size_t>(entries[k].order)][entries[k].variable];
      if (column >= 0) visit(first + entries[k].row, column, values_[s][k]);
    }
    first += sets_[s]->rows();
  }
}

void GraphConstraints::linearize(double t, const double* x, double* jacobian) const {
  const auto rows = equations.size();
  std::fill(jacobian, jacobian + rows * static_cast<std::size_t>(unknowns), 0.0);
  spread(x);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    jacobians_[s]->evaluate({t, pointers_.data(), form_.discrete->data()}, values_[s].data());
  each_entry([&](int row, int column, double value) {
    jacobian[static_cast<std::size_t>(row) + rows * static_cast<std::size_t>(column)] += value;
  });
}

Sparsity GraphConstraints::places() const {
  Sparsity list;
  each_entry([&](int row, int column, double) { list.emplace_back(row, column); });
  return list;
}

void GraphConstraints::linearize_sparse(double t, const double* x, double* values) const {
  spread(x);
  for (std::size_t s = 0; s < sets_.size(); ++s)
    jacobians_[s]->evaluate({t, pointers_.data(), form_.discrete->data()}, values_[s].data());
  each_entry([&](int, int, double value) { *values++ = value; });
}

void GraphConstraints::add_set(EquationSet set, int highest) {
  sets_.push_back(std::make_shared<EquationSet>(std::move(set)));
  std::vector<int> orders;
  for (int k = 0; k <= highest; ++k) orders.push_back(k);
  jacobians_.push_back(std::make_shared<EquationJacobian>(*sets_.back(), orders));
  values_.emplace_back(jacobians_.back()->entries().size(), 0.0);
}

void GraphConstraints::spread(const double* x) const {
  for (std::size_t k = 0; k < place_.size(); ++k)
    for (int j = 0; j < form_.size; ++j)
      levels_[k][static_cast<std::size_t>(j)] = place_[k][j] >= 0 ? x[place_[k][j]] : 0.0;
}

}  // namespace daedalus
