#pragma once
// Damped Newton iteration on one mesh after the other. A step u + lambda du is taken if the
// simplified correction there, found with the old matrix, is smaller than du (natural monotonicity:
// independent of how equations are scaled); lambda comes from estimates of the curvature. Once
// lambda = 1 and corrections contract, the matrix is kept, and what each correction tells of it is
// added as a change of rank 1 (good Broyden). [Deuflhard2004, 2.1.4, 3.3, 3.4]
//
// Newton's method contracts alike on all meshes that are fine enough: by how much is learnt on one
// and tells on the next whether another correction is needed. [Deuflhard2004, 8.1]
#include <functional>
#include <optional>

#include "bvp/measure.h"
#include "bvp/mesh_equations.h"

namespace daedalus::bvp {

struct NewtonOutcome {
  bool converged = false;
  Reason reason = Reason::finished;
  Message message = {};
  bool is_rough = false;  ///< not better than rounding, which is larger than the tolerance
};

/// Asked once, near the solution: whether the mesh deserves to be solved to the tolerance.
using IsWorthSolving = std::function<bool(const Iterate& near)>;

class Newton {
 public:
  Newton(MeshEquations& equations, const BoundaryOptions& options, BoundaryStatistics& statistics)
      : equations_(equations),
        options_(options),
        statistics_(statistics),
        measure_(equations.system(), equations.basis()) {}

  /// Until corrections are about as small as `wanted`, from u, which becomes the solution.
  NewtonOutcome solve(Iterate& u, double wanted, const IsWorthSolving& is_worth_solving = {});

 private:
  std::optional<NewtonOutcome> linearize(const Iterate& u);
  /// The damping factor that the last step and the new correction let expect.
  double predicted_damping(const Size& size);
  /// To trial_ = u + lambda delta_ with the simplified correction bar_ there.
  std::optional<NewtonOutcome> damp(Iterate& u, const Size& size);
  /// Whether that leads to the solution. Else u is where bar_ was found.
  bool keep_matrix(Iterate& u, const Size& size);
  /// Keeps a correction as one with the present matrix; its place is free then.
  void take(std::size_t number, Iterate& correction, const Size& size);
  void update(Iterate& correction, int corrections) const;
  bool is_enough_by_curvature(const Size& size) const;
  /// Whether `sum`, whose error is less than the correction to it, will do for the next mesh.
  bool will_do(const Size& correction, const Iterate& sum);
  NewtonOutcome failed(Reason reason, std::string what, std::string why, std::string hint) const;
  NewtonOutcome not_finite(const Iterate& u);

  MeshEquations& equations_;
  const BoundaryOptions& options_;
  BoundaryStatistics& statistics_;
  Measure measure_;
  Iterate delta_, bar_, trial_, difference_;
  std::vector<Iterate> taken_;   ///< corrections with the present matrix
  std::vector<double> squares_;  ///< of their means
  const IsWorthSolving* ask_ = nullptr;
  double wanted_ = 0, tolerance_ = 0, lambda_ = 1;
  double curvature_ = -1;  ///< contraction by the size of the correction, where steps were whole
  Size last_delta_, last_bar_;
};

}  // namespace daedalus::bvp
