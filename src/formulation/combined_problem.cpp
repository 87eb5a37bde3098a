#include "formulation/combined_problem.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/equation_shapes.h"
#include "analysis/linear_combination.h"
#include "problem/system_of.h"

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

/// Renames what was combined, and tells.
std::string note_on(const std::vector<Combination>& combinations, Names& names, int size) {
  Names shown;
  for (const Combination& combination : combinations) {
    if (static_cast<int>(names.size()) != size) break;
    std::string name = joined_name(combination, names);
    if (shown.size() < 3) shown.push_back('"' + name + '"');
    names[combination.row] = std::move(name);
  }
  const std::size_t count = combinations.size();
  if (count == 0) return "";
  return fmt::format(
      "derivatives cancel in {} combination{} of equations, which the structure does not show: "
      "{}{} took the place of one of them{}",
      count, count > 1 ? "s" : "", fmt::join(shown, ", "),
      count > shown.size() && !shown.empty() ? " and others" : "", count > 1 ? " each" : "");
}

std::string derivative_name(const std::string& name, int order) {
  return order == 0 ? name : fmt::format("der({})", name);
}

/// The variables that stand for expressions come behind all others.
void add_variables(const std::vector<SubstitutedExpression>& substitutions, ExpressionGraph& form,
                   Names& equations) {
  if (form.variables.empty()) append_numbered(form.variables, "y", form.size);
  const bool named = !equations.empty();
  if (!form.stated.empty()) form.stated.resize(form.variables.size() + substitutions.size(), 0);
  for (const SubstitutedExpression& e : substitutions) {
    const std::string x = derivative_name(form.variables[e.variable], e.order),
                      other = derivative_name(form.variables[e.other], e.other_order);
    const double size = std::abs(e.weight);
    form.variables.push_back(fmt::format("{} {} {}{}", x, e.weight > 0 ? '-' : '+',
                                         size == 1 ? "" : fmt::format("{:.6g}*", size), other));
    if (named) equations.push_back("definition of " + form.variables.back());
  }
  form.size = static_cast<int>(form.variables.size());
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
  if (combined.combinations.empty() && combined.substitutions.empty()) return result;
  // Algebraic rows in a constant mass matrix are formed where the system is made, number by number.
  const int index =
      analyze_structure(signature_of(combined.equations, combined.equations.rows())).index;
  if (index <= 1 && shapes_of(*form->equations).constant_mass) return result;
  ExpressionGraph next = *form;
  next.equations = std::make_shared<EquationSet>(std::move(combined.equations));
  Names& names = problem.equations.empty() ? next.equation_names : result.problem.equations;
  result.note = note_on(combined.combinations, names, form->size);
  if (!combined.substitutions.empty()) add_variables(combined.substitutions, next, names);
  if (!combined.substitutions.empty())
    result.note += fmt::format(
        "{}derivatives occur only together, which the structure does not show: {} became {}",
        result.note.empty() ? "" : "; ",
        fmt::join(next.variables.end() - std::ssize(combined.substitutions), next.variables.end(),
                  ", "),
        combined.substitutions.size() > 1 ? "variables" : "a variable");
  result.problem.form = std::move(next);
  return result;
}

}  // namespace daedalus
