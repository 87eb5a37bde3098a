// Systems from expression graphs: residual by kernels, exact sparse Jacobian, structure by the
// Sigma method, hidden constraints as total derivatives of the equations.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "expression/code_generation.h"
#include "expression/rebuild.h"
#include "problem/graph_constraints.h"
#include "problem/graph_parts.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

constexpr int largest_with_stage_code = 24;  // beyond, loops over equations fill the registers

/// The residual, with the algebraic combinations of rows formed on F(t, y, 0), where the y' terms
/// that cancel do not leave their rounding errors.
class GraphSystem final : public System {
 public:
  explicit GraphSystem(const ExpressionGraph& form) : form_(form), zero_(form.size, 0.0) {}

  void residual(double t, const double* y, const double* yp, double* r) const override {
    evaluate(*form_.equations, parts_.get(), t, y, yp, r);
  }
  bool time_derivative(double t, const double* y, const double* yp, double* r) const override {
    if (!rates_) {
      rates_ = std::make_shared<EquationSet>(form_.equations->time_partial());
      if (parts_) part_rates_ = std::make_shared<EquationSet>(parts_->time_partial());
    }
    evaluate(*rates_, part_rates_.get(), t, y, yp, r);
    return true;
  }
  void residual(const Dual&, const Dual*, const Dual*, Dual*) const override {}

  void residuals(int points, int apart, const double* t, const double* y, const double* yp,
                 double* r) const override {
    if (!stages_ || points > RightHandSideCode::most_points)
      return System::residuals(points, apart, t, y, yp, r);
    stages_->values(points, apart, t, y, r);
    for (int i = 0; i < points; ++i) take_from_rates(yp + i * apart, r + i * apart);
  }
  void right_hand_sides(int points, int apart, const double* t, const double* y,
                        double* f) const override {
    if (stages_ && points <= RightHandSideCode::most_points)
      return stages_->values(points, apart, t, y, f);
    for (int i = 0; i < points; ++i) {
      residual(t[i], y + i * apart, zero_.data(), f + i * apart);
      for (int k = 0; k < size; ++k) f[i * apart + k] = -f[i * apart + k];
    }
  }
  void take_from_rates(const double* yp, double* r) const override {
    for (int k = 0; k < size; ++k) r[k] = -r[k];
    for (const Mass::Entry& e : mass_) r[e.row] += e.value * yp[e.column];
  }
  void translate(const Findings& findings, double, const double*) override {
    if (!knows_right_hand_side || stages_) return;
    stages_ = RightHandSideCode::of(
        parts_of_graph_, size, [this](Graph& graph) { return right_hand_side_in(graph); },
        findings);
  }
  /// From when on F = E y' - f. All of it is code for several points side by side.
  void know_right_hand_side(std::shared_ptr<const GraphParts> of_graph) {
    parts_of_graph_ = std::move(of_graph);
    mass_ = parts_of_graph_->mass;
    std::erase_if(mass_, [this](const Mass::Entry& e) {
      return std::any_of(combinations_.begin(), combinations_.end(),
                         [&](const RowCombination& c) { return c.row == e.row; });
    });
    knows_right_hand_side = are_expressions = true;
  }

  void combine_rows(std::vector<RowCombination> combinations) {
    combinations_ = std::move(combinations);
    std::vector<int> keep;
    place_.assign(form_.size, -1);
    for (const RowCombination& combination : combinations_)
      for (const RowCombination::Term& term : combination.terms)
        if (place_[term.row] < 0)
          place_[term.row] = static_cast<int>(keep.size()), keep.push_back(term.row);
    parts_ = std::make_shared<EquationSet>(form_.equations->restricted(keep));
    part_r_.assign(keep.size(), 0.0);
  }
  const std::vector<RowCombination>& combinations() const { return combinations_; }

  void choose_evaluation(Evaluation evaluation) override {
    // The residual first: what lies beyond the limits of code size stays interpreted.
    ProgramList residual = {form_.equations->program().content()};
    if (parts_) residual.push_back(parts_->program().content());
    programs_.insert(programs_.begin(), residual.begin(), residual.end());
    if (evaluation != Evaluation::automatic) return generate_code(evaluation);
    // A thread takes as long to be started as several steps of a small model; so much is no more
    // than the time that it waits at first.
    constexpr double operations_before_thread = 2e5;
    double operations = 1;
    for (const auto& program : residual) operations += operations_of(*program);
    calls_before_code_ = 1 + static_cast<int>(operations_before_thread / operations);
  }
  std::vector<std::string> notes() const override {
    const std::string note = code_ ? code_->note() : "";
    return note.empty() ? std::vector<std::string>{} : std::vector<std::string>{note};
  }
  /// Further ones that are worth compiling.
  void add_program(const Program& program) {
    if (program.content()) programs_.push_back(program.content());
  }

 private:
  /// f = -F(t, y, 0), with rows combined as in `evaluate`; inputs are the time, then y.
  std::vector<NodeId> right_hand_side_in(Graph& graph) const {
    std::vector<NodeId> rows(static_cast<std::size_t>(size));
    for (const Kernel& kernel : form_.equations->kernels())
      for (std::size_t i = 0; i < kernel.rows.size(); ++i)
        rows[static_cast<std::size_t>(kernel.rows[i])] =
            graph.neg(rebuilt(kernel.graph, kernel.residual, graph, [&](int input) {
              const auto l = static_cast<std::size_t>(input);
              const Leaf& leaf = kernel.leaves[l];
              if (leaf.kind == Leaf::Kind::data) return graph.constant(kernel.data[l][i]);
              if (leaf.kind == Leaf::Kind::time) return graph.input(0);
              return leaf.order > 0 ? graph.constant(0) : graph.input(1 + kernel.which[l][i]);
            }));
    std::vector<NodeId> result = rows;
    for (const RowCombination& combination : combinations_) {
      NodeId sum = graph.constant(0);
      for (const RowCombination::Term& term : combination.terms)
        sum = graph.add(
            sum, graph.mul(graph.constant(term.weight), rows[static_cast<std::size_t>(term.row)]));
      result[static_cast<std::size_t>(combination.row)] = sum;
    }
    return result;
  }

  static double operations_of(const Program::Content& program) {
    double sum = 0;
    for (const Unit& unit : program.units)
      sum += static_cast<double>(unit.tape.instructions().size()) * unit.count;
    return sum;
  }
  void generate_code(Evaluation evaluation) const {
    code_ = std::make_unique<CodeGeneration>(std::move(programs_), evaluation);
  }
  void evaluate(const EquationSet& equations, const EquationSet* parts, double t, const double* y,
                const double* yp, double* r) const {
    if (calls_before_code_ > 0 && --calls_before_code_ == 0) generate_code(Evaluation::automatic);
    const double* x[] = {y, yp};
    equations.residual({t, x, form_.discrete->data()}, r);
    if (combinations_.empty()) return;
    const double* at_rest[] = {y, zero_.data()};
    parts->residual({t, at_rest, form_.discrete->data()}, part_r_.data());
    for (const RowCombination& combination : combinations_) {
      double sum = 0;
      for (const RowCombination::Term& term : combination.terms)
        sum += term.weight * part_r_[place_[term.row]];
      r[combination.row] = sum;
    }
  }

  mutable ProgramList programs_;
  mutable int calls_before_code_ = 0;  ///< of the equations; 0: code is made, or not wanted
  mutable std::unique_ptr<CodeGeneration> code_;
  ExpressionGraph form_;
  std::vector<double> zero_;
  std::vector<RowCombination> combinations_;
  std::shared_ptr<EquationSet> parts_;
  mutable std::shared_ptr<EquationSet> rates_, part_rates_;  ///< dF/dt, made when first asked for
  std::vector<int> place_;
  mutable std::vector<double> part_r_;
  std::shared_ptr<const GraphParts> parts_of_graph_;  ///< if f is known
  std::vector<Mass::Entry> mass_;                     ///< E, without the rows that are combined
  std::unique_ptr<RightHandSideCode> stages_;
};

class GraphJacobian final : public OwnJacobian {
 public:
  GraphJacobian(const ExpressionGraph& form, const EquationJacobian& derivatives,
                const std::vector<RowCombination>& combinations)
      : form_(form), jacobian_(derivatives), values_(jacobian_.entries().size()) {
    std::vector<std::vector<std::pair<int, double>>> targets;  // row -> combined rows
    std::vector<char> replaced(form.size, 0);
    if (!combinations.empty()) targets.resize(static_cast<std::size_t>(form.size));
    for (const RowCombination& c : combinations) {
      replaced[c.row] = 1;
      for (const RowCombination::Term& term : c.terms)
        targets[term.row].emplace_back(c.row, term.weight);
    }
    const std::vector<EquationJacobian::Entry>& entries = jacobian_.entries();
    position_.assign(entries.size(), -1);
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const EquationJacobian::Entry& e = entries[k];
      if (!replaced[e.row]) position_[k] = 0;
      // Combined rows have no y' by construction.
      if (e.order > 0 || targets.empty()) continue;
      for (const auto& [row, weight] : targets[e.row])
        combined_.push_back({static_cast<int>(k), row, e.variable, 0, weight});
    }
  }

  Sparsity pattern() const override {
    Sparsity pattern;
    pattern.reserve(position_.size() + combined_.size());
    for (std::size_t k = 0; k < position_.size(); ++k)
      if (const auto& e = jacobian_.entries()[k]; position_[k] >= 0)
        pattern.emplace_back(e.row, e.variable);
    for (const Combined& c : combined_) pattern.emplace_back(c.row, c.variable);
    return pattern;
  }
  const Program& program() const { return jacobian_.program(); }

  void bind(const std::vector<int>& column_start, const std::vector<int>& row) override {
    nonzeros_ = row.size();
    const auto find = [&](int i, int j) {
      const auto begin = row.begin() + column_start[j], end = row.begin() + column_start[j + 1];
      return static_cast<int>(std::lower_bound(begin, end, i) - row.begin());
    };
    for (std::size_t k = 0; k < position_.size(); ++k) {
      const EquationJacobian::Entry& e = jacobian_.entries()[k];
      if (position_[k] >= 0) position_[k] = 2 * find(e.row, e.variable) + e.order;
    }
    for (Combined& c : combined_) c.position = find(c.row, c.variable);
  }

  void evaluate(double t, const double* y, const double* yp, double* a, double* e) const override {
    const double* x[] = {y, yp};
    jacobian_.evaluate({t, x, form_.discrete->data()}, values_.data());
    std::fill(a, a + nonzeros_, 0.0), std::fill(e, e + nonzeros_, 0.0);
    double* const matrix[] = {a, e};
    for (std::size_t k = 0; k < position_.size(); ++k)
      if (const int p = position_[k]; p >= 0) matrix[p & 1][p >> 1] += values_[k];
    for (const Combined& c : combined_) a[c.position] += c.weight * values_[c.value];
  }

 private:
  /// What an entry of dF/dy adds to a combined row.
  struct Combined {
    int value, row, variable, position;
    double weight;
  };
  ExpressionGraph form_;
  EquationJacobian jacobian_;
  mutable std::vector<double> values_;
  std::vector<int> position_;  ///< of each entry: 2 place + order, -1 in rows that are replaced
  std::vector<Combined> combined_;
  std::size_t nonzeros_ = 0;
};

/// Variables whose derivative occurs nowhere.
std::vector<char> without_rates(const EquationSet& equations, int variables) {
  std::vector<char> result(static_cast<std::size_t>(variables), 1);
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
        for (const int v : kernel.which[l]) result[v] = 0;
  return result;
}

std::string listed(const std::vector<int>& which, const Names& names) {
  std::string text;
  for (std::size_t k = 0; k < which.size() && k < 8; ++k)
    text += fmt::format("{}\"{}\"", k ? ", " : "", names[which[k]]);
  return which.size() > 8 ? text + fmt::format(" and {} more", which.size() - 8) : text;
}

}  // namespace

std::shared_ptr<System> make_graph_system(const Problem& problem, const ExpressionGraph& given) {
  ExpressionGraph form = given;
  // Each run switches its own.
  const auto modes = std::make_shared<std::vector<double>>();
  if (given.discrete) *modes = *given.discrete;
  form.discrete = modes;
  const int n = form.size;
  require(n > 0 && form.equations && form.equations->rows() == n,
          "the graph has {} equations for {} unknowns", form.equations ? form.equations->rows() : 0,
          n);
  require(form.equations->highest_order() <= 1, "the graph must be of first order");
  Names variables, equations;
  append_numbered(variables, "y", n);
  append_numbered(equations, "equation ", n);
  variables = names_or(form.variables, variables, "form.variables");
  equations = names_or(form.equation_names, equations, "form.equation_names");
  equations = names_or(problem.equations, equations, "equations");
  const std::shared_ptr<const GraphParts> parts = graph_parts(given, problem.findings);
  const StructuralAnalysis& structure = parts->structure;
  require(structure.regular,
          "the equations are structurally singular: {} determine only {}; nothing "
          "determines {}",
          listed(structure.over_equations, equations), listed(structure.over_variables, variables),
          listed(structure.under_variables, variables));
  const Names given_equations = std::exchange(equations, {});
  for (const int row : parts->row_of) equations.push_back(given_equations[row]);
  // A copy has memory of its own.
  form.equations = std::make_shared<EquationSet>(*parts->equations);
  auto system = std::make_shared<GraphSystem>(form);
  set_size(*system, n);
  system->visible = form.visible;
  system->modes = modes;
  if (form.switching) {
    system->switching = std::make_shared<Switching>(*form.switching);
    system->definitions = std::make_shared<Definitions>(
        find_definitions(*form.equations, without_rates(*form.equations, n)));
  }
  system->variables = variables;
  system->equations = equations;
  for (int j = 0; j < n; ++j) system->variable_index[j] = std::min(3, structure.variable_index[j]);
  std::vector<char> row_has = parts->row_has_rates;
  system->constant_mass = parts->has_constant_mass;
  system->nonlinear_in_derivatives = parts->is_nonlinear_in_rates;
  // Corrections of variables of higher index are divided by h, and so is their rounding.
  system->linear = parts->is_linear && structure.index <= 1;
  std::vector<RowCombination> combinations;
  for (const RowCombination& c : parts->algebraic) {
    if (c.terms.size() > 1) combinations.push_back(c);
    row_has[c.row] = 0;
  }
  if (!combinations.empty()) system->combine_rows(std::move(combinations));
  if (parts->has_constant_mass && n <= largest_with_stage_code && !form.switching &&
      form.equations->discrete_values() == 0)
    system->know_right_hand_side(parts);
  for (int i = 0; i < n; ++i) {
    if (!row_has[i]) mark_algebraic_rows(*system, i, i + 1);
    if (!parts->variable_has_rates[i]) system->algebraic_variable[i] = 1;
  }
  const auto jacobian =
      std::make_shared<GraphJacobian>(form, *parts->derivatives, system->combinations());
  system->add_program(jacobian->program());
  system->own_jacobian = jacobian;
  const auto constraints = [&](bool at_start) {
    auto set = std::make_shared<GraphConstraints>(form, structure, system->equations,
                                                  system->algebraic_variable, at_start);
    // Those of the start are evaluated a few times only.
    if (!at_start) set->each_program([&](const Program& program) { system->add_program(program); });
    return set;
  };
  if (structure.index > 1) system->constraints = constraints(false);
  if (form.initial_equations && form.initial_equations->rows() > 0)
    system->start_constraints = constraints(true);
  add_algebraic_level(*system);
  if (structure.index > 1) {
    system->hidden_constraints = true;
    if (!system->levels.empty()) system->levels[0].name = "position";
  }
  return system;
}

}  // namespace daedalus
