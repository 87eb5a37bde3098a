// Runs the functions of a form with Expr and takes down what they do, one graph for all, which is
// then cut into equations.
#include "daedalus/record.h"

#include <fmt/format.h>

#include "expression/recorded_equations.h"
#include "problem/findings.h"
#include "problem/form_equations.h"
#include "problem/same_problem.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// Inputs of the graph: the time, then y, then y'.
struct Recorder {
  Graph& graph;
  int size;
  Expr t;
  std::vector<Expr> y, yp, r;

  Recorder(Graph& to, int n)
      : graph(to), size(n), t(graph, graph.input(0)), r(static_cast<std::size_t>(n)) {
    for (int j = 0; j < n; ++j) y.emplace_back(graph, graph.input(1 + j));
    for (int j = 0; j < n; ++j) yp.emplace_back(graph, graph.input(1 + n + j));
  }

  /// d f / d y[first .. first + count) as expressions.
  std::vector<Expr> derivatives(const Expr& f, int first, int count) {
    std::vector<int> inputs;
    for (int j = 0; j < count; ++j) inputs.push_back(1 + first + j);
    std::vector<Expr> result;
    for (const NodeId id : gradient(graph, f.node_in(graph), inputs))
      result.emplace_back(graph, id);
    return result;
  }

  std::vector<NodeId> roots() const {
    std::vector<NodeId> list;
    for (const Expr& e : r) list.push_back(e.node_in(graph));
    return list;
  }
};

template <class F>
void require_recordable(const F& f, const char* field) {
  require(!f || f.is_recordable(),
          "{} cannot be recorded: it takes plain doubles; make it generic in its "
          "scalar, [](auto t, auto y, auto out) {{...}}",
          field);
}

template <class Equations>
void run(Recorder& to, const Equations& equations) {
  equations.template residual<Expr>(to.t, to.y.data(), to.yp.data(), to.r.data());
}

void record(Recorder& to, const FullyImplicit& form) {
  require_recordable(form.residual, "form.residual");
  run(to, FullyImplicitEquations{form.residual, form.size});
}

void record(Recorder& to, const SemiExplicit& form) {
  require_recordable(form.f, "form.f"), require_recordable(form.g, "form.g");
  run(to, SemiExplicitEquations{form.f, form.g, form.differential, form.algebraic, 0});
}

void record(Recorder& to, const SingularlyPerturbed& form) {
  require_recordable(form.f, "form.f"), require_recordable(form.g, "form.g");
  run(to, SemiExplicitEquations{form.f, form.g, form.slow, form.fast, form.epsilon});
}

void record(Recorder& to, const HessenbergIndex2& form) {
  require_recordable(form.f, "form.f"), require_recordable(form.g, "form.g");
  run(to, Hessenberg2Equations{form.f, form.g, form.differential, form.algebraic});
}

void record(Recorder& to, const HessenbergIndex3& form) {
  require_recordable(form.f, "form.f"), require_recordable(form.k, "form.k");
  require_recordable(form.g, "form.g");
  run(to,
      Hessenberg3Equations{form.f, form.k, form.g, form.position, form.velocity, form.algebraic});
}

void record(Recorder& to, const HigherOrder& form) {
  require_recordable(form.f, "form.f"), require_recordable(form.g, "form.g");
  run(to, HigherOrderEquations{form.f, form.g, form.order, form.size, form.algebraic});
}

/// r += M(t, y) a for the first `size` unknowns.
void add_mass_times(Recorder& to, const Mass& mass, int size, const Expr* a, Expr* r) {
  if (mass.is_constant()) {
    for (const Mass::Entry& e : mass.entries(size)) r[e.row] += e.value * a[e.column];
    return;
  }
  require_recordable(mass.function(), "form.mass");
  std::vector<Expr> m(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  mass.function()(to.t, {InputOf<Expr>(to.y.data(), size)},
                  MatrixOutputOf<Expr>(m.data(), size, size));
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) r[i] += m[static_cast<std::size_t>(i + j * size)] * a[j];
}

void record(Recorder& to, const LinearlyImplicit& form) {
  require_recordable(form.f, "form.f");
  form.f(to.t, {InputOf<Expr>(to.y.data(), form.size)}, OutputOf<Expr>(to.r.data(), form.size));
  for (Expr& r : to.r) r = -r;
  add_mass_times(to, form.mass, form.size, to.yp.data(), to.r.data());
}

/// Index 3, as the equations stand; G and K are derivatives of what was recorded.
void record(Recorder& to, const Mechanical& form) {
  require_recordable(form.force, "form.force");
  require_recordable(form.constraint, "form.constraint");
  require_recordable(form.velocity_constraint, "form.velocity_constraint");
  const int n = form.coordinates;
  const InputOf<Expr> q(to.y.data(), n), v(to.y.data() + n, n);
  for (int i = 0; i < n; ++i)
    to.r[static_cast<std::size_t>(i)] = to.yp[static_cast<std::size_t>(i)] - v[i];
  Expr* balance = to.r.data() + n;
  if (form.force) form.force(to.t, {q, v}, OutputOf<Expr>(balance, n));
  for (int i = 0; i < n; ++i) balance[i] = -balance[i];
  add_mass_times(to, form.mass, n, to.yp.data() + n, balance);
  const Expr* multiplier = to.y.data() + 2 * n;
  Expr* constraint = to.r.data() + 2 * n;
  const auto push = [&](int count, int with_respect_to) {
    for (int k = 0; k < count; ++k) {
      const std::vector<Expr> row = to.derivatives(constraint[k], with_respect_to, n);
      for (int i = 0; i < n; ++i) balance[i] += row[static_cast<std::size_t>(i)] * multiplier[k];
    }
    constraint += count, multiplier += count;
  };
  if (form.holonomic > 0) form.constraint(to.t, {q}, OutputOf<Expr>(constraint, form.holonomic));
  push(form.holonomic, 0);
  if (form.nonholonomic > 0)
    form.velocity_constraint(to.t, {q, v}, OutputOf<Expr>(constraint, form.nonholonomic));
  push(form.nonholonomic, n);
}

void record(Recorder&, const ExpressionGraph&) {}

/// A record, and what was made of it. Equal expressions are one node: functions that do the same
/// once more give the same roots.
struct RecordFinding {
  mutable std::recursive_timed_mutex turn;  ///< for the graph
  mutable Graph graph;
  std::vector<NodeId> roots;
  ExpressionGraph form;
  Problem statement;  ///< of which sizes and names were checked; without its findings

  explicit RecordFinding(const Problem& problem, Names variables) : statement(problem) {
    statement.findings = Findings::none();
    form.size = form.visible = size_of(problem.form);
    roots = roots_of(problem);
    form.equations = std::make_shared<EquationSet>(
        recorded_equations(graph, roots, [n = form.size](EquationBuilder& builder, int input) {
          return input == 0   ? builder.time()
                 : input <= n ? builder.variable(input - 1)
                              : builder.variable(input - 1 - n, 1);
        }));
    form.variables = std::move(variables);
    form.equation_names = problem.equations;
    form.discrete = std::make_shared<std::vector<double>>();
  }
  bool fits(const Problem& problem, const Names& variables) const {
    const BriefTurn mine(turn);
    if (!mine) return false;
    const PassingNodes passing(graph);
    return size_of(problem.form) == form.size && form.variables == variables &&
           form.equation_names == problem.equations && roots_of(problem) == roots;
  }
  /// The very same functions that still do the same.
  bool is_of(const Problem& problem) const {
    const BriefTurn mine(turn);
    if (!mine) return false;
    const PassingNodes passing(graph);
    return has_same_equations(statement, problem) && roots_of(problem) == roots;
  }

 private:
  std::vector<NodeId> roots_of(const Problem& problem) const {
    Recorder recorder(graph, form.size);
    std::visit([&](const auto& given) { record(recorder, given); }, problem.form);
    return recorder.roots();
  }
};

}  // namespace

namespace {

std::shared_ptr<const RecordFinding> record_of(const Problem& problem) {
  if (Findings::Store* store = problem.findings.store())
    if (auto known = store->find<RecordFinding>(
            [&](const RecordFinding& finding) { return finding.is_of(problem); }))
      return known;
  // Checks sizes and names as a run would.
  const auto system = make_system(problem, Formulation::direct);
  const Names variables(system->variables.begin(),
                        system->variables.begin() + size_of(problem.form));
  // The record of a field is large, and recording it a small part of a run.
  constexpr std::size_t most_kept = 2000;
  return found_or_made<RecordFinding>(
      variables.size() <= most_kept ? problem.findings : Findings::none(),
      [&](const RecordFinding& known) { return known.fits(problem, variables); },
      [&] { return std::make_shared<RecordFinding>(problem, variables); });
}

}  // namespace

Problem recorded(const Problem& problem) {
  if (std::holds_alternative<ExpressionGraph>(problem.form)) return problem;
  // Sparsity, Jacobian and the index of variables are known better now.
  return {.form = record_of(problem)->form,
          .t_span = problem.t_span,
          .start = problem.start,
          .variables = problem.variables,
          .equations = problem.equations,
          .fixed = problem.fixed,
          .bounds = problem.bounds,
          .start_derivative = problem.start_derivative,
          .findings = problem.findings};
}

}  // namespace daedalus
