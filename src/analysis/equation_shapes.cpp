#include "analysis/equation_shapes.h"

#include <algorithm>

namespace daedalus {
namespace {

bool is_number(const Graph& graph, NodeId root, const std::vector<Leaf>& leaves) {
  std::vector<NodeId> open = {root};
  while (!open.empty()) {
    const Node n = graph[open.back()];
    open.pop_back();
    if (n.op == Op::input && leaves[static_cast<std::size_t>(n.a)].kind != Leaf::Kind::data)
      return false;
    const int count = operands_of(n.op);
    if (count > 0) open.push_back(n.a);
    if (count > 1) open.push_back(n.b);
    if (count > 2) open.push_back(n.c);
  }
  return true;
}

/// The rows of a signature with the questions that classes ask.
class Rows {
 public:
  Rows(const EquationShapes& shapes, const Signature& signature)
      : shapes_(shapes), signature_(signature) {}

  int count() const { return static_cast<int>(shapes_.algebraic.size()); }
  template <class Predicate>
  bool all_in(int row, Predicate predicate) const {
    const auto& e = signature_.entries;
    return std::all_of(e.begin() + signature_.row_start[row],
                       e.begin() + signature_.row_start[row + 1], predicate);
  }
  bool has_algebraic_variable(int row) const {
    return !all_in(row, [&](const Incidence& e) { return shapes_.differential[e.variable] != 0; });
  }
  /// der(q) = v and nothing else.
  bool is_rate_only(int row) const {
    return shapes_.explicit_for[row] >= 0 &&
           signature_.row_start[row + 1] - signature_.row_start[row] == 2 &&
           !has_algebraic_variable(row);
  }
  bool is_semi_explicit() const {
    for (int i = 0; i < count(); ++i)
      if (!shapes_.algebraic[i] && shapes_.explicit_for[i] < 0) return false;
    return true;
  }

 private:
  const EquationShapes& shapes_;
  const Signature& signature_;
};

/// Constraints 0 = g(t, y) on differential variables alone, for index 3 only on those whose
/// derivative holds no multiplier. Other algebraic variables may stand between, if they are
/// computed from what they stand for: those are of index 1.
bool is_hessenberg(const EquationShapes& shapes, const Rows& rows,
                   const StructuralAnalysis& structure, int index) {
  const auto is_multiplier = [&](const Incidence& e) {
    return !shapes.differential[e.variable] && structure.variable_index[e.variable] > 1;
  };
  std::vector<char> driven(shapes.differential.size(), 0);
  for (int i = 0; i < rows.count() && index == 3; ++i)
    if (shapes.explicit_for[i] >= 0 &&
        !rows.all_in(i, [&](const Incidence& e) { return !is_multiplier(e); }))
      driven[shapes.explicit_for[i]] = 1;
  for (int i = 0; i < rows.count(); ++i)
    if (shapes.algebraic[i] && structure.equation_offset[i] > 0 &&
        !rows.all_in(i, [&](const Incidence& e) {
          return shapes.differential[e.variable] && !driven[e.variable];
        }))
      return false;
  return true;
}

/// q' = v, forces with multipliers, constraints 0 = g(t, q) that are to be differentiated twice.
bool is_mechanical(const EquationShapes& shapes, const Rows& rows,
                   const StructuralAnalysis& structure) {
  std::vector<char> position(shapes.differential.size(), 0);
  for (int i = 0; i < rows.count(); ++i)
    if (rows.is_rate_only(i)) position[shapes.explicit_for[i]] = 1;
  int constraints = 0;
  const auto is_multiplier = [&](int j) {
    return !shapes.differential[j] && structure.variable_index[j] == 3;
  };
  for (int i = 0; i < rows.count(); ++i) {
    const bool free_of_multipliers =
        rows.all_in(i, [&](const Incidence& e) { return !is_multiplier(e.variable); });
    if (!shapes.algebraic[i]) {
      if (rows.is_rate_only(i) && !free_of_multipliers) return false;
      continue;
    }
    if (structure.equation_offset[i] == 0) continue;
    if (structure.equation_offset[i] != 2 ||
        !rows.all_in(i, [&](const Incidence& e) { return position[e.variable] != 0; }))
      return false;
    ++constraints;
  }
  int multipliers = 0;
  for (std::size_t j = 0; j < shapes.differential.size(); ++j)
    multipliers += is_multiplier(static_cast<int>(j));
  return constraints > 0 && multipliers == constraints;
}

}  // namespace

EquationShapes shapes_of(const EquationSet& equations) {
  const auto n = static_cast<std::size_t>(equations.rows());
  EquationShapes shapes{std::vector<char>(n, 1), std::vector<int>(n, -1), std::vector<char>(n, 0),
                        true};
  std::vector<char> given(n, 0);
  for (const Kernel& kernel : equations.kernels()) {
    std::vector<int> rates;
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order == 1)
        rates.push_back(static_cast<int>(l));
    if (rates.empty()) continue;
    Graph graph = kernel.graph;
    bool constant = true;
    for (const NodeId partial : gradient(graph, kernel.residual, rates))
      constant = constant && is_number(graph, partial, kernel.leaves);
    shapes.constant_mass = shapes.constant_mass && constant;
    for (std::size_t i = 0; i < kernel.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(kernel.rows[i]);
      shapes.algebraic[row] = 0;
      for (const int l : rates)
        shapes.differential[kernel.which[static_cast<std::size_t>(l)][i]] = 1;
      const int variable = kernel.which[static_cast<std::size_t>(rates[0])][i];
      if (rates.size() > 1 || !constant || given[variable]) continue;
      given[variable] = 1, shapes.explicit_for[row] = variable;
    }
  }
  return shapes;
}

std::string classify(const EquationShapes& shapes, const Signature& signature,
                     const StructuralAnalysis& structure, int index, bool has_higher_derivatives) {
  const Rows rows(shapes, signature);
  const bool semi_explicit = rows.is_semi_explicit();
  if (has_higher_derivatives) return "higher-order";
  if (index == 0 && semi_explicit) return "explicit-ode";
  if (index == 3 && is_mechanical(shapes, rows, structure)) return "mechanical";
  if (semi_explicit && index == 1) return "index-1";
  if (semi_explicit && index == 2 && is_hessenberg(shapes, rows, structure, 2))
    return "hessenberg-2";
  if (semi_explicit && index == 3 && is_hessenberg(shapes, rows, structure, 3))
    return "hessenberg-3";
  return shapes.constant_mass && index <= 1 ? "linearly-implicit" : "general";
}

}  // namespace daedalus
