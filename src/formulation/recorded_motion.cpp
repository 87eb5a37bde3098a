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

}  // namespace daedalus
