#include "formulation/recorded_motion.h"

#include <exception>

#include "daedalus/expr.h"

namespace daedalus {
namespace {

std::vector<Expr> inputs(Graph& graph, int first, int count) {
  std::vector<Expr> list;
  for (int j = 0; j < count; ++j) list.emplace_back(graph, graph.input(first + j));
  return list;
}

/// What a function writes, run with expressions.
template <class Call>
bool is_recorded(Graph& graph, int count, std::vector<NodeId>& nodes, Call call) {
  std::vector<Expr> out(static_cast<std::size_t>(count));
  try {
    call(out.data());
  } catch (const std::exception&) {
    return false;
  }
  nodes.clear();
  for (const Expr& e : out) nodes.push_back(e.node_in(graph));
  return true;
}

/// Masses and forces, as `recorded_constraints`.
bool recorded_dynamics(const Mechanical& form, Graph& graph, MotionNodes& motion) {
  const int n = form.coordinates;
  const Expr t(graph, graph.input(0));
  const std::vector<Expr> q = inputs(graph, 1, n), v = inputs(graph, 1 + n, n);
  const auto place = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  motion.mass.assign(static_cast<std::size_t>(n * n), graph.constant(0));
  if (form.mass.is_constant()) {
    for (const Mass::Entry& e : form.mass.entries(n)) {
      NodeId& entry = motion.mass[place(e.row, e.column)];
      entry = graph.add(entry, graph.constant(e.value));
    }
  } else {
    std::vector<NodeId> columns;
    if (!form.mass.function().is_recordable() ||
        !is_recorded(graph, n * n, columns, [&](Expr* out) {
          form.mass.function()(t, {InputOf<Expr>(q.data(), n)}, MatrixOutputOf<Expr>(out, n, n));
        }))
      return false;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) motion.mass[place(i, j)] = columns[place(j, i)];
  }
  motion.force.assign(static_cast<std::size_t>(n), graph.constant(0));
  if (!form.force) return true;
  return form.force.is_recordable() && is_recorded(graph, n, motion.force, [&](Expr* out) {
           form.force(t, {InputOf<Expr>(q.data(), n), InputOf<Expr>(v.data(), n)},
                      OutputOf<Expr>(out, n));
         });
}

}  // namespace

bool recorded_constraints(const Mechanical& form, Graph& graph, std::vector<NodeId>& rows) {
  if (!form.constraint.is_recordable()) return false;
  const int n = form.coordinates;
  const Expr t(graph, graph.input(0));
  const std::vector<Expr> q = inputs(graph, 1, n);
  return is_recorded(graph, form.holonomic, rows, [&](Expr* out) {
    form.constraint(t, {InputOf<Expr>(q.data(), n)}, OutputOf<Expr>(out, form.holonomic));
  });
}

std::optional<RecordedMotion::Record> RecordedMotion::record(const Mechanical& form,
                                                             bool solved_as_code, Graph& graph) {
  Record result;
  if (!recorded_constraints(form, graph, result.constraints)) return std::nullopt;
  result.has_dynamics =
      solved_as_code && form.nonholonomic == 0 && recorded_dynamics(form, graph, result.dynamics);
  if (!result.has_dynamics) result.dynamics = {};
  return result;
}

/// Functions may hold values that were changed since: what they do is recorded again, which takes
/// little of the time that derivatives, factors and code took.
bool RecordedMotion::is_of(const Mechanical& form) const {
  const BriefTurn mine(turn_);
  if (!mine || form.coordinates != coordinates_) return false;
  const PassingNodes passing(graph_);
  return record(form, solved_as_code_, graph_) == record_;
}

std::shared_ptr<const RecordedMotion> RecordedMotion::make(const Mechanical& form,
                                                           bool solved_as_code) {
  auto graph = std::make_shared<Graph>();
  std::optional<Record> record = RecordedMotion::record(form, solved_as_code, *graph);
  if (!record) return nullptr;
  std::shared_ptr<RecordedMotion> result(new RecordedMotion);
  result->solved_as_code_ = solved_as_code, result->coordinates_ = form.coordinates;
  result->graph_ = *graph, result->record_ = std::move(*record);
  PositionConstraints rows(*graph, form.coordinates, result->record_.constraints);
  if (result->record_.has_dynamics)
    result->straight_ = StraightMotion::make(*graph, rows, result->record_.dynamics, nullptr);
  result->tapes_ = ConstraintTapes(std::move(graph), std::move(rows), 0, nullptr);
  return result;
}

std::shared_ptr<const RecordedMotion> RecordedMotion::of(const Mechanical& form,
                                                         bool solved_as_code,
                                                         const Findings& findings) {
  return found_or_made<RecordedMotion>(
      findings,
      [&](const RecordedMotion& known) {
        return known.solved_as_code_ == solved_as_code && known.is_of(form);
      },
      [&] { return make(form, solved_as_code); });
}

}  // namespace daedalus
