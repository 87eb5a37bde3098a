#include "analysis/linear_combination.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/null_vectors.h"
#include "analysis/numerical_rank.h"
#include "analysis/row_expressions.h"

namespace daedalus {
namespace {

constexpr int most_rounds = 20;
constexpr int largest_part = 500;  // its elimination is dense
constexpr int most_terms = 40;     // of a combination that is worked out

/// A point at which nothing cancels by chance.
struct Somewhere {
  std::vector<double> y, yp;
  Somewhere(const std::vector<double>& start, std::size_t size) : y(start), yp(size, 0.0) {
    y.resize(size, 0.0);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.5, 1);
    for (double& x : y) x += 1e-2 * uniform(random) * std::max(std::abs(x), 1e-2);
    for (double& x : yp) x = uniform(random);
  }
};

class Combiner {
 public:
  Combiner(const EquationSet& equations, const StructuralAnalysis& structure)
      : equations_(equations),
        structure_(structure),
        variables_(static_cast<std::size_t>(equations.rows())),
        discrete_(static_cast<std::size_t>(equations.discrete_values())) {}

  /// True: the highest derivatives cancel, and `builder` has a row more.
  bool add(const RowCombination& combination, EquationBuilder& builder, int& replaced) {
    const std::vector<int>& c = structure_.equation_offset;
    int lowest = c[combination.row];
    replaced = combination.row;
    for (const RowCombination::Term& term : combination.terms)
      if (c[term.row] < lowest) lowest = c[term.row], replaced = term.row;
    RowExpressions rows(equations_, variables_, discrete_);
    NodeId sum = rows.graph.constant(0);
    for (const RowCombination::Term& term : combination.terms) {
      NodeId f = rows.residual(term.row);
      for (int k = lowest; k < c[term.row]; ++k) f = rows.differentiated(f);
      sum = rows.graph.add(sum, rows.graph.mul(rows.graph.constant(term.weight), f));
    }
    sum = rows.collected(sum);
    const std::vector<int>& d = structure_.variable_offset;
    const int block = structure_.block[combination.row];
    std::vector<char> in_block(d.size(), 0);
    for (std::size_t i = 0; i < d.size(); ++i)
      if (structure_.block[i] == block) in_block[structure_.match[i]] = 1;
    const auto occurring = rows.occurring(sum);
    for (const auto& [variable, order] : occurring)
      if (order > d[variable] - lowest || (in_block[variable] && order == d[variable] - lowest))
        return false;
    if (occurring.empty()) return false;
    rows.add(sum, builder);
    return true;
  }

 private:
  const EquationSet& equations_;
  const StructuralAnalysis& structure_;
  std::vector<std::string> variables_, discrete_;  ///< names that nobody sees
};

/// Equations whose part of J is singular.
struct SingularPart {
  std::vector<int> rows;
  std::vector<Mass::Entry> entries;  ///< of J
  int size() const { return static_cast<int>(rows.size()); }
};

std::vector<SingularPart> singular_parts(const EquationSet& equations,
                                         const StructuralAnalysis& structure,
                                         const SystemJacobian& ranks, const Point& point) {
  std::vector<SingularPart> parts;
  const std::vector<std::vector<int>> found = ranks.singular_parts();
  if (found.empty()) return parts;
  const JacobianAt jacobian(equations, {0, 1}, point);
  for (const std::vector<int>& rows : found)
    if (static_cast<int>(rows.size()) <= largest_part)
      parts.push_back({rows, part_of_jacobian(jacobian.entries, jacobian.values, rows, structure)});
  return parts;
}

/// Fewer degrees of freedom than before: the index is seen higher.
bool is_seen_better(const EquationSet& next, const StructuralAnalysis& before) {
  const StructuralAnalysis seen = analyze_structure(signature_of(next, next.rows()));
  return seen.regular && seen.degrees_of_freedom < before.degrees_of_freedom;
}

/// True: something cancelled, and `result` holds it.
bool combine_equations(const StructuralAnalysis& structure, const std::vector<SingularPart>& parts,
                       CombinedEquations& result) {
  const EquationSet& current = result.equations;
  Combiner combiner(current, structure);
  EquationBuilder builder;
  std::vector<int> replaced;
  std::vector<char> touched(static_cast<std::size_t>(current.rows()), 0);
  std::vector<Combination> made;
  for (const SingularPart& part : parts)
    for (RowCombination& c : left_null_vectors(part.size(), part.entries)) {
      c.row = part.rows[c.row];
      for (RowCombination::Term& term : c.terms) term.row = part.rows[term.row];
      // A single equation counts too, if it only has to be written out.
      if (static_cast<int>(c.terms.size()) > most_terms ||
          std::any_of(c.terms.begin(), c.terms.end(),
                      [&](const RowCombination::Term& term) { return touched[term.row] != 0; }))
        continue;
      int row = 0;
      if (!combiner.add(c, builder, row)) continue;
      Combination combination{row, {}};
      for (const RowCombination::Term& term : c.terms)
        touched[term.row] = 1, combination.equations.push_back(term.row);
      replaced.push_back(row), made.push_back(std::move(combination));
    }
  if (made.empty()) return false;
  EquationSet next = current.with_rows(replaced, builder.take());
  if (!is_seen_better(next, structure)) return false;
  result.equations = std::move(next);
  result.combinations.insert(result.combinations.end(), made.begin(), made.end());
  return true;
}

/// The same with a combination of variables.
bool substitute(const StructuralAnalysis& structure, const std::vector<SingularPart>& parts,
                CombinedEquations& result) {
  for (const SingularPart& part : parts)
    for (RowCombination& v : right_null_vectors(part.size(), part.entries)) {
      if (static_cast<int>(v.terms.size()) > most_terms) continue;
      for (RowCombination::Term& term : v.terms) term.row = structure.match[part.rows[term.row]];
      auto next = substitute_expressions(result.equations, structure, v);
      if (!next || !is_seen_better(next->equations, structure)) continue;
      result.equations = std::move(next->equations);
      result.substitutions.insert(result.substitutions.end(), next->expressions.begin(),
                                  next->expressions.end());
      return true;
    }
  return false;
}

}  // namespace

CombinedEquations combine_cancelling(const EquationSet& equations, double t,
                                     const std::vector<double>& start, const double* discrete) {
  CombinedEquations result{equations, {}, {}};
  for (int round = 0; round < most_rounds; ++round) {
    const EquationSet& current = result.equations;
    // Derivatives beyond the first may have come in with a combination.
    if (current.highest_order() > 1) break;
    const Somewhere at(start, static_cast<std::size_t>(current.rows()));
    const double* x[] = {at.y.data(), at.yp.data()};
    const Point point{t, x, discrete};
    const StructuralAnalysis structure = analyze_structure(signature_of(current, current.rows()));
    if (!structure.regular) break;
    const SystemJacobian ranks(current, structure, point);
    if (!ranks.is_finite()) break;
    const std::vector<SingularPart> parts = singular_parts(current, structure, ranks, point);
    if (parts.empty() ||
        !(combine_equations(structure, parts, result) || substitute(structure, parts, result)))
      break;
  }
  return result;
}

}  // namespace daedalus
