#pragma once
// A solution as a function of time: which slots make the variables that are shown, and the
// polynomials of the elements.
#include "bvp/boundary_graph.h"
#include "bvp/element.h"
#include "bvp/iterate.h"

namespace daedalus {

class PiecewisePolynomial {
 public:
  PiecewisePolynomial(const bvp::BoundaryGraph& graph,
                      std::shared_ptr<const bvp::CollocationSystem> system, const bvp::Basis& basis,
                      bvp::Iterate iterate);

  /// All slots at a time; at mesh points the states have their projected values.
  void slots(double t, double* s) const;
  /// The variables that are shown.
  void values(double t, double* out) const;
  int shown() const { return static_cast<int>(shown_.size()); }
  const bvp::Iterate& iterate() const { return iterate_; }
  const bvp::CollocationSystem& system() const { return *system_; }
  const bvp::Basis& basis() const { return basis_; }
  /// Value k of what is shown, from slots.
  double shown_value(int k, const double* s) const;
  const std::vector<int>& shown_slots(int k) const { return shown_[static_cast<std::size_t>(k)]; }

 private:
  std::shared_ptr<const bvp::CollocationSystem> system_;
  const bvp::Basis& basis_;
  bvp::Iterate iterate_;
  std::vector<std::vector<int>> shown_;
  mutable bvp::ElementKernel kernel_;
};

}  // namespace daedalus
