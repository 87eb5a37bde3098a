#include "formulation/combined_problem.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/equation_shapes.h"
#include "analysis/linear_combination.h"
#include "problem/system.h"

namespace daedalus {
namespace {

std::string joined_name(const Combination& combination, const Names& names) {
  Names parts;
  for (const int i : combination.equations) parts.push_back(names[i]);
  const std::size_t more = parts.size() > 3 ? parts.size() - 3 : 0;
  parts.resize(parts.size() - more);
  return fmt::format("{}{}", fmt::join(parts, " + "),
                     more > 0 ? fmt::format(" + {} more", more) : "");
}

}  // namespace

CombinedProblem combined_problem(const Problem& problem) {
  CombinedProblem result{problem, ""};
  const auto* form = std::get_if<ExpressionGraph>(&problem.form);
  if (!form || !form->equations || form->equations->rows() != form->size || problem.sparsity ||
      problem.jacobian.right_hand_side || problem.jacobian.residual ||
      form->size > largest_reduced_graph)
    return result;
  const Vector& given = problem.start;
  const std::vector<double> start(given.data(), given.data() + given.size());
  const std::vector<double> none;
  CombinedEquations combined =
      combine_cancelling(*form->equations, problem.t_span.begin, start,
                         form->discrete ? form->discrete->data() : none.data());
  if (combined.combinations.empty()) return result;
  // Algebraic rows in a constant mass matrix are formed where the system is made, number by number.
  const int index = analyze_structure(signature_of(combined.equations, form->size)).index;
  if (index <= 1 && shapes_of(*form->equations).constant_mass) return result;
  ExpressionGraph next = *form;
  next.equations = std::make_shared<EquationSet>(std::move(combined.equations));
  Names& names = problem.equations.empty() ? next.equation_names : result.problem.equations;
  Names shown;
  for (const Combination& combination : combined.combinations) {
    if (static_cast<int>(names.size()) != form->size) break;
    std::string name = joined_name(combination, names);
    if (shown.size() < 3) shown.push_back('"' + name + '"');
    names[combination.row] = std::move(name);
  }
  const std::size_t count = combined.combinations.size();
  result.note = fmt::format(
      "derivatives cancel in {} combination{} of equations, which the structure does not show: "
      "{}{} "
      "took the place of one of them{}",
      count, count > 1 ? "s" : "", fmt::join(shown, ", "),
      count > shown.size() && !shown.empty() ? " and others" : "", count > 1 ? " each" : "");
  result.problem.form = std::move(next);
  return result;
}

}  // namespace daedalus
