#include "formulation/constraint_tapes.h"

#include <algorithm>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

/// Coordinates that occur in an expression.
std::vector<int> coordinates_in(const Graph& graph, NodeId node, int n) {
  std::vector<int> list;
  for (const NodeId id : needed(graph, node))
    if (graph[id].op == Op::input && graph[id].a > 0 && graph[id].a <= n)
      list.push_back(graph[id].a - 1);
  return list;
}

NodeId along_straight_line(Graph& graph, NodeId node, int n) {
  return tangent(graph, node, [&graph, n](int input) {
    return input == 0 ? graph.constant(1) : input <= n ? graph.input(input + n) : graph.constant(0);
  });
}

}  // namespace

ConstraintTapes::ConstraintTapes(Graph& graph, int coordinates, int further,
                                 const std::vector<NodeId>& rows,
                                 std::shared_ptr<const std::vector<double>> modes)
    : n_(coordinates), m_(static_cast<int>(rows.size())) {
  const int inputs = 1 + 2 * n_ + further;
  std::vector<NodeId> matrix, rates, level = rows;
  for (int i = 0; i < m_; ++i)
    for (const int j : coordinates_in(graph, rows[static_cast<std::size_t>(i)], n_)) {
      const NodeId entry = gradient(graph, rows[static_cast<std::size_t>(i)], {1 + j})[0];
      places_.push_back(i * n_ + j);
      matrix.push_back(entry);
      rates.push_back(along_straight_line(graph, entry, n_));
    }
  values_.resize(places_.size());
  for (GraphTape& tape : level_) {
    tape = GraphTape(graph, inputs, 2 * n_, level, modes);
    for (NodeId& node : level) node = along_straight_line(graph, node, n_);
  }
  jacobian_ = GraphTape(graph, inputs, 2 * n_, matrix, modes);
  rate_ = GraphTape(graph, inputs, 2 * n_, rates, modes);
}

void ConstraintTapes::fill(GraphTape& entries, double t, const double* q, const double* v,
                           double* rows) {
  entries(t, q, n_, v, values_.data());
  std::fill(rows, rows + static_cast<std::ptrdiff_t>(m_) * n_, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) rows[places_[k]] = values_[k];
}

}  // namespace daedalus
