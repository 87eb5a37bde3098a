#include "stepper/motion_rosenbrock.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace daedalus {
namespace {

constexpr double after_no_use = 0.25;  // of the step
constexpr int most_singular_in_a_row = 5;
constexpr double boldness = 4;

}  // namespace

MotionRosenbrock::MotionRosenbrock(std::shared_ptr<ProjectedField> field,
                                   const RosenbrockTable& method, const Options& options,
                                   const Vector& atol, Statistics& statistics)
    : FieldStepper(std::move(field), options, atol, statistics),
      method_(method),
      coordinates_(n_ / 2),
      pencil_(Storage::dense, dense_pattern(coordinates_)),
      factors_(make_real_factors(pencil_)) {
  const std::size_t n = static_cast<std::size_t>(n_);
  stages_.resize(n * static_cast<std::size_t>(method.stages));
  for (auto* list : {&stage_, &slope_, &next_slope_, &time_derivative_, &r_}) list->resize(n);
  diagonal_.resize(static_cast<std::size_t>(coordinates_));
  for (int j = 0; j < coordinates_; ++j)
    columns_.push_back(pencil_.e.data() + static_cast<std::ptrdiff_t>(j) * coordinates_);
}

void MotionRosenbrock::start(const State& state, double h) {
  state_ = next_ = state;
  h_ = h, h_used_ = tried_ = 0;
  linearized_ = rejected_ = committed_ = false;
  first_ = true;
  control_.forget();
  field_->gather(state_.y.data(), x_.data());
  begin_step();
  ++statistics_.rhs;
  finite_ = project_end(state_.t, x_.data()) && field_->slope(state_.t, x_.data(), slope_.data());
  spread(x_, slope_.data(), state_);
  watch_.start(*field_);
  field_->step_was(true);
  count();
}

/// A hundredth of the time in which x would change by its size.
double MotionRosenbrock::first_step(double limit) const {
  const double span = limit - state_.t;
  const double* x = x_.data();
  const double size = std::max(weighted(x, x, x), 1.0), rate = weighted(slope_.data(), x, x);
  double h = 1e-3 * std::abs(span);
  if (rate > 0) h = std::min(h, 0.01 * size / rate);
  return std::copysign(std::min(std::max(h, 1e-10 * std::abs(span)), options_.max_step), span);
}

void MotionRosenbrock::add_stages(const RosenbrockTable::Row& weights, int count, double factor,
                                  double* out) {
  double weight[most_rosenbrock_stages];
  const double* term[most_rosenbrock_stages];
  int terms = 0;
  for (int j = 0; j < count; ++j)
    if (weights[j] != 0) weight[terms] = factor * weights[j], term[terms++] = stage(j);
  kernels_.sum(n_, terms, weight, term, out, out);
}

/// Time derivatives by central differences, within what a step sees of the motion.
bool MotionRosenbrock::linearize() {
  if (linearized_) return true;
  constexpr double part_of_step = 1e-3;
  ++statistics_.jacobians;
  if (watch_.is_within_reach(h_) ||
      !field_->acceleration_derivatives(state_.t, x_.data(), pencil_.a.data(), pencil_.e.data()))
    return false;
  for (double& x : pencil_.a) x = -x;
  for (double& x : pencil_.e) x = -x;
  for (int j = 0; j < coordinates_; ++j) diagonal_[j] = pencil_.e[j * (coordinates_ + 1)];
  const double before = state_.t - part_of_step * h_, after = state_.t + part_of_step * h_;
  statistics_.rhs += 2;
  if (!field_->slope(before, x_.data(), r_.data()) ||
      !field_->slope(after, x_.data(), time_derivative_.data()))
    return false;
  for (int k = 0; k < n_; ++k)
    time_derivative_[k] = after == before ? 0 : (time_derivative_[k] - r_[k]) / (after - before);
  return linearized_ = true;
}

void MotionRosenbrock::solve(double* u) {
  const int n = coordinates_;
  double *q = u, *v = u + n;
  // E r_q + r_v, and r_q kept.
  kernels_.sum(n, n, q, columns_.data(), v, v);
  std::copy(q, q + n, r_.begin());
  std::copy(v, v + n, q);
  factors_->solve(q);
  ++statistics_.solves;
  for (int i = 0; i < n; ++i) v[i] = shift_ * q[i] - r_[i];
}

MotionRosenbrock::Outcome MotionRosenbrock::make_stages(double h) {
  if (tried_ == h) return Outcome::done;
  tried_ = 0;
  shift_ = 1 / (h * method_.gamma);
  for (int j = 0; j < coordinates_; ++j) pencil_.e[j * (coordinates_ + 1)] = diagonal_[j] + shift_;
  ++statistics_.factorizations;
  if (!factors_->factor(pencil_, shift_)) return Outcome::singular;
  for (int i = 0; i < method_.stages; ++i) {
    double* u = stage(i);
    std::copy(x_.begin(), x_.begin() + n_, stage_.begin());
    add_stages(method_.a[i], i, 1, stage_.data());
    if (i == 0) {
      std::copy(slope_.begin(), slope_.end(), u);
    } else {
      ++statistics_.rhs;
      if (!field_->slope(state_.t + method_.c[i] * h, stage_.data(), u) ||
          watch_.came_near(field_->health()))
        return Outcome::not_usable;
    }
    add_stages(method_.coupling[i], i, 1 / h, u);
    const double d = h * method_.d[i];
    double sum = 0;
    for (int k = 0; k < n_; ++k) u[k] += d * time_derivative_[k];
    solve(u);
    for (int k = 0; k < n_; ++k) sum += u[k];
    if (!std::isfinite(sum)) return Outcome::not_usable;
  }
  const double* last = stage(method_.stages - 1);
  for (int k = 0; k < n_; ++k) next_x_[k] = stage_[k] + last[k];
  tried_ = h;
  return Outcome::done;
}

double MotionRosenbrock::error() {
  return std::max(weighted(stage(method_.stages - 1), x_.data(), next_x_.data()), 1e-10);
}

/// Onto the constraints, in tolerances. What is light moves most, and with a stiff spring its
/// tolerance is the smallest: the error of a step of the others may be a blow for it.
double MotionRosenbrock::move_of_end(double* before) const {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  for (const int first : {0, coordinates_}) {
    double size = 0;
    for (int k = first; k < first + coordinates_; ++k) size = std::max(size, std::abs(next_x_[k]));
    for (int k = first; k < first + coordinates_; ++k) {
      before[k] -= next_x_[k];
      if (std::abs(before[k]) <= rounding * size) before[k] = 0;
    }
  }
  return weighted(before, x_.data(), next_x_.data());
}

bool MotionRosenbrock::make_end(double t) {
  next_.t = t;
  h_used_ = t - state_.t;
  ++statistics_.rhs;
  std::copy(next_x_.begin(), next_x_.begin() + n_, r_.begin());
  if (!project_end(t, next_x_.data()) || !field_->slope(t, next_x_.data(), next_slope_.data()))
    return false;
  moved_ = move_of_end(r_.data());
  spread(next_x_, next_slope_.data(), next_);
  watch_.look(*field_, false, h_used_);
  return true;
}

/// Where a motion has come to rest steps may be far longer than they have to be, so one such is
/// tried first; the derivatives serve both.
bool MotionRosenbrock::would_make(double h, double limit) {
  const double hopeless = std::pow(boldness, method_.embedded_order() + 1);
  for (const double step : {boldness * h, h}) {
    h_ = std::copysign(std::min(std::abs(step), options_.max_step), step);
    aim_at(limit, false);
    if (!finite_ || !linearize()) continue;
    const double size = make_stages(h_) == Outcome::done ? error() : 1;
    if (size < 1) return true;
    if (size > hopeless) break;
  }
  field_->step_was(false);
  return false;
}

bool MotionRosenbrock::attempt(double limit) {
  committed_ = false;
  if (!finite_) return fail_not_finite();
  begin_step();
  if (h_ == 0) h_ = first_step(limit);
  for (int singular = 0;;) {
    const double wanted = h_;
    aim_at(limit, false);
    if (step_is_too_small() || singular > most_singular_in_a_row || !linearize())
      return fail(Reason::step_too_small,
                  {"no step was found", where(),
                   "a singularity of the solution, or constraints that leave the motion "
                   "undetermined",
                   "look at the solution near this time; loosen rtol and atol, or use radau"});
    const Outcome outcome = make_stages(h_);
    singular = outcome == Outcome::singular ? singular + 1 : 0;
    double size = outcome == Outcome::done ? error() : 0;
    const bool usable = outcome == Outcome::done && std::isfinite(size);
    bool ended = usable && size < 1 && make_end(reached_ ? limit : state_.t + h_);
    if (ended) size = std::max(size, moved_), ended = size < 1;
    if (ended) {
      estimated_error_ = size;
      h_ = control_.after_accepted(h_used_, size, method_.embedded_order(), 1, 1);
      if (rejected_ && std::abs(h_) > std::abs(h_used_)) h_ = h_used_;
      if (reached_ && std::abs(h_) < std::abs(wanted)) h_ = wanted;
      if (std::abs(h_) > options_.max_step) h_ = std::copysign(options_.max_step, h_);
      return true;
    }
    if (statistics_.steps > 0) ++statistics_.rejected;
    rejected_ = true;
    field_->step_was(false);
    h_ *= !usable || size < 1 ? after_no_use
          : first_            ? 0.1
                   : 1 / std::max(control_.divisor(size, method_.embedded_order(), 1, 1), 1.05);
  }
}

bool MotionRosenbrock::attempt_exactly(double h, const Interpolant&) {
  reached_ = false;
  return linearize() && make_stages(h) == Outcome::done && make_end(state_.t + h);
}

void MotionRosenbrock::end_at(double t, const std::vector<double>& y) {
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  reached_ = false;
  tried_ = 0;
  finite_ = make_end(t);
}

void MotionRosenbrock::move_end(const std::vector<double>& y) {
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  tried_ = 0;
  finite_ = make_end(next_.t);
}

void MotionRosenbrock::commit() {
  ++statistics_.steps;
  count();
  crossed_ = watch_.passed(state_.t, next_.t);
  std::swap(state_, next_);
  std::swap(x_, next_x_);
  std::swap(slope_, next_slope_);
  linearized_ = first_ = rejected_ = false;
  tried_ = 0;
  committed_ = true;
  watch_.accept(*field_);
  field_->step_was(true);
}

void MotionRosenbrock::interpolant(Interpolant& out) {
  const State& from = committed_ ? next_ : state_;
  const State& to = committed_ ? state_ : next_;
  const std::size_t width = from.y.size();
  out.t0 = from.t, out.t1 = to.t, out.size = static_cast<int>(width);
  out.basis = nullptr, out.method = 0;
  out.nested = 1 + method_.dense_rows;
  out.data.assign(width * static_cast<std::size_t>(1 + out.nested), 0.0);
  std::copy(from.y.begin(), from.y.end(), out.data.begin());
  for (std::size_t k = 0; k < width; ++k) out.data[width + k] = to.y[k] - from.y[k];
  for (int row = 0; row < method_.dense_rows; ++row) {
    std::fill(r_.begin(), r_.end(), 0.0);
    add_stages(method_.dense[row], method_.stages, 1, r_.data());
    field_->scatter(r_.data(), out.data.data() + width * static_cast<std::size_t>(2 + row));
  }
}

void MotionRosenbrock::save(std::vector<double>& memory) const {
  save_state(memory, state_), save_state(memory, next_);
  for (const double x : {h_, h_used_, control_.accepted_h, control_.accepted_error})
    memory.push_back(x);
  watch_.save(memory);
  for (const bool flag : {first_, rejected_, committed_, finite_}) memory.push_back(flag ? 1 : 0);
  for (const auto* list : {&x_, &next_x_, &slope_, &next_slope_, &stages_})
    save_list(memory, *list);
  field_->save(memory);
}

void MotionRosenbrock::restore(SavedState& memory) {
  restore_state(memory, state_), restore_state(memory, next_);
  for (double* x : {&h_, &h_used_, &control_.accepted_h, &control_.accepted_error})
    *x = memory.number();
  watch_.restore(memory);
  for (bool* flag : {&first_, &rejected_, &committed_, &finite_}) *flag = memory.flag();
  for (auto* list : {&x_, &next_x_, &slope_, &next_slope_, &stages_}) memory.list(*list);
  linearized_ = false;
  tried_ = 0;
  field_->restore(memory);
}

}  // namespace daedalus
