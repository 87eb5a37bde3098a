#pragma once
// Many scalar equations, grouped by shape: one kernel per shape over index arrays, so that code,
// compile time and analysis do not grow with the number of equations.
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "expression/lazy_program.h"

namespace daedalus {

class EquationSet {
 public:
  int rows() const { return rows_; }
  int highest_order() const;
  /// One more than the highest discrete value that occurs.
  int discrete_values() const;
  const std::vector<Kernel>& kernels() const { return *kernels_; }

  /// r[row] for all rows.
  void residual(const Point& point, double* r) const { program().evaluate(point, r); }
  const Program& program() const { return program_.of(kernels_); }
  /// The same equations differentiated once with respect to time; row numbers stay.
  EquationSet differentiated() const;
  /// The same by forward differentiation: where variables enter by their difference it is that of
  /// their derivatives, which loses no digits.
  EquationSet differentiated_forwards() const;
  /// The same with the derivatives of this order held.
  EquationSet differentiated_forwards_holding(int order) const;
  /// Their partial derivatives with respect to time alone, all variables held.
  EquationSet time_partial() const;
  /// Only the rows that are wanted, renumbered in the order of `keep`.
  EquationSet restricted(const std::vector<int>& keep) const;
  /// Variable j of order k becomes variable place(k, j) itself.
  EquationSet relabelled(const std::function<int(int order, int variable)>& place) const;
  /// Variable j, of any order, is called place[j] from now on.
  EquationSet renumbered(const std::vector<int>& place) const;
  /// The given rows become those of `fresh`.
  EquationSet with_rows(const std::vector<int>& replaced, const EquationSet& fresh) const;
  /// One after the other.
  static EquationSet joined(const std::vector<EquationSet>& parts);
  /// Equation as text; `name(variable, order)`, `discrete(which)` give the names.
  std::string text(int row, const std::vector<std::string>& variables,
                   const std::vector<std::string>& discrete) const;

  void finish();

 private:
  friend class EquationHessian;
  template <class Derivative>
  EquationSet each_kernel(Derivative derivative) const;

  friend class EquationBuilder;
  friend class EquationJacobian;
  int rows_ = 0;
  /// Never changed after `finish`, so copies and programs share it.
  std::shared_ptr<std::vector<Kernel>> kernels_ = std::make_shared<std::vector<Kernel>>();
  LazyProgram program_;
};

/// Sparse derivatives of an equation set with respect to chosen orders of the variables.
class EquationJacobian {
 public:
  /// One output for each leaf that is a variable of an order that is asked for.
  EquationJacobian(const EquationSet& equations, std::vector<int> orders,
                   Program::Use use = Program::Use::often);

  struct Entry {
    int row = 0, variable = 0, order = 0;
  };
  /// The places of all values in the order in which `evaluate` hands them out. A place may repeat.
  const std::vector<Entry>& entries() const { return entries_; }
  /// values[k] belongs to entries()[k].
  void evaluate(const Point& point, double* values) const { program_.evaluate(point, values); }
  const Program& program() const { return program_; }

 private:
  friend struct JacobianAt;
  std::vector<Entry> entries_;
  Program program_;
};

/// At one point alone.
struct JacobianAt {
  JacobianAt(const EquationSet& equations, std::vector<int> orders, const Point& point);

  std::vector<EquationJacobian::Entry> entries;
  std::vector<double> values;
};

/// Takes equations one by one and finds those of equal shape.
class EquationBuilder {
 public:
  /// Begins a new equation; expressions of the last one are void.
  void begin();
  Graph& graph() { return graph_; }
  NodeId time() { return leaf({Leaf::Kind::time, 0, 0}); }
  NodeId variable(int which, int order = 0) { return leaf({Leaf::Kind::variable, order, which}); }
  NodeId discrete(int which) { return leaf({Leaf::Kind::discrete, 0, which}); }
  /// What an input of a kernel is in one of its instances.
  NodeId leaf(const Kernel& kernel, int input, int instance);
  const Leaf& leaf_of(int input) const { return leaves_[static_cast<std::size_t>(input)]; }
  /// The equation `root = 0` as the next row; returns its number.
  int add(NodeId root);
  EquationSet take();

 private:
  NodeId leaf(const Leaf& leaf);
  struct Shape;
  Graph graph_;
  std::vector<Leaf> leaves_;
  std::unordered_map<std::uint64_t, int> leaf_at_;
  EquationSet set_;
  std::unordered_map<std::string, int> kernel_of_;
  std::string key_;
  std::vector<int> number_;
  std::vector<NodeId> order_, stack_;
};

}  // namespace daedalus
