#pragma once
// A motion under position constraints found in the equations of a model,
//   der(q) = v,   M(t, q) der(v) + B(t, q) lambda = f(t, q, v),   g(t, q) = 0,
// or with names for the accelerations, der(v) = a,
// where the forces B lambda are those of ideal constraints: the columns of B and those of (dg/dq)^T
// span the same space.
#include <Eigen/QR>

#include "analysis/signature.h"
#include "formulation/graph_tape.h"
#include "formulation/motion_equations.h"

namespace daedalus {

class GraphMotion final : public MotionEquations {
 public:
  /// Throws InvalidInput that says what is missing. `y` is a point near the start.
  GraphMotion(const ExpressionGraph& form, const StructuralAnalysis& structure, double t,
              const double* y, std::shared_ptr<const std::vector<double>> modes);

  /// Coordinates, their velocities, multipliers, accelerations that have names.
  const std::vector<int>& places() const { return places_; }

  std::shared_ptr<MotionEquations> copy() const override {
    return std::make_shared<GraphMotion>(*this);
  }
  void mass(double t, const double* q, MatrixOutput m) override;
  void force(double t, const double* q, const double* v, double* f) override {
    force_(t, q, coordinates, v, f);
  }
  void jacobian(double t, const double* q, double* rows) override {
    jacobian_(t, q, coordinates, nullptr, rows);
  }
  void jacobian_rate(double t, const double* q, const double* v, double* rows) override {
    jacobian_rate_(t, q, coordinates, v, rows);
  }
  void positions(double t, const double* q, double* r) override {
    level_[0](t, q, coordinates, nullptr, r);
  }
  void velocities(double t, const double* q, const double* v, double* r) override {
    level_[1](t, q, coordinates, v, r);
  }
  void curvature(double t, const double* q, const double* v, double* r) override {
    level_[2](t, q, coordinates, v, r);
  }
  void next_curvature(double t, const double* q, const double* v, double* r) override {
    level_[3](t, q, coordinates, v, r);
  }
  void to_user(double t, const double* q, double* lambda) override;

 private:
  std::vector<int> sort_variables(const ExpressionGraph& form, const StructuralAnalysis& structure);
  void name_accelerations(RowExpressions& rows, const StructuralAnalysis& structure,
                          std::vector<int>& others);
  void sort_rows(RowExpressions& rows, const std::vector<int>& others, const ExpressionGraph& form,
                 const StructuralAnalysis& structure);
  void make_constraints(RowExpressions& rows);
  void make_dynamics(RowExpressions& rows);
  void check_forces(double t, const Vector& start);

  std::vector<int> places_, q_, v_, lambda_, a_;
  std::vector<NodeId> constraint_rows_, dynamic_rows_;
  std::shared_ptr<const std::vector<double>> modes_;
  GraphTape mass_, directions_, force_, jacobian_, jacobian_rate_, level_[4];
  std::vector<double> entries_, rows_;
  Matrix columns_;
  Vector sum_, solved_;
  Eigen::ColPivHouseholderQR<Matrix> factors_;
  bool directions_differ_ = false;  ///< from the rows of dg/dq
};

}  // namespace daedalus
