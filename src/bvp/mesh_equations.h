#pragma once
// All equations on one mesh: elements, projections at mesh points, side conditions. Newton's
// correction is found element by element from changes of the left value, and these from the
// condensed system; see element.h and block_solver.h.
#include <memory>
#include <optional>

#include "bvp/block_solver.h"
#include "bvp/conditions.h"
#include "bvp/element.h"
#include "bvp/iterate.h"

namespace daedalus::bvp {

class MeshEquations {
 public:
  MeshEquations(const CollocationSystem& system, const Basis& basis, Conditions& conditions,
                const BoundaryOptions& options);

  const CollocationSystem& system() const { return system_; }
  const Basis& basis() const { return basis_; }
  const ElementKernel& kernel() const { return kernels_[0]; }
  int index_two() const { return index_two_; }

  /// Sizes for a mesh; counts constraints of index 2 and chooses conditions the first time.
  void prepare(const Iterate& at);
  /// Matrix and residual. False: a singular matrix, of which failure() speaks.
  bool linearize(const Iterate& at);
  /// With projections along the directions of this iterate: with others the projected method
  /// would have another, worse solution. False: not finite.
  bool residual(const Iterate& at);
  bool residual_is_finite() const;
  void correction(Iterate& delta);
  const Message& failure() const { return failure_; }
  double condition() const { return solver_->condition(); }
  std::string violated_condition(const Iterate& at, double tolerance);
  /// Where the residual is not finite, if anywhere.
  std::string trouble(const Iterate& at);
  /// So far, on all meshes.
  std::int64_t linearized_elements() const { return linearized_; }
  std::int64_t evaluations() const { return evaluations_; }

 private:
  using NodeState = Conditions::NodeState;
  /// Residual and projection of the right end of an element.
  void linearize_node(int thread, const Iterate& at, int node);
  void left_residual(const Iterate& at, NodeProjection& left);
  void count_evaluations(int elements) {
    evaluations_ +=
        static_cast<std::int64_t>(elements) * (basis_.points() + (projections_.empty() ? 0 : 1));
  }
  void node_slots(int thread, const Iterate& at, int node, double* s);
  void condition_states(const Iterate& at);
  void fail_singular_element(const Iterate& at, int element);
  void fail_singular_system();
  bool projects() const { return options_.project && !basis_.ends_in_point() && index_two_ > 0; }
  bool projects_lower() const {
    return options_.project_lower && system_.zero_at_left.empty() && system_.lower.rows() > 0;
  }

  const CollocationSystem& system_;
  const Basis& basis_;
  Conditions& conditions_;
  BoundaryOptions options_;
  std::vector<ElementKernel> kernels_;  ///< one for each thread
  std::vector<Projector> projectors_;
  int index_two_ = -1;
  ElementStore factors_;
  std::vector<NodeProjection> projections_;  ///< of the right ends of the elements, where needed
  Matrix transfer_;
  std::optional<BlockSolver> solver_;
  Matrix f_, defect_, g_, lower_, gamma_, condition_jacobian_;
  std::vector<Vector> slots_;  ///< of each thread
  Vector condition_residual_;
  std::vector<int> condition_nodes_;
  std::vector<NodeState> condition_states_;
  std::vector<NodeProjection> condition_projections_;
  NodeProjection left_;  ///< at the present iterate, in the basis of the last linearisation
  Message failure_;
  std::int64_t linearized_ = 0, evaluations_ = 0;
};

}  // namespace daedalus::bvp
