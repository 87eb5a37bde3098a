#pragma once
// Hessenberg systems of index 2 for explicit methods,
//   y' = f(t, y, z),  0 = g(t, y):   z from  g_y f(t, y, z) + g_t = 0.
// Where g_y f_z loses rank at a point, z may have no limit while y' has: it is the mean of its
// values on both sides, at points of the manifold. [AscherLin1996, section 4; AscherLin1997, (3.2)]
#include <Eigen/LU>

#include "formulation/index2_equations.h"
#include "formulation/projected_field.h"
#include "linear/constraint_matrix.h"
#include "linear/gmres.h"

namespace daedalus {

class Index2Field final : public ProjectedField {
 public:
  Index2Field(std::shared_ptr<Index2Equations> equations, Solves solves);

  bool slope(double t, const double* x, double* xp) override;
  bool constrained_slope(double t, const double* x, const Ahead& ahead, double* xp) override;
  bool is_affine() const override { return is_affine_; }
  void guess_multipliers(const double* z) override;
  bool wants_guess() const override { return true; }
  void multipliers(double* z) const override;
  bool project_stage(double t, double* x) override;
  bool project_end(double t, double* x, const double* tolerance) override;
  double distance(double t, const double* x) override;
  int levels() const override { return 1; }
  void level(int, double t, const double* x, double* r) override {
    equations_->constraint(t, x, r);
  }
  double health() const override { return health_; }
  double since_singular() override;
  std::unique_ptr<ProjectedField> copy() const override;
  std::unique_ptr<ProjectedField> for_output() const override;
  void begin(double t, const double* x) override;
  void step_was(bool accepted) override {
    if (!constraints_->settle(accepted)) prepared_ = false;
  }
  bool iterates() const override { return true; }
  void ask_for(double slope_error) override { accuracy_ = slope_error; }
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  struct Independent {};
  Index2Field(const Index2Field&) = default;  // shares the equations
  Index2Field(const Index2Field& other, Independent);
  bool prepare(double t, const double* x);
  bool factor(double t, const double* x);
  bool linearize(double t, const double* x, double* xp);
  bool affine_slope(double* xp);
  void find_change(const double* rows);
  void iterate_change();
  double slope_change() const;
  bool regular_slope(double t, const double* x, double* xp);
  bool limit_slope(double t, const double* x, double* xp);
  bool correct(double t, double* x, double drop_below, const double* tolerance);

  std::shared_ptr<Index2Equations> equations_;
  int n_, m_;
  Solves solves_;
  std::shared_ptr<ConstraintMatrix> constraints_;
  bool learning_ = true, prepared_ = false, undetermined_ = false, known_ = false;
  bool is_affine_ = false;  ///< in z
  double at_t_ = 0, size_ = 1, health_ = 1, accuracy_ = 0;
  std::vector<double> at_x_, directions_, drift_, residual_, step_, z_, guess_, moved_, side_;
  std::vector<double> direction_;  ///< the last slope, known from the first one on
  std::vector<double> rate_, slope_t_x_, unprojected_;
  Matrix matrix_;
  Vector change_, rest_;
  Eigen::PartialPivLU<Matrix> factors_;
  Gmres krylov_;
};

}  // namespace daedalus
