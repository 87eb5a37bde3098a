#pragma once
// The side conditions of a problem: those of the user at given points, and at the left end the
// constraints of index 2, the constraints of lower levels and what a formulation adds. Exactly as
// many as there are states are kept; conditions that the constraints imply are set aside and
// looked at again when there is a solution.
#include "bvp/boundary_graph.h"
#include "bvp/iterate.h"
#include "bvp/node_projection.h"

namespace daedalus::bvp {

/// Those of the user as functions of the slots of all points, one after the other. Never changes
/// after construction, so threads share it.
struct ConditionEquations {
  SlotEquations equations;
  bool need_closure = false;

  /// Throws InvalidInput for conditions that use what has no slot.
  ConditionEquations(const BoundaryGraph& graph, const CollocationSystem& system);
};

class Conditions {
 public:
  Conditions(const BoundaryGraph& graph, const CollocationSystem& system,
             const ConditionEquations& equations);

  /// The mesh point of each point, the left end first.
  std::vector<int> nodes(const std::vector<double>& mesh) const;

  /// What is known at a node of `nodes`: constraints of index 2 linearised, and all slots.
  struct NodeState {
    double t = 0;
    const NodeProjection* projection = nullptr;
    std::vector<double> slots;
  };
  /// Finds out which conditions are kept. Throws InvalidInput: too many, too few.
  void choose(const std::vector<NodeState>& at, int index_two);
  bool is_chosen() const { return chosen_; }
  /// Whether they use highest derivatives or algebraic variables, which then have to follow from
  /// the states of a node (closure.h).
  bool need_closure() const { return own_.need_closure; }
  void jacobian(const std::vector<NodeState>& at, Matrix& to);
  void residual(const std::vector<NodeState>& at, const double* left_constraints, Vector& to);
  /// The condition set aside that a solution violates most, if by more than its tolerance.
  std::string violated(const std::vector<NodeState>& at, double tolerance);
  const std::vector<std::string>& notes() const { return notes_; }
  const BoundaryGraph& graph() const { return graph_; }

 private:
  void evaluate_user(const std::vector<NodeState>& at);
  /// user_jacobian_, in which w and y are functions of z.
  void linearize_user(const std::vector<NodeState>& at);
  std::vector<int> find_implied(const std::vector<NodeState>& at);
  std::string count_text() const;

  const BoundaryGraph& graph_;
  const CollocationSystem& system_;
  Scratch scratch_;
  int slots_, states_, index_two_ = 0, user_;
  const ConditionEquations& own_;
  std::vector<int> kept_, aside_;
  bool chosen_ = false;
  std::vector<std::string> notes_;
  std::vector<double> joined_, values_, lower_values_;
  Matrix user_jacobian_, lower_jacobian_;
};

}  // namespace daedalus::bvp
