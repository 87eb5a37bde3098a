#include "analysis/hidden_constraints.h"

#include <fmt/format.h>

#include "analysis/row_expressions.h"

namespace daedalus {
namespace {

// Beyond it nobody reads an equation.
constexpr double longest = 400;

class Writer {
 public:
  Writer(const EquationSet& equations, const EquationShapes& shapes, const ModelNames& names)
      : rows_(equations, names.variables, names.discrete), row_of_(shapes.differential.size(), -1) {
    for (std::size_t i = 0; i < shapes.explicit_for.size(); ++i)
      if (shapes.explicit_for[i] >= 0) row_of_[shapes.explicit_for[i]] = static_cast<int>(i);
  }

  /// The first `count` derivatives of a row; empty where all cancels.
  std::vector<std::string> derivatives(int row, int count, const std::string& label) {
    std::vector<std::string> texts;
    NodeId root = rows_.residual(row);
    for (int r = 1; r <= count; ++r) {
      if (rows_.written_size(root) <= longest) root = insert_rates(rows_.differentiated(root));
      if (rows_.written_size(root) <= longest)
        texts.push_back(rows_.equation_text(root));
      else
        texts.push_back(r == 1 ? fmt::format("der({}) = 0", label)
                               : fmt::format("der({}, {}) = 0", label, r));
    }
    return texts;
  }

 private:
  /// Every derivative that a row gives explicitly.
  NodeId insert_rates(NodeId root) {
    RowExpressions::Replacements replacements;
    for (const auto& [variable, order] : rows_.occurring(root))
      if (order == 1 && row_of_[variable] >= 0) replacements[{variable, 1}] = rate(variable);
    return replacements.empty() ? root : rows_.substituted(root, replacements);
  }

  /// c der(x) + rest = 0  gives  der(x) = -rest / c.
  NodeId rate(int variable) {
    if (const auto at = known_.find(variable); at != known_.end()) return at->second;
    const NodeId residual = rows_.residual(row_of_[variable]);
    Graph& g = rows_.graph;
    const NodeId rest = rows_.substituted(residual, {{{variable, 1}, g.constant(0)}});
    const NodeId input = rows_.variable(variable, 1);
    const NodeId coefficient = gradient(g, residual, {g[input].a})[0];
    return known_[variable] = g.div(g.neg(rest), coefficient);
  }

  RowExpressions rows_;
  std::vector<int> row_of_;  ///< of each variable: the row that gives its derivative
  std::map<int, NodeId> known_;
};

}  // namespace

HiddenConstraints hidden_constraints(const EquationSet& equations, const EquationShapes& shapes,
                                     const StructuralAnalysis& structure, const ModelNames& names,
                                     int most) {
  HiddenConstraints result;
  Writer writer(equations, shapes, names);
  for (int i = 0; i < equations.rows(); ++i) {
    const int count = structure.equation_offset[i];
    if (count == 0 || shapes.explicit_for[i] >= 0) continue;
    if (static_cast<int>(result.texts.size()) + count > most) {
      result.left_out += count;
      continue;
    }
    for (std::string& text : writer.derivatives(i, count, names.equations[i]))
      if (!text.empty()) result.texts.push_back(std::move(text));
  }
  return result;
}

}  // namespace daedalus
