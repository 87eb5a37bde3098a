#include "formulation/constraint_tapes.h"

#include <algorithm>

namespace daedalus {

ConstraintTapes::ConstraintTapes(std::shared_ptr<const Graph> graph, PositionConstraints rows,
                                 int further, std::shared_ptr<const std::vector<double>> modes)
    : n_(rows.coordinates),
      m_(rows.count()),
      inputs_(1 + 2 * n_ + further),
      graph_(std::move(graph)),
      rows_(std::move(rows)),
      modes_(std::move(modes)) {
  for (int i = 0; i < m_; ++i)
    for (const int j : rows_.jacobian[static_cast<std::size_t>(i)].places)
      places_.push_back(i * n_ + j);
  values_.resize(places_.size());
}

GraphTape& ConstraintTapes::matrix(int derivative) {
  std::optional<GraphTape>& tape = matrix_[derivative];
  if (tape) return *tape;
  std::vector<NodeId> entries;
  for (const PositionConstraints::Row& row : rows_.jacobian)
    entries.insert(entries.end(), row.entries.begin(), row.entries.end());
  if (derivative == 0) return tape.emplace(*graph_, inputs_, 2 * n_, entries, modes_);
  Graph graph = *graph_;
  entries = along_straight_line(graph, entries, n_);
  return tape.emplace(graph, inputs_, 2 * n_, entries, modes_);
}

GraphTape& ConstraintTapes::level(int derivative) {
  std::optional<GraphTape>& tape = level_[derivative];
  if (tape) return *tape;
  if (derivative == 0) return tape.emplace(*graph_, inputs_, 2 * n_, rows_.g, modes_);
  Graph graph = *graph_;
  std::vector<NodeId> nodes = rows_.g;
  for (int k = 0; k < derivative; ++k) nodes = along_straight_line(graph, nodes, n_);
  return tape.emplace(graph, inputs_, 2 * n_, nodes, modes_);
}

void ConstraintTapes::fill(GraphTape& entries, double t, const double* q, const double* v,
                           double* rows) {
  entries(t, q, n_, v, values_.data());
  std::fill(rows, rows + static_cast<std::ptrdiff_t>(m_) * n_, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) rows[places_[k]] = values_[k];
}

}  // namespace daedalus
