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
      : tape_(graph, inputs, outputs), modes_(std::move(modes)), state_(state) {
    tape_.translate();
    memory_.resize(static_cast<std::size_t>(tape_.registers()));
    std::copy(tape_.constants().begin(), tape_.constants().end(), memory_.begin() + tape_.inputs());
  }

  /// The second part is not what follows the first one, but `count` inputs from `input` on.
  void put_second_at(int input, int count) { second_at_ = input, second_count_ = count; }

  /// The state in two parts.
  void operator()(double t, const double* first, int count, const double* second, double* out) {
    memory_[0] = t;
    std::copy(first, first + count, memory_.begin() + 1);
    if (second && second_at_ > 0)
      std::copy(second, second + second_count_, memory_.begin() + second_at_);
    else if (second)
      std::copy(second, second + state_ - count, memory_.begin() + 1 + count);
    if (modes_) std::copy(modes_->begin(), modes_->end(), memory_.begin() + 1 + state_);
    tape_.run_one(memory_.data());
    for (const int r : tape_.outputs()) *out++ = memory_[static_cast<std::size_t>(r)];
  }

 private:
  Tape tape_;
  std::shared_ptr<const std::vector<double>> modes_;
  int state_ = 0, second_at_ = 0, second_count_ = 0;
  std::vector<double> memory_;
};

}  // namespace daedalus
