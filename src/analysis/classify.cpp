// The class of a problem, seen through the variables that only give names to expressions.
#include "analysis/equation_shapes.h"
#include "analysis/substitution.h"
#include "expression/rebuild.h"

namespace daedalus {
namespace {

EquationSet without_auxiliaries(const EquationSet& equations) {
  const std::vector<char> none(static_cast<std::size_t>(equations.rows()), 0);
  const Elimination elimination = choose_eliminated(equations, {none, none});
  const auto [rows, variables] = remaining(elimination);
  if (rows.empty()) return equations;
  return Substitution(elimination, equations.rows()).applied(equations.restricted(rows));
}

/// der(v) = w gives a name to a derivative: w is replaced by it, and the equation goes.
EquationSet without_names_of_rates(const EquationSet& equations) {
  const auto n = static_cast<std::size_t>(equations.rows());
  const EquationShapes shapes = shapes_of(equations);
  std::vector<int> rate_of(n, -1), place(n, -1);
  std::vector<char> spent(n, 0);
  for (const Kernel& kernel : equations.kernels()) {
    const Node root = kernel.graph[kernel.residual];
    if (root.op != Op::sub || kernel.graph[root.a].op != Op::input ||
        kernel.graph[root.b].op != Op::input)
      continue;
    for (const bool left : {true, false}) {
      const int rate = kernel.graph[left ? root.a : root.b].a;
      const int name = kernel.graph[left ? root.b : root.a].a;
      const Leaf &x = kernel.leaves[rate], &w = kernel.leaves[name];
      if (x.kind != Leaf::Kind::variable || w.kind != Leaf::Kind::variable || x.order != 1 ||
          w.order != 0)
        continue;
      for (int i = 0; i < kernel.instances(); ++i) {
        const int which = kernel.which[name][i];
        if (shapes.differential[which] || rate_of[which] >= 0) continue;
        rate_of[which] = kernel.which[rate][i], spent[kernel.rows[i]] = 1;
      }
    }
  }
  int next = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (rate_of[j] < 0) place[j] = next++;
  if (next == static_cast<int>(n)) return equations;
  EquationBuilder builder;
  for (const Kernel& kernel : equations.kernels())
    for (int i = 0; i < kernel.instances(); ++i) {
      if (spent[kernel.rows[i]]) continue;
      builder.begin();
      builder.add(rebuilt(kernel.graph, kernel.residual, builder.graph(), [&](int input) {
        const Leaf& leaf = kernel.leaves[input];
        if (leaf.kind != Leaf::Kind::variable) return builder.leaf(kernel, input, i);
        const int which = kernel.which[input][i];
        return rate_of[which] < 0 ? builder.variable(place[which], leaf.order)
                                  : builder.variable(place[rate_of[which]], leaf.order + 1);
      }));
    }
  return builder.take();
}

std::string class_of(const EquationSet& equations, int index, bool has_higher_derivatives) {
  const Signature signature = signature_of(equations, equations.rows());
  const StructuralAnalysis structure = analyze_structure(signature);
  if (!structure.regular) return "general";
  return classify(shapes_of(equations), signature, structure, index, has_higher_derivatives);
}

}  // namespace

std::string classify_without_auxiliaries(const EquationSet& equations,
                                         const StructuralAnalysis& structure, int index,
                                         bool has_higher_derivatives) {
  const std::string plain =
      classify(shapes_of(equations), signature_of(equations, equations.rows()), structure, index,
               has_higher_derivatives);
  if (plain != "general" || index < 2) return plain;
  const EquationSet lean = without_auxiliaries(equations);
  const std::string seen = class_of(lean, index, has_higher_derivatives);
  if (seen == "mechanical" || index != 3) return seen;
  const EquationSet second_order = without_names_of_rates(lean);
  const bool mechanical = second_order.rows() < lean.rows() &&
                          class_of(second_order, index, has_higher_derivatives) == "mechanical";
  return mechanical ? "mechanical" : seen;
}

}  // namespace daedalus
