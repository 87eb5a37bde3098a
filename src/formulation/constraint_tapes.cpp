#include "formulation/constraint_tapes.h"

#include <algorithm>
#include <mutex>

namespace daedalus {

struct ConstraintTapes::Shared {
  std::shared_ptr<const Graph> graph;
  PositionConstraints rows;
  int inputs;
  std::once_flag asked[matrices + levels];
  std::shared_ptr<const Tape> made[matrices + levels];

  std::shared_ptr<const Tape> make(int which) const {
    std::vector<NodeId> nodes;
    if (which < matrices)
      for (const PositionConstraints::Row& row : rows.jacobian)
        nodes.insert(nodes.end(), row.entries.begin(), row.entries.end());
    else
      nodes = rows.g;
    const int derivative = which < matrices ? which : which - matrices;
    if (derivative == 0) return GraphTape::translated(*graph, inputs, nodes);
    Graph extended = *graph;
    for (int k = 0; k < derivative; ++k)
      nodes = along_straight_line(extended, nodes, rows.coordinates);
    return GraphTape::translated(extended, inputs, nodes);
  }
};

ConstraintTapes::ConstraintTapes(std::shared_ptr<const Graph> graph, PositionConstraints rows,
                                 int further, std::shared_ptr<const std::vector<double>> modes)
    : n_(rows.coordinates),
      m_(rows.count()),
      shared_(std::make_shared<Shared>()),
      modes_(std::move(modes)) {
  for (int i = 0; i < m_; ++i)
    for (const int j : rows.jacobian[static_cast<std::size_t>(i)].places)
      places_.push_back(i * n_ + j);
  values_.resize(places_.size());
  shared_->graph = std::move(graph), shared_->rows = std::move(rows);
  shared_->inputs = 1 + 2 * n_ + further;
}

GraphTape& ConstraintTapes::tape(int which) {
  std::optional<GraphTape>& own = tapes_[which];
  if (own) return *own;
  std::call_once(shared_->asked[which], [&] { shared_->made[which] = shared_->make(which); });
  return own.emplace(shared_->made[which], 2 * n_, modes_);
}

void ConstraintTapes::fill(GraphTape& entries, double t, const double* q, const double* v,
                           double* rows) {
  entries(t, q, n_, v, values_.data());
  std::fill(rows, rows + static_cast<std::ptrdiff_t>(m_) * n_, 0.0);
  for (std::size_t k = 0; k < places_.size(); ++k) rows[places_[k]] = values_[k];
}

}  // namespace daedalus
