#pragma once
// What ConstrainedMotion asks of a mechanical system, wherever its equations come from:
//   M(t, q) v' = f(t, q, v) - (G; K)^T lambda,   g(t, q) = 0,   K v + k = 0,
// G = dg/dq. Matrices of constraints are given by rows, the position constraints first.
#include <memory>
#include <optional>
#include <vector>

#include "daedalus/problem.h"
#include "formulation/straight_motion.h"

namespace daedalus {

class KnownStart;

class MotionEquations {
 public:
  virtual ~MotionEquations() = default;

  int coordinates = 0;
  int position = 0;  ///< number of constraints g
  int velocity = 0;  ///< number of constraints K v + k
  int constraints() const { return position + velocity; }
  bool constant_mass = false;
  /// Coordinates whose accelerations are variables too, behind the multipliers.
  std::vector<int> shown_accelerations = {};

  virtual std::shared_ptr<MotionEquations> copy() const = 0;
  /// m arrives as zeros.
  virtual void mass(double t, const double* q, MatrixOutput m) = 0;
  virtual void force(double t, const double* q, const double* v, double* f) = 0;
  virtual void jacobian(double t, const double* q, double* rows) = 0;
  /// d/dt of the rows along (1, v).
  virtual void jacobian_rate(double t, const double* q, const double* v, double* rows) = 0;
  /// g, and zeros for the velocity constraints.
  virtual void positions(double t, const double* q, double* r) = 0;
  /// d/dt g, and K v + k.
  virtual void velocities(double t, const double* q, const double* v, double* r) = 0;
  /// d^2/dt^2 g, and d/dt (K v + k), without acceleration.
  virtual void curvature(double t, const double* q, const double* v, double* r) = 0;
  /// One derivative more.
  virtual void next_curvature(double t, const double* q, const double* v, double* r) = 0;
  /// All of it as one piece of code, where there is such; for regular constraints.
  StraightMotion* straight() { return straight_ ? &*straight_ : nullptr; }
  /// Whether forces and positions, of the size `reach` off the constraints, are still what was made
  /// code of; what cannot change says yes.
  virtual bool agree(const StraightMotion::Point& at, const double* force, const double* positions,
                     double reach) {
    return (void)at, (void)force, (void)positions, (void)reach, true;
  }
  virtual void forget_code() {}
  /// Whether all functions are still what was made code of; false: nobody can tell.
  virtual bool is_unchanged() const { return false; }
  /// Shared by all that have the same equations; null: nobody can tell. Appends to a point what
  /// else the equations depend on.
  virtual KnownStart* known_start(std::vector<double>& point) { return (void)point, nullptr; }
  /// From (G; K)^T lambda to the multipliers as the user defined them, where they differ.
  virtual void to_user(double t, const double* q, double* lambda) {
    (void)t, (void)q, (void)lambda;
  }

 protected:
  std::optional<StraightMotion> straight_;
};

/// `solved_as_code`: `straight` is wanted.
std::unique_ptr<MotionEquations> motion_of(const Mechanical& form, bool solved_as_code,
                                           const Findings& findings = Findings::none());

}  // namespace daedalus
