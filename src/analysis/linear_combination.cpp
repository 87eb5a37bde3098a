#include "analysis/linear_combination.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/numerical_rank.h"
#include "analysis/row_expressions.h"
#include "expression/rebuild.h"
#include "problem/algebraic_rows.h"

namespace daedalus {
namespace {

constexpr int most_rounds = 20;
constexpr int largest_part = 500;  // its elimination is dense
constexpr int most_terms = 40;     // of a combination that is worked out
constexpr double rounding = 1e-8;  // of weights that are simple numbers

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

/// Multiples of 1/12 cover what people write: 1, -1, 2, 1/2, 1/3.
double simple(double weight) {
  const double near = std::round(12 * weight) / 12;
  return near != 0 && std::abs(near - weight) <= rounding * std::abs(near) ? near : weight;
}

/// Left null vectors of the part of J in the given rows, all entries scaled to about one.
std::vector<RowCombination> null_vectors(const std::vector<EquationJacobian::Entry>& entries,
                                         const std::vector<double>& values,
                                         const std::vector<int>& rows,
                                         const StructuralAnalysis& structure) {
  std::map<int, int> row_at, column_at;
  for (std::size_t k = 0; k < rows.size(); ++k)
    row_at[rows[k]] = static_cast<int>(k), column_at[structure.match[rows[k]]] = row_at[rows[k]];
  std::vector<Mass::Entry> part;
  std::vector<double> row_size(rows.size(), 0.0), column_size(rows.size(), 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto& e = entries[k];
    const auto i = row_at.find(e.row), j = column_at.find(e.variable);
    if (i == row_at.end() || j == column_at.end() ||
        e.order != structure.variable_offset[e.variable] - structure.equation_offset[e.row])
      continue;
    part.push_back({i->second, j->second, values[k]});
    row_size[i->second] = std::max(row_size[i->second], std::abs(values[k]));
  }
  for (double& size : row_size) size = size > 0 ? size : 1.0;
  const auto divide = [](double& x, double size) { x = size > 0 ? x / size : x; };
  for (Mass::Entry& e : part) {
    divide(e.value, row_size[e.row]);
    column_size[e.column] = std::max(column_size[e.column], std::abs(e.value));
  }
  for (Mass::Entry& e : part) divide(e.value, column_size[e.column]);
  std::vector<RowCombination> found = algebraic_rows(static_cast<int>(rows.size()), part);
  for (RowCombination& combination : found) {
    const double own = row_size[combination.row];
    for (RowCombination::Term& term : combination.terms) {
      divide(term.weight, row_size[term.row]);
      term.weight = simple(term.weight * own);
      term.row = rows[term.row];
    }
    combination.row = rows[combination.row];
    std::erase_if(combination.terms,
                  [](const RowCombination::Term& term) { return std::abs(term.weight) < 1e-10; });
  }
  return found;
}

int most_discrete(const EquationSet& equations) {
  int most = 0;
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::discrete)
        for (const int which : kernel.which[l]) most = std::max(most, which + 1);
  return most;
}

class Combiner {
 public:
  Combiner(const EquationSet& equations, const StructuralAnalysis& structure)
      : equations_(equations),
        structure_(structure),
        variables_(static_cast<std::size_t>(equations.rows())),
        discrete_(static_cast<std::size_t>(most_discrete(equations))) {}

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
    builder.begin();
    builder.add(rebuilt(rows.graph, sum, builder.graph(), [&](int number) {
      const Leaf& leaf = rows.leaf_of(number);
      return leaf.kind == Leaf::Kind::time       ? builder.time()
             : leaf.kind == Leaf::Kind::discrete ? builder.discrete(leaf.which)
                                                 : builder.variable(leaf.which, leaf.order);
    }));
    return true;
  }

 private:
  const EquationSet& equations_;
  const StructuralAnalysis& structure_;
  std::vector<std::string> variables_, discrete_;  ///< names that nobody sees
};

/// Rows `replaced` become those of `fresh`.
EquationSet with_rows(const EquationSet& equations, const std::vector<int>& replaced,
                      const EquationSet& fresh) {
  std::vector<int> position(static_cast<std::size_t>(equations.rows()), -1), others;
  for (std::size_t k = 0; k < replaced.size(); ++k)
    position[replaced[k]] = equations.rows() - static_cast<int>(replaced.size() - k);
  for (int i = 0; i < equations.rows(); ++i)
    if (position[i] < 0) position[i] = static_cast<int>(others.size()), others.push_back(i);
  return EquationSet::joined({equations.restricted(others), fresh}).restricted(position);
}

}  // namespace

CombinedEquations combine_cancelling(const EquationSet& equations, double t,
                                     const std::vector<double>& start, const double* discrete) {
  CombinedEquations result{equations, {}};
  const Somewhere point(start, static_cast<std::size_t>(equations.rows()));
  const double* x[] = {point.y.data(), point.yp.data()};
  for (int round = 0; round < most_rounds; ++round) {
    const EquationSet& current = result.equations;
    // Derivatives beyond the first may have come in with a combination.
    if (current.highest_order() > 1) break;
    const StructuralAnalysis structure = analyze_structure(signature_of(current, current.rows()));
    if (!structure.regular) break;
    const SystemJacobian ranks(current, structure, {t, x, discrete});
    if (!ranks.is_finite()) break;
    const std::vector<std::vector<int>> parts = ranks.singular_parts();
    if (parts.empty()) break;
    const EquationJacobian jacobian(current, {0, 1});
    std::vector<double> values(jacobian.entries().size());
    jacobian.evaluate({t, x, discrete}, values.data());
    Combiner combiner(current, structure);
    EquationBuilder builder;
    std::vector<int> replaced;
    std::vector<char> touched(static_cast<std::size_t>(current.rows()), 0);
    std::vector<Combination> made;
    for (const std::vector<int>& part : parts) {
      if (static_cast<int>(part.size()) > largest_part) continue;
      for (const RowCombination& c : null_vectors(jacobian.entries(), values, part, structure)) {
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
    }
    if (made.empty()) break;
    EquationSet next = with_rows(current, replaced, builder.take());
    const StructuralAnalysis seen = analyze_structure(signature_of(next, next.rows()));
    if (!seen.regular || seen.degrees_of_freedom >= structure.degrees_of_freedom) break;
    result.equations = std::move(next);
    result.combinations.insert(result.combinations.end(), made.begin(), made.end());
  }
  return result;
}

}  // namespace daedalus
