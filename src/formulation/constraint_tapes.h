#pragma once
// Constraints g(t, q) given as expressions, with all that motions ask of them: dg/dq and its rate
// along (1, v), and derivatives along the straight line q + s v, the first three.
#include "formulation/graph_tape.h"

namespace daedalus {

class ConstraintTapes {
 public:
  ConstraintTapes() = default;
  /// Inputs of the graph: the time, q, v, and `further` ones, of which the first are discrete.
  ConstraintTapes(Graph& graph, int coordinates, int further, const std::vector<NodeId>& rows,
                  std::shared_ptr<const std::vector<double>> modes);

  /// Rows of dg/dq, dense.
  void jacobian(double t, const double* q, double* rows) { fill(jacobian_, t, q, nullptr, rows); }
  void jacobian_rate(double t, const double* q, const double* v, double* rows) {
    fill(rate_, t, q, v, rows);
  }
  /// d^k/ds^k g(t + s, q + s v) at s = 0.
  void derivative(int k, double t, const double* q, const double* v, double* out) {
    level_[k](t, q, n_, v, out);
  }

 private:
  void fill(GraphTape& entries, double t, const double* q, const double* v, double* rows);

  int n_ = 0, m_ = 0;
  GraphTape jacobian_, rate_, level_[4];
  std::vector<int> places_;  ///< of the entries that are not zero everywhere
  std::vector<double> values_;
};

}  // namespace daedalus
