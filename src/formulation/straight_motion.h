#pragma once
// A small motion as straight-line code: mass, forces, constraints, their derivatives, the factors
// of M and of the Schur complement G M^-1 G^T and the solution, all as one list of operations. What
// the pattern shows to be zero costs nothing. The factors are not pivoted; the pivots come out with
// the results, and whoever asks must see that the constraints are independent.
#include <memory>
#include <optional>

#include "formulation/graph_tape.h"
#include "formulation/position_constraints.h"

namespace daedalus {

/// M(t, q) v' = f(t, q, v) - G^T lambda,  g(t, q) = 0, over the inputs t, q, v, and `further` ones.
struct MotionNodes {
  std::vector<NodeId> mass;  ///< by rows
  std::vector<NodeId> force;
  int further = 0;
  bool operator==(const MotionNodes&) const = default;
};

class StraightMotion {
 public:
  /// Beyond it recording the forces may take longer than a run.
  static constexpr int most_coordinates = 40;
  /// None: too many operations.
  static std::optional<StraightMotion> make(
      Graph& graph, const PositionConstraints& constraints, const MotionNodes& motion,
      const std::shared_ptr<const std::vector<double>>& modes);

  /// Of the rows of G in the metric of M: the squares of their lengths, and those of their
  /// distances from rows before.
  struct Rows {
    const double *squares, *pivots;
    bool positive_mass;
  };
  /// The shortest ones in the metric of M that lead to g = 0 and to d/dt g = 0, to first order.
  struct Correction {
    const double *dq, *dv;
    double dq_squared;  ///< of that length
    Rows rows;
  };

  /// x = (q, v)
  Rows accelerate(double t, const double* x, double* a);
  /// t, q, v of the last acceleration.
  const double* point() const { return accelerate_.inputs(); }
  /// Of the last acceleration.
  void multipliers(double* lambda) const;
  void force(double* f) const;

  Correction correct(double t, const double* q, const double* v);

 private:
  StraightMotion() = default;
  Rows rows(const double* at) const;

  int n_ = 0, m_ = 0, mass_pivots_ = 0;
  GraphTape accelerate_, correct_;
};

}  // namespace daedalus
