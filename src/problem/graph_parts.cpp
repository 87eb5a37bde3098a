#include "problem/graph_parts.h"

#include <utility>

#include "expression/rebuild.h"
#include "problem/findings.h"

namespace daedalus {
namespace {

/// What E = dF/dy' depends on.
struct MassDependence {
  bool is_constant = true;
  bool on_rates = false;  ///< F is not linear in y'
};

MassDependence mass_dependence(const EquationSet& equations) {
  MassDependence result;
  for (const Kernel& kernel : equations.kernels()) {
    std::vector<int> rates;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order == 1)
        rates.push_back(static_cast<int>(l));
    if (rates.empty()) continue;
    Graph graph = kernel.graph;
    std::vector<NodeId> open = gradient(graph, kernel.residual, rates);
    std::vector<char> seen(static_cast<std::size_t>(graph.size()), 0);
    while (!open.empty()) {
      const NodeId id = open.back();
      open.pop_back();
      if (std::exchange(seen[static_cast<std::size_t>(id)], char{1})) continue;
      const Node n = graph[id];
      if (n.op == Op::input) {
        const Leaf& leaf = kernel.leaves[static_cast<std::size_t>(n.a)];
        if (leaf.kind != Leaf::Kind::data) result.is_constant = false;
        if (leaf.kind == Leaf::Kind::variable && leaf.order == 1) result.on_rates = true;
        if (result.on_rates) return result;
      }
      for_operands(n, [&](NodeId operand) { open.push_back(operand); });
    }
  }
  return result;
}

bool is_sum_or_product(Op op) {
  return op == Op::neg || op == Op::add || op == Op::sub || op == Op::mul || op == Op::div;
}

/// Made of sums and products of variables alone: the slopes of others, of the sign of a velocity,
/// may be constant though they jump.
bool is_rational(const Kernel& kernel) {
  std::vector<char> varies(static_cast<std::size_t>(kernel.graph.size()), 0);
  for (const NodeId id : needed(kernel.graph, kernel.residual)) {
    const Node n = kernel.graph[id];
    char& here = varies[static_cast<std::size_t>(id)];
    if (n.op == Op::input)
      here = kernel.leaves[static_cast<std::size_t>(n.a)].kind == Leaf::Kind::variable;
    else
      for_operands(n, [&](NodeId operand) { here |= varies[static_cast<std::size_t>(operand)]; });
    if (here && n.op != Op::input && !is_sum_or_product(n.op)) return false;
  }
  return true;
}

/// Coefficients change at events at most.
bool is_linear(const EquationSet& equations) {
  for (const Kernel& kernel : equations.kernels()) {
    if (!is_rational(kernel)) return false;
    std::vector<int> variables;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable) variables.push_back(static_cast<int>(l));
    Graph graph = kernel.graph;
    const std::vector<NodeId> slopes = gradient(graph, kernel.residual, variables);
    for (const NodeId slope : slopes)
      for (const NodeId id : needed(graph, slope))
        if (const Node n = graph[id]; n.op == Op::input)
          if (const Leaf::Kind kind = kernel.leaves[static_cast<std::size_t>(n.a)].kind;
              kind == Leaf::Kind::time || kind == Leaf::Kind::variable)
            return false;
  }
  return true;
}

/// Entries of E where they depend on nothing that changes.
std::vector<Mass::Entry> constant_mass(const EquationSet& equations, int size) {
  const std::vector<double> zero(static_cast<std::size_t>(size), 0.0);
  const std::vector<double> modes(static_cast<std::size_t>(equations.discrete_values()), 0.0);
  const double* x[] = {zero.data(), zero.data()};
  const auto [entries, values] = JacobianAt(equations, {1}, {0, x, modes.data()});
  std::vector<Mass::Entry> mass;
  for (std::size_t k = 0; k < values.size(); ++k)
    mass.push_back({entries[k].row, entries[k].variable, values[k]});
  return mass;
}

/// Orders the equations as their matched variables: sparse factorisation then finds its pivots
/// on the diagonal. Returns the old row of each new one.
std::vector<int> put_matches_on_the_diagonal(StructuralAnalysis& structure) {
  const StructuralAnalysis old = structure;
  std::vector<int> row_of(old.match.size());
  for (std::size_t i = 0; i < old.match.size(); ++i) row_of[old.match[i]] = static_cast<int>(i);
  for (std::size_t j = 0; j < row_of.size(); ++j) {
    structure.match[j] = static_cast<int>(j);
    structure.equation_offset[j] = old.equation_offset[row_of[j]];
    structure.block[j] = old.block[row_of[j]];
  }
  return row_of;
}

std::shared_ptr<const GraphParts> new_parts(const ExpressionGraph& form) {
  const auto parts = std::make_shared<GraphParts>();
  const int n = form.size;
  parts->given = form.equations;
  parts->structure = analyze_structure(signature_of(*form.equations, n));
  if (!parts->structure.regular) return parts;
  parts->row_of = put_matches_on_the_diagonal(parts->structure);
  const auto equations = std::make_shared<EquationSet>(form.equations->restricted(parts->row_of));
  parts->equations = equations;
  parts->row_has_rates.assign(n, 0), parts->variable_has_rates.assign(n, 0);
  for (const Kernel& kernel : equations->kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order == 1)
        for (int i = 0; i < kernel.instances(); ++i)
          parts->row_has_rates[kernel.rows[static_cast<std::size_t>(i)]] =
              parts->variable_has_rates[kernel.which[l][static_cast<std::size_t>(i)]] = 1;
  const MassDependence mass = mass_dependence(*equations);
  parts->has_constant_mass = mass.is_constant;
  parts->is_nonlinear_in_rates = mass.on_rates;
  parts->is_linear = mass.is_constant && is_linear(*equations);
  if (mass.is_constant) parts->mass = constant_mass(*equations, n);
  if (mass.is_constant) parts->algebraic = algebraic_rows(n, parts->mass);
  parts->derivatives = std::make_shared<EquationJacobian>(*equations, std::vector{0, 1});
  return parts;
}

}  // namespace

std::shared_ptr<const GraphParts> graph_parts(const ExpressionGraph& form,
                                              const Findings& findings) {
  return found_or_made<GraphParts>(
      findings, [&](const GraphParts& known) { return known.given == form.equations; },
      [&] { return new_parts(form); });
}

}  // namespace daedalus
