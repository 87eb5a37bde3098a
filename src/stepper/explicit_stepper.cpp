#include "stepper/explicit_stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "controller/step_control.h"
#include "linear/constraint_matrix.h"

namespace daedalus {
namespace {

// Estimates of neighbouring steps differ by powers of ten, and a step made again costs more than
// one that errs a little more: steps aim at a thirtieth of what is accepted, and few are made
// again: with 0.8 Andrews' mechanism at rtol 1e-3 had 8 of 38 attempts rejected, the car axis 26 of
// 110. Filters that look back at earlier estimates [Gustafsson1994] were found to save no more.
constexpr double safety = 0.64;
constexpr double most_growth = 6, most_shrinking = 3;
constexpr double first_growth = 64;  // of a first step, which was chosen with care

/// Of the step, such that an estimate ~ h^order becomes what steps aim at.
double growth_for(double estimate, int order) {
  constexpr double nothing = 1e-14;
  return safety / root(std::max(estimate, nothing), order);
}

}  // namespace

ExplicitStepper::ExplicitStepper(std::shared_ptr<ProjectedField> field, const ExplicitTable& method,
                                 const Options& options, const Vector& atol, Statistics& statistics)
    : FieldStepper(std::move(field), options, atol, statistics),
      method_(method),
      length_(padded(n_)),
      slopes_(Vector::Zero(static_cast<Eigen::Index>(x_.size()) * method_.all_stages)),
      stage_(x_.size()),
      ahead_(x_.size()),
      estimates_(2 * x_.size()),
      sums_(method_, slopes_.data(), length_, kernels_) {}

void ExplicitStepper::sum_up(const double* from, double h, const double* weights, int count,
                             double* x) const {
  double weight[max_stages];
  const double* term[max_stages];
  int terms = 0;
  for (int j = 0; j < count; ++j)
    if (weights[j] != 0) weight[terms] = h * weights[j], term[terms++] = slope(j);
  kernels_.sum(length_, terms, weight, term, from, x);
}

void ExplicitStepper::start(const State& state, double h) {
  state_ = state;
  next_ = state;
  h_ = h;
  rejected_ = committed_ = on_manifold_ = false;
  stiff_steps_ = easy_steps_ = 0;
  field_->gather(state_.y.data(), x_.data());
  begin_step();
  finite_ = project_end(state_.t, x_.data()) && field_->slope(state_.t, x_.data(), slope(0));
  ++statistics_.rhs;
  spread(x_, slope(0), state_);
  watch_.start(*field_);
  field_->step_was(true);
  count();
}

/// [HairerNorsettWanner1993, II.4]
double ExplicitStepper::first_step(double limit) {
  const double* y = x_.data();
  const double size = weighted(y, y, y), rate = weighted(slope(0), y, y);
  const double span = limit - state_.t;
  double h = size < 1e-5 || rate < 1e-5 ? 1e-6 : 0.01 * size / rate;
  h = std::copysign(std::min({h, std::abs(span), options_.max_step}), span);
  for (int i = 0; i < n_; ++i) stage_[i] = y[i] + h * slope(0)[i];
  ++statistics_.rhs;
  double* change = estimate(0);
  if (field_->slope(state_.t + h, stage_.data(), change)) {
    for (int i = 0; i < n_; ++i) change[i] -= slope(0)[i];
    const double largest = std::max(rate, weighted(change, y, y) / std::abs(h));
    const double by_order = largest <= 1e-15 ? std::max(1e-6, 1e-3 * std::abs(h))
                                             : std::pow(0.01 / largest, 1.0 / method_.order);
    h = std::copysign(std::min({100 * std::abs(h), by_order, std::abs(span), options_.max_step}),
                      h);
  }
  return h;
}

/// Half-explicit: multipliers that let a point ahead meet the constraints.
bool ExplicitStepper::make_constrained_slope(int i, double h) {
  const ConstraintRows& rows = *method_.constrained;
  sum_up(x_.data(), h, rows.a[i].data(), i, ahead_.data());
  return field_->constrained_slope(state_.t + method_.c[i] * h, stage_.data(),
                                   {state_.t + rows.c[i] * h, ahead_.data(), h * rows.a[i][i]},
                                   slope(i));
}

bool ExplicitStepper::make_stages_at_once(double h, double end) {
  if (on_manifold_ || method_.constrained) return false;
  const auto made = field_->make_stages({sums_.terms(), state_.t, h, end, x_.data(), slope(0)});
  if (!made) return false;
  statistics_.rhs += method_.stages - 1;
  if (field_->health() < watch_.suspicious()) return false;
  const int half = n_ / 2;
  slopes_elsewhere_ = made->slopes;
  end_elsewhere_ = made->end;
  copy_singly(made->last_positions, half, stage_.data());
  copy_singly(last_slope(), half, stage_.data() + half);
  if (!method_.error_needs_end() && method_.error_stages() == method_.stages + 1)
    estimates_elsewhere_ = made->estimates;
  return true;
}

/// The polynomial of a step needs all of them, and few steps are asked for it.
void ExplicitStepper::fetch_slopes() const {
  if (!slopes_elsewhere_) return;
  for (int i = 1; i < method_.stages; ++i)
    std::copy_n(slopes_elsewhere_ + static_cast<std::ptrdiff_t>(i - 1) * n_, n_,
                slopes_.data() + static_cast<std::ptrdiff_t>(i) * length_);
  slopes_elsewhere_ = nullptr;
}

ExplicitStepper::Outcome ExplicitStepper::make_stages(double h, double end) {
  if (make_stages_at_once(h, end)) return Outcome::done;
  sums_.set_step(h);
  for (int i = 1; i < method_.stages; ++i) {
    const double t = state_.t + method_.c[i] * h;
    sums_.stage(i, x_.data(), stage_.data());
    if (on_manifold_ && !field_->project_stage(t, stage_.data())) return Outcome::failed;
    ++statistics_.rhs;
    if (method_.constrained && !on_manifold_) {
      if (!make_constrained_slope(i, h)) return Outcome::needs_projection;
      continue;
    }
    if (!field_->slope(t, stage_.data(), slope(i))) return Outcome::failed;
    if (!on_manifold_ && field_->health() < watch_.suspicious()) return Outcome::needs_projection;
  }
  sums_.end(x_.data(), next_x_.data());
  return Outcome::done;
}

bool ExplicitStepper::make_end(double t) {
  next_.t = t;
  double *x = next_x_.data(), *xp = slope(method_.stages);
  ++statistics_.rhs;
  const double* end = std::exchange(end_elsewhere_, nullptr);
  if (!end || !field_->end_stages(x, xp)) {
    if (end) std::copy(end, end + n_, x);
    if (!project_end(t, x) || !field_->slope(t, x, xp)) return false;
  }
  spread(next_x_, slope(method_.stages), next_);
  watch_.look(*field_, on_manifold_, h_used_);
  slopes_known_ = method_.stages + 1;
  return true;
}

/// Those inside of the step, for the estimate or the polynomial.
void ExplicitStepper::make_slopes_inside(double t, const double* x, double h, int count) {
  fetch_slopes();
  for (int& i = slopes_known_; i < count; ++i) {
    const double at = t + method_.c[i] * h;
    sum_up(x, h, method_.a[i].data(), i, ahead_.data());
    ++statistics_.rhs;
    if ((on_manifold_ && !field_->project_stage(at, ahead_.data())) ||
        !field_->slope(at, ahead_.data(), slope(i)))
      std::copy(slope(0), slope(0) + n_, slope(i));
  }
}

/// Slopes that come from an iteration may add a hundredth of what a step may be off.
void ExplicitStepper::ask_field_for(double h) {
  constexpr double part = 0.01;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < n_; ++i) least = std::min(least, atol_[i] + options_.rtol * std::abs(x_[i]));
  const bool controlled = options_.fixed_step == 0 && h != 0;
  field_->ask_for(controlled ? part * share_of_explicit_step * least / std::abs(h) : 0);
}

bool ExplicitStepper::take_step(double h, double end) {
  slopes_elsewhere_ = estimates_elsewhere_ = end_elsewhere_ = nullptr;
  if (field_->iterates()) ask_field_for(h);
  begin_step();
  on_manifold_ = watch_.is_near(h, h_used_);
  Outcome outcome = make_stages(h, end);
  if (outcome == Outcome::needs_projection) on_manifold_ = true, outcome = make_stages(h, end);
  if (outcome != Outcome::done) return false;
  h_used_ = h;
  return !method_.error_needs_end() || make_end(end);
}

/// Next to a singular point slopes err by rounding over the square of the distance from it, which
/// shorter steps do not cure: asked for less than this, the run would creep along.
double ExplicitStepper::share() const {
  constexpr double attainable = 1e-9;
  return on_manifold_ ? std::max(share_of_explicit_step, attainable / options_.rtol)
                      : share_of_explicit_step;
}

/// The last stage and the end of the step are at the same time: the quotient of the differences
/// estimates the largest eigenvalue. [HairerWanner1996, IV.2]
void ExplicitStepper::note_stiffness() {
  const auto squared_distance = [n = n_](const double* a, const double* b) {
    return (Vector::Map(a, n) - Vector::Map(b, n)).squaredNorm();
  };
  const double slopes = squared_distance(slope(method_.stages), last_slope()),
               points = squared_distance(next_x_.data(), stage_.data());
  const double most = method_.stability * method_.stability;
  if (points > 0 && h_used_ * h_used_ * slopes > most * points) {
    ++stiff_steps_, easy_steps_ = 0;
  } else if (++easy_steps_ >= steps_that_clear) {
    stiff_steps_ = 0;
  }
}

const double* ExplicitStepper::make_estimate(int e) {
  if (estimates_elsewhere_) return estimates_elsewhere_ + static_cast<std::ptrdiff_t>(e) * n_;
  fetch_slopes();
  sums_.estimate(e, estimate(e));
  return estimate(e);
}

double ExplicitStepper::error(double h) {
  if (method_.error_stages() > method_.stages + 1)
    make_slopes_inside(state_.t, x_.data(), h, method_.error_stages());
  const double* end = end_elsewhere_ ? end_elsewhere_ : next_x_.data();
  const int count = method_.error_order[1] == 0 ? 1 : 2;
  const double* estimates[2] = {};
  for (int e = 0; e < count; ++e) estimates[e] = make_estimate(e);
  double squares[2] = {};
  kernels_.weighted_squares(n_, options_.rtol, atol_.data(), x_.data(), end, count, estimates,
                            squares);
  const double first = squares[0], unit = share() / std::abs(h);
  if (count == 1) return std::sqrt(first / n_) / unit;
  const double both = first + 0.01 * squares[1];
  return both > 0 ? first / (unit * std::sqrt(n_ * both)) : 0;
}

bool ExplicitStepper::attempt(double limit) {
  if (committed_) {
    copy_singly(slope(method_.stages), n_, slope(0));
    committed_ = false;
  }
  if (!finite_) return fail_not_finite();
  const bool is_first = h_ == 0;
  if (is_first) h_ = first_step(limit);
  int vetoes = 0;
  for (;;) {
    const double wanted = h_;
    aim_at(limit, options_.fixed_step > 0);
    if (step_is_too_small())
      return fail(Reason::step_too_small,
                  {"the step size became too small", where(),
                   "a singularity of the solution, stiff forces, or constraints that leave the "
                   "motion undetermined",
                   "look at the solution near this time; loosen rtol and atol, or use radau"});
    const double end = reached_ ? limit : state_.t + h_;
    const bool made = take_step(h_, end);
    const double estimate = !made ? 0 : options_.fixed_step > 0 ? 0 : error(h_);
    const bool usable = made && std::isfinite(estimate);
    if (usable && estimate <= 1 && (method_.error_needs_end() || make_end(end))) {
      note_stiffness();
      if (options_.fixed_step == 0) estimated_error_ = estimate * share();
      const bool veto = options_.fixed_step == 0 && !reached_ &&
                        vetoes < CrossingWatch::most_vetoes && watch_.ends_too_near(h_);
      if (veto) {
        ++vetoes;
        h_ *= CrossingWatch::shorter;
        continue;
      }
      if (options_.fixed_step == 0) {
        const double most = rejected_ ? 1.0 : is_first ? first_growth : most_growth;
        h_ *= std::clamp(growth_for(estimate, method_.order), 1 / most_shrinking, most);
        if (reached_ && std::abs(h_) < std::abs(wanted)) h_ = wanted;
        if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
      }
      return true;
    }
    if (options_.fixed_step > 0)
      return fail(Reason::not_finite,
                  {"the step of fixed size led to values that are not finite", where(),
                   "the step is too long for this problem", "use a smaller fixed_step"});
    if (statistics_.steps > 0) ++statistics_.rejected;
    rejected_ = true;
    field_->step_was(false);
    h_ *= usable ? std::max(1 / most_shrinking, growth_for(estimate, method_.order)) : 0.25;
  }
}

bool ExplicitStepper::attempt_exactly(double h, const Interpolant&) {
  const double keep = h_;
  reached_ = false;
  const bool made =
      take_step(h, state_.t + h) && (method_.error_needs_end() || make_end(state_.t + h));
  h_ = keep;
  return made;
}

void ExplicitStepper::end_at(double t, const std::vector<double>& y) {
  end_elsewhere_ = nullptr;
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  h_used_ = t - state_.t;
  reached_ = false;
  finite_ = make_end(t);
}

void ExplicitStepper::move_end(const std::vector<double>& y) {
  end_elsewhere_ = nullptr;
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  finite_ = make_end(next_.t);
}

void ExplicitStepper::commit() {
  ++statistics_.steps;
  count();
  crossed_ = watch_.passed(state_.t, next_.t);
  std::swap(state_, next_);
  std::swap(x_, next_x_);
  committed_ = true;
  rejected_ = false;
  watch_.accept(*field_);
  field_->step_was(true);
}

void ExplicitStepper::interpolant(Interpolant& out) {
  const State& from = committed_ ? next_ : state_;
  const State& to = committed_ ? state_ : next_;
  const double* start = committed_ ? next_x_.data() : x_.data();
  const double h = to.t - from.t;
  make_slopes_inside(from.t, start, h, method_.all_stages);
  const int size = static_cast<int>(from.y.size());
  const std::size_t width = from.y.size();
  out.t0 = from.t, out.t1 = to.t, out.size = size, out.basis = nullptr;
  out.nested = 3 + method_.dense_rows, out.method = 0;
  out.data.assign(width * static_cast<std::size_t>(1 + out.nested), 0.0);
  double* y0 = out.data.data();
  std::copy(from.y.begin(), from.y.end(), y0);
  double *f0 = y0 + width, *f1 = f0 + width, *f2 = f1 + width, *rest = f2 + width;
  for (std::size_t i = 0; i < width; ++i) f0[i] = to.y[i] - from.y[i];
  const double *k0 = slope(0), *k1 = slope(method_.stages);
  for (int i = 0; i < n_; ++i) {
    const int at = field_->place(i);
    f1[at] = h * k0[i] - f0[at];
    f2[at] = 2 * f0[at] - h * (k0[i] + k1[i]);
  }
  for (int row = 0; row < method_.dense_rows; ++row, rest += width)
    for (int j = 0; j < method_.all_stages; ++j) {
      const double w = h * method_.d[row][j];
      if (w == 0) continue;
      for (int i = 0; i < n_; ++i) rest[field_->place(i)] += w * slope(j)[i];
    }
}

void ExplicitStepper::save(std::vector<double>& memory) const {
  fetch_slopes();
  save_state(memory, state_), save_state(memory, next_);
  memory.push_back(h_), memory.push_back(h_used_);
  memory.push_back(stiff_steps_), memory.push_back(easy_steps_);
  watch_.save(memory);
  for (const bool flag : {committed_, rejected_, on_manifold_, finite_})
    memory.push_back(flag ? 1 : 0);
  memory.push_back(slopes_known_);
  memory.insert(memory.end(), slopes_.begin(), slopes_.end());
  save_list(memory, x_), save_list(memory, next_x_);
  field_->save(memory);
}

bool ExplicitStepper::rewind() {
  Stepper::rewind();
  slopes_elsewhere_ = estimates_elsewhere_ = end_elsewhere_ = nullptr;
  slopes_known_ = 0;
  finite_ = true;
  watch_ = {};
  return field_->rewind();
}

void ExplicitStepper::restore(SavedState& memory) {
  slopes_elsewhere_ = nullptr;
  restore_state(memory, state_), restore_state(memory, next_);
  h_ = memory.number(), h_used_ = memory.number();
  stiff_steps_ = static_cast<int>(memory.number()), easy_steps_ = static_cast<int>(memory.number());
  watch_.restore(memory);
  for (bool* flag : {&committed_, &rejected_, &on_manifold_, &finite_}) *flag = memory.flag();
  slopes_known_ =
      static_cast<int>(memory.position(static_cast<std::size_t>(method_.all_stages) + 1));
  memory.fill(slopes_.data(), static_cast<std::size_t>(slopes_.size()));
  memory.list(x_), memory.list(next_x_);
  field_->restore(memory);
}

}  // namespace daedalus
