#pragma once
// Expressions of time, a state and the discrete values of a model, evaluated together.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/row_expressions.h"
#include "expression/tape.h"
#include "formulation/evaluation_order.h"

namespace daedalus {

/// Inputs of the graph: the time, then the state, then the discrete values, then anything that the
/// outputs do not need.
class GraphTape {
 public:
  GraphTape() = default;
  GraphTape(const RowExpressions& rows, int state, const std::vector<NodeId>& outputs,
            std::shared_ptr<const std::vector<double>> modes)
      : GraphTape(rows.graph, rows.inputs(), state, outputs, std::move(modes)) {}
  /// The first outputs, as many as `in_a_row` says, lie side by side.
  GraphTape(const Graph& graph, int inputs, int state, const std::vector<NodeId>& outputs,
            std::shared_ptr<const std::vector<double>> modes, int in_a_row = 0)
      : GraphTape(translated(graph, inputs, outputs, in_a_row), state, std::move(modes)) {}
  GraphTape(std::shared_ptr<const Tape> tape, int state,
            std::shared_ptr<const std::vector<double>> modes)
      : tape_(std::move(tape)), modes_(std::move(modes)), state_(state) {
    memory_.resize(static_cast<std::size_t>(tape_->registers()));
    std::copy(tape_->constants().begin(), tape_->constants().end(),
              memory_.begin() + tape_->inputs());
  }
  /// It may serve many.
  static std::shared_ptr<const Tape> translated(const Graph& graph, int inputs,
                                                const std::vector<NodeId>& outputs,
                                                int in_a_row = 0) {
    // Few values stay in reach in any order, and ordering them takes longer than it saves.
    constexpr std::size_t many = 64;
    std::vector<NodeId> nodes = outputs;
    std::optional<Graph> ordered;
    if (nodes.size() > many) ordered = in_order_of_use(graph, nodes);
    auto tape = std::make_shared<Tape>(ordered ? *ordered : graph, inputs, nodes,
                                       Tape::Products::fused, in_a_row);
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
  const std::shared_ptr<const Tape>& tape() const { return tape_; }
  const std::shared_ptr<const std::vector<double>>& modes() const { return modes_; }
  /// Of the last run.
  const double* inputs() const { return memory_.data(); }
  /// Their sum.
  double hand_out(int output, int count, double* out) const {
    const int* place = tape_->outputs().data() + output;
    const double* memory = memory_.data();
    double sum = 0;
    for (int k = 0; k < count; ++k) sum += out[k] = memory[place[k]];
    return sum;
  }
  /// Those that lie side by side.
  const double* outputs_in_a_row() const { return memory_.data() + tape_->outputs().front(); }

 private:
  std::shared_ptr<const Tape> tape_;
  std::shared_ptr<const std::vector<double>> modes_;
  int state_ = 0, second_at_ = 0, second_count_ = 0;
  std::vector<double> memory_;
};

}  // namespace daedalus
