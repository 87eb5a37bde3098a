#include "formulation/graph_motion.h"

#include <algorithm>
#include <cmath>

namespace daedalus {

GraphMotion::GraphMotion(RecognisedMotion& found, double t, const double* y,
                         std::shared_ptr<const std::vector<double>> modes, bool solved_as_code)
    : modes_(std::move(modes)) {
  coordinates = found.coordinates(), position = found.multipliers();
  shown_accelerations = found.shown_accelerations;
  places_ = found.places(), constraint_rows_ = found.constraint_rows;
  MotionNodes motion = make_dynamics(found);
  entries_.resize(static_cast<std::size_t>(coordinates) * static_cast<std::size_t>(coordinates));
  rows_.resize(static_cast<std::size_t>(coordinates) * static_cast<std::size_t>(position));
  columns_.resize(coordinates, position);
  sum_.resize(coordinates), solved_.resize(position);
  // Rows may be written as f - M der(v) = 0 too.
  Vector point(2 * coordinates);
  for (int j = 0; j < 2 * coordinates; ++j) point[j] = y[places_[static_cast<std::size_t>(j)]];
  mass_(t, point.data(), 2 * coordinates, nullptr, entries_.data());
  bool turned = false;
  for (int i = 0; i < coordinates; ++i)
    if (entries_[static_cast<std::size_t>(i * coordinates + i)] < 0) {
      NodeId& row = found.dynamics[static_cast<std::size_t>(i)];
      row = found.rows.graph.neg(row);
      turned = true;
    }
  if (turned) motion = make_dynamics(found);
  auto graph = std::make_shared<Graph>(found.rows.graph);
  PositionConstraints rows(*graph, coordinates, found.constraints);
  if (solved_as_code) straight_ = StraightMotion::make(*graph, rows, motion, modes_);
  constraints_ = ConstraintTapes(std::move(graph), std::move(rows), motion.further, modes_);
  check_forces(t, point);
}

MotionNodes GraphMotion::make_dynamics(RecognisedMotion& found) {
  const RowExpressions& rows = found.rows;
  const int n = coordinates;
  std::vector<int> accelerations, multipliers;
  for (int j = 0; j < n; ++j) accelerations.push_back(found.acceleration_input(j));
  for (int k = 0; k < position; ++k) multipliers.push_back(found.multiplier_input(k));
  std::vector<NodeId> mass, directions, force;
  constant_mass = true;
  for (const NodeId row : found.dynamics) {
    for (const NodeId entry : found.coefficients(row, accelerations)) {
      constant_mass = constant_mass && rows.graph.is_constant(entry);
      mass.push_back(entry);
    }
    for (const NodeId entry : found.coefficients(row, multipliers)) directions.push_back(entry);
    force.push_back(found.force(row));
  }
  mass_ = GraphTape(rows, 2 * n, mass, modes_);
  directions_ = GraphTape(rows, 2 * n, directions, modes_);
  force_ = GraphTape(rows, 2 * n, force, modes_);
  return {std::move(mass), std::move(force), rows.inputs() - 1 - 2 * n};
}

void GraphMotion::mass(double t, const double* q, MatrixOutput m) {
  mass_(t, q, coordinates, nullptr, entries_.data());
  for (int i = 0; i < coordinates; ++i)
    for (int j = 0; j < coordinates; ++j)
      m(i, j) = entries_[static_cast<std::size_t>(i * coordinates + j)];
}

/// M must be symmetric, and B lambda the force of ideal constraints, here and nearby.
void GraphMotion::check_forces(double t, const Vector& start) {
  const int n = coordinates, m = position;
  Vector q = start.head(n);
  Matrix mass_here(n, n), rows(m, n), columns(n, m);
  for (int probe = 0; probe < 3; ++probe) {
    mass(t, q.data(), MatrixOutput(mass_here.data(), n, n));
    if (!mass_here.isApprox(mass_here.transpose(), 1e-9))
      refuse_motion(
          "the mass matrix is not symmetric: write M der(v) = f with the masses on the left");
    jacobian(t, q.data(), rows_.data());
    directions_(t, q.data(), n, nullptr, entries_.data());
    for (int k = 0; k < m; ++k)
      for (int j = 0; j < n; ++j) {
        rows(k, j) = rows_[static_cast<std::size_t>(k * n + j)];
        columns(j, k) = entries_[static_cast<std::size_t>(j * m + k)];
      }
    directions_differ_ = directions_differ_ || !columns.isApprox(rows.transpose(), 1e-14);
    for (int k = 0; k < m; ++k) {
      const auto row = rows.row(k).transpose();
      const double along = columns.col(k).dot(row) / row.squaredNorm();
      directions_turn_ = directions_turn_ ||
                         !(columns.col(k) - along * row).isMuchSmallerThan(columns.col(k), 1e-13);
    }
    const Matrix across =
        columns -
        rows.transpose() * rows.transpose().completeOrthogonalDecomposition().solve(columns);
    if (across.norm() > 1e-8 * columns.norm())
      refuse_motion(
          "the forces of the multipliers are not normal to the constraints: write the equations "
          "of motion with the masses on the left");
    for (int j = 0; j < n; ++j)
      q[j] += 0.03 * std::sin(7.0 * (j + 1) + probe) * (1 + std::abs(q[j]));
  }
}

void GraphMotion::to_user(double t, const double* q, double* lambda) {
  if (!directions_differ_) return;
  jacobian(t, q, rows_.data());
  directions_(t, q, coordinates, nullptr, entries_.data());
  if (!directions_turn_) return stretch(lambda);
  sum_.setZero();
  for (int k = 0; k < position; ++k)
    for (int j = 0; j < coordinates; ++j) {
      sum_[j] += rows_[static_cast<std::size_t>(k * coordinates + j)] * lambda[k];
      columns_(j, k) = entries_[static_cast<std::size_t>(j * position + k)];
    }
  factors_.compute(columns_);
  solved_ = factors_.solve(sum_);
  std::copy(solved_.data(), solved_.data() + position, lambda);
}

/// Column k of B is c_k times row k of dg/dq. Where both vanish, nothing can be said.
void GraphMotion::stretch(double* lambda) const {
  for (int k = 0; k < position; ++k) {
    double square = 0, product = 0;
    for (int j = 0; j < coordinates; ++j) {
      const double entry = rows_[static_cast<std::size_t>(k * coordinates + j)];
      square += entry * entry;
      product += entry * entries_[static_cast<std::size_t>(j * position + k)];
    }
    lambda[k] = product != 0 ? lambda[k] * square / product : 0;
  }
}

}  // namespace daedalus
