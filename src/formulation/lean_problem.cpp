#include "formulation/lean_problem.h"

#include <algorithm>
#include <set>

#include "analysis/signature.h"
#include "analysis/substitution.h"
#include "expression/rebuild.h"
#include "problem/switching.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// Held values, and what events set, are values of unknowns.
std::vector<char> variables_that_stay(const Problem& problem, const ExpressionGraph& form,
                                      const Names& names) {
  std::vector<char> stays(static_cast<std::size_t>(form.size), 0);
  std::fill(stays.begin() + form.visible, stays.end(), 1);
  const std::set<std::string> fixed(problem.fixed.begin(), problem.fixed.end());
  const auto derivative_is_fixed = [&](const std::string& name) {
    const auto at = fixed.lower_bound("der(" + name);
    return at != fixed.end() &&
           (at->starts_with("der(" + name + ")") || at->starts_with("der(" + name + ","));
  };
  for (std::size_t j = 0; j < names.size() && !fixed.empty(); ++j)
    if (fixed.contains(names[j]) || derivative_is_fixed(names[j])) stays[j] = 1;
  if (form.switching)
    for (const WhenClause& when : form.switching->whens)
      for (const WhenClause::Branch& branch : when.branches)
        for (const Action& action : branch.actions)
          if (action.kind == Action::Kind::reinit) stays[action.target] = 1;
  return stays;
}

/// Equations of hidden constraints. Steps keep linear relations by themselves, the others are
/// restored by projection. Where such a one defines an auxiliary variable, it is this that moves,
/// and combinations of the rest that the equations conserve (a charge) stay what they were.
std::vector<char> to_be_differentiated(const ExpressionGraph& form) {
  const StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, form.size));
  std::vector<char> result(static_cast<std::size_t>(form.size), 0);
  for (std::size_t i = 0; i < result.size() && structure.regular; ++i)
    result[i] = structure.equation_offset[i] > 0;
  return result;
}

std::vector<Expansion::Level> levels_of(const Elimination& elimination) {
  std::vector<Expansion::Level> levels;
  EquationBuilder builder;
  const auto close = [&] {
    if (!levels.empty()) levels.back().values = builder.take();
  };
  for (std::size_t k = 0; k < elimination.replacements.size(); ++k) {
    const Replacement& r = elimination.replacements[k];
    if (k == 0 || elimination.level[k] != elimination.level[k - 1]) close(), levels.emplace_back();
    builder.begin();
    builder.add(rebuilt(r.value->graph, r.value->value, builder.graph(),
                        [&](int input) { return builder.leaf(*r.kernel, input, r.instance); }));
    levels.back().variables.push_back(r.variable);
  }
  close();
  return levels;
}

template <class List>
List picked(const List& list, const std::vector<int>& which) {
  List result;
  for (const int k : which) result.push_back(list[k]);
  return result;
}

Values picked_values(const Vector& values, const std::vector<int>& which) {
  std::vector<double> result;
  for (const int k : which) result.push_back(k < values.size() ? values[k] : 0.0);
  return result;
}

std::shared_ptr<const Switching> lean_switching(const Switching& given,
                                                const Substitution& substitution) {
  auto lean = std::make_shared<Switching>(given);
  lean->crossings = substitution.applied(given.crossings);
  lean->values = substitution.applied(given.values);
  for (WhenClause& when : lean->whens)
    for (WhenClause::Branch& branch : when.branches)
      for (Action& action : branch.actions)
        if (action.kind == Action::Kind::reinit)
          action.target = substitution.place()[action.target];
  return lean;
}

}  // namespace

LeanProblem lean_problem(const Problem& problem, bool on_manifold) {
  const LeanProblem unchanged{problem, nullptr};
  const auto* form = std::get_if<ExpressionGraph>(&problem.form);
  // What the user says of rows and columns is said of all of them.
  if (!form || !form->equations || form->equations->rows() != form->size || problem.sparsity ||
      problem.jacobian.right_hand_side || problem.jacobian.residual ||
      !problem.variable_index.empty())
    return unchanged;
  Names names = form->variables;
  if (names.empty()) append_numbered(names, "y", form->size);
  if (static_cast<int>(problem.variables.size()) == form->visible)
    std::copy(problem.variables.begin(), problem.variables.end(), names.begin());
  const auto fits = [&](const Names& list) {
    return list.empty() || static_cast<int>(list.size()) == form->size;
  };
  if (!fits(names) || !fits(form->equation_names) || !fits(problem.equations)) return unchanged;
  std::vector<char> stated = form->stated;
  stated.resize(names.size(), form->stated.empty());
  EliminationRules rules{variables_that_stay(problem, *form, names), stated};
  if (!on_manifold) rules.only_if_affine = [&] { return to_be_differentiated(*form); };
  rules.fill_is_free = on_manifold;
  const Elimination elimination = choose_eliminated(*form->equations, rules);
  if (elimination.replacements.empty()) return unchanged;
  const auto [rows, variables] = remaining(elimination);
  if (variables.empty()) return unchanged;

  const Substitution substitution(elimination, form->size);
  ExpressionGraph lean = *form;
  lean.size = static_cast<int>(variables.size());
  lean.visible = static_cast<int>(
      std::lower_bound(variables.begin(), variables.end(), form->visible) - variables.begin());
  lean.equations =
      std::make_shared<EquationSet>(substitution.applied(form->equations->restricted(rows)));
  // The message should speak of the equations as they were written.
  if (!analyze_structure(signature_of(*lean.equations, lean.size)).regular) return unchanged;
  if (form->initial_equations)
    lean.initial_equations =
        std::make_shared<EquationSet>(substitution.applied(*form->initial_equations));
  if (form->switching) lean.switching = lean_switching(*form->switching, substitution);
  lean.variables = picked(names, variables);
  lean.stated = picked(stated, variables);
  if (!form->equation_names.empty()) lean.equation_names = picked(form->equation_names, rows);

  LeanProblem result{problem, nullptr};
  result.problem.form = std::move(lean);
  result.problem.start = picked_values(problem.start, variables);
  if (problem.start_derivative.size() > 0)
    result.problem.start_derivative = picked_values(problem.start_derivative, variables);
  result.problem.variables.clear();
  if (!problem.equations.empty()) result.problem.equations = picked(problem.equations, rows);
  names.resize(static_cast<std::size_t>(form->visible));
  result.expansion =
      std::make_shared<Expansion>(std::move(names), form->size, variables, levels_of(elimination));
  return result;
}

}  // namespace daedalus
