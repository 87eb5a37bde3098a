#include "stepper/linearly_implicit_extrapolation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "stepper/linearly_implicit.h"

namespace daedalus {
namespace {

// In evaluations of the equations. [HairerWanner1996, IV.9]
constexpr double work_of_jacobian = 5, work_of_factors = 1, work_of_substep = 2;

}  // namespace

LinearlyImplicitExtrapolation::LinearlyImplicitExtrapolation(
    const System& system, Jacobian& jacobian, const ExtrapolationTable& table,
    const Options& options, const Vector& atol, Statistics& statistics, const State& start)
    : ExtrapolationStepper(table, options, statistics, system.size, work_of_jacobian,
                           work_of_factors, work_of_substep),
      system_(system),
      jacobian_(jacobian),
      pencil_(jacobian.make_pencil()),
      factors_(make_real_factors(pencil_)),
      norm_(system.variable_index, options.rtol, atol) {
  require_linearly_implicit(system, jacobian, table.name, start);
  const std::size_t n = static_cast<std::size_t>(n_), most = static_cast<std::size_t>(most_);
  for (auto* list : {&residual_, &zero_, &derivative_}) list->assign(n, 0.0);
  running_.assign(n * most, 0.0), work_.assign(n * most, 0.0);
  differences_.assign(n * most * most, 0.0);
  if (system.expansion && options.fixed_step == 0)
    eliminated_ = std::make_unique<EliminatedError>(system, options.rtol);
}

void LinearlyImplicitExtrapolation::start(const State& state, double h) {
  begin_anew(state, h);
  linearized_ = false;
  norm_.set_reference(state_.y.data());
}

bool LinearlyImplicitExtrapolation::begin_rows() {
  if (linearized_) return true;
  ++statistics_.jacobians;
  // E is constant, so y' is without influence; zero leaves no rounding errors of its own.
  if (!jacobian_.evaluate(state_.t, state_.y.data(), zero_.data(), pencil_))
    return fail_not_differentiable(system_.equations[std::max(0, jacobian_.nonfinite_row())]);
  return linearized_ = true;
}

bool LinearlyImplicitExtrapolation::make_row(int row, int substeps, double h, double* to) {
  const double substep = h / substeps;
  singular_ = false, not_finite_row_ = -1;
  ++statistics_.factorizations;
  if (!factors_->factor(pencil_, 1 / substep)) return singular_ = true, false;
  std::copy(state_.y.begin(), state_.y.end(), to);
  const int highest = std::min(substeps, most_);
  for (int i = 0; i < substeps; ++i) {
    ++statistics_.rhs, ++statistics_.solves;
    system_.residual(state_.t + (i + 1) * substep, to, zero_.data(), residual_.data());
    for (int k = 0; k < n_; ++k) {
      residual_[k] = -residual_[k];
      if (!std::isfinite(residual_[k])) return not_finite_row_ = k, false;
    }
    factors_->solve(residual_.data());
    for (int k = 0; k < n_; ++k) to[k] += residual_[k];
    // residual_ is the first difference; the others follow from those one substep ago.
    for (int r = 1; r <= std::min(highest, i + 1); ++r) {
      double* known = running_.data() + static_cast<std::ptrdiff_t>(r - 1) * n_;
      for (int k = 0; k < n_; ++k) {
        const double before = known[k];
        known[k] = residual_[k];
        residual_[k] -= before;
      }
    }
  }
  for (int r = 1; r <= highest; ++r) {
    const double power = std::pow(substeps, r);
    const double* known = running_.data() + static_cast<std::ptrdiff_t>(r - 1) * n_;
    for (int k = 0; k < n_; ++k) difference(r, row)[k] = power * known[k];
  }
  return true;
}

double LinearlyImplicitExtrapolation::error_size(const double* error) {
  norm_.set_step(h_);
  const double own = norm_(error);
  if (!eliminated_ || !std::isfinite(own)) return own;
  return eliminated_->joined(own, state_.t, state_.y.data(), error, norm_.rtol(), h_);
}

/// Rows with fewer than r substeps have no such difference; one more is left out, whose first
/// substeps see the start.
void LinearlyImplicitExtrapolation::extrapolate_difference(int r, double* to) {
  const int last = columns_used_, first = std::min(r, last);
  const auto known = [&](int i) { return work_.data() + static_cast<std::ptrdiff_t>(i) * n_; };
  for (int row = first; row <= last; ++row) {
    const double* from = difference(r, row);
    std::copy(from, from + n_, known(row - first));
    for (int k = row - first; k > 0; --k) {
      const double quotient = double(table_.substeps[row - 1]) / table_.substeps[first + k - 2];
      const double weight = 1 / (std::pow(quotient, table_.power) - 1);
      double *better = known(k - 1), *one = known(k);
      for (int i = 0; i < n_; ++i) better[i] = one[i] + weight * (one[i] - better[i]);
    }
  }
  std::copy(known(0), known(0) + n_, to);
}

bool LinearlyImplicitExtrapolation::make_end(double h, double t) {
  std::copy(column(0), column(0) + n_, next_.y.begin());
  next_.t = t;
  extrapolate_difference(1, next_.yp.data());
  for (double& slope : next_.yp) slope /= h;
  return true;
}

bool LinearlyImplicitExtrapolation::give_up() {
  if (singular_) {
    const int at = factors_->singular_column();
    return fail(Reason::singular_matrix,
                {"the matrix of the step is singular",
                 fmt::format("{}{}", where(),
                             at >= 0 ? ": nothing determines " + system_.variables[at] : ""),
                 "equations depend on each other, or a variable occurs in none of them",
                 "check for repeated or missing equations, or try radau"});
  }
  const bool undefined = not_finite_row_ >= 0;
  return fail(
      undefined ? Reason::not_finite : Reason::step_too_small,
      {undefined ? "the equations are not finite beyond this point"
                 : "the step size became too small",
       fmt::format(
           "{}{}", where(),
           undefined ? fmt::format(": equation \"{}\"", system_.equations[not_finite_row_]) : ""),
       undefined ? "a step leads to a value that is not a finite number"
                 : "a singularity of the solution, an index higher than stated, or a tolerance "
                   "below rounding errors",
       "look at the solution near this time; loosen rtol and atol, or try radau"});
}

void LinearlyImplicitExtrapolation::end_at(double t, const std::vector<double>& y) {
  next_.t = t;
  next_.y = y;
  next_.yp = state_.yp;
  h_used_ = t - state_.t;
  reached_ = false;
}

void LinearlyImplicitExtrapolation::commit() {
  note_commit();
  std::swap(state_, next_);
  linearized_ = false;
  norm_.set_reference(state_.y.data());
}

/// y0 + sum_{r<=k} a_r ((1-theta)^r - 1): a_r = (-H)^r y^(r)(t1) / r! for r < k, and a_k such that
/// y1 is met.
void LinearlyImplicitExtrapolation::interpolant(Interpolant& out) {
  const int k = columns_used_;
  const std::size_t n = static_cast<std::size_t>(n_);
  out.t0 = state_.t, out.t1 = next_.t, out.size = n_, out.basis = nullptr, out.method = 0;
  out.nested = std::max(2, k);
  out.data.assign(n * static_cast<std::size_t>(1 + out.nested), 0.0);
  std::copy(state_.y.begin(), state_.y.end(), out.data.begin());
  for (int i = 0; i < n_; ++i) residual_[i] = state_.y[i] - next_.y[i];
  std::array<double, most_columns + 1> powers = {1};  // (1-theta)^r
  double factorial = 1;
  for (int r = 1; r <= k; ++r) {
    for (int m = r; m > 0; --m) powers[m] -= powers[m - 1];
    factorial *= -r;
    if (r < k) {
      extrapolate_difference(r, derivative_.data());
      for (int i = 0; i < n_; ++i) derivative_[i] /= factorial, residual_[i] -= derivative_[i];
    } else {
      derivative_ = residual_;
    }
    std::array<double, most_columns + 1> nested = {};
    Interpolant::nested_weights(powers.data(), r, nested.data());
    for (int j = 0; j < r; ++j)
      for (std::size_t i = 0; i < n; ++i)
        out.data[n * static_cast<std::size_t>(1 + j) + i] += nested[j] * derivative_[i];
  }
}

void LinearlyImplicitExtrapolation::save(std::vector<double>& memory) const {
  save_control(memory);
  save_list(memory, differences_);
  save_list(memory, factors_->pivots());
}

void LinearlyImplicitExtrapolation::restore(SavedState& memory) {
  restore_control(memory);
  memory.list(differences_);
  factors_->restore_pivots(pencil_, memory.list());
  linearized_ = false;
  norm_.set_reference(state_.y.data());
}

}  // namespace daedalus
