// BoundaryProblem to graphs. Variable c is component c, then come the parameters p' = 0, then y.
#include <cmath>

#include <fmt/format.h>

#include "bvp/boundary_graph.h"
#include "daedalus/error.h"
#include "expression/recorded_equations.h"
#include "problem/findings.h"
#include "problem/require.h"

namespace daedalus {

int BoundaryProblem::states() const {
  int sum = parameters;
  for (const int m : orders) sum += m;
  return sum;
}

namespace bvp {
namespace {

void check(const BoundaryProblem& p) {
  require(!p.orders.empty() || p.parameters > 0,
          "orders: a boundary value problem needs at least "
          "one differential component");
  for (const int m : p.orders) require(m >= 1 && m <= 9, "orders: {} is not between 1 and 9", m);
  require(p.algebraic >= 0 && p.parameters >= 0 && p.conditions >= 0,
          "algebraic, parameters and conditions must not be negative");
  require(static_cast<bool>(p.f) || p.orders.empty(), "f: no function was given");
  require(p.algebraic == 0 || static_cast<bool>(p.g),
          "g: no function was given, but there are {} algebraic variables", p.algebraic);
  require(p.conditions == 0 || static_cast<bool>(p.condition), "condition: no function was given");
  require(!p.f || p.f.is_recordable(),
          "f takes plain doubles; make it generic in its scalar, [](auto t, auto z, auto y, auto "
          "out) {...}");
  require(!p.g || p.g.is_recordable(), "g takes plain doubles; make it generic in its scalar");
  require(!p.condition || p.condition.is_recordable(),
          "condition takes plain doubles; make it generic in its scalar");
  require(
      std::isfinite(p.t_span.begin) && std::isfinite(p.t_span.end) && p.t_span.begin < p.t_span.end,
      "t_span: [{}, {}] is not an interval", p.t_span.begin, p.t_span.end);
  double before = -HUGE_VAL;
  for (const double t : p.points) {
    require(t > before, "points: {} is not larger than the point before it", t);
    require(t >= p.t_span.begin && t <= p.t_span.end, "points: {} lies outside of [{}, {}]", t,
            p.t_span.begin, p.t_span.end);
    before = t;
  }
  const std::size_t names = static_cast<std::size_t>(p.states() + p.algebraic);
  require(p.variables.empty() || p.variables.size() == names,
          "variables: {} names for {} variables", p.variables.size(), names);
  require(p.condition_names.empty() ||
              p.condition_names.size() == static_cast<std::size_t>(p.conditions),
          "condition_names: {} names for {} conditions", p.condition_names.size(), p.conditions);
  require(p.parameter_guess.empty() || p.parameter_guess.size() == p.parameters,
          "parameter_guess: {} values for {} parameters", p.parameter_guess.size(), p.parameters);
}

/// Which derivative of which variable stands at each place of z.
struct Layout {
  std::vector<std::pair<int, int>> state;  ///< (variable, order)
  int components = 0, algebraic = 0;

  explicit Layout(const BoundaryProblem& p) : algebraic(p.algebraic) {
    for (const int m : p.orders) {
      for (int k = 0; k < m; ++k) state.emplace_back(components, k);
      ++components;
    }
    for (int k = 0; k < p.parameters; ++k) state.emplace_back(components++, 0);
  }
  int variables() const { return components + algebraic; }
};

std::string name_of_state(const BoundaryProblem& p, std::size_t place, int variable, int order) {
  if (!p.variables.empty()) return p.variables[place];
  const int components = static_cast<int>(p.orders.size());
  if (variable >= components) return fmt::format("p{}", variable - components + 1);
  return fmt::format("x{}{}", variable + 1, std::string(static_cast<std::size_t>(order), '\''));
}

/// Of equations and conditions in one graph.
struct Roots {
  std::vector<NodeId> equations, conditions;
  bool operator==(const Roots&) const = default;
};

int width_of_condition(const BoundaryProblem& p) {
  return p.states() + (p.conditions_on_algebraic ? p.algebraic : 0);
}

/// Inputs: time, states, algebraic variables, highest derivatives.
std::vector<NodeId> record_equations(const BoundaryProblem& p, const Layout& layout, Graph& graph) {
  const int states = static_cast<int>(layout.state.size());
  const int components = static_cast<int>(p.orders.size());
  const Expr t(graph, graph.input(0));
  std::vector<Expr> z, y, out(static_cast<std::size_t>(components + p.algebraic));
  for (int j = 0; j < states; ++j) z.emplace_back(graph, graph.input(1 + j));
  for (int j = 0; j < p.algebraic; ++j) y.emplace_back(graph, graph.input(1 + states + j));
  const InputOf<Expr> state(z.data(), states), algebraic(y.data(), p.algebraic);
  if (p.f) p.f(t, {state, algebraic}, OutputOf<Expr>(out.data(), components));
  if (p.algebraic > 0)
    p.g(t, {state, algebraic}, OutputOf<Expr>(out.data() + components, p.algebraic));
  const int rates = 1 + states + p.algebraic;
  std::vector<NodeId> roots;
  for (int c = 0; c < layout.components; ++c) {
    const Expr rate(graph, graph.input(rates + c));
    const Expr residual = c < components ? rate - out[static_cast<std::size_t>(c)] : rate;
    roots.push_back(residual.node_in(graph));
  }
  for (int k = 0; k < p.algebraic; ++k)
    roots.push_back(out[static_cast<std::size_t>(components + k)].node_in(graph));
  return roots;
}

/// Inputs: what is known at the first point, at the second, ...
std::vector<NodeId> record_conditions(const BoundaryProblem& p, Graph& graph) {
  const int points = p.points.empty() ? 2 : static_cast<int>(p.points.size());
  const int inputs = width_of_condition(p) * points;
  std::vector<Expr> z, out(static_cast<std::size_t>(p.conditions));
  for (int j = 0; j < inputs; ++j) z.emplace_back(graph, graph.input(j));
  if (p.conditions > 0)
    p.condition(Expr(0), {InputOf<Expr>(z.data(), inputs)},
                OutputOf<Expr>(out.data(), p.conditions));
  std::vector<NodeId> roots;
  for (const Expr& e : out) roots.push_back(e.node_in(graph));
  return roots;
}

Roots record(const BoundaryProblem& p, const Layout& layout, Graph& graph) {
  return {record_equations(p, layout, graph), record_conditions(p, graph)};
}

EquationSet equations_of(const BoundaryProblem& p, const Layout& layout, const Graph& graph,
                         const Roots& roots) {
  const int states = static_cast<int>(layout.state.size()), rates = 1 + states + p.algebraic;
  const int components = static_cast<int>(p.orders.size());
  const auto leaf = [&](EquationBuilder& builder, int input) -> NodeId {
    if (input == 0) return builder.time();
    if (input <= states) {
      const auto [variable, order] = layout.state[static_cast<std::size_t>(input - 1)];
      return builder.variable(variable, order);
    }
    if (input < rates) return builder.variable(layout.components + input - 1 - states);
    const int c = input - rates;
    return builder.variable(c, c < components ? p.orders[static_cast<std::size_t>(c)] : 1);
  };
  return recorded_equations(graph, roots.equations, leaf);
}

EquationSet conditions_of(const BoundaryProblem& p, const Layout& layout, const Graph& graph,
                          const Roots& roots) {
  const int states = static_cast<int>(layout.state.size()), width = width_of_condition(p);
  const auto leaf = [&](EquationBuilder& builder, int input) {
    const int place = input % width, first = input / width * layout.variables();
    if (place >= states) return builder.variable(first + layout.components + place - states);
    const auto [variable, order] = layout.state[static_cast<std::size_t>(place)];
    return builder.variable(first + variable, order);
  };
  return recorded_equations(graph, roots.conditions, leaf);
}

BoundaryGraph named_graph(const BoundaryProblem& p, const Layout& layout) {
  BoundaryGraph graph;
  for (std::size_t j = 0; j < layout.state.size(); ++j)
    if (layout.state[j].second == 0)
      graph.variables.push_back(name_of_state(p, j, layout.state[j].first, 0));
  for (int c = 0; c < layout.components; ++c)
    graph.equation_names.push_back(
        fmt::format("equation of {}", graph.variables[static_cast<std::size_t>(c)]));
  for (int k = 0; k < p.algebraic; ++k) {
    graph.variables.push_back(p.variables.empty()
                                  ? fmt::format("y{}", k + 1)
                                  : p.variables[layout.state.size() + static_cast<std::size_t>(k)]);
    graph.equation_names.push_back(fmt::format("constraint {}", k + 1));
  }
  for (std::size_t j = 0; j < layout.state.size(); ++j) {
    const auto [variable, order] = layout.state[j];
    graph.shown.emplace_back(variable, order);
    graph.shown_names.push_back(name_of_state(p, j, variable, order));
  }
  for (int k = 0; k < p.algebraic; ++k) {
    graph.shown.emplace_back(layout.components + k, 0);
    graph.shown_names.push_back(graph.variables[static_cast<std::size_t>(layout.components + k)]);
  }
  graph.t_span = p.t_span;
  graph.points = p.points;
  if (graph.points.empty()) graph.points = {p.t_span.begin, p.t_span.end};
  graph.condition_names = p.condition_names;
  for (int i = static_cast<int>(graph.condition_names.size()); i < p.conditions; ++i)
    graph.condition_names.push_back(fmt::format("condition {}", i + 1));
  return graph;
}

/// A record, and what was made of it. Equal expressions are one node: functions that do the same
/// once more give the same roots.
struct BoundaryRecord {
  mutable std::recursive_timed_mutex turn;  ///< for the graph of the record
  mutable Graph graph;
  Roots roots;
  BoundaryProblem given;  ///< without functions
  BoundaryGraph made;

  explicit BoundaryRecord(const BoundaryProblem& p) : given(p) {
    given.f = {}, given.g = {}, given.condition = {}, given.guess = {};
    given.findings = Findings::none();
    const Layout layout(p);
    roots = record(p, layout, graph);
    made = named_graph(p, layout);
    made.equations = equations_of(p, layout, graph, roots);
    made.conditions = conditions_of(p, layout, graph, roots);
  }
  bool fits(const BoundaryProblem& p) const {
    const BriefTurn mine(turn);
    return mine && p.orders == given.orders && p.algebraic == given.algebraic &&
           p.parameters == given.parameters && p.conditions == given.conditions &&
           p.conditions_on_algebraic == given.conditions_on_algebraic &&
           p.t_span.begin == given.t_span.begin && p.t_span.end == given.t_span.end &&
           p.points == given.points && p.variables == given.variables &&
           p.condition_names == given.condition_names && record(p, Layout(p), graph) == roots;
  }
};

}  // namespace

std::shared_ptr<const BoundaryGraph> recorded_graph(const BoundaryProblem& p) {
  check(p);
  const auto found = found_or_made<BoundaryRecord>(
      p.findings, [&](const BoundaryRecord& known) { return known.fits(p); },
      [&] { return std::make_shared<BoundaryRecord>(p); });
  return {found, &found->made};
}

BoundaryGuess guess_of(const BoundaryProblem& p) {
  if (!p.guess && p.parameter_guess.empty()) return {};
  const Layout layout(p);
  const int own = p.states() - p.parameters;
  return [guess = p.guess, parameters = p.parameter_guess, layout, own, z = Vector(own),
          y = Vector(p.algebraic)](double t, int orders, double* const* x) mutable {
    z.setZero(), y.setZero();
    if (guess) guess(t, Output(z.data(), own), Output(y.data(), layout.algebraic));
    for (int j = 0; j < own; ++j) {
      const auto [variable, order] = layout.state[static_cast<std::size_t>(j)];
      if (order < orders) x[order][variable] = z[j];
    }
    for (int k = 0; k < parameters.size(); ++k)
      x[0][layout.components - parameters.size() + k] = parameters[k];
    for (int k = 0; k < layout.algebraic; ++k) x[0][layout.components + k] = y[k];
  };
}

BoundaryGraph graph_of(const BoundaryProblem& p) {
  BoundaryGraph graph = *recorded_graph(p);
  graph.guess = guess_of(p);
  return graph;
}

}  // namespace bvp
}  // namespace daedalus
