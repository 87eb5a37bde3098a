#pragma once
// Expressions of time, a state and the discrete values of a model, evaluated together.
#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/row_expressions.h"
#include "expression/tape.h"

namespace daedalus {

/// Inputs of the graph: the time, then the state, then the discrete values, then anything that the
/// outputs do not need.
class GraphTape {
 public:
  GraphTape() = default;
  GraphTape(const RowExpressions& rows, int state, const std::vector<NodeId>& outputs,
            std::shared_ptr<const std::vector<double>> modes)
      : GraphTape(rows.graph, rows.inputs(), state, outputs, std::move(modes)) {}
  GraphTape(const Graph& graph, int inputs, int state, const std::vector<NodeId>& outputs,
            std::shared_ptr<const std::vector<double>> modes)
      : GraphTape(translated(graph, inputs, outputs), state, std::move(modes)) {}
  GraphTape(std::shared_ptr<const Tape> tape, int state,
            std::shared_ptr<const std::vector<double>> modes)
      : tape_(std::move(tape)), modes_(std::move(modes)), state_(state) {
    memory_.resize(static_cast<std::size_t>(tape_->registers()));
    std::copy(tape_->constants().begin(), tape_->constants().end(),
              memory_.begin() + tape_->inputs());
    const std::vector<int>& places = tape_->outputs();
    in_a_row_.assign(places.size(), 1);
    for (std::size_t k = places.size(); k-- > 1;)
      if (places[k] == places[k - 1] + 1) in_a_row_[k - 1] = in_a_row_[k] + 1;
  }
  /// It may serve many.
  static std::shared_ptr<const Tape> translated(const Graph& graph, int inputs,
                                                const std::vector<NodeId>& outputs) {
    auto tape = std::make_shared<Tape>(graph, inputs, outputs, Tape::Products::fused);
    tape->translate();
    return tape;
  }

  /// The second part is not what follows the first one, but `count` inputs from `input` on.
  void put_second_at(int input, int count) { second_at_ = input, second_count_ = count; }

  /// The state in two parts.
  void operator()(double t, const double* first, int count, const double* second, double* out) {
    run(t, first, count, second);
    hand_out(0, static_cast<int>(tape_->outputs().size()), out);
  }
  /// The same in two steps, where not all outputs are wanted.
  void run(double t, const double* first, int count, const double* second) {
    memory_[0] = t;
    std::copy(first, first + count, memory_.begin() + 1);
    if (second && second_at_ > 0)
      std::copy(second, second + second_count_, memory_.begin() + second_at_);
    else if (second)
      std::copy(second, second + state_ - count, memory_.begin() + 1 + count);
    if (modes_) std::copy(modes_->begin(), modes_->end(), memory_.begin() + 1 + state_);
    tape_->run_one(memory_.data());
  }
  /// Of the last run.
  const double* inputs() const { return memory_.data(); }
  void hand_out(int output, int count, double* out) const {
    const int* place = tape_->outputs().data() + output;
    for (int k = 0; k < count; ++k) out[k] = memory_[static_cast<std::size_t>(place[k])];
  }
  /// Where these outputs lie side by side; null: they do not.
  const double* in_place(int output, int count) const {
    const auto first = static_cast<std::size_t>(output);
    if (count == 0 || in_a_row_[first] < count) return nullptr;
    return memory_.data() + tape_->outputs()[first];
  }

 private:
  std::shared_ptr<const Tape> tape_;
  std::shared_ptr<const std::vector<double>> modes_;
  int state_ = 0, second_at_ = 0, second_count_ = 0;
  std::vector<double> memory_;
  std::vector<int> in_a_row_;  ///< how many outputs from this one on
};

}  // namespace daedalus
