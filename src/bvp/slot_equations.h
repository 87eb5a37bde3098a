#pragma once
// Equations as functions of the vector of slots s = (z, w, y) of one time: the states, the highest
// derivatives and the algebraic variables. A derivative of a variable is a sum of slots. They are
// evaluated at several times at once, which share the cost of decoding instructions.
#include <functional>

#include "daedalus/vector.h"
#include "expression/equation_set.h"

namespace daedalus::bvp {

/// Slots whose sum is the derivative of that order of the variable; empty: zero.
using Place = std::function<std::vector<int>(int variable, int order)>;

/// Slot j of point p is s[j * stride + p]. At most as many points as a tape has in a block.
struct SlotPoints {
  int count = 1, stride = 1;
  const double* t = nullptr;
  const double* s = nullptr;
};

/// Where entries (i, j) of the Jacobian of point p are kept.
struct JacobianPlaces {
  double* first = nullptr;
  int point = 0, row = 0, column = 0;
  double& operator()(int p, int i, int j) const { return first[p * point + i * row + j * column]; }
};

/// Registers and results of evaluations; one for each thread.
struct Scratch {
  std::vector<double> registers, values;
};

/// Never changes after construction, so threads share it.
class SlotEquations {
 public:
  SlotEquations() = default;
  /// Row i of the set, times factor[i], is added to row[i] of the result.
  SlotEquations(const EquationSet& set, const Place& place, std::vector<int> row,
                std::vector<double> factor, const std::vector<double>& discrete);

  /// Row i of point p is added to r[i * stride + p].
  void add_residuals(const SlotPoints& at, double* r, Scratch& scratch) const;
  void add_jacobians(const SlotPoints& at, const JacobianPlaces& to, Scratch& scratch) const;
  /// At one time.
  void add_residual(double t, const double* s, double* r, Scratch& scratch) const;
  void add_jacobian(double t, const double* s, Matrix& jacobian, Scratch& scratch) const;
  int rows() const { return static_cast<int>(row_.size()); }

 private:
  /// Which slots are summed for an input of a unit, in one of its instances.
  struct Sum {
    int first = 0, count = 0;
  };
  struct UnitInputs {
    std::vector<Sum> sums;  ///< [input][instance]
  };
  struct Evaluator {
    std::shared_ptr<const Program::Content> content;
    std::vector<UnitInputs> inputs;
    std::size_t registers = 0;
    int results = 0;
  };
  struct Entry {
    int row, slot;
    double factor;
    int value;
  };
  Evaluator evaluator_of(const Program& program, const Place& place, int results);
  /// Result k of point p to values[k * block + p].
  void evaluate(const Evaluator& what, const SlotPoints& at, Scratch& scratch) const;
  void fill_input(const Unit& unit, const UnitInputs& inputs, std::size_t l, int instance,
                  const SlotPoints& at, double* to) const;

  Evaluator residual_, jacobian_;
  std::vector<Entry> entries_;
  std::vector<int> row_, summed_;
  std::vector<double> factor_, discrete_;
};

}  // namespace daedalus::bvp
