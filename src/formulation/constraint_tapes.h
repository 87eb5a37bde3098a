#pragma once
// Constraints g(t, q) given as expressions, with all that motions ask of them: dg/dq and its rate
// along (1, v), and derivatives along the straight line q + s v, the first three.
#include <optional>

#include "formulation/graph_tape.h"
#include "formulation/position_constraints.h"

namespace daedalus {

class ConstraintTapes {
 public:
  ConstraintTapes() = default;
  /// Inputs of the graph: the time, q, v, and `further` ones, of which the first are discrete.
  ConstraintTapes(std::shared_ptr<const Graph> graph, PositionConstraints rows, int further,
                  std::shared_ptr<const std::vector<double>> modes);

  /// Rows of dg/dq, dense.
  void jacobian(double t, const double* q, double* rows) { fill(matrix(0), t, q, nullptr, rows); }
  void jacobian_rate(double t, const double* q, const double* v, double* rows) {
    fill(matrix(1), t, q, v, rows);
  }
  /// d^k/ds^k g(t + s, q + s v) at s = 0.
  void derivative(int k, double t, const double* q, const double* v, double* out) {
    level(k)(t, q, n_, v, out);
  }

 private:
  /// Made when they are asked for first, since most motions do without most of them, and shared by
  /// copies.
  struct Shared;
  GraphTape& matrix(int derivative) { return tape(derivative); }
  GraphTape& level(int derivative) { return tape(matrices + derivative); }
  GraphTape& tape(int which);
  void fill(GraphTape& entries, double t, const double* q, const double* v, double* rows);

  static constexpr int matrices = 2, levels = 4;
  int n_ = 0, m_ = 0;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<const std::vector<double>> modes_;
  std::optional<GraphTape> tapes_[matrices + levels];
  std::vector<int> places_;  ///< of the entries that are not zero everywhere
  std::vector<double> values_;
};

}  // namespace daedalus
