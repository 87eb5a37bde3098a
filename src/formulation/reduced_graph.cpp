#include "formulation/reduced_graph.h"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/signature.h"
#include "formulation/stabilised_rows.h"
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

/// All f_i^(r), r <= c_i, and what the model says of its start.
class AllEquations final : public ConstraintSet {
 public:
  AllEquations(EquationSet set, Names names, std::shared_ptr<std::vector<double>> modes,
               const Unknowns& all, int multipliers)
      : set_(std::make_shared<EquationSet>(std::move(set))),
        jacobian_(*set_, {0}),
        modes_(std::move(modes)),
        values_(jacobian_.entries().size()) {
    unknowns = all.size() + multipliers;
    equations = std::move(names);
    for (int j = 0; j < all.size(); ++j) below_top.push_back(all.next()[j] >= 0);
    // Derivatives next to nothing beside the variables that are integrated.
    for (int j = 0; j < all.size(); ++j) freedom.push_back(below_top[j] ? 1.0 : 1e6);
    below_top.resize(static_cast<std::size_t>(unknowns), 0);
    freedom.resize(static_cast<std::size_t>(unknowns), 0.0);
  }
  void evaluate(double t, const double* x, double* r) const override {
    const double* at[] = {x, nullptr};
    set_->residual({t, at, modes_->data()}, r);
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
  std::shared_ptr<EquationSet> set_;
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

}  // namespace

std::shared_ptr<System> make_reduced_graph(const Problem& problem, const ExpressionGraph& given,
                                           Formulation formulation, double baumgarte_rate) {
  ExpressionGraph form = given;
  const int n = form.size;
  if (form.variables.empty()) append_numbered(form.variables, "y", n);
  if (form.equation_names.empty()) append_numbered(form.equation_names, "equation ", n);
  const StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, n));
  if (!structure.regular) return make_graph_system(problem, form);  // says what is wrong
  const std::vector<int>& c = structure.equation_offset;
  const int deepest = *std::max_element(c.begin(), c.end());
  const Unknowns unknowns(form, structure);
  const std::vector<char>& spent = unknowns.spent();
  const auto in_unknowns = [&](int k, int j) { return unknowns.of(k, j); };

  std::vector<EquationSet> top, all, invariants, derivatives;
  Names top_names, all_names, invariant_names;
  std::vector<int> damped;
  std::vector<std::shared_ptr<EquationSet>> level_sets;
  std::vector<Names> level_names;
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
    all.push_back(current.restricted(reach).relabelled(in_unknowns));
    level_sets.push_back(
        std::make_shared<EquationSet>(current.restricted(level).relabelled(in_unknowns)));
    level_names.emplace_back();
    for (const int i : level)
      level_names.back().push_back(differentiated_name(form.equation_names[i], r));
  }

  ExpressionGraph reduced = form;
  for (const auto& [variable, order] : unknowns.added())
    reduced.variables.push_back(derivative_name(form.variables[variable], order));
  reduced.equation_names.clear();
  for (int j = 0; j < unknowns.size(); ++j)
    if (unknowns.next()[j] >= 0)
      reduced.equation_names.push_back(fmt::format("derivative of {}", reduced.variables[j]));
  reduced.equation_names.insert(reduced.equation_names.end(), top_names.begin(), top_names.end());
  if (formulation == Formulation::baumgarte)
    top = {damped_rows(derivatives, damped, c, baumgarte_rate).relabelled(in_unknowns)};
  const EquationSet kept = formulation == Formulation::stabilized_index_2
                               ? EquationSet::joined(invariants)
                               : EquationSet();
  top.insert(top.begin(), rates_with_multipliers(unknowns.next(), kept, unknowns.size()));
  if (kept.rows() > 0) {
    top.push_back(kept);
    for (const std::string& name : invariant_names) {
      reduced.variables.push_back(fmt::format("multiplier of {}", name));
      reduced.equation_names.push_back(name);
    }
  }
  reduced.size = unknowns.size() + kept.rows();
  reduced.equations = std::make_shared<EquationSet>(EquationSet::joined(top));
  reduced.initial_equations = nullptr;
  reduced.initial_names.clear();

  Problem own = problem;
  own.equations.clear();
  own.findings = Findings::none();  // these equations are made anew each time
  std::shared_ptr<System> system = make_graph_system(own, reduced);
  system->derivative_variable = unknowns.next();
  system->derivative_variable.resize(static_cast<std::size_t>(reduced.size), -1);
  system->higher_derivatives = unknowns.added();
  system->stabilizing = kept.rows();
  if (system->switching) {
    std::vector<char> auxiliary(static_cast<std::size_t>(reduced.size), 1);
    for (const Kernel& kernel : form.equations->kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
          for (const int v : kernel.which[l]) auxiliary[v] = 0;
    system->definitions =
        std::make_shared<Definitions>(find_definitions(EquationSet::joined(all), auxiliary));
  }
  system->project_steps = formulation == Formulation::projected;
  system->constraints = std::make_shared<AllEquations>(EquationSet::joined(all), all_names,
                                                       system->modes, unknowns, kept.rows());
  if (form.initial_equations && form.initial_equations->rows() > 0) {
    all.push_back(form.initial_equations->relabelled(in_unknowns));
    all_names.insert(all_names.end(), form.initial_names.begin(), form.initial_names.end());
    system->start_constraints = std::make_shared<AllEquations>(
        EquationSet::joined(all), all_names, system->modes, unknowns, kept.rows());
  }
  system->levels.clear();
  for (int r = 0; r <= deepest; ++r) {
    if (level_names[r].empty()) continue;
    system->levels.push_back(
        {level_name(r), level_names[r],
         [set = level_sets[r], modes = system->modes](double t, const double* y, double* residual) {
           const double* at[] = {y, nullptr};
           set->residual({t, at, modes->data()}, residual);
         }});
  }
  return system;
}

}  // namespace daedalus
