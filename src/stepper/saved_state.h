#pragma once
// Reads back what `save` functions appended to a list of doubles. Every length is checked against
// what is left, so that a checkpoint that lies cannot make us read beyond it.
#include <cmath>
#include <vector>

#include "daedalus/error.h"
#include "stepper/state.h"

namespace daedalus {

class SavedState {
 public:
  explicit SavedState(const std::vector<double>& memory)
      : next_(memory.data()), end_(memory.data() + memory.size()) {}

  double number() { return require(1), *next_++; }
  bool flag() { return number() != 0; }
  /// An integer in [0, below).
  std::size_t position(std::size_t below) {
    const double x = number();
    if (!(x >= 0 && x < static_cast<double>(below) && x == std::floor(x))) refuse();
    return static_cast<std::size_t>(x);
  }
  /// As many numbers as `values` has.
  void fill(std::vector<double>& values) { fill(values.data(), values.size()); }
  void fill(double* values, std::size_t count) {
    require(count);
    for (std::size_t k = 0; k < count; ++k) values[k] = *next_++;
  }
  /// A list that was saved with its length.
  std::vector<double> list() {
    std::vector<double> values(position(static_cast<std::size_t>(end_ - next_)));
    fill(values);
    return values;
  }
  /// The same where the length is known.
  void list(std::vector<double>& values) {
    if (position(static_cast<std::size_t>(end_ - next_)) != values.size()) refuse();
    fill(values);
  }
  bool empty() const { return next_ == end_; }
  [[noreturn]] static void refuse() { throw InvalidInput("checkpoint: the file is damaged"); }

 private:
  void require(std::size_t count) const {
    if (static_cast<std::size_t>(end_ - next_) < count) refuse();
  }

  const double *next_, *end_;
};

inline void save_list(std::vector<double>& memory, const std::vector<double>& values) {
  memory.push_back(static_cast<double>(values.size()));
  memory.insert(memory.end(), values.begin(), values.end());
}

inline void save_state(std::vector<double>& memory, const State& state) {
  memory.push_back(state.t);
  save_list(memory, state.y), save_list(memory, state.yp);
}
inline void restore_state(SavedState& memory, State& state) {
  state.t = memory.number();
  memory.list(state.y), memory.list(state.yp);
}

}  // namespace daedalus
