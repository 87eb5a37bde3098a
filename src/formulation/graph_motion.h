#pragma once
// A motion recognised in the equations of a model, with dense matrices. The forces B lambda are
// those of ideal constraints: the columns of B and those of (dg/dq)^T span the same space.
#include <Eigen/QR>

#include "formulation/constraint_tapes.h"
#include "formulation/known_start.h"
#include "formulation/motion_equations.h"
#include "formulation/recognised_motion.h"
#include "linear/kept_block.h"

namespace daedalus {

class GraphMotion final : public MotionEquations, public KeptBlock<GraphMotion> {
 public:
  /// Throws InvalidInput that says what is missing. `y` is a point near the start.
  GraphMotion(RecognisedMotion& found, double t, const double* y,
              std::shared_ptr<const std::vector<double>> modes, bool solved_as_code);

  /// Coordinates, their velocities, multipliers, accelerations that have names.
  const std::vector<int>& places() const { return places_; }
  /// Where the constraints stand among the equations.
  const std::vector<int>& constraint_rows() const { return constraint_rows_; }

  std::shared_ptr<MotionEquations> copy() const override {
    return std::make_shared<GraphMotion>(*this);
  }
  KnownStart* known_start(std::vector<double>& point) override {
    if (modes_) point.insert(point.end(), modes_->begin(), modes_->end());
    return known_start_.get();
  }
  void mass(double t, const double* q, MatrixOutput m) override;
  void force(double t, const double* q, const double* v, double* f) override {
    force_(t, q, coordinates, v, f);
  }
  void jacobian(double t, const double* q, double* rows) override {
    constraints_.jacobian(t, q, rows);
  }
  void jacobian_rate(double t, const double* q, const double* v, double* rows) override {
    constraints_.jacobian_rate(t, q, v, rows);
  }
  void positions(double t, const double* q, double* r) override {
    constraints_.derivative(0, t, q, nullptr, r);
  }
  void velocities(double t, const double* q, const double* v, double* r) override {
    constraints_.derivative(1, t, q, v, r);
  }
  void curvature(double t, const double* q, const double* v, double* r) override {
    constraints_.derivative(2, t, q, v, r);
  }
  void next_curvature(double t, const double* q, const double* v, double* r) override {
    constraints_.derivative(3, t, q, v, r);
  }
  void to_user(double t, const double* q, double* lambda) override;

 private:
  MotionNodes make_dynamics(RecognisedMotion& found);
  void check_forces(double t, const Vector& start);
  void stretch(double* lambda) const;

  std::vector<int> places_, constraint_rows_;
  std::shared_ptr<const std::vector<double>> modes_;
  ConstraintTapes constraints_;
  GraphTape mass_, directions_, force_;
  std::shared_ptr<KnownStart> known_start_ = std::make_shared<KnownStart>();
  std::vector<double> entries_, rows_;
  Matrix columns_;
  Vector sum_, solved_;
  Eigen::ColPivHouseholderQR<Matrix> factors_;
  bool directions_differ_ = false;  ///< from the rows of dg/dq
  bool directions_turn_ = false;    ///< they differ in more than their lengths
};

}  // namespace daedalus
