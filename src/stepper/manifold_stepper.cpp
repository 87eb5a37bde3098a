#include "stepper/manifold_stepper.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "formulation/field_system.h"

namespace daedalus {
namespace {

constexpr int most_retries = 5;

}  // namespace

Interpolant gathered(const ProjectedField& field, const Interpolant& step) {
  Interpolant part = step;
  part.size = field.differential;
  const std::size_t width = static_cast<std::size_t>(step.size), blocks = step.data.size() / width;
  part.data.resize(blocks * static_cast<std::size_t>(part.size));
  for (std::size_t k = 0; k < blocks; ++k)
    field.gather(step.data.data() + k * width,
                 part.data.data() + k * static_cast<std::size_t>(part.size));
  return part;
}

ManifoldStepper::ManifoldStepper(std::shared_ptr<ProjectedField> field, const State& start,
                                 const Options& options, const Vector& atol, Statistics& statistics)
    : field_(std::move(field)),
      system_(make_field_system(field_)),
      options_(options),
      atol_(field_->differential),
      n_(field_->differential) {
  for (int i = 0; i < n_; ++i) atol_[i] = atol[field_->place(i)];
  for (auto* list : {&x_, &slope_, &tolerance_, &inner_state_.y, &inner_state_.yp})
    list->resize(static_cast<std::size_t>(n_));
  multipliers_.resize(static_cast<std::size_t>(field_->algebraic));
  field_->gather(start.y.data(), x_.data());
  jacobian_ =
      std::make_unique<Jacobian>(*system_, LinearAlgebra::dense, start.t, x_.data(), slope_.data());
  inner_ = std::make_unique<ImplicitStepper>(*system_, *jacobian_, options_, atol_, statistics);
  inner_state_.t = start.t, inner_state_.y = x_;
  inner_->place(inner_state_);
}

/// x_ and slope_ into the order of the variables, with the multipliers of the last slope.
void ManifoldStepper::spread(State& to) {
  field_->scatter(x_.data(), to.y.data());
  field_->scatter(slope_.data(), to.yp.data());
  field_->multipliers(multipliers_.data());
  for (int k = 0; k < field_->algebraic; ++k) to.y[field_->place(n_ + k)] = multipliers_[k];
}

bool ManifoldStepper::project_end(double t) {
  for (int i = 0; i < n_; ++i) tolerance_[i] = atol_[i] + options_.rtol * std::abs(x_[i]);
  field_->renew(t, x_.data(), true);
  return field_->project_end(t, x_.data(), tolerance_.data()) &&
         field_->slope(t, x_.data(), slope_.data());
}

void ManifoldStepper::start(const State& state, double h) {
  state_ = next_ = state;
  h_ = h, h_used_ = 0;
  begun_ = false;
  field_->gather(state_.y.data(), x_.data());
  for (int k = 0; k < field_->algebraic; ++k) multipliers_[k] = state_.y[field_->place(n_ + k)];
  field_->guess_multipliers(multipliers_.data());
  finite_ = project_end(state_.t);
  spread(state_);
  watch_.start(*field_);
  inner_state_.t = state_.t, inner_state_.y = x_, inner_state_.yp = slope_;
  inner_->start(inner_state_, h_);
}

/// A hundredth of the time in which x would change by its size.
double ManifoldStepper::first_step(double limit) const {
  const double span = limit - state_.t;
  double size = 0, rate = 0;
  for (int i = 0; i < n_; ++i) {
    const double weight = 1 / (atol_[i] + options_.rtol * std::abs(inner_state_.y[i]));
    size += std::pow(inner_state_.y[i] * weight, 2);
    rate += std::pow(inner_state_.yp[i] * weight, 2);
  }
  double h = 1e-3 * std::abs(span);
  if (rate > 0) h = std::min(h, 0.01 * std::max(std::sqrt(size), 1.0) / std::sqrt(rate));
  return std::copysign(std::min(std::max(h, 1e-10 * std::abs(span)), options_.max_step), span);
}

bool ManifoldStepper::make_end() {
  next_.t = inner_->next().t;
  x_ = inner_->next().y;
  h_used_ = next_.t - state_.t;
  if (!project_end(next_.t)) return false;
  inner_->move_end(x_);
  spread(next_);
  watch_.look(*field_, true);
  return true;
}

bool ManifoldStepper::solve_again(double factor) {
  inner_->interpolant(step_);
  reached_ = false;
  return inner_->attempt_exactly(factor * inner_->step(), step_);
}

bool ManifoldStepper::attempt(double limit) {
  limit_ = limit;
  if (!finite_)
    return fail(Reason::not_finite, {"the accelerations or slopes are not finite",
                                     fmt::format("at t = {:.10g}", state_.t),
                                     "the equations are not defined at this point",
                                     "check the start values and the arguments of functions"});
  if (!begun_) inner_->start(inner_state_, h_ == 0 ? first_step(limit) : h_), begun_ = true;
  if (!inner_->attempt(limit)) return fail(inner_->reason(), inner_->failure());
  reached_ = inner_->reached_limit();
  for (int retry = 0, vetoes = 0;; ++retry) {
    const bool made = make_end();
    const bool veto = made && options_.fixed_step == 0 && !reached_ &&
                      vetoes < CrossingWatch::most_vetoes && watch_.ends_too_near(h_used_);
    if (made && !veto) return true;
    vetoes += veto;
    if (retry == most_retries || !solve_again(veto ? CrossingWatch::shorter : 0.5))
      return made ? true
                  : fail(Reason::not_finite,
                         {"the end of a step cannot be put onto the constraints",
                          fmt::format("at t = {:.10g}, step size {:.3g}", state_.t, h_used_),
                          "the equations are not finite beyond this point",
                          "look at the solution near this time"});
  }
}

bool ManifoldStepper::attempt_exactly(double h, const Interpolant& covering) {
  reached_ = false;
  return inner_->attempt_exactly(h, gathered(*field_, covering)) && make_end();
}

void ManifoldStepper::end_at(double t, const std::vector<double>& y) {
  field_->gather(y.data(), x_.data());
  inner_->end_at(t, x_);
  next_.y = y;
  reached_ = false;
  finite_ = make_end();
}

void ManifoldStepper::move_end(const std::vector<double>& y) {
  field_->gather(y.data(), x_.data());
  inner_->move_end(x_);
  finite_ = make_end();
}

void ManifoldStepper::commit() {
  inner_->commit();
  crossed_ = watch_.passed(state_.t, next_.t);
  watch_.accept(*field_);
  std::swap(state_, next_);
  h_ = inner_->next_step();
}

/// Multipliers on a straight line; output finds its own from there.
void ManifoldStepper::interpolant(Interpolant& out) {
  inner_->interpolant(step_);
  out = step_;
  out.size = static_cast<int>(state_.y.size());
  const std::size_t n = static_cast<std::size_t>(n_), blocks = step_.data.size() / n;
  out.data.assign(blocks * state_.y.size(), 0.0);
  std::copy(state_.y.begin(), state_.y.end(), out.data.begin());
  for (std::size_t k = 0; k < blocks; ++k)
    field_->scatter(step_.data.data() + k * n, out.data.data() + k * state_.y.size());
  const Tableau& method = inner_->methods()[static_cast<std::size_t>(step_.method)]->method;
  for (int i = 0; i < field_->algebraic; ++i) {
    const std::size_t at = static_cast<std::size_t>(field_->place(n_ + i));
    const double change = next_.y[at] - state_.y[at];
    // Blocks: y0, K, Z_1, ..., or y0, y1, h y0', h y1'.
    for (std::size_t k = 1; k < blocks; ++k)
      out.data[k * state_.y.size() + at] = step_.basis ? (k == 1 ? 0 : method.c[k - 2] * change)
                                           : k == 1    ? next_.y[at]
                                                       : change;
  }
}

void ManifoldStepper::save(std::vector<double>& memory) const {
  for (const State* state : {&state_, &next_, &inner_state_}) {
    memory.push_back(state->t);
    save_list(memory, state->y), save_list(memory, state->yp);
  }
  for (const double x : {h_, h_used_, finite_ ? 1.0 : 0.0, begun_ ? 1.0 : 0.0}) memory.push_back(x);
  watch_.save(memory);
  inner_->save(memory);
  field_->save(memory);
}

void ManifoldStepper::restore(SavedState& memory) {
  for (State* state : {&state_, &next_, &inner_state_}) {
    state->t = memory.number();
    memory.list(state->y), memory.list(state->yp);
  }
  h_ = memory.number(), h_used_ = memory.number();
  finite_ = memory.flag(), begun_ = memory.flag();
  watch_.restore(memory);
  inner_->restore(memory);
  field_->restore(memory);
}

}  // namespace daedalus
