#include "analysis/expression_substitution.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "analysis/row_expressions.h"
#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// Equations in which one of the variables has the order that counts.
std::vector<int> rows_with(const EquationSet& equations, const StructuralAnalysis& structure,
                           const RowCombination& null_vector) {
  std::vector<char> wanted(structure.variable_offset.size(), 0);
  for (const RowCombination::Term& term : null_vector.terms) wanted[term.row] = 1;
  std::vector<int> rows;
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l) {
      if (kernel.leaves[l].kind != Leaf::Kind::variable) continue;
      for (int i = 0; i < kernel.instances(); ++i) {
        const int j = kernel.which[l][i], row = kernel.rows[i];
        if (wanted[j] &&
            kernel.leaves[l].order == structure.variable_offset[j] - structure.equation_offset[row])
          rows.push_back(row);
      }
    }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

bool holds(const RowExpressions& expressions, NodeId root, std::pair<int, int> variable) {
  const auto list = expressions.occurring(root);
  return std::find(list.begin(), list.end(), variable) != list.end();
}

/// The same expression, sums written out wherever the variable cancels in them: inside of powers
/// and functions too.
NodeId cancelled(RowExpressions& expressions, NodeId root, std::pair<int, int> variable) {
  std::map<NodeId, NodeId> made;
  for (const NodeId id : needed(expressions.graph, root)) {
    const Node n = expressions.graph[id];
    const std::vector<NodeId> old = operands(n);
    const auto at = [&](std::size_t k) { return k < old.size() ? made[old[k]] : -1; };
    NodeId fresh = old.empty() ? id : expressions.graph.make(n.op, at(0), at(1), at(2));
    if ((n.op == Op::add || n.op == Op::sub) && holds(expressions, fresh, variable))
      if (const NodeId sum = expressions.collected(fresh); !holds(expressions, sum, variable))
        fresh = sum;
    made[id] = fresh;
  }
  return made[root];
}

constexpr int highest_order = 1;  // of derivatives in a system that is integrated

}  // namespace

std::optional<SubstitutedEquations> substitute_expressions(const EquationSet& equations,
                                                           const StructuralAnalysis& structure,
                                                           const RowCombination& null_vector) {
  if (null_vector.terms.size() < 2) return std::nullopt;
  const std::vector<int>&c = structure.equation_offset, &d = structure.variable_offset;
  SubstitutedEquations result{{}, {}, rows_with(equations, structure, null_vector)};
  int highest = 0;
  for (const int i : result.rows) highest = std::max(highest, c[i]);
  const auto& largest = *std::max_element(
      null_vector.terms.begin(), null_vector.terms.end(),
      [](const auto& a, const auto& b) { return std::abs(a.weight) < std::abs(b.weight); });
  const int l = largest.row;
  for (const RowCombination::Term& term : null_vector.terms)
    if (term.row != l)
      result.expressions.push_back(
          {term.row, d[term.row] - highest, l, d[l] - highest, term.weight / largest.weight});
  if (d[l] < highest || std::any_of(result.expressions.begin(), result.expressions.end(),
                                    [](const auto& e) { return e.order < 0; }))
    return std::nullopt;

  const int n = equations.rows();
  const std::vector<std::string> names(static_cast<std::size_t>(n) + result.expressions.size()),
      discrete(static_cast<std::size_t>(equations.discrete_values()));
  RowExpressions expressions(equations, names, discrete);
  EquationBuilder builder;
  for (const int i : result.rows) {
    const int times = highest - c[i];  // differentiated less often than the definitions
    if (times > highest_order || d[l] - c[i] > highest_order) return std::nullopt;
    RowExpressions::Replacements replacements;
    for (std::size_t k = 0; k < result.expressions.size(); ++k) {
      const SubstitutedExpression& e = result.expressions[k];
      Graph& graph = expressions.graph;
      replacements[{e.variable, d[e.variable] - c[i]}] =
          graph.add(expressions.variable(n + static_cast<int>(k), times),
                    graph.mul(graph.constant(e.weight), expressions.variable(l, d[l] - c[i])));
    }
    const std::pair<int, int> spent(l, d[l] - c[i]);
    const NodeId sum = cancelled(
        expressions, expressions.substituted(expressions.residual(i), replacements), spent);
    if (holds(expressions, sum, spent)) return std::nullopt;
    expressions.add(sum, builder);
  }
  EquationSet changed = equations.with_rows(result.rows, builder.take());
  for (std::size_t k = 0; k < result.expressions.size(); ++k) {
    const SubstitutedExpression& e = result.expressions[k];
    builder.begin();
    Graph& graph = builder.graph();
    const NodeId weighted =
        graph.mul(graph.constant(e.weight), builder.variable(e.other, e.other_order));
    builder.add(graph.sub(builder.variable(n + static_cast<int>(k)),
                          graph.sub(builder.variable(e.variable, e.order), weighted)));
  }
  result.equations = EquationSet::joined({std::move(changed), builder.take()});
  return result;
}

}  // namespace daedalus
