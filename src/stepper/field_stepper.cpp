#include "stepper/field_stepper.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace daedalus {

FieldStepper::FieldStepper(std::shared_ptr<ProjectedField> field, const Options& options,
                           const Vector& atol, Statistics& statistics)
    : field_(std::move(field)),
      options_(options),
      atol_(field_->differential),
      statistics_(statistics),
      n_(field_->differential),
      kernels_(sum_kernels(best_instruction_set())),
      x_(static_cast<std::size_t>(padded(n_))),
      next_x_(x_.size()),
      tolerance_(x_.size()) {
  multipliers_.resize(static_cast<std::size_t>(field_->algebraic));
  for (int i = 0; i < n_; ++i) atol_[i] = atol[field_->place(i)];
}

double FieldStepper::weighted(const double* x, const double* a, const double* b) const {
  double sum = 0;
  kernels_.weighted_squares(n_, options_.rtol, atol_.data(), a, b, 1, &x, &sum);
  return std::sqrt(sum / n_);
}

void FieldStepper::spread(const std::vector<double>& x, const double* xp, State& to) {
  field_->scatter(x.data(), to.y.data());
  field_->scatter(xp, to.yp.data());
  if (field_->places.empty()) return field_->multipliers(to.y.data() + n_);
  field_->multipliers(multipliers_.data());
  field_->scatter_multipliers(multipliers_.data(), to.y.data());
}

void FieldStepper::begin_step() {
  constexpr int seldom = 16;  // left alone, functions change only by what they do themselves
  const bool asks = !field_->is_left_alone || statistics_.steps % seldom == 0;
  field_->renew(state_.t, x_.data(), asks);
  if (!field_->wants_guess()) return;
  field_->gather_multipliers(state_.y.data(), multipliers_.data());
  field_->guess_multipliers(multipliers_.data());
}

bool FieldStepper::project_end(double t, double* x) {
  for (int i = 0; i < n_; ++i) tolerance_[i] = atol_[i] + options_.rtol * std::abs(x[i]);
  return field_->project_end(t, x, tolerance_.data());
}

void FieldStepper::count() {
  statistics_.factorizations += std::exchange(field_->factorizations, 0);
  statistics_.solves += std::exchange(field_->iterations, 0);
}

bool FieldStepper::fail_not_finite() {
  return fail(Reason::not_finite, {"the accelerations or slopes are not finite", where(),
                                   "the equations are not defined at this point",
                                   "check the start values and the arguments of functions"});
}

}  // namespace daedalus
