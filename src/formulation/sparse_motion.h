#pragma once
// Motions of many bodies for explicit methods: the same equations as in constrained_motion.h with
// G and M sparse, so that a stage costs as much as there are entries. M falls into small blocks,
// G M^-1 G^T has sparse factors with one analysis for the whole run. Up to some hundred coordinates
// all but the forces is straight-line code. Where the constraints become nearly dependent the dense
// equations, which know singular points, take over if they are not too large.
#include <functional>
#include <optional>

#include "expression/equation_set.h"
#include "formulation/mass_blocks.h"
#include "formulation/motion_linearization.h"
#include "formulation/projected_field.h"
#include "formulation/recognised_motion.h"
#include "formulation/straight_motion.h"
#include "linear/gram_factors.h"

namespace daedalus {

class SparseMotionDerivatives;

/// Coefficients that do not vanish everywhere, and where they stand.
struct SparseEntries {
  std::vector<MassBlocks::Entry> at;
  EquationSet values;         ///< one row for each
  std::vector<NodeId> nodes;  ///< the same in the graph that they come from
  bool constant = true;
};

/// Variables 0 .. n-1 are the coordinates, of order 1 their velocities.
struct MotionSets {
  int coordinates = 0;
  EquationSet constraints;     ///< g(t, q)
  EquationSet force;           ///< f(t, q, v)
  Function<2> force_function;  ///< in place of it, if given
  SparseEntries mass;          ///< M(t, q)
  SparseEntries directions;    ///< B(t, q): coordinate, multiplier; none: (dg/dq)^T
};
MotionSets motion_sets(RecognisedMotion& found);
/// None: no forces.
Function<2> force_of(const Mechanical& form);
/// Of recorded constraints and a constant mass.
MotionSets motion_sets(const Mechanical& form, Graph& graph,
                       const std::vector<NodeId>& constraints);

class SparseMotion final : public ProjectedField {
 public:
  using Dense = std::function<std::unique_ptr<ProjectedField>()>;
  /// Null where sparse matrices do not pay. `dense` makes what takes over, or is empty.
  static std::unique_ptr<SparseMotion> make(RecognisedMotion& found, double t, const double* y,
                                            std::shared_ptr<const std::vector<double>> modes,
                                            Dense dense);
  static std::unique_ptr<SparseMotion> make(const Mechanical& form, Dense dense,
                                            const Findings& findings);
  /// Up to it dense loops over short rows are as fast.
  static constexpr int few_coordinates = 12;
  /// Beyond it dense matrices take too long to pass singular points.
  static constexpr int most_dense_coordinates = 120;

  SparseMotion(MotionSets sets, std::shared_ptr<const std::vector<double>> modes, Dense dense);

  bool is_sparse() const override { return !dense_; }
  bool is_motion() const override { return true; }
  bool acceleration_derivatives(double t, const double* x, double* da_dq, double* da_dv) override;
  double slopes_for_derivatives() const override;
  bool slope(double t, const double* x, double* xp) override;
  void multipliers(double* z) const override;
  bool project_stage(double t, double* x) override;
  bool project_end(double t, double* x, const double* tolerance) override;
  double distance(double t, const double* x) override;
  double reach() const override { return dense_ ? dense_->reach() : ProjectedField::reach(); }
  int levels() const override { return 2; }
  void level(int k, double t, const double* x, double* r) override {
    if (code_)
      std::copy_n(code_->level(k, t, x), m_, r);
    else
      level_[k].residual(point(t, x, x + n_), r);
  }
  double health() const override { return dense_ ? dense_->health() : 1; }
  double since_singular() override;
  int leave_rest(double t, double* x, int branch, double speed) override;
  std::unique_ptr<ProjectedField> copy() const override;
  std::unique_ptr<ProjectedField> for_output() const override;
  void begin(double t, const double* x) override;
  void step_was(bool accepted) override {
    if (dense_) dense_->step_was(accepted);
  }
  std::vector<std::string> notes() const override;
  void save(std::vector<double>& memory) const override;
  void restore(SavedState& memory) override;

 private:
  SparseMotion(const SparseMotion&) = default;  // shares what takes over
  SparseMotion(const SparseMotion& other, std::unique_ptr<ProjectedField> dense);
  friend class SparseMotionDerivatives;
  Point point(double t, const double* q, const double* v);
  void find_force(double t, const double* q, const double* v);
  bool prepare(double t, const double* q);
  /// Of rows of G in the metric of M: the squares of their lengths, and those of their distances
  /// from rows before, by their numbers.
  template <class Square, class Pivot>
  bool are_independent(Square square, Pivot pivot) const;
  void make_code(const Graph& graph, const std::vector<NodeId>& constraints, int first_force,
                 int inputs);
  bool is_regular(const StraightMotion::Rows& rows);
  bool slope_by_code(double t, const double* x, double* xp);
  bool slope_by_matrices(double t, const double* x, double* xp);
  bool project_by_code(double t, double* x);
  void show_accelerations(const double* a);
  ProjectedField* dense_at(double t, const double* x);
  double correct(double* x);
  void find_rows(double t, const double* q);
  void compare_directions(double t, const double* q);
  bool pays() const;
  bool forces_are_ideal(double t, const double* q);

  int n_, m_;
  std::shared_ptr<const std::vector<double>> modes_;
  Dense make_dense_;
  std::shared_ptr<ProjectedField> dense_;
  std::shared_ptr<MotionLinearization> linearization_ = std::make_shared<MotionLinearization>();
  std::shared_ptr<SparseMotionDerivatives> derivatives_;  ///< made when first asked for
  EquationSet level_[2];   ///< the constraints, and differentiated once
  EquationSet curvature_;  ///< differentiated twice, without acceleration
  EquationSet force_set_;
  Function<2> force_function_;
  EquationJacobian jacobian_;
  SparseEntries mass_entries_, directions_;
  std::vector<int> shown_at_;  ///< coordinates whose accelerations are variables

  std::optional<StraightMotion> code_;  ///< forces are given to it
  bool slope_is_by_code_ = false;

  MassBlocks mass_;
  GramFactors gram_;
  std::vector<int> start_, column_;  ///< of the scaled rows, whole blocks
  struct Segment {
    int block, first;  ///< in the scaled rows
  };
  std::vector<Segment> segments_;
  std::vector<int> jacobian_slot_;  ///< of each value of jacobian_ in rows_
  bool slots_in_order_ = false;
  std::vector<int> direction_slot_;  ///< of each entry of B in the row it belongs to

  double at_t_ = 0, size_ = 1;
  bool mass_known_ = false, prepared_ = false, directions_differ_ = false, lost_ = false;
  const double* tables_[3] = {};
  std::vector<double> zeros_, jacobian_values_, mass_values_, direction_values_, plain_rows_, rows_;
  std::vector<double> length_at_start_;  ///< squares, of the scaled rows
  std::vector<double> at_q_, force_, step_, right_side_, lambda_, shown_;
  std::vector<double> along_, square_;  ///< G_k B_k and G_k G_k of constraint k
};

}  // namespace daedalus
