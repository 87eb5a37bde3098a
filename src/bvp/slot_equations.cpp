#include "bvp/slot_equations.h"

#include <algorithm>

namespace daedalus::bvp {
namespace {

constexpr int block = Tape::block;

std::size_t at_index(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

SlotEquations::SlotEquations(const EquationSet& set, const Place& place, std::vector<int> row,
                             std::vector<double> factor, const std::vector<double>& discrete)
    : row_(std::move(row)), factor_(std::move(factor)), discrete_(discrete) {
  std::vector<int> orders;
  for (int k = 0; k <= set.highest_order(); ++k) orders.push_back(k);
  const EquationJacobian jacobian(set, orders);
  const std::vector<EquationJacobian::Entry>& entries = jacobian.entries();
  residual_ = evaluator_of(set.program(), place, set.rows());
  jacobian_ = evaluator_of(jacobian.program(), place, static_cast<int>(entries.size()));
  for (std::size_t k = 0; k < entries.size(); ++k)
    for (const int slot : place(entries[k].variable, entries[k].order))
      entries_.push_back({row_[at_index(entries[k].row)], slot, factor_[at_index(entries[k].row)],
                          static_cast<int>(k)});
}

SlotEquations::Evaluator SlotEquations::evaluator_of(const Program& program, const Place& place,
                                                     int results) {
  Evaluator result;
  result.content = program.content();
  result.results = results;
  if (!result.content) return result;
  for (const Unit& unit : result.content->units) {
    UnitInputs inputs;
    for (const Unit::Source& source : unit.inputs)
      for (int i = 0; i < unit.count; ++i) {
        Sum sum;
        if (source.table >= 2) {
          const int variable = source.which ? source.which[i] : source.index;
          const std::vector<int> slots = place(variable, source.table - 2);
          sum = {static_cast<int>(summed_.size()), static_cast<int>(slots.size())};
          summed_.insert(summed_.end(), slots.begin(), slots.end());
        }
        inputs.sums.push_back(sum);
      }
    result.inputs.push_back(std::move(inputs));
    result.registers = std::max(result.registers, at_index(unit.tape.registers() * block));
  }
  return result;
}

void SlotEquations::fill_input(const Unit& unit, const UnitInputs& inputs, std::size_t l,
                               int instance, const SlotPoints& at, double* to) const {
  const Unit::Source& source = unit.inputs[l];
  if (source.access == Unit::Source::Access::data) {
    std::fill_n(to, at.count, source.data[instance]);
  } else if (source.table == 0) {
    std::copy_n(at.t, at.count, to);
  } else if (source.table == 1) {
    const int which = source.which ? source.which[instance] : source.index;
    std::fill_n(to, at.count, discrete_[at_index(which)]);
  } else {
    const Sum& sum = inputs.sums[l * at_index(unit.count) + at_index(instance)];
    const int* slot = summed_.data() + sum.first;
    if (sum.count == 0) std::fill_n(to, at.count, 0.0);
    for (int k = 0; k < sum.count; ++k) {
      const double* from = at.s + slot[k] * at.stride;
      for (int p = 0; p < at.count; ++p) to[p] = k == 0 ? from[p] : to[p] + from[p];
    }
  }
}

void SlotEquations::evaluate(const Evaluator& what, const SlotPoints& at, Scratch& scratch) const {
  if (scratch.registers.size() < what.registers) scratch.registers.resize(what.registers);
  const std::size_t size = at_index(what.results) * block;
  if (scratch.values.size() < size) scratch.values.resize(size);
  double *registers = scratch.registers.data(), *values = scratch.values.data();
  for (std::size_t u = 0; u < what.inputs.size(); ++u) {
    const Unit& unit = what.content->units[u];
    const std::vector<double>& constants = unit.tape.constants();
    for (std::size_t k = 0; k < constants.size(); ++k)
      std::fill_n(registers + (unit.inputs.size() + k) * block, at.count, constants[k]);
    const std::vector<int>& outputs = unit.tape.outputs();
    const int width = static_cast<int>(outputs.size());
    for (int i = 0; i < unit.count; ++i) {
      for (std::size_t l = 0; l < unit.inputs.size(); ++l)
        fill_input(unit, what.inputs[u], l, i, at, registers + l * block);
      unit.tape.run(registers, at.count);
      for (int o = 0; o < width; ++o) {
        const int to = !unit.is_loop() ? unit.places[at_index(o)]
                       : unit.rows     ? unit.rows[i]
                                       : unit.first + i * width + o;
        std::copy_n(registers + at_index(outputs[at_index(o)]) * block, at.count,
                    values + at_index(to) * block);
      }
    }
  }
}

void SlotEquations::add_residuals(const SlotPoints& at, double* r, Scratch& scratch) const {
  if (row_.empty()) return;
  evaluate(residual_, at, scratch);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const double* from = scratch.values.data() + i * block;
    double* to = r + row_[i] * at.stride;
    for (int p = 0; p < at.count; ++p) to[p] += factor_[i] * from[p];
  }
}

void SlotEquations::add_jacobians(const SlotPoints& at, const JacobianPlaces& to,
                                  Scratch& scratch) const {
  if (row_.empty()) return;
  evaluate(jacobian_, at, scratch);
  for (const Entry& e : entries_) {
    const double* from = scratch.values.data() + at_index(e.value) * block;
    double* place = to.first + e.row * to.row + e.slot * to.column;
    for (int p = 0; p < at.count; ++p) place[p * to.point] += e.factor * from[p];
  }
}

void SlotEquations::add_residual(double t, const double* s, double* r, Scratch& scratch) const {
  add_residuals({1, 1, &t, s}, r, scratch);
}

void SlotEquations::add_jacobian(double t, const double* s, Matrix& jacobian,
                                 Scratch& scratch) const {
  add_jacobians({1, 1, &t, s}, {jacobian.data(), 0, 1, static_cast<int>(jacobian.rows())}, scratch);
}

}  // namespace daedalus::bvp
