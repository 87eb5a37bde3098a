// Construction: offsets c_i, chains der(x) = u joined into one component of higher order, then the
// rows of the chosen form with what they are called.
#include "bvp/collocation_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/signature.h"
#include "bvp/chains.h"
#include "bvp/level_names.h"
#include "daedalus/error.h"

namespace daedalus::bvp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

[[noreturn]] void refuse_structure(const BoundaryGraph& graph, const StructuralAnalysis& a) {
  Names unknowns, equations;
  for (const int v : a.under_variables) unknowns.push_back(graph.variables[at(v)]);
  for (const int e : a.over_equations) equations.push_back(graph.equation_names[at(e)]);
  throw InvalidInput(fmt::format(
      "the equations do not determine their unknowns: nothing determines {}; {} say too "
      "much about what remains",
      fmt::join(unknowns, ", "), fmt::join(equations, ", ")));
}

struct Row {
  int equation = 0, level = 0;
  double factor = 1;
  int target = 0;
  bool with_accelerations = false;  ///< the highest derivatives are the auxiliary unknowns a
};

}  // namespace

struct CollocationSystem::Construction {
  CollocationSystem& to;
  const BoundaryGraph& graph;
  ConstraintForm form;
  double gamma;
  std::vector<int> c;
  std::vector<EquationSet> level;
  std::vector<Signature> signature;
  std::vector<Row> rows, lower;
  std::vector<int> constraints;  ///< equations with c > 0 that are not spent
  std::vector<char> is_differentiated;
  std::vector<int> root, depth, order_of, first_slot;
  std::vector<char> spent;
  std::vector<int> phi;  ///< slot beside the value of a root, or -1
  int originals = 0, accelerations = 0, multipliers = 0, variables = 0;

  Construction(CollocationSystem& system, const BoundaryGraph& g, ConstraintForm f, double gam)
      : to(system), graph(g), form(f), gamma(gam) {
    const int n = graph.size();
    const StructuralAnalysis structure = analyze_structure(signature_of(graph.equations, n));
    if (!structure.regular) refuse_structure(graph, structure);
    c = structure.equation_offset;
    const int deepest = *std::max_element(c.begin(), c.end());
    for (int l = 0; l <= deepest; ++l) {
      level.push_back(l == 0 ? graph.equations : level.back().differentiated());
      signature.push_back(signature_of(level.back(), n));
    }
    if (deepest == 0) form = ConstraintForm::direct;
    is_differentiated.assign(at(n), 0);
    for (int i = 0; i < n; ++i)
      for (const Incidence& e : entries(i, collocated_level(i)))
        if (e.order > 0) is_differentiated[at(e.variable)] = 1;
    Chains chains(graph, is_differentiated);
    root = chains.root, depth = chains.depth, spent = chains.spent;
  }

  std::vector<Incidence> entries(int i, int l) const {
    const Signature& s = signature[at(l)];
    return {s.entries.begin() + s.row_start[at(i)], s.entries.begin() + s.row_start[at(i) + 1]};
  }
  bool second_form() const {
    return form == ConstraintForm::projected_invariants_ii ||
           form == ConstraintForm::projected_invariants_ii_eliminated;
  }
  bool invariant_form() const {
    return form == ConstraintForm::projected_invariants || second_form();
  }
  int collocated_level(int i) const {
    return invariant_form() ? c[at(i)] : std::max(c[at(i)] - 1, 0);
  }

  void run() {
    const int n = graph.size();
    for (int i = 0; i < n; ++i)
      if (!spent[at(i)]) {
        if (c[at(i)] > 0)
          to.constraints.emplace_back(i, c[at(i)]), constraints.push_back(i);
        else
          to.dynamics.push_back(i);
        choose_rows(i);
      }
    order_of.assign(at(n), 0);
    for (const Row& row : rows)
      for (const Incidence& e : entries(row.equation, row.level)) {
        int& highest = order_of[at(root[at(e.variable)])];
        highest = std::max(highest, depth[at(e.variable)] + e.order);
      }
    place_slots();
    if (invariant_form()) add_multiplier_rows();
    number_rows();
    if (needs_closure()) make_closure();
    make_parts();
  }

  /// For conditions on highest derivatives and algebraic variables, and where y is eliminated.
  bool needs_closure() const {
    if (form == ConstraintForm::projected_invariants_ii_eliminated) return true;
    for (const Kernel& kernel : graph.conditions.kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        if (kernel.leaves[l].kind == Leaf::Kind::variable)
          for (const int v : kernel.which[l])
            for (const int slot : to.place(v % graph.size(), kernel.leaves[l].order))
              if (slot >= to.states_) return true;
    return false;
  }

  void choose_rows(int i) {
    const int top = c[at(i)];
    const int lowest = second_form() && top > 0 ? 1 : 0;
    const int beyond = second_form() ? top : top - 1;
    for (int l = lowest; l < beyond; ++l) lower.push_back({i, l, 1, 0, false});
    if (form == ConstraintForm::baumgarte && top > 1) {
      // (d/dt + gamma)^(c-1) g = 0
      const int first = static_cast<int>(rows.size());
      double factor = 1;  // binomial coefficient times power of gamma
      for (int l = top - 1; l >= 0; --l) {
        rows.push_back({i, l, factor, first, false});  // joined below
        factor *= gamma * l / (top - l);
      }
      return;
    }
    rows.push_back({i, collocated_level(i), 1, static_cast<int>(rows.size()),
                    form == ConstraintForm::projected_invariants});
  }

  void place_slots() {
    const int n = graph.size();
    first_slot.assign(at(n), -1), phi.assign(at(n), -1);
    const auto add_component = [&](int order, const std::string& name, bool is_own) {
      to.order.push_back(order), to.offset.push_back(to.states_);
      for (int k = 0; k < order; ++k) {
        to.slot_names.push_back(prime_name(name, k));
        to.controlled.push_back(is_own);
      }
      to.states_ += order;
    };
    for (int j = 0; j < n; ++j) {
      if (root[at(j)] != j || order_of[at(j)] == 0) continue;
      first_slot[at(j)] = to.states_;
      add_component(order_of[at(j)], graph.variables[at(j)], true);
    }
    originals = to.components();
    if (second_form()) {
      for (const int i : constraints)
        for (const Incidence& e : entries(i, 0))
          if (const int r = root[at(e.variable)];
              order_of[at(r)] > 0 && depth[at(e.variable)] == 0 && phi[at(r)] < 0) {
            phi[at(r)] = to.states_;
            to.zero_at_left.push_back(to.states_);
            add_component(1, "shift of " + graph.variables[at(r)], false);
          }
    }
    for (int j = 0; j < n; ++j)
      if (const int r = root[at(j)]; r != j && depth[at(j)] < order_of[at(r)])
        to.slot_names[at(first_slot[at(r)] + depth[at(j)])] = graph.variables[at(j)];
    const int w = to.states_;
    variables = w + to.components();
    for (int j = 0; j < n; ++j) {
      if (root[at(j)] != j || order_of[at(j)] > 0) continue;
      first_slot[at(j)] = variables + to.algebraic_++;
      to.slot_names.push_back(graph.variables[at(j)]);
      to.controlled.push_back(1);
    }
    accelerations = variables + to.algebraic_;
    if (form == ConstraintForm::projected_invariants) to.algebraic_ += originals;
    multipliers = variables + to.algebraic_;
    if (invariant_form()) to.algebraic_ += static_cast<int>(constraints.size());
    to.controlled.insert(to.controlled.begin() + to.states_, at(to.components()), 0);
    to.slot_names.insert(to.slot_names.begin() + to.states_, at(to.components()), "");
    to.controlled.resize(at(to.slots()), 0);
    to.slot_names.resize(at(to.slots()), "multiplier");
    for (int cc = 0; cc < to.components(); ++cc)
      to.slot_names[at(w + cc)] = "highest derivative of " + to.slot_names[at(to.offset[at(cc)])];

    std::vector<int> component(at(n), -1);
    for (int j = 0; j < n; ++j)
      for (int cc = 0; cc < originals; ++cc)
        if (first_slot[at(j)] == to.offset[at(cc)] && order_of[at(j)] > 0) component[at(j)] = cc;
    to.place = [root = root, depth = depth, order = order_of, first = first_slot, phi = phi,
                component, w](int variable, int k) -> std::vector<int> {
      const int r = root[at(variable)], total = depth[at(variable)] + k;
      if (total > order[at(r)]) return {};
      if (order[at(r)] == 0) return {first[at(r)]};
      if (total == order[at(r)]) return {w + component[at(r)]};
      if (total == 0 && phi[at(r)] >= 0) return {first[at(r)], phi[at(r)]};
      return {first[at(r)] + total};
    };
    for (int j = 0; j < n; ++j)
      if (root[at(j)] == j)
        for (int k = 0; k <= order_of[at(j)]; ++k)
          to.sources_.push_back(
              {k < order_of[at(j)] || k == 0 ? first_slot[at(j)] + k : w + component[at(j)], j, k});
    // A variable that continues a chain gives the guess of its derivative of the root.
    for (int j = 0; j < n; ++j)
      if (root[at(j)] != j)
        for (int k = 0; depth[at(j)] + k <= order_of[at(root[at(j)])]; ++k)
          to.sources_.push_back({to.place(j, k)[0], j, k});
    if (form == ConstraintForm::projected_invariants)
      for (int j = 0; j < n; ++j)
        if (component[at(j)] >= 0)
          to.sources_.push_back({accelerations + component[at(j)], j, order_of[at(j)]});
  }

  void add_multiplier_rows() {
    for (const int i : constraints)
      rows.push_back(
          {i, second_form() ? 0 : c[at(i)] - 1, 1, static_cast<int>(rows.size()), false});
  }

  bool is_of_states(const Row& row) const {
    const auto entries_here = entries(row.equation, row.level);
    return std::all_of(entries_here.begin(), entries_here.end(), [&](const Incidence& e) {
      return depth[at(e.variable)] + e.order < order_of[at(root[at(e.variable)])];
    });
  }

  /// Rows with w or y first: the elimination of y then leaves the others as they are.
  void number_rows() {
    std::vector<int> number(rows.size(), -1);
    int next = 0;
    for (const bool states_only : {false, true}) {
      for (std::size_t k = 0; k < rows.size(); ++k)
        if (rows[k].target == static_cast<int>(k) && is_of_states(rows[k]) == states_only) {
          number[k] = next++;
          to.row_names.push_back(
              level_name(graph.equation_names[at(rows[k].equation)], rows[k].level));
        }
      if (!states_only && invariant_form()) add_identities(next);
    }
    for (Row& row : rows) row.target = number[at(row.target)];
  }

  void add_identities(int& next) {
    const bool second = second_form();
    MultiplierTerm term;
    std::vector<int> row(constraints.size());
    std::iota(row.begin(), row.end(), 0);
    for (int cc = second ? originals : 0; cc < (second ? to.components() : originals); ++cc) {
      term.target.push_back(next);
      term.column.push_back(to.offset[at(cc)] + to.order[at(cc)] - 1);
      to.identities_.push_back({next++, to.states_ + cc, second ? -1 : accelerations + cc});
      to.row_names.push_back("projected invariants");
    }
    term.multiplier = multipliers;
    std::vector<EquationSet> parts;
    for (const int i : constraints)
      parts.push_back(level[at(second ? 0 : c[at(i)] - 1)].restricted({i}));
    term.constraints = SlotEquations(EquationSet::joined(parts), to.place, row,
                                     std::vector<double>(row.size(), 1.0), graph.discrete);
    to.multipliers_.push_back(std::move(term));
  }

  SlotEquations part(const std::vector<Row>& chosen, int l, bool with_accelerations) {
    std::vector<int> keep, target;
    std::vector<double> factor;
    for (const Row& row : chosen)
      if (row.level == l && row.with_accelerations == with_accelerations)
        keep.push_back(row.equation), target.push_back(row.target), factor.push_back(row.factor);
    if (keep.empty()) return {};
    Place where = to.place;
    if (with_accelerations)
      where = [base = to.place, w = to.states_, n = originals, a = accelerations](int v, int k) {
        std::vector<int> slots = base(v, k);
        for (int& s : slots)
          if (s >= w && s < w + n) s += a - w;
        return slots;
      };
    return {level[at(l)].restricted(keep), where, target, factor, graph.discrete};
  }

  bool has_slot(const Incidence& e) const {
    return depth[at(e.variable)] + e.order <= order_of[at(root[at(e.variable)])];
  }

  void make_closure() {
    std::vector<Row> all;
    for (int i = 0; i < graph.size(); ++i) {
      if (spent[at(i)]) continue;
      const auto incidences = entries(i, c[at(i)]);
      if (!std::all_of(incidences.begin(), incidences.end(),
                       [&](const Incidence& e) { return has_slot(e); }))
        return;
      all.push_back({i, c[at(i)], 1, static_cast<int>(all.size()), false});
    }
    std::vector<int> unknowns;
    for (int cc = 0; cc < originals; ++cc) unknowns.push_back(to.states_ + cc);
    for (int slot = variables; slot < accelerations; ++slot) unknowns.push_back(slot);
    std::vector<SlotEquations> parts;
    for (int l = 0; l < static_cast<int>(level.size()); ++l)
      if (SlotEquations p = part(all, l, false); p.rows() > 0) parts.push_back(std::move(p));
    to.closure = Closure(std::move(parts), unknowns, to.states_, to.slots());
    if (form != ConstraintForm::projected_invariants_ii_eliminated) return;
    for (std::size_t k = 0; k < unknowns.size(); ++k) to.eliminated_.push_back(rows[k].target);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(unknowns.size()));
  }

  void make_parts() {
    for (int l = 0; l < static_cast<int>(level.size()); ++l)
      for (const bool with_accelerations : {false, true})
        if (SlotEquations p = part(rows, l, with_accelerations); p.rows() > 0)
          to.parts_.push_back(std::move(p));
    std::vector<EquationSet> parts;
    std::vector<int> row;
    for (const Row& r : lower) {
      parts.push_back(level[at(r.level)].restricted({r.equation}));
      row.push_back(static_cast<int>(row.size()));
      to.lower_names.push_back(level_name(graph.equation_names[at(r.equation)], r.level));
    }
    if (!parts.empty())
      to.lower = SlotEquations(EquationSet::joined(parts), to.place, row,
                               std::vector<double>(row.size(), 1.0), graph.discrete);
  }
};

CollocationSystem::CollocationSystem(const BoundaryGraph& graph, ConstraintForm form,
                                     double gamma) {
  if (form == ConstraintForm::regularised)
    throw InvalidInput("form: regularised is for boundary values only");
  Construction(*this, graph, form, gamma).run();
}

int CollocationSystem::highest() const {
  return order.empty() ? 1 : *std::max_element(order.begin(), order.end());
}

void CollocationSystem::guess(const BoundaryGuess& of_variables, int variables, double t, double* s,
                              std::vector<double>& values) const {
  std::fill(s, s + slots(), 0.0);
  if (!of_variables) return;
  const int orders = highest() + 1;
  values.assign(at(orders * variables), 0.0);
  double* x[16] = {};
  for (int k = 0; k < orders; ++k) x[k] = values.data() + k * variables;
  of_variables(t, orders, x);
  for (const Source& source : sources_)
    if (source.order < orders) s[source.slot] = x[source.order][source.variable];
}

}  // namespace daedalus::bvp
