#pragma once
// What is collocated: F(t, z, w, y) = 0, n + d equations for the highest derivatives w (n) and the
// algebraic variables y (d), of index at most 2: equation i of the problem, which has to be
// differentiated c_i times to get an ordinary differential equation [Pryce2001], stands here
// differentiated max(c_i - 1, 0) times, or in one of the reformulations. The levels below, which
// are functions of z, hold everywhere if they hold at the left end.
#include "bvp/boundary_graph.h"
#include "bvp/closure.h"
#include "bvp/slot_equations.h"

namespace daedalus::bvp {

/// Never changes after construction, so threads share it.
class CollocationSystem {
 public:
  CollocationSystem(const BoundaryGraph& graph, ConstraintForm form, double gamma);

  int components() const { return static_cast<int>(order.size()); }
  int states() const { return states_; }
  int algebraic() const { return algebraic_; }
  int rows() const { return components() + algebraic_; }
  int slots() const { return states_ + components() + algebraic_; }
  int highest() const;
  /// Else a part of it that vanishes with the mesh size is left out.
  bool has_exact_jacobian() const { return multipliers_.empty(); }

  /// Row i of point p is r[i * stride + p].
  void residuals(const SlotPoints& at, double* r, Scratch& scratch) const;
  /// Added to zeros.
  void jacobians(const SlotPoints& at, const JacobianPlaces& to, Scratch& scratch) const;
  /// r has rows() entries.
  void residual(double t, const double* s, double* r, Scratch& scratch) const;
  /// rows() x slots().
  void jacobian(double t, const double* s, Matrix& j, Scratch& scratch) const;

  std::vector<int> order;   ///< of each component
  std::vector<int> offset;  ///< its slots are z[offset] .. z[offset + order - 1]
  Names slot_names;         ///< of z and y, for messages
  Names row_names;
  std::vector<char> controlled;  ///< slots whose errors count: those of variables of the problem
  /// Constraints on z alone that were differentiated away.
  SlotEquations lower;
  Names lower_names;
  /// Conditions of the formulation itself at the left end (phi = 0): slots that are zero there.
  std::vector<int> zero_at_left;
  Place place;
  std::vector<std::pair<int, int>> constraints;  ///< equations that are differentiated, how often
  std::vector<int> dynamics;                     ///< the others, without those that join variables
  /// w and y from z, where they are asked for; does not exist where a derivative is needed that
  /// has no slot.
  Closure closure;

  /// z, w, y from a guess of so many variables; `values` is memory.
  void guess(const BoundaryGuess& of_variables, int variables, double t, double* s,
             std::vector<double>& values) const;

 private:
  struct Construction;
  /// target[c] of the rows gets factor * sum_k dg_k/ds[column[c]] s[multiplier + k].
  struct MultiplierTerm {
    SlotEquations constraints;
    std::vector<int> column, target;
    int multiplier = 0;
  };
  struct Identity {  ///< row: s[a] - s[b]
    int row, a, b;
  };
  struct Source {  ///< slot: derivative of a variable
    int slot, variable, order;
  };
  void add_multipliers(const SlotPoints& at, double* r, const JacobianPlaces* j,
                       Scratch& scratch) const;
  void add_eliminated(const SlotPoints& at, double* r, const JacobianPlaces* j,
                      Scratch& scratch) const;

  int states_ = 0, algebraic_ = 0;
  std::vector<SlotEquations> parts_;
  std::vector<MultiplierTerm> multipliers_;
  std::vector<Identity> identities_;
  std::vector<Source> sources_;
  std::vector<int> eliminated_;  ///< rows that say unknown k of the closure = its value
};

}  // namespace daedalus::bvp
