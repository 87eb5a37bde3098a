#include "stepper/extrapolation_stepper.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

constexpr double after_failure = 0.25;  // of the step
constexpr int columns_of_fixed_steps = 4;

}  // namespace

ExtrapolationStepper::ExtrapolationStepper(const ExtrapolationTable& table, const Options& options,
                                           Statistics& statistics, int size, double once,
                                           double per_row, double per_substep)
    : table_(table), options_(options), statistics_(statistics), n_(size), most_(table.columns) {
  if (options.max_order != 0) {
    if (options.max_order < table.power || options.max_order > table.order())
      throw InvalidInput(fmt::format("max_order = {}, must lie between {} and {}",
                                     options.max_order, table.power, table.order()));
    most_ = options.max_order / table.power;
  }
  // An estimate takes two columns.
  if (options.fixed_step == 0) most_ = std::max(2 + table.lost, most_);
  const std::size_t n = static_cast<std::size_t>(n_);
  columns_.assign(n * static_cast<std::size_t>(most_), 0.0);
  difference_.assign(n, 0.0);
  control_.configure(table, most_, once, per_row, per_substep);
  control_.start(options.rtol);
}

void ExtrapolationStepper::begin_anew(const State& state, double h) {
  state_ = next_ = state;
  h_ = h;
  unsolvable_ = false;
  control_.start(options_.rtol);
}

/// Row `row`, counted from 1, by Aitken and Neville from what the row before left.
bool ExtrapolationStepper::extrapolate_row(int row, double h) {
  double* last = column(row - 1);
  if (!make_row(row, table_.substeps[row - 1], h, last)) return false;
  for (int k = row - 1; k > 0; --k) {
    const double quotient = double(table_.substeps[row - 1]) / table_.substeps[k - 1];
    const double weight = 1 / (std::pow(quotient, table_.power) - 1);
    double *better = column(k - 1), *known = column(k);
    for (int i = 0; i < n_; ++i) better[i] = known[i] + weight * (known[i] - better[i]);
  }
  return true;
}

ExtrapolationStepper::Outcome ExtrapolationStepper::make_rows(double h, int fixed_columns) {
  if (!begin_rows()) return Outcome::impossible;
  for (int row = 1;; ++row) {
    if (!extrapolate_row(row, h)) return Outcome::failed;
    columns_used_ = row;
    if (fixed_columns > 0) {
      if (row == fixed_columns) return Outcome::accepted;
      continue;
    }
    if (row == 1) continue;
    for (int i = 0; i < n_; ++i) difference_[i] = column(0)[i] - column(1)[i];
    const auto verdict = control_.judge(row, error_size(difference_.data()), h, reached_);
    if (verdict == ExtrapolationControl::Verdict::accept) return Outcome::accepted;
    if (verdict == ExtrapolationControl::Verdict::reject) return Outcome::rejected;
  }
}

bool ExtrapolationStepper::attempt(double limit) {
  const bool fixed = options_.fixed_step > 0;
  const int columns = !fixed                   ? 0
                      : options_.max_order > 0 ? most_
                                               : std::min(most_, columns_of_fixed_steps);
  if (h_ == 0) h_ = first_step(limit);
  for (;;) {
    const double wanted = h_;
    aim_at(limit, fixed);
    if (step_is_too_small()) return give_up();
    const Outcome outcome = make_rows(h_, columns);
    if (outcome == Outcome::impossible) return false;
    if (outcome == Outcome::accepted && make_end(h_, reached_ ? limit : state_.t + h_)) {
      unsolvable_ = false;
      h_used_ = h_;
      if (fixed) return true;
      h_ = control_.after_accepted(h_);
      if (reached_ && std::abs(h_) < std::abs(wanted)) h_ = wanted;
      if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
      return true;
    }
    unsolvable_ = outcome != Outcome::rejected;
    if (fixed) return give_up();
    if (statistics_.steps > 0) ++statistics_.rejected;
    if (outcome == Outcome::rejected) {
      h_ = control_.after_rejected(h_);
    } else {
      control_.note_failure();
      h_ *= after_failure;
    }
  }
}

/// With as many columns as the step that covers it.
bool ExtrapolationStepper::attempt_exactly(double h, const Interpolant&) {
  reached_ = false;
  if (make_rows(h, columns_used_) != Outcome::accepted || !make_end(h, state_.t + h)) return false;
  h_used_ = h;
  return true;
}

void ExtrapolationStepper::save_control(std::vector<double>& memory) const {
  save_state(memory, state_), save_state(memory, next_);
  memory.push_back(h_), memory.push_back(h_used_), memory.push_back(columns_used_);
  for (const double x : control_.memory()) memory.push_back(x);
}

void ExtrapolationStepper::restore_control(SavedState& memory) {
  restore_state(memory, state_), restore_state(memory, next_);
  h_ = memory.number(), h_used_ = memory.number();
  columns_used_ = static_cast<int>(memory.position(most_columns + 1));
  const int target = static_cast<int>(memory.position(most_columns + 1));
  const bool first = memory.flag(), rejected = memory.flag();
  control_.restore(target, first, rejected);
}

}  // namespace daedalus
