// All that is known before the first step: structure of expression graphs, ranks at the start.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/consistent_start.h"
#include "analysis/contradictions.h"
#include "analysis/derivative_array.h"
#include "analysis/hidden_constraints.h"
#include "analysis/numerical_rank.h"
#include "bvp/boundary_graph.h"
#include "daedalus/analysis.h"
#include "problem/switch_board.h"

namespace daedalus {
namespace {

constexpr int most_hidden_constraints = 200;
constexpr double largest_dense_start = 2.5e6;  // entries of the matrix of all constraints
constexpr int most_rounds = 20;                // of modes and start
constexpr int beyond_structure = 3;            // so much higher an index is tried

/// The consistent point nearest to the guesses, as a run would begin.
struct Start {
  std::shared_ptr<System> system;
  std::vector<char> fixed;
  std::vector<double> guess, y, yp, scale;
  bool searched = false;
  StartReport report;
};

Start find_start(const Problem& problem, const Vector& nominal) {
  Start s;
  s.system = make_system(problem, Formulation::direct);
  const auto n = static_cast<std::size_t>(s.system->size);
  s.fixed = fixed_variables(problem, *s.system);
  s.y.assign(n, 0.0), s.yp.assign(n, 0.0);
  const Vector &given = problem.start, &rates = problem.start_derivative;
  std::copy(given.data(), given.data() + given.size(), s.y.begin());
  std::copy(rates.data(), rates.data() + rates.size(), s.yp.begin());
  s.guess = s.y;
  const double usual = nominal.size() > 0 ? nominal.minCoeff() : 1.0;
  for (std::size_t j = 0; j < n; ++j)
    s.scale.push_back(std::max(std::abs(s.y[j]),
                               j < static_cast<std::size_t>(nominal.size()) ? nominal[j] : usual));
  const std::shared_ptr<ConstraintSet>& set =
      s.system->start_constraints ? s.system->start_constraints : s.system->constraints;
  if (set && static_cast<double>(set->equations.size()) * set->unknowns > largest_dense_start &&
      !set->is_sparse())
    return s;
  const double t = problem.t_span.begin;
  Jacobian jacobian(*s.system, LinearAlgebra::automatic, t, s.y.data(), s.yp.data());
  SwitchBoard switches(s.system->switching.get(), s.system->modes.get());
  switches.renew(t, s.y.data(), {});
  const std::vector<double> rates_given = s.yp;
  // Which side a relation is on may depend on the consistent point, and the other way round.
  for (int round = 0; round < most_rounds; ++round) {
    s.y = s.guess, s.yp = rates_given;
    s.report = make_consistent(*s.system, jacobian, t, s.y, s.yp, s.fixed, s.scale, true);
    const Names wrong = switches.on_wrong_side(t, s.y.data());
    if (!switches.renew(t, s.y.data(), {})) break;
    if (s.report.consistent && round + 1 == most_rounds)
      s.report.consistent = false, s.report.message = SwitchBoard::unsettled(t, wrong);
  }
  s.searched = true;
  return s;
}

std::string quoted(const std::vector<int>& which, const Names& names) {
  Names shown;
  for (std::size_t k = 0; k < which.size() && k < 5; ++k)
    shown.push_back(fmt::format("\"{}\"", names[which[k]]));
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     which.size() > 5 ? fmt::format(" and {} more", which.size() - 5) : "");
}

void append(Names& list, const std::vector<int>& which, const Names& names) {
  for (const int k : which) list.push_back(names[k]);
}

void describe_start(const Problem& problem, const Start& start, Analysis& a) {
  a.variables.assign(start.system->variables.begin(),
                     start.system->variables.begin() + start.system->visible);
  a.fixed = problem.fixed;
  for (int j = 0; j < start.system->visible; ++j)
    if (!start.fixed[j]) a.free.push_back(start.system->variables[j]);
  if (!start.searched) {
    a.warnings.push_back(
        "the consistent start was not computed: hidden constraints of so large a model, where most "
        "variables enter most of them, are more than the dense matrices of this search can hold; "
        "try a smaller instance of the model");
    return;
  }
  if (start.report.consistent) {
    a.consistent_start.assign(start.y.begin(), start.y.begin() + start.system->visible);
    for (int j = 0; j < start.system->visible; ++j)
      a.initial_shift.push_back(start.y[j] - start.guess[j]);
    return;
  }
  a.inconsistent = true;
  a.warnings.push_back(start.report.message.text());
  const System& system = *start.system;
  const std::shared_ptr<ConstraintSet> set = system.start_constraints ? system.start_constraints
                                             : system.constraints
                                                 ? system.constraints
                                                 : level_constraints(system, start.scale);
  if (std::all_of(start.y.begin(), start.y.end(), [](double x) { return std::isfinite(x); }))
    a.contradictions =
        contradictions(system, *set, problem.t_span.begin, start.guess, start.fixed, start.scale);
}

/// Ranks at the consistent start, of the graph's own equations.
void find_ranks(const Problem& problem, const ExpressionGraph& form,
                const StructuralAnalysis& structure, const EquationShapes& shapes,
                const Names& equations, const Start& start, Analysis& a) {
  const double t = problem.t_span.begin;
  const double* x[] = {start.y.data(), start.yp.data()};
  const SystemJacobian jacobian(*form.equations, structure, {t, x, start.system->modes->data()});
  if (!jacobian.is_finite()) {
    a.warnings.push_back(
        "derivatives of the equations are not finite at the start: ranks are "
        "unknown; try a start where every expression is smooth");
    return;
  }
  // Where constraints are hidden, it is their derivatives that must stay independent.
  std::vector<int> algebraic;
  for (int i = 0; i < form.size; ++i)
    if (shapes.algebraic[i] && (structure.index < 2 || structure.equation_offset[i] > 0))
      algebraic.push_back(i);
  if (!algebraic.empty()) a.sigma_min = jacobian.smallest_singular_value(algebraic);
  const std::vector<int> part = jacobian.singular_part();
  if (part.empty()) {
    a.numerical_index = structure.index;
    return;
  }
  const std::string where = quoted(part, equations);
  std::vector<double> y = start.y, yp = start.yp;
  const auto found = array_index(*form.equations, t, start.system->modes->data(), y, yp,
                                 start.fixed, start.scale, structure.index + beyond_structure);
  a.degrees_of_freedom.reset();
  if (found) {
    a.numerical_index = found->index, a.degrees_of_freedom = found->degrees_of_freedom;
    a.warnings.push_back(fmt::format(
        "{} depend on each other at the start, which their structure does not show: index {} and "
        "{} degrees of freedom by ranks, {} and {} by structure; hidden constraints are listed as "
        "far as the structure shows them",
        where, found->index, found->degrees_of_freedom, structure.index,
        structure.degrees_of_freedom));
  } else {
    a.warnings.push_back(fmt::format(
        "{} depend on each other at the start and no number of derivatives (as far as tried) makes "
        "up for it: the point is singular, some equations are redundant, or the model is too large "
        "for this test; try another start, or check these equations",
        where));
  }
}

/// Modes are called what their relation says.
Names discrete_names(const ExpressionGraph& form) {
  Names names;
  for (std::size_t k = 0; form.discrete && k < form.discrete->size(); ++k)
    names.push_back(fmt::format("discrete[{}]", k + 1));
  if (form.switching)
    for (const Relation& relation : form.switching->relations) names[relation.mode] = relation.name;
  return names;
}

Analysis analyze_graph(const Problem& problem, const ExpressionGraph& form, const Vector& nominal) {
  Analysis a;
  a.equations = form.equations ? form.equations->rows() - (form.size - form.visible) : 0;
  a.unknowns = form.visible;
  if (!form.equations || form.equations->rows() != form.size)
    throw InvalidInput(fmt::format("the graph has {} equations for {} unknowns",
                                   form.equations ? form.equations->rows() : 0, form.size));
  const Signature signature = signature_of(*form.equations, form.size);
  const StructuralAnalysis structure = analyze_structure(signature);
  const Names& equations = problem.equations.empty() ? form.equation_names : problem.equations;
  if (!structure.regular) {
    a.problem_class = "singular";
    a.variables.assign(form.variables.begin(), form.variables.begin() + form.visible);
    append(a.underdetermined, structure.under_variables, form.variables);
    append(a.underdetermined, structure.under_equations, equations);
    append(a.overdetermined, structure.over_equations, equations);
    append(a.overdetermined, structure.over_variables, form.variables);
    a.warnings.push_back(fmt::format(
        "the equations are structurally singular: {} determine only {}; nothing determines {}",
        quoted(structure.over_equations, equations),
        quoted(structure.over_variables, form.variables),
        quoted(structure.under_variables, form.variables)));
    return a;
  }
  a.structural_index = structure.index;
  a.degrees_of_freedom = structure.degrees_of_freedom;
  const EquationShapes shapes = shapes_of(*form.equations);
  HiddenConstraints hidden = hidden_constraints(
      *form.equations, shapes, structure,
      {.variables = form.variables, .discrete = discrete_names(form), .equations = equations},
      most_hidden_constraints);
  a.hidden_constraints = std::move(hidden.texts);
  if (hidden.left_out > 0)
    a.warnings.push_back(fmt::format("{} more hidden constraints are not listed", hidden.left_out));
  const Start start = find_start(problem, nominal);
  describe_start(problem, start, a);
  if (!a.consistent_start.empty())
    find_ranks(problem, form, structure, shapes, equations, start, a);
  const int index = a.numerical_index.value_or(structure.index);
  if (a.sigma_min && *a.sigma_min < 1e-8 && index == structure.index)
    a.warnings.push_back(fmt::format(
        "the constraints are (nearly) dependent at the start: smallest singular value {:.2g}",
        *a.sigma_min));
  // What the structure shows is no guide to a class where it deceives about the index.
  const bool deceives = index != structure.index;
  a.problem_class = deceives && index > 1
                        ? "general"
                        : classify_without_auxiliaries(*form.equations, structure, index,
                                                       form.size > form.visible);
  return a;
}

struct ClassOf {
  std::string operator()(const LinearlyImplicit& f) const {
    return f.mass.is_identity() ? "explicit-ode" : "linearly-implicit";
  }
  std::string operator()(const SemiExplicit&) const { return "index-1"; }
  std::string operator()(const SingularlyPerturbed& f) const {
    return f.epsilon == 0 ? "index-1" : "linearly-implicit";
  }
  std::string operator()(const HessenbergIndex2&) const { return "hessenberg-2"; }
  std::string operator()(const HessenbergIndex3&) const { return "hessenberg-3"; }
  std::string operator()(const Mechanical&) const { return "mechanical"; }
  std::string operator()(const HigherOrder&) const { return "higher-order"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "general";
  }
};

/// Equations that are functions: what the form promises, checked at the start only.
Analysis analyze_functions(const Problem& problem, const Vector& nominal) {
  Analysis a;
  const Start start = find_start(problem, nominal);
  const System& system = *start.system;
  a.equations = a.unknowns = system.visible;
  a.problem_class = std::visit(ClassOf(), problem.form);
  describe_start(problem, start, a);
  const bool algebraic = std::any_of(system.algebraic_variable.begin(),
                                     system.algebraic_variable.end(), [](char c) { return c; });
  const bool form_tells = !std::holds_alternative<FullyImplicit>(problem.form) &&
                          !std::holds_alternative<LinearlyImplicit>(problem.form);
  if (form_tells) {
    a.structural_index =
        algebraic ? *std::max_element(system.variable_index.begin(), system.variable_index.end())
                  : 0;
    int constraints = 0;
    for (std::size_t k = 0; k < system.levels.size(); ++k) {
      constraints += system.levels[k].size();
      if (k > 0)
        a.hidden_constraints.insert(a.hidden_constraints.end(), system.levels[k].equations.begin(),
                                    system.levels[k].equations.end());
    }
    a.degrees_of_freedom = system.size - constraints;
  }
  a.warnings.push_back(
      "the equations are functions whose structure cannot be seen: the index is what the form "
      "promises; write them as a model to have it checked");
  return a;
}

}  // namespace

Analysis analyze(const Problem& problem, const Values& nominal) {
  const Vector& sizes = nominal;
  const auto* graph = std::get_if<ExpressionGraph>(&problem.form);
  return graph ? analyze_graph(problem, *graph, sizes) : analyze_functions(problem, sizes);
}

Analysis analyze(const Model& model) {
  Options unit;
  unit.rtol = 1, unit.atol = {1.0};
  if (const auto& boundary = model.boundary()) {
    Analysis a = analyze(bvp::problem_of(*boundary), model.scaled(unit).atol);
    // There is no start: its values are part of the solution.
    a.fixed.clear(), a.free.clear(), a.contradictions.clear();
    a.consistent_start.clear(), a.initial_shift.clear();
    a.inconsistent = false;
    const int given = boundary->conditions.rows();
    if (a.degrees_of_freedom && given != *a.degrees_of_freedom)
      a.warnings.push_back(fmt::format("{} boundary conditions for {} degrees of freedom", given,
                                       *a.degrees_of_freedom));
    return a;
  }
  return analyze(model.problem(), model.scaled(unit).atol);
}

}  // namespace daedalus
