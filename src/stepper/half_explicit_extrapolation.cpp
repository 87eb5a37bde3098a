#include "stepper/half_explicit_extrapolation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "controller/step_control.h"
#include "daedalus/error.h"

namespace daedalus {

HalfExplicitExtrapolation::HalfExplicitExtrapolation(std::shared_ptr<ProjectedField> field,
                                                     const ExtrapolationTable& table,
                                                     const Options& options, const Vector& atol,
                                                     Statistics& statistics)
    : ExtrapolationStepper(table, options, statistics, field->differential, 2, 0, 1),
      field_(std::move(field)),
      polynomial_(n_) {
  if (table.is_for_motions() && !field_->moves_on_positions())
    throw InvalidInput(fmt::format(
        "method = {}: it integrates motions under constraints of positions, q' = v, M v' = f - G^T "
        "lambda, g(q) = 0; use extrapolated_midpoint for this problem",
        table.name));
  const std::size_t n = static_cast<std::size_t>(n_);
  for (auto* list : {&atol_, &x_, &next_x_, &slope_, &next_slope_, &k_, &before_, &tolerance_})
    list->resize(n);
  for (auto* list : {&multipliers_, &lambda_, &at_start_})
    list->resize(static_cast<std::size_t>(field_->algebraic));
  for (int i = 0; i < n_; ++i) atol_[i] = atol[field_->place(i)];
  norm_ =
      ErrorNorm(std::vector<int>(n, 1), options.rtol, Eigen::Map<const Vector>(atol_.data(), n_));
}

void HalfExplicitExtrapolation::start(const State& state, double h) {
  // The expansion in powers of h^2 ends with a term in h^3 that no row knows of. [Lubich1989]
  if (table_.basis == Basis::half_explicit_midpoint && !field_->is_affine() &&
      options_.fixed_step == 0)
    throw InvalidInput(fmt::format(
        "method = {}: its error estimate needs multipliers that enter the equations linearly, "
        "which they do not; use extrapolated_euler or phem_56",
        table_.name));
  begin_anew(state, h);
  committed_ = false;
  field_->gather(state_.y.data(), x_.data());
  for (int k = 0; k < field_->algebraic; ++k) multipliers_[k] = state_.y[field_->place(n_ + k)];
  field_->guess_multipliers(multipliers_.data());
  finite_ = put_onto_manifold(state_.t, x_, slope_, state_);
  norm_.set_reference(x_.data());
  count();
}

/// Puts x there, and with its slope and multipliers into `to`.
bool HalfExplicitExtrapolation::put_onto_manifold(double t, std::vector<double>& x,
                                                  std::vector<double>& slope, State& to) {
  for (int i = 0; i < n_; ++i) tolerance_[i] = atol_[i] + options_.rtol * std::abs(x[i]);
  to.t = t;
  ++statistics_.rhs;
  field_->renew(t, x.data(), true);
  if (!field_->project_end(t, x.data(), tolerance_.data()) ||
      !field_->slope(t, x.data(), slope.data()))
    return false;
  field_->scatter(x.data(), to.y.data());
  field_->scatter(slope.data(), to.yp.data());
  field_->multipliers(multipliers_.data());
  for (int k = 0; k < field_->algebraic; ++k) to.y[field_->place(n_ + k)] = multipliers_[k];
  return true;
}

double HalfExplicitExtrapolation::first_step(double limit) {
  const double span = limit - state_.t;
  const double size = norm_(x_.data()), rate = norm_(slope_.data());
  const double h = rate < 1e-10 ? 1e-3 * std::abs(span) : 0.05 * std::max(size, 1.0) / rate;
  return std::copysign(std::min({h, std::abs(span), options_.max_step}), span);
}

bool HalfExplicitExtrapolation::march_euler(int substeps, double h, double* y) {
  for (int i = 0; i < substeps; ++i) {
    const double t = state_.t + i * h;
    ++statistics_.rhs;
    if (!field_->constrained_slope(t, y, {t + h, y, h}, k_.data())) return false;
    for (int j = 0; j < n_; ++j) y[j] += h * k_[j];
  }
  return true;
}

bool HalfExplicitExtrapolation::march_midpoint(int substeps, double h, double* y) {
  double* before = before_.data();
  std::copy(y, y + n_, before);
  for (int i = 0; i < substeps; ++i) {
    const double t = state_.t + i * h, weight = i == 0 ? h : 2 * h;
    ++statistics_.rhs;
    if (!field_->constrained_slope(t, y, {t + h, before, weight}, k_.data())) return false;
    for (int j = 0; j < n_; ++j) {
      const double next = before[j] + weight * k_[j];
      before[j] = y[j], y[j] = next;
    }
  }
  return true;
}

bool HalfExplicitExtrapolation::march_positions(int substeps, double h, double* y, bool symmetric) {
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  for (int i = 0; i < substeps; ++i) {
    ++statistics_.rhs;
    if (!field_->position_step(state_.t + i * h, y, h, symmetric, lambda_.data())) return false;
  }
  return true;
}

bool HalfExplicitExtrapolation::make_row(int, int substeps, double h, double* to) {
  committed_ = false;
  if (!finite_) return false;
  const double* start = x_.data();
  std::copy(start, start + n_, to);
  for (int k = 0; k < field_->algebraic; ++k) at_start_[k] = state_.y[field_->place(n_ + k)];
  field_->guess_multipliers(at_start_.data());
  const double substep = h / substeps;
  bool made = false;
  switch (table_.basis) {
    case Basis::half_explicit_euler:
      made = march_euler(substeps, substep, to);
      break;
    case Basis::half_explicit_midpoint:
      made = march_midpoint(substeps, substep, to);
      break;
    case Basis::position_euler:
    case Basis::rattle:
      made = march_positions(substeps, substep, to, table_.basis == Basis::rattle);
      break;
    case Basis::linearly_implicit_euler:
      break;  // needs no field
  }
  double sum = 0;
  for (int j = 0; j < n_; ++j) sum += to[j];
  return made && std::isfinite(sum);
}

double HalfExplicitExtrapolation::error_size(const double* error) {
  return norm_(error) / share_of_explicit_step;
}

bool HalfExplicitExtrapolation::make_end(double, double t) {
  std::copy(column(0), column(0) + n_, next_x_.begin());
  return put_onto_manifold(t, next_x_, next_slope_, next_);
}

bool HalfExplicitExtrapolation::give_up() {
  if (unsolvable_)
    return fail(Reason::not_finite,
                {"no step is short enough for the constraints and the equations", where(),
                 "the equations are not defined beyond this point, or the constraints lose rank",
                 "check the start values and the arguments of functions; dop853 passes singular "
                 "points of constraints"});
  return fail(
      Reason::step_too_small,
      {"the step size became too small", where(), "a singularity of the solution, or stiff forces",
       "look at the solution near this time; loosen rtol and atol, or use radau"});
}

void HalfExplicitExtrapolation::end_at(double t, const std::vector<double>& y) {
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  h_used_ = t - state_.t;
  reached_ = false;
  finite_ = put_onto_manifold(t, next_x_, next_slope_, next_);
}

void HalfExplicitExtrapolation::move_end(const std::vector<double>& y) {
  next_.y = y;
  field_->gather(y.data(), next_x_.data());
  finite_ = put_onto_manifold(next_.t, next_x_, next_slope_, next_);
}

void HalfExplicitExtrapolation::count() {
  statistics_.factorizations += field_->factorizations - counted_;
  counted_ = field_->factorizations;
}

void HalfExplicitExtrapolation::commit() {
  note_commit();
  count();
  std::swap(state_, next_), std::swap(x_, next_x_), std::swap(slope_, next_slope_);
  committed_ = true;
  norm_.set_reference(x_.data());
}

void HalfExplicitExtrapolation::interpolant(Interpolant& out) {
  const bool behind = committed_;
  const State& from = behind ? next_ : state_;
  const State& to = behind ? state_ : next_;
  const std::vector<double>&x0 = behind ? next_x_ : x_, &x1 = behind ? x_ : next_x_;
  const double h = to.t - from.t;
  for (int j = 0; j < n_; ++j)
    k_[j] = h * (behind ? next_slope_ : slope_)[j],
    before_[j] = h * (behind ? slope_ : next_slope_)[j];
  constexpr double share = 0.1;  // of the tolerance, for what the last coefficient adds
  const int nested = polynomial_.make(
      x0.data(), x1.data(), k_.data(), before_.data(), h,
      [&](double theta, const double* x, double* xp) {
        ++statistics_.rhs;
        return field_->slope(from.t + theta * h, x, xp);
      },
      [&](const double* x) { return norm_(x) <= share; });
  const std::size_t width = from.y.size();
  out.t0 = from.t, out.t1 = to.t, out.size = static_cast<int>(width), out.basis = nullptr;
  out.nested = nested, out.method = 0;
  out.data.assign(width * static_cast<std::size_t>(1 + nested), 0.0);
  std::copy(from.y.begin(), from.y.end(), out.data.begin());
  for (int k = 0; k < field_->algebraic; ++k) {
    const std::size_t at = static_cast<std::size_t>(field_->place(n_ + k));
    out.data[width + at] = to.y[at] - from.y[at];
  }
  for (int j = 0; j < nested; ++j)
    field_->scatter(polynomial_.coefficient(j),
                    out.data.data() + width * static_cast<std::size_t>(1 + j));
}

void HalfExplicitExtrapolation::save(std::vector<double>& memory) const {
  save_control(memory);
  memory.push_back(committed_ ? 1 : 0), memory.push_back(finite_ ? 1 : 0);
  for (const auto* list : {&x_, &next_x_, &slope_, &next_slope_}) save_list(memory, *list);
  field_->save(memory);
}

void HalfExplicitExtrapolation::restore(SavedState& memory) {
  restore_control(memory);
  committed_ = memory.flag(), finite_ = memory.flag();
  for (auto* list : {&x_, &next_x_, &slope_, &next_slope_}) memory.list(*list);
  field_->restore(memory);
  norm_.set_reference(x_.data());
}

}  // namespace daedalus
