#include "formulation/reduced_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/signature.h"
#include "formulation/stabilised_rows.h"
#include "problem/definitions.h"
#include "problem/findings.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// Which unknown stands for the k-th derivative of variable j. Where an equation reads
/// `der(x) = u`, that of x and u are one.
class Unknowns {
 public:
  Unknowns(const ExpressionGraph& form, const StructuralAnalysis& structure)
      : offset_(structure.variable_offset), alias_(static_cast<std::size_t>(form.size), -1) {
    find_aliases(*form.equations, structure.equation_offset);
    const int highest = *std::max_element(offset_.begin(), offset_.end());
    place_.assign(static_cast<std::size_t>(highest) + 1, std::vector<int>(offset_.size(), -1));
    for (int k = 0; k <= highest; ++k)
      for (int j = 0; j < form.size; ++j) {
        if (k > offset_[j]) continue;
        const int other = k > 0 ? alias_[j] : -1;
        place_[k][j] = k == 0      ? j
                       : other < 0 ? form.size + static_cast<int>(added_.size())
                                   : place_[k - 1][other];
        if (k > 0 && other < 0) added_.emplace_back(j, k);
      }
    next_.assign(offset_.size() + added_.size(), -1);
    for (int k = 0; k < highest; ++k)
      for (int j = 0; j < form.size; ++j)
        if (k < offset_[j]) next_[place_[k][j]] = place_[k + 1][j];
  }

  int size() const { return static_cast<int>(next_.size()); }
  int of(int order, int variable) const {
    return order < static_cast<int>(place_.size()) ? place_[order][variable] : -1;
  }
  /// The unknown that is the derivative of another one, or -1.
  const std::vector<int>& next() const { return next_; }
  /// (variable, order) of the unknowns beyond the variables themselves.
  const std::vector<std::pair<int, int>>& added() const { return added_; }
  /// Equations that say nothing any more.
  const std::vector<char>& spent() const { return spent_; }

 private:
  void find_aliases(const EquationSet& equations, const std::vector<int>& equation_offset) {
    spent_.assign(equation_offset.size(), 0);
    for (const Kernel& kernel : equations.kernels()) {
      const Node root = kernel.graph[kernel.residual];
      if (root.op != Op::sub) continue;
      const Node a = kernel.graph[root.a], b = kernel.graph[root.b];
      if (a.op != Op::input || b.op != Op::input) continue;
      const Leaf &la = kernel.leaves[a.a], &lb = kernel.leaves[b.a];
      if (la.kind != Leaf::Kind::variable || lb.kind != Leaf::Kind::variable ||
          la.order + lb.order != 1)
        continue;
      const auto& rate = kernel.which[la.order == 1 ? a.a : b.a];
      const auto& value = kernel.which[la.order == 1 ? b.a : a.a];
      for (std::size_t i = 0; i < kernel.rows.size(); ++i) {
        const int x = rate[i], u = value[i], row = kernel.rows[i];
        if (alias_[x] >= 0 || offset_[x] != offset_[u] + 1 || equation_offset[row] != offset_[u])
          continue;
        alias_[x] = u;
        spent_[row] = 1;
      }
    }
  }

  std::vector<int> offset_;
  std::vector<int> alias_;               ///< x -> u where der(x) = u
  std::vector<std::vector<int>> place_;  ///< [order][variable]
  std::vector<std::pair<int, int>> added_;
  std::vector<int> next_;
  std::vector<char> spent_;
};

/// Copies of the equations, and of their derivatives, have memory of their own.
struct NamedEquations {
  EquationSet set;
  Names names;
  std::shared_ptr<const EquationJacobian> derivatives = {};

  NamedEquations(EquationSet equations, Names equation_names)
      : set(std::move(equations)), names(std::move(equation_names)) {}
  void differentiate() { derivatives = std::make_shared<EquationJacobian>(set, std::vector{0}); }
};

/// All f_i^(r), r <= c_i, and what the model says of its start.
class AllEquations final : public ConstraintSet {
 public:
  AllEquations(const NamedEquations& named, std::shared_ptr<std::vector<double>> modes,
               const Unknowns& all, int multipliers)
      : set_(named.set),
        jacobian_(*named.derivatives),
        modes_(std::move(modes)),
        values_(jacobian_.entries().size()) {
    unknowns = all.size() + multipliers;
    equations = named.names;
    for (int j = 0; j < all.size(); ++j) below_top.push_back(all.next()[j] >= 0);
    // Derivatives next to nothing beside the variables that are integrated.
    for (int j = 0; j < all.size(); ++j) freedom.push_back(below_top[j] ? 1.0 : 1e6);
    below_top.resize(static_cast<std::size_t>(unknowns), 0);
    freedom.resize(static_cast<std::size_t>(unknowns), 0.0);
  }
  void evaluate(double t, const double* x, double* r) const override {
    const double* at[] = {x, nullptr};
    set_.residual({t, at, modes_->data()}, r);
  }
  void linearize(double t, const double* x, double* jacobian) const override {
    const double* at[] = {x, nullptr};
    jacobian_.evaluate({t, at, modes_->data()}, values_.data());
    const auto rows = equations.size();
    std::fill(jacobian, jacobian + rows * static_cast<std::size_t>(unknowns), 0.0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const EquationJacobian::Entry& e = jacobian_.entries()[k];
      jacobian[static_cast<std::size_t>(e.row) + rows * static_cast<std::size_t>(e.variable)] +=
          values_[k];
    }
  }
  Sparsity places() const override {
    Sparsity list;
    for (const EquationJacobian::Entry& e : jacobian_.entries())
      list.emplace_back(e.row, e.variable);
    return list;
  }
  void linearize_sparse(double t, const double* x, double* values) const override {
    const double* at[] = {x, nullptr};
    jacobian_.evaluate({t, at, modes_->data()}, values);
  }

 private:
  EquationSet set_;
  EquationJacobian jacobian_;
  std::shared_ptr<std::vector<double>> modes_;
  mutable std::vector<double> values_;
};

std::string differentiated_name(const std::string& name, int order) {
  if (order == 0) return name;
  return order == 1 ? fmt::format("d/dt {}", name) : fmt::format("d{}/dt{} {}", order, order, name);
}

std::string derivative_name(const std::string& name, int order) {
  return order == 1 ? fmt::format("der({})", name) : fmt::format("der({}, {})", name, order);
}

std::string level_name(int order) {
  constexpr const char* names[] = {"position", "velocity", "acceleration"};
  return order < 3 ? names[order] : fmt::format("derivative {}", order);
}

/// All that does not belong to a single run.
struct Reduction {
  ExpressionGraph given;
  Formulation formulation;
  double baumgarte_rate;

  Unknowns unknowns;
  ExpressionGraph graph = {};  ///< with the invariants, if multipliers keep them, at the end
  int multipliers = 0;
  std::vector<NamedEquations> all = {};  ///< f_i^(r), and perhaps the same with those of the start
  std::vector<NamedEquations> levels = {};
  std::shared_ptr<const Definitions> definitions = {};

  Reduction(const ExpressionGraph& form, const StructuralAnalysis& structure, Formulation to,
            double rate);
  bool is_of(const ExpressionGraph& form, Formulation to, double rate) const {
    return given.equations == form.equations && given.switching == form.switching &&
           given.initial_equations == form.initial_equations && formulation == to &&
           (to != Formulation::baumgarte || baumgarte_rate == rate) &&
           given.variables == form.variables && given.equation_names == form.equation_names &&
           given.initial_names == form.initial_names && given.visible == form.visible &&
           given.stated == form.stated;
  }
};

Reduction::Reduction(const ExpressionGraph& form, const StructuralAnalysis& structure,
                     Formulation to, double rate)
    : given(form), formulation(to), baumgarte_rate(rate), unknowns(form, structure) {
  const int n = form.size;
  const std::vector<int>& c = structure.equation_offset;
  const int deepest = *std::max_element(c.begin(), c.end());
  const std::vector<char>& spent = unknowns.spent();
  const auto in_unknowns = [&](int k, int j) { return unknowns.of(k, j); };

  std::vector<EquationSet> top, every, invariants, derivatives;
  Names top_names, all_names, invariant_names;
  std::vector<int> damped;
  EquationSet current = *form.equations;
  for (int r = 0; r <= deepest; ++r) {
    if (r > 0) current = current.differentiated();
    derivatives.push_back(current);
    std::vector<int> reach, highest, level, below;
    for (int i = 0; i < n; ++i) {
      if (spent[i] || c[i] < r) continue;
      reach.push_back(i);
      all_names.push_back(differentiated_name(form.equation_names[i], r));
      if (c[i] == r) highest.push_back(i);
      if (c[i] > 0) level.push_back(i);
      if (c[i] > r) {
        below.push_back(i);
        invariant_names.push_back(all_names.back());
      }
    }
    for (const int i : highest) top_names.push_back(differentiated_name(form.equation_names[i], r));
    damped.insert(damped.end(), highest.begin(), highest.end());
    top.push_back(current.restricted(highest).relabelled(in_unknowns));
    invariants.push_back(current.restricted(below).relabelled(in_unknowns));
    every.push_back(current.restricted(reach).relabelled(in_unknowns));
    Names level_names;
    for (const int i : level) level_names.push_back(differentiated_name(form.equation_names[i], r));
    levels.emplace_back(current.restricted(level).relabelled(in_unknowns), std::move(level_names));
  }

  graph = form;
  for (const auto& [variable, order] : unknowns.added())
    graph.variables.push_back(derivative_name(form.variables[variable], order));
  graph.equation_names.clear();
  for (int j = 0; j < unknowns.size(); ++j)
    if (unknowns.next()[j] >= 0)
      graph.equation_names.push_back(fmt::format("derivative of {}", graph.variables[j]));
  graph.equation_names.insert(graph.equation_names.end(), top_names.begin(), top_names.end());
  if (formulation == Formulation::baumgarte)
    top = {damped_rows(derivatives, damped, c, baumgarte_rate).relabelled(in_unknowns)};
  const EquationSet kept = formulation == Formulation::stabilized_index_2
                               ? EquationSet::joined(invariants)
                               : EquationSet();
  top.insert(top.begin(), rates_with_multipliers(unknowns.next(), kept, unknowns.size()));
  if (kept.rows() > 0) {
    top.push_back(kept);
    for (const std::string& name : invariant_names) {
      graph.variables.push_back(fmt::format("multiplier of {}", name));
      graph.equation_names.push_back(name);
    }
  }
  multipliers = kept.rows();
  graph.size = unknowns.size() + multipliers;
  graph.equations = std::make_shared<EquationSet>(EquationSet::joined(top));
  graph.initial_equations = nullptr;
  graph.initial_names.clear();
  if (form.switching) {
    std::vector<char> auxiliary(static_cast<std::size_t>(graph.size), 1);
    for (const Kernel& kernel : form.equations->kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
          for (const int v : kernel.which[l]) auxiliary[v] = 0;
    definitions =
        std::make_shared<Definitions>(find_definitions(EquationSet::joined(every), auxiliary));
  }
  all.emplace_back(EquationSet::joined(every), all_names);
  if (form.initial_equations && form.initial_equations->rows() > 0) {
    every.push_back(form.initial_equations->relabelled(in_unknowns));
    all_names.insert(all_names.end(), form.initial_names.begin(), form.initial_names.end());
    all.emplace_back(EquationSet::joined(every), std::move(all_names));
  }
  for (NamedEquations& equations : all) equations.differentiate();
}

}  // namespace

std::shared_ptr<System> make_reduced_graph(const Problem& problem, const ExpressionGraph& given,
                                           Formulation formulation, double baumgarte_rate) {
  ExpressionGraph form = given;
  const int n = form.size;
  if (form.variables.empty()) append_numbered(form.variables, "y", n);
  if (form.equation_names.empty()) append_numbered(form.equation_names, "equation ", n);
  const auto reduction = found_or_made<Reduction>(
      problem.findings,
      [&](const Reduction& known) { return known.is_of(form, formulation, baumgarte_rate); },
      [&]() -> std::shared_ptr<const Reduction> {
        const StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, n));
        if (!structure.regular) return nullptr;
        return std::make_shared<Reduction>(form, structure, formulation, baumgarte_rate);
      });
  if (!reduction) return make_graph_system(problem, form);  // says what is wrong
  ExpressionGraph reduced = reduction->graph;
  reduced.discrete = form.discrete;
  Problem own = problem;
  own.equations.clear();
  std::shared_ptr<System> system = make_graph_system(own, reduced);
  const Unknowns& unknowns = reduction->unknowns;
  system->derivative_variable = unknowns.next();
  system->derivative_variable.resize(static_cast<std::size_t>(reduced.size), -1);
  system->higher_derivatives = unknowns.added();
  system->stabilizing = reduction->multipliers;
  if (system->switching) system->definitions = reduction->definitions;
  system->project_steps = formulation == Formulation::projected;
  const auto constraints = [&](const NamedEquations& equations) {
    return std::make_shared<AllEquations>(equations, system->modes, unknowns,
                                          reduction->multipliers);
  };
  system->constraints = constraints(reduction->all.front());
  if (reduction->all.size() > 1) system->start_constraints = constraints(reduction->all.back());
  system->levels.clear();
  for (std::size_t r = 0; r < reduction->levels.size(); ++r) {
    const NamedEquations& level = reduction->levels[r];
    if (level.names.empty()) continue;
    system->levels.push_back(
        {level_name(static_cast<int>(r)), level.names,
         [set = level.set, modes = system->modes](double t, const double* y, double* residual) {
           const double* at[] = {y, nullptr};
           set.residual({t, at, modes->data()}, residual);
         }});
  }
  return system;
}

}  // namespace daedalus
