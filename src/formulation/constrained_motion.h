#pragma once
// Mechanical systems for explicit methods, x = (q, v):
//   q' = v,  v' = a,   M a = f - Gc^T lambda,  Gc a + gamma = 0,
// Gc = (G; K) the position and velocity constraints, gamma what their second (first) derivatives
// are without acceleration. With M = L L^T and the matrix Gh = Gc L^-T,
//   L^T a = L^-1 f - zh,   zh = Gh^+ (Gh L^-1 f + gamma),   z = L^-T zh = M^-1 Gc^T lambda:
// z stays smooth where Gc loses rank and lambda does not exist. [AscherLin1997, (5.6)]
#include <Eigen/LU>

#include "formulation/known_start.h"
#include "formulation/motion_equations.h"
#include "formulation/projected_field.h"
#include "formulation/straight_motion.h"
#include "linear/constraint_matrix.h"
#include "linear/profile_cholesky.h"

namespace daedalus {

class ConstrainedMotion final : public ProjectedField {
 public:
  /// Relative to the largest singular value. Below it the condition that is lost in rounding comes
  /// from the next derivative of the constraints.
  static constexpr double nearly_singular = 1e-5;

  ConstrainedMotion(std::shared_ptr<MotionEquations> equations, Solves solves);

  void renew(double t, const double* x, bool asks) override;
  bool slope(double t, const double* x, double* xp) override;
  std::optional<MadeStages> make_stages(const Stages& step) override;
  bool end_stages(double* x, double* xp) override;
  bool constrained_slope(double t, const double* x, const Ahead& ahead, double* xp) override;
  bool is_motion() const override { return true; }
  bool moves_on_positions() const override { return equations_->velocity == 0; }
  bool position_step(double t, double* x, double h, bool symmetric, double* multipliers) override;
  void multipliers(double* z) const override;
  bool project_stage(double t, double* x) override;
  bool project_end(double t, double* x, const double* tolerance) override;
  double distance(double t, const double* x) override;
  double reach() const override;
  int levels() const override { return 2; }
  void level(int k, double t, const double* x, double* r) override {
    if (StraightMotion* code = equations_->straight())
      std::copy_n(code->level(k, t, x), m_, r);
    else if (k == 0)
      equations_->positions(t, x, r);
    else
      equations_->velocities(t, x, x + n_, r);
  }
  const double* known_levels(double t, const double* x) override {
    StraightMotion* code = equations_->straight();
    return code && equations_->velocity == 0 ? code->known_levels(t, x) : nullptr;
  }
  double health() const override { return constraints_->health(); }
  bool suspect_below(double health) override { return constraints_->suspect_below(health); }
  double since_singular() override;
  int leave_rest(double t, double* x, int branch, double speed) override;
  std::unique_ptr<ProjectedField> copy() const override;
  std::unique_ptr<ProjectedField> for_output() const override;
  void begin(double t, const double* x) override;
  bool iterates() const override { return solves_ == Solves::by_products; }
  void ask_for(double slope_error) override;
  void step_was(bool accepted) override {
    if (!constraints_->settle(accepted)) prepared_ = false;
  }
  std::vector<std::string> notes() const override;
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;
  bool can_rewind() const override {
    return equations_->straight() && equations_->velocity == 0 && solves_ == Solves::by_factors;
  }
  bool rewind() override;

 private:
  struct Independent {};
  ConstrainedMotion(const ConstrainedMotion&) = default;  // shares the equations
  ConstrainedMotion(const ConstrainedMotion& other, Independent);
  /// Of the last slope.
  StraightMotion::Point slope_point() const {
    const double* kept = slope_t_q_v_.data();
    return slope_is_by_code_ ? equations_->straight()->point()
                             : StraightMotion::Point{kept[0], kept + 1, kept + 1 + n_};
  }
  template <class Find>
  double known_or_found(KnownStart::Question question, const StraightMotion::Point& at, Find find);
  double find_distance(double t, const double* x);
  double find_crossing(double t, const double* q, const double* v);
  bool is_regular(double t, const double* x);
  bool is_regular(const StraightMotion::Rows& rows);
  bool functions_agree(double t, const double* x);
  bool slope_by_code(double t, const double* x, double* xp);
  void show_accelerations(double* a) const;
  bool project_by_code(double t, double* x);
  bool prepare_mass(double t, const double* q);
  bool prepare(double t, const double* q, bool decompose);
  void to_scaled_force(double* x) const;      ///< x = L^-1 x
  void from_scaled_motion(double* x) const;   ///< x = L^-T x
  double scaled_size(const double* x) const;  ///< |L^T x|
  double slowest_turn(const double* v) const;
  double nearness(double t, const double* x);
  void turn_rates(double t, const double* q, const double* v);
  bool add_derivative_rows(double t, const double* q, const double* v);
  bool correct_position(double t, double* q, double drop_below, int iterations);
  void correct_velocity(double t, const double* q, double* v, double drop_below);
  void look_here(double t, const double* q);
  bool solve_coupled();
  template <class Keep>
  double correct(const double* residual, double* x, double drop_below, Keep keep);

  std::shared_ptr<MotionEquations> equations_;
  Solves solves_;
  int n_, m_;
  std::shared_ptr<ConstraintMatrix> constraints_;
  std::vector<double> inverse_root_;  ///< of a diagonal mass: L^-1
  bool identity_ = false, diagonal_ = false, learning_ = true;
  Matrix mass_;
  ProfileCholesky root_;
  double size_ = 1;  ///< of q in the metric of M

  // Where the matrices belong to, and the last slope, if it was not made by code.
  double at_t_ = 0;
  std::vector<double> at_q_, slope_t_q_v_, shown_;
  bool prepared_ = false, undetermined_ = false, dependent_ = false;
  bool has_looked_ = false;  ///< for a singular point
  std::vector<double> force_, gamma_, right_side_, zh_, step_, residual_;
  bool slope_is_by_code_ = false;  ///< which knows its point
  std::vector<double> coded_acceleration_, aside_;
  std::vector<double> rate_, added_, extra_, projected_, third_values_, unprojected_;
  // Of half-explicit stages: directions at the stage, rows and constraint at the point ahead.
  Matrix rows_here_, rows_ahead_, coupled_;
  Vector driven_, lambda_, unit_;
  Eigen::PartialPivLU<Matrix> coupling_;
};

}  // namespace daedalus
